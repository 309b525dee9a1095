#pragma once

// The seam to what the system knows of encodings: iconv, or in WebAssembly the
// decoders of JavaScript (encodings_wasm.cc).

#include <string>
#include <string_view>

namespace bvhmill {

// Converts `bytes` to UTF-8 and appends them to `out`, unless that is null.
// `encoding` is a name of iconv: "CP932", "GB18030", "BIG5" or "CP949". False
// if `bytes` are not valid in it; `out` may then have a part of them.
bool ToUtf8(const char* encoding, std::string_view bytes, std::string* out);

}  // namespace bvhmill
