#include "tests/support/converted.h"

#include <utility>

#include "bvhmill/pipeline/clip_converter.h"

namespace bvhmill::testing {

Converted ConvertWhole(std::string_view text, const ConvertOptions& options) {
  StringReceiver receiver;
  Converted out;
  out.result = Convert(text, options, &receiver, nullptr);
  out.outputs = std::move(receiver.data());
  return out;
}

Converted ConvertPieces(std::string_view text, const ConvertOptions& options,
                        size_t size) {
  StringReceiver receiver;
  Converted out;
  ClipConverter converter(options, &receiver, nullptr, &out.result);
  for (size_t at = 0; at < text.size(); at += size) {
    converter.Push(text.substr(at, size));
  }
  converter.Finish();
  out.outputs = std::move(receiver.data());
  return out;
}

}  // namespace bvhmill::testing
