#include "bvhmill/settings/amounts.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>

namespace bvhmill::testing {
namespace {

constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
constexpr int64_t kKi = int64_t{1} << 10;
constexpr int64_t kMi = int64_t{1} << 20;
constexpr int64_t kGi = int64_t{1} << 30;
constexpr int64_t kTi = int64_t{1} << 40;
constexpr auto kBytes = LimitUnit::kBytes;
constexpr auto kSeconds = LimitUnit::kSeconds;
constexpr auto kCount = LimitUnit::kCount;

struct Accepted {
  LimitUnit unit;
  std::string text;
  int64_t value;
};

TEST(Amounts, HaveUnitsOfBytesAndOfTime) {
  const Accepted cases[] = {
      {kCount, "0", 0},
      {kCount, "007", 7},
      {kCount, "9223372036854775807", kMax},
      {LimitUnit::kWork, "1000", 1000},
      {kBytes, "0", 0},
      {kBytes, "010", 10},
      {kBytes, "1048576", kMi},
      {kBytes, "9223372036854775807", kMax},
      {kBytes, "64k", 64 * kKi},
      {kBytes, "64K", 64 * kKi},
      {kBytes, "64KiB", 64 * kKi},
      {kBytes, "64kib", 64 * kKi},
      {kBytes, "512M", 512 * kMi},
      {kBytes, "512m", 512 * kMi},
      {kBytes, "512MiB", 512 * kMi},
      {kBytes, "512 MiB", 512 * kMi},
      {kBytes, "1G", kGi},
      {kBytes, "1GiB", kGi},
      {kBytes, "2T", 2 * kTi},
      {kBytes, "2TiB", 2 * kTi},
      {kBytes, "8388607T", 8388607 * kTi},
      {kBytes, "0T", 0},
      {kBytes, "1.0", 1},
      {kBytes, "1.5G", kGi + kGi / 2},
      {kBytes, "0.5KiB", 512},
      {kBytes, "0.0009765625k", 1},
      {kBytes, "1.50000000000000000000000000000000000K", 1536},
      {LimitUnit::kBytesPerSecond, "1K", kKi},
      {kSeconds, "90", 90},
      {kSeconds, "30s", 30},
      {kSeconds, "5m", 300},
      {kSeconds, "5M", 300},
      {kSeconds, "2h", 7200},
      {kSeconds, "1.5h", 5400},
      {kSeconds, "1d", 86'400},
      {kSeconds, "7 d", 604'800},
      {kSeconds, "2000ms", 2},
      {kSeconds, "0ms", 0},
      {kSeconds, "9223372036854775807", kMax},
      {kSeconds, "9223372036854775807000ms", kMax},
  };
  for (const Accepted& c : cases) {
    int64_t value = -7;
    EXPECT_EQ(ParseAmount(c.text, c.unit, kAnyLimit, &value), "") << c.text;
    EXPECT_EQ(value, c.value) << c.text;
  }
}

struct Refused {
  LimitUnit unit;
  LimitRange range;
  std::string text;
  std::string why;
};

TEST(Amounts, ThatAreRefusedSayWhatIsAccepted) {
  const std::string bytes = "; use 65536, 512MiB or 1.5G";
  const std::string seconds = "; use 90, 30s, 5m, 2h or 1d";
  const std::string any = "0 to 9223372036854775807";
  const Refused cases[] = {
      {kBytes, kAnyLimit, "", "'' is not a number of bytes" + bytes},
      {kBytes, kAnyLimit, "lots", "'lots' is not a number of bytes" + bytes},
      {kBytes, kAnyLimit, "-5", "'-5' is not a number of bytes" + bytes},
      {kBytes, kAnyLimit, "+5", "'+5' is not a number of bytes" + bytes},
      {kBytes, kAnyLimit, " 5", "' 5' is not a number of bytes" + bytes},
      {kBytes, kAnyLimit, ".5G", "'.5G' is not a number of bytes" + bytes},
      {kBytes, kAnyLimit, "5.", "'5.' is not a number of bytes" + bytes},
      {kBytes, kAnyLimit, "5.G", "'5.G' is not a number of bytes" + bytes},
      {kBytes, kAnyLimit, "G", "'G' is not a number of bytes" + bytes},
      {kBytes, kAnyLimit, "5X", "'5X' has the unknown unit 'X'" + bytes},
      {kBytes, kAnyLimit, "5s", "'5s' has the unknown unit 's'" + bytes},
      {kBytes, kAnyLimit, "5 M ", "'5 M ' has the unknown unit 'M '" + bytes},
      {kBytes, kAnyLimit, "1.5.5", "'1.5.5' has the unknown unit '.5'" + bytes},
      {kBytes, kAnyLimit, "1,5G", "'1,5G' has the unknown unit ',5G'" + bytes},
      {kBytes, kAnyLimit, "0x10", "'0x10' has the unknown unit 'x10'" + bytes},
      {kBytes, kAnyLimit, "1e9", "'1e9' has the unknown unit 'e9'" + bytes},
      {kBytes, kAnyLimit, "5\n",
       "'5\\x0A' has the unknown unit '\\x0A'" + bytes},
      {kBytes, kAnyLimit, "1GB",
       "'1GB' is ambiguous; use GiB for powers of 1024, or the number of "
       "bytes"},
      {kBytes, kAnyLimit, "1.5kb",
       "'1.5kb' is ambiguous; use kiB for powers of 1024, or the number of "
       "bytes"},
      {kBytes, kAnyLimit, "1.5", "'1.5' is not a whole number of bytes"},
      {kBytes, kAnyLimit, "0.3K", "'0.3K' is not a whole number of bytes"},
      {kBytes, kAnyLimit, "9223372036854775808",
       "'9223372036854775808' is out of range: " + any},
      {kBytes, kAnyLimit, "99999999999999999999999",
       "'99999999999999999999999' is out of range: " + any},
      {kBytes, kAnyLimit, "8388608T", "'8388608T' is out of range: " + any},
      {kBytes, kAnyLimit, "8388607.9999999999999999T",
       "'8388607.9999999999999999T' is not a whole number of bytes"},
      {kBytes, kChunkLimit, "1023", "'1023' is out of range: 1KiB to 4MiB"},
      {kBytes, kChunkLimit, "5M", "'5M' is out of range: 1KiB to 4MiB"},
      {LimitUnit::kBytesPerSecond, kAnyLimit, "-1",
       "'-1' is not a number of bytes" + bytes},
      {kSeconds, kAnyLimit, "", "'' is not a number of seconds" + seconds},
      {kSeconds, kAnyLimit, "-1s",
       "'-1s' is not a number of seconds" + seconds},
      {kSeconds, kAnyLimit, "5w", "'5w' has the unknown unit 'w'" + seconds},
      {kSeconds, kAnyLimit, "1h30m",
       "'1h30m' has the unknown unit 'h30m'" + seconds},
      {kSeconds, kAnyLimit, "1GB", "'1GB' has the unknown unit 'GB'" + seconds},
      {kSeconds, kAnyLimit, "500ms",
       "'500ms' is not a whole number of seconds"},
      {kSeconds, kAnyLimit, "1.5", "'1.5' is not a whole number of seconds"},
      {kSeconds, kLeaseLimit, "0", "'0' is out of range: 1s to 1d"},
      {kSeconds, kLeaseLimit, "25h", "'25h' is out of range: 1s to 1d"},
      {kSeconds, kAnyLimit, "106751991167301d",
       "'106751991167301d' is out of range: 0 to 9223372036854775807s"},
      {kCount, {0, 4096}, "", "'' is not a whole number from 0 to 4096"},
      {kCount, {0, 4096}, "x", "'x' is not a whole number from 0 to 4096"},
      {kCount, {0, 4096}, "-1", "'-1' is not a whole number from 0 to 4096"},
      {kCount,
       {0, 4096},
       "4097",
       "'4097' is not a whole number from 0 to 4096"},
      {kCount, {0, 4096}, "1.5", "'1.5' is not a whole number from 0 to 4096"},
      {kCount, {0, 4096}, "1K", "'1K' is not a whole number from 0 to 4096"},
      {LimitUnit::kWork, kAnyLimit, "9223372036854775808",
       "'9223372036854775808' is not a whole number from " + any},
  };
  for (const Refused& c : cases) {
    int64_t value = -7;
    EXPECT_EQ(ParseAmount(c.text, c.unit, c.range, &value), c.why);
    EXPECT_EQ(value, -7) << c.text;
  }
}

TEST(Amounts, AreWrittenWithTheLargestUnitThatDividesThem) {
  const Accepted cases[] = {
      {kBytes, "0", 0},
      {kBytes, "1", 1},
      {kBytes, "1000", 1000},
      {kBytes, "1KiB", kKi},
      {kBytes, "1025", kKi + 1},
      {kBytes, "4032KiB", 4 * kMi - 64 * kKi},
      {kBytes, "512MiB", 512 * kMi},
      {kBytes, "16GiB", 16 * kGi},
      {kBytes, "1TiB", kTi},
      {kBytes, "9223372036854775807", kMax},
      {LimitUnit::kBytesPerSecond, "256", 256},
      {kSeconds, "0", 0},
      {kSeconds, "1s", 1},
      {kSeconds, "1m", 60},
      {kSeconds, "90s", 90},
      {kSeconds, "30m", 1800},
      {kSeconds, "2h", 7200},
      {kSeconds, "7d", 604'800},
      {kCount, "3600", 3600},
      {LimitUnit::kWork, "1048576", kMi},
  };
  for (const Accepted& c : cases) {
    EXPECT_EQ(AmountText(c.value, c.unit), c.text);
    int64_t value = -7;
    EXPECT_EQ(ParseAmount(c.text, c.unit, kAnyLimit, &value), "") << c.text;
    EXPECT_EQ(value, c.value);
  }
}

}  // namespace
}  // namespace bvhmill::testing
