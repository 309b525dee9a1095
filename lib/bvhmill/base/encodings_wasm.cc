#include <cstddef>
#include <cstdint>
#include <cstring>

#include "bvhmill/base/encodings.h"

// A function of client/node/engine.js. Writes `bytes` as UTF-8 to `out` and
// returns how many bytes that are; -1 if `bytes` are not valid.
extern "C" __attribute__((import_module("bvhmill"), import_name("decode")))
int32_t
bvhmill_decode(const char* encoding, size_t encoding_bytes, const char* bytes,
               size_t size, char* out, size_t room);

namespace bvhmill {

bool ToUtf8(const char* encoding, std::string_view bytes, std::string* out) {
  // A character takes at most 3 bytes for each of its own.
  std::string text(3 * bytes.size(), '\0');
  const int32_t size =
      bvhmill_decode(encoding, std::strlen(encoding), bytes.data(),
                     bytes.size(), text.data(), text.size());
  if (size < 0) return false;
  if (out != nullptr) out->append(text, 0, static_cast<size_t>(size));
  return true;
}

}  // namespace bvhmill
