#pragma once

// Keys of items: the names of outputs, which are bytes, as UTF-8.
//
//   a name of UTF-8                       the name
//   "caf" and the byte E9                 bytes:caf\xE9
//
// Different names have different keys.

#include <string>
#include <string_view>

namespace bvhmill::client {

// The name itself if it is UTF-8 and does not look like a key of bytes.
std::string KeyOfName(std::string_view name);

// The name of a key. A key that KeyOfName has not made is a name.
std::string NameOfKey(std::string_view key);

}  // namespace bvhmill::client
