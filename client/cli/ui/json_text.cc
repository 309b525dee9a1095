#include "client/cli/ui/json_text.h"

#include <array>
#include <cmath>
#include <cstdio>

#include "bvhmill/base/utf8.h"
#include "client/cli/io/item_key.h"
#include "client/cli/ui/text.h"

namespace bvhmill::client {
namespace {

std::string EscapedControl(char c) {
  std::array<char, 8> buffer = {};
  std::snprintf(buffer.data(), buffer.size(), "\\u%04x",
                static_cast<unsigned>(c));
  return buffer.data();
}

}  // namespace

std::string JsonQuote(std::string_view text) {
  std::string out = "\"";
  for (const char c : ToUtf8(text)) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (c >= 0 && c < ' ') {
      out += EscapedControl(c);
    } else {
      out += c;
    }
  }
  return PlainJson(out + '"');
}

std::string JsonPath(std::string_view path) {
  return JsonQuote(KeyOfName(path));
}

std::string JsonNumber(float value) {
  return std::isfinite(value) ? Shortest(value) : "null";
}

std::string JsonNumber(double value) {
  return std::isfinite(value) ? Shortest(value) : "null";
}

std::string JsonBool(bool value) { return value ? "true" : "false"; }

std::string JsonObject(JsonFields fields) {
  std::string out;
  for (const auto& [name, value] : fields) {
    out += (out.empty() ? "{\"" : ",\"") + std::string(name) + "\":" + value;
  }
  return out.empty() ? "{}" : out + "}";
}

}  // namespace bvhmill::client
