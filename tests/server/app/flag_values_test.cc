// Values of flags of bvhmilld: bounds of numbers, and flags that contradict
// each other.

#include <gmock/gmock.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/server/app/read_flags.h"
#include "tests/support/files.h"

namespace bvhmill::testing {
namespace {

struct Range {
  const char* flag;
  std::vector<const char*> good;
  std::vector<const char*> bad;
};

TEST(FlagsTest, TakeNumbersUpToTheirBounds) {
  const Range ranges[] = {
      {"threads", {"0", "1", "4096"}, {"-1", "4097", "x", ""}},
      {"drain-seconds",
       {"0", "86400", "24h", "1d"},
       {"-1", "86401", "25h", "500ms"}},
      {"recommended-chunk-bytes",
       {"1024", "4194304", "1K", "4MiB"},
       {"1023", "4194305", "0", "5M"}},
      {"max-joints", {"0", "2147483647"}, {"-1", "2147483648"}},
      {"max-issues-per-report", {"0", "2147483647"}, {"-1", "2147483648"}},
      {"max-outputs-per-clip", {"0", "2147483647"}, {"-1", "2147483648"}},
      {"max-unfinished-clips-per-stream",
       {"0", "2147483647"},
       {"-1", "2147483648"}},
      {"max-frames",
       {"0", "2147483648", "9223372036854775807"},
       {"-1", "9223372036854775808", "1K"}},
      {"max-clip-bytes", {"0", "1T", "8388607T"}, {"-1", "8388608T", "1GB"}},
      {"max-inflight-bytes",
       {"0", "auto", "1.5G"},
       {"-1", "Auto", "99999999999999999999"}},
  };
  for (const auto& [flag, good, bad] : ranges) {
    for (const char* value : good) {
      EXPECT_TRUE(Read({"--" + std::string(flag) + "=" + value}).good)
          << flag << "=" << value;
    }
    for (const char* value : bad) {
      const Outcome outcome = Read({"--" + std::string(flag) + "=" + value});
      EXPECT_FALSE(outcome.good) << flag << "=" << value;
      EXPECT_EQ(outcome.exit_code, 2) << flag << "=" << value;
    }
  }
}

// The value of the limit with this name.
int64_t LimitOf(const server::ServerConfig& config, std::string_view name) {
  int64_t value = -1;
  server::ForEachLimit(config, [&](const auto& row, const auto* limits) {
    if (row.name == name) value = limits->*row.member;
  });
  return value;
}

struct Amount {
  std::string text;
  int64_t value;
};

Amount AmountIn(LimitUnit unit) {
  switch (unit) {
    case LimitUnit::kBytes:
    case LimitUnit::kBytesPerSecond:
      return {"64k", 65536};
    case LimitUnit::kSeconds:
      return {"1.5h", 5400};
    case LimitUnit::kCount:
    case LimitUnit::kWork:
      break;
  }
  return {"77", 77};
}

TEST(FlagsTest, OfBytesAndSecondsTakeUnits) {
  const server::ServerConfig defaults;
  server::ForEachLimit(defaults, [](const auto& row, const auto* /*limits*/) {
    const Amount amount = AmountIn(row.unit);
    const Outcome outcome = Read({FlagOfLimit(row.name) + "=" + amount.text});
    EXPECT_TRUE(outcome.good) << outcome.printed;
    EXPECT_EQ(LimitOf(outcome.config, row.name), amount.value) << row.name;
  });
  EXPECT_EQ(Read({"--drain-seconds=2m"}).config.drain_seconds, 120);
}

// The defaults in help are values that the flags take.
TEST(FlagsTest, DefaultsInHelpAreReadable) {
  const Outcome help = Read({"--help"});
  for (const char* words :
       {"--max-clip-bytes BYTES=512MiB\n",
        "--max-unary-response-bytes BYTES=4032KiB\n",
        "--max-inflight-bytes BYTES=auto\n", "--idle-seconds SECONDS=1m ",
        "--job-retention-seconds SECONDS=7d\n", "--drain-seconds SECONDS=30s ",
        "--threads N=0 ", "--max-data-bytes BYTES=0 ",
        "BYTES are a number of bytes, or a number with K, M, G or T"}) {
    EXPECT_THAT(help.printed, ::testing::HasSubstr(words));
  }
}

// Flags that are valid alone but not together, and the error messages.
TEST(FlagsTest, ConflictsAreRefused) {
  const std::pair<std::vector<std::string>, const char*> cases[] = {
      {{"--tls-cert=c"}, "--tls-cert and --tls-key need each other"},
      {{"--tls-key=k"}, "--tls-cert and --tls-key need each other"},
      {{"--tls-client-ca=a"}, "--tls-client-ca needs --tls-cert and --tls-key"},
      {{"--listen=0.0.0.0:1"}, "refusing to listen on 0.0.0.0:1 without TLS"},
      {{"--listen=[::]:1"}, "refusing to listen on [::]:1 without TLS"},
      {{"--metrics=0.0.0.0:1"}, "refusing to show metrics on 0.0.0.0:1"},
      {{"--metrics=0.0.0.0:1", "--tls-cert=c", "--tls-key=k"},
       "refusing to show metrics on 0.0.0.0:1"},
      {{"--http=0.0.0.0:1"}, "refusing to serve HTTP on 0.0.0.0:1"},
      {{"--http-files=/page"}, "need --http"},
      {{"--metrics=unix:/m"}, "--metrics: 'unix:/m' is not HOST:PORT or PORT"},
      {{"--metrics=99999"}, "--metrics: '99999' is not HOST:PORT or PORT"},
      {{"--listen=nowhere"}, "--listen: 'nowhere' is not HOST:PORT or PORT"},
      {{"--listen=:1"}, "--listen: ':1' is not HOST:PORT or PORT"},
      {{"--listen=127.0.0.1:65536"}, "with a port from 0 to 65535"},
      {{"--jobs-database=postgresql:///j"}, "--jobs-database needs --data-dir"},
      {{"--jobs-database=postgresql:///j", "--data-dir=none"},
       "--jobs-database needs --data-dir"},
      {{"--blobs=s3://takes"}, "--blobs needs --jobs-database"},
      {{"--blobs=s3://takes", "--jobs-database=postgresql:///j",
        "--data-dir=none"},
       "--blobs needs --data-dir"},
      {{"--blobs=takes", "--jobs-database=postgresql:///j", "--data-dir=/d"},
       "takes: is not s3://BUCKET/PREFIX"},
      {{"--blobs=s3://takes", "--jobs-database=postgresql:///j",
        "--data-dir=/d", "--s3-endpoint=http://10.0.0.1:7480"},
       "refusing to send blobs to http://10.0.0.1:7480 in clear text"},
      {{"--blobs=s3://takes", "--jobs-database=postgresql:///j",
        "--data-dir=/d", "--s3-endpoint=http://store"},
       "refusing to send blobs to http://store in clear text"},
      {{"--blobs=s3://takes", "--jobs-database=postgresql:///j",
        "--data-dir=/d", "--s3-endpoint=store:7480"},
       "--s3-endpoint: 'store:7480' is not http://HOST:PORT"},
      {{"--blobs=s3://takes", "--jobs-database=postgresql:///j",
        "--data-dir=/d", "--max-blob-bytes=5368709121"},
       "--max-blob-bytes may be 5368709120 at most"},
      {{"--s3-endpoint=http://127.0.0.1:1"}, "need --blobs"},
      {{"--s3-region=eu-west-1"}, "need --blobs"},
      {{"--max-nothing=1"}, "max-nothing"},
      {{"word"}, "word"},
      {{"--config=/no/such/file"}, "/no/such/file"},
  };
  for (const auto& [args, why] : cases) {
    const Outcome outcome = Read(args);
    EXPECT_FALSE(outcome.good) << why;
    EXPECT_EQ(outcome.exit_code, 2) << why;
    EXPECT_THAT(outcome.printed, ::testing::HasSubstr(why));
  }
}

TEST(FlagsTest, ResolvedConflictsAreAccepted) {
  const std::vector<std::string> cases[] = {
      {"--listen=0.0.0.0:1", "--insecure"},
      {"--listen=0.0.0.0:1", "--tls-cert=c", "--tls-key=k"},
      {"--metrics=0.0.0.0:1", "--insecure"},
      {"--tls-client-ca=a", "--tls-cert=c", "--tls-key=k"},
      {"--listen=unix:/s"},
      {"--listen=localhost:1"},
      {"--listen=[::1]:1"},
      {"--listen=127.9.9.9:1"},
      {"--blobs=s3://takes", "--jobs-database=postgresql:///j",
       "--data-dir=/d"},
      {"--blobs=s3://takes", "--jobs-database=postgresql:///j", "--data-dir=/d",
       "--s3-endpoint=http://[::1]:7480"},
      {"--blobs=s3://takes", "--jobs-database=postgresql:///j", "--data-dir=/d",
       "--s3-endpoint=http://localhost"},
      {"--blobs=s3://takes", "--jobs-database=postgresql:///j", "--data-dir=/d",
       "--s3-endpoint=http://10.0.0.1:7480", "--insecure"},
      {"--blobs=s3://takes", "--jobs-database=postgresql:///j", "--data-dir=/d",
       "--s3-endpoint=https://10.0.0.1"},
  };
  for (const auto& args : cases) {
    const Outcome outcome = Read(args);
    EXPECT_TRUE(outcome.good) << args[0] << ": " << outcome.printed;
  }
}

TEST(FlagsTest, FileWithAnUnknownNameIsRefused) {
  TempDir dir;
  WriteFile(dir.File("conf"), "max-jonts = 1\n");
  const Outcome outcome = Read({"--config=" + dir.File("conf")});
  EXPECT_FALSE(outcome.good);
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.printed, ::testing::HasSubstr("max-jonts"));
}

}  // namespace
}  // namespace bvhmill::testing
