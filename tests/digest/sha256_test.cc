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
