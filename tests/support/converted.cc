#include "tests/support/converted.h"

#include <utility>

#include "bvhmill/pipeline/convert.h"

namespace bvhmill::testing {

Converted ConvertWhole(std::string_view text, const ConvertOptions& options,
                       Converter* converter) {
  StringReceiver receiver;
  Converted out;
  out.result = converter->Convert(text, options, &receiver, nullptr);
  out.outputs = std::move(receiver.data());
  return out;
}

Converted ConvertWhole(std::string_view text, const ConvertOptions& options) {
  Converter converter(Parallelism::Threads(4));
  return ConvertWhole(text, options, &converter);
}

Converted ConvertPieces(std::string_view text, const ConvertOptions& options,
                        size_t size, Converter* converter) {
  StringReceiver receiver;
  Converted out;
  Conversion clip(converter, options, &receiver, nullptr, &out.result);
  for (size_t at = 0; at < text.size(); at += size) {
    clip.Add(text.substr(at, size));
  }
  clip.Finish();
  out.outputs = std::move(receiver.data());
  return out;
}

Converted ConvertPieces(std::string_view text, const ConvertOptions& options,
                        size_t size) {
  Converter converter;
  return ConvertPieces(text, options, size, &converter);
}

}  // namespace bvhmill::testing
