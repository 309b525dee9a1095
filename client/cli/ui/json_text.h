#pragma once

// JSON values as text. All functions return UTF-8 without a line end.

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

namespace bvhmill::client {

// `text` as a JSON string, with its quotes; bytes that are not UTF-8 are
// replaced as ToUtf8 does.
std::string JsonQuote(std::string_view text);

// The name of a file as a JSON string. Different names give different strings:
// a name that is not UTF-8 is "bytes:" and the name with \xNN in place of other
// bytes; see item_key.h.
std::string JsonPath(std::string_view path);

// The shortest number that reads back as `value`; "null" if it is not finite.
std::string JsonNumber(float value);
std::string JsonNumber(double value);

// "true" or "false".
std::string JsonBool(bool value);

// Keys with their values; the values are JSON already.
using JsonFields = std::initializer_list<std::pair<const char*, std::string>>;

// An object with `fields` in their order.
std::string JsonObject(JsonFields fields);

// An array with to_json(value), which is JSON already, for each of `values`.
template <typename T, typename ToJson>
std::string JsonArray(const T& values, const ToJson& to_json) {
  std::string out = "[";
  for (const auto& value : values) {
    if (out.size() > 1) out += ",";
    out += to_json(value);
  }
  return out + "]";
}

// An array of numbers.
template <typename T>
std::string JsonNumbers(const T& values) {
  return JsonArray(values, [](auto value) { return JsonNumber(value); });
}

}  // namespace bvhmill::client
