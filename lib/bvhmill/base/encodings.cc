#include "bvhmill/base/encodings.h"

#include <iconv.h>

#include <array>
#include <cerrno>
#include <cstddef>

namespace bvhmill {

bool ToUtf8(const char* encoding, std::string_view bytes, std::string* out) {
  const iconv_t converter = iconv_open("UTF-8", encoding);
  if (converter == reinterpret_cast<iconv_t>(-1)) return false;
  std::array<char, 1024> buffer = {};
  char* in = const_cast<char*>(bytes.data());
  size_t in_left = bytes.size();
  bool is_valid = true;
  while (in_left > 0 && is_valid) {
    char* to = buffer.data();
    size_t to_left = buffer.size();
    is_valid = iconv(converter, &in, &in_left, &to, &to_left) !=
                   static_cast<size_t>(-1) ||
               errno == E2BIG;
    if (out != nullptr) out->append(buffer.data(), to);
  }
  iconv_close(converter);
  return is_valid;
}

}  // namespace bvhmill
