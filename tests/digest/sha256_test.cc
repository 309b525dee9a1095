#include "bvhmill/digest/sha256.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace bvhmill::testing {
namespace {

struct DigestCase {
  std::string bytes;
  std::string_view digest;
};

// The last one has every byte.
std::string EveryByte() {
  std::string bytes;
  for (int i = 0; i < 256; ++i) bytes += static_cast<char>(i);
  return bytes;
}

// The first four are examples of FIPS 180-4.
TEST(Sha256, DigestsAreThoseOfTheStandard) {
  const DigestCase cases[] = {
      {"", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
      {"abc",
       "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
      {"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
       "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"},
      {std::string(1'000'000, 'a'),
       "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"},
      {EveryByte(),
       "40aff2e9d2d8922e47afd4648e6967497158785fbd1da870e7110266bf944880"},
  };
  for (const auto& [bytes, digest] : cases) {
    EXPECT_EQ(Sha256Of(bytes), digest);
    EXPECT_TRUE(IsSha256(digest));
    Sha256 parts;
    for (size_t i = 0; i < bytes.size(); i += 777) {
      parts.Add(std::string_view(bytes).substr(i, 777));
    }
    EXPECT_EQ(parts.Finish(), digest);
  }
}

TEST(Sha256, ASavedStateGoesOn) {
  const std::string bytes = EveryByte();
  for (const size_t cut : {0, 1, 63, 64, 65, 128, 192, 255, 256}) {
    Sha256 begun;
    begun.Add(std::string_view(bytes).substr(0, cut));
    const std::string saved = begun.Save();
    EXPECT_EQ(saved.empty(), cut % 64 != 0) << cut;
    if (saved.empty()) continue;
    Sha256 restored;
    restored.Add("what was added before is gone");
    ASSERT_TRUE(restored.Restore(saved, static_cast<int64_t>(cut)));
    EXPECT_EQ(restored.Save(), saved);
    restored.Add(std::string_view(bytes).substr(cut));
    EXPECT_EQ(restored.Finish(), Sha256Of(bytes)) << cut;
    // The first one goes on, too.
    begun.Add(std::string_view(bytes).substr(cut));
    EXPECT_EQ(begun.Finish(), Sha256Of(bytes));
  }
}

// The length in bits does not fit into 32 bits: half a gigabyte of zeros, and
// "end".
TEST(Sha256, TheStateOfManyBytesGoesOn) {
  Sha256 sha;
  ASSERT_TRUE(sha.Restore(
      "c19453160ed03e104e1064e92f8b0652e52774ad065ea229c9c3c2460e0cc072",
      int64_t{1} << 29));
  sha.Add("end");
  EXPECT_EQ(sha.Finish(),
            "1bc5af844248147391aeeb145c8459cda71e6d2b3eae680e0222e34fb2b86627");
}

TEST(Sha256, StatesThatAreNoneChangeNothing) {
  const std::string good(64, '1');
  std::string upper = good;
  upper[5] = 'A';
  std::string letter = good;
  letter[63] = 'g';
  const struct {
    std::string saved;
    int64_t bytes;
  } cases[] = {
      {"", 64},     {good.substr(1), 64}, {good + "1", 64}, {upper, 64},
      {letter, 64}, {good, -64},          {good, 63},       {good, 65}};
  for (const auto& [saved, bytes] : cases) {
    Sha256 sha;
    sha.Add("abc");
    EXPECT_FALSE(sha.Restore(saved, bytes)) << saved << " " << bytes;
    EXPECT_EQ(sha.Finish(), Sha256Of("abc"));
  }
  EXPECT_TRUE(Sha256().Restore(good, 64));
  EXPECT_TRUE(Sha256().Restore(good, 0));
}

TEST(Sha256, WordsOfSixtyFourSmallDigitsAreDigests) {
  EXPECT_TRUE(IsSha256(std::string(64, 'f')));
  EXPECT_TRUE(IsSha256(std::string(64, '0')));
  EXPECT_FALSE(IsSha256(std::string(63, 'f')));
  EXPECT_FALSE(IsSha256(std::string(65, 'f')));
  EXPECT_FALSE(IsSha256(std::string(64, 'F')));
  EXPECT_FALSE(IsSha256(std::string(63, 'f') + "g"));
  EXPECT_FALSE(IsSha256(std::string(63, 'f') + " "));
  EXPECT_FALSE(IsSha256(""));
}

}  // namespace
}  // namespace bvhmill::testing
