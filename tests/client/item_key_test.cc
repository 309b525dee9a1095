// Keys of items are UTF-8, and give back the names that they were made of.

#include <gtest/gtest.h>

#include <string>

#include "bvhmill/base/text.h"
#include "bvhmill/files/outputs.h"

namespace bvhmill::client {
namespace {

struct KeyCase {
  std::string name;
  std::string key;
};

const KeyCase kKeyCases[] = {
    {"takes/walk", "takes/walk"},          {"caf\xC3\xA9", "caf\xC3\xA9"},
    {"caf\xE9", "bytes:caf\\xE9"},         {"a\\xE9", "a\\xE9"},
    {"\xFF\\\n", "bytes:\\xFF\\x5C\\x0A"}, {"bytes:a", "bytes:bytes:a"},
    {"bytes:\xE9", "bytes:bytes:\\xE9"},
};

TEST(ItemKey, GivesTheNameBack) {
  for (const auto& [name, key] : kKeyCases) {
    EXPECT_EQ(KeyOfName(name), key);
    EXPECT_EQ(NameOfKey(key), name);
    EXPECT_TRUE(IsUtf8(KeyOfName(name)));
  }
}

TEST(ItemKey, OfOtherClientsIsAName) {
  for (const std::string key :
       {"", "bytes:\\", "bytes:\\x", "bytes:\\xE", "bytes:\\xG0", "bytes:\\x-1",
        "bytes:\xC3\xA9", "bytes:a\\y41"}) {
    EXPECT_EQ(NameOfKey(key), key);
  }
  EXPECT_EQ(NameOfKey("bytes:"), "");
}

}  // namespace
}  // namespace bvhmill::client
