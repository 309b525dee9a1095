#include "tests/fuzz/support/pieces.h"

#include <string>
#include <utility>
#include <vector>

#include "bvhmill/encode/report_json.h"
#include "bvhmill/pipeline/convert.h"
#include "tests/fuzz/bytes.h"

namespace bvhmill::fuzz {
namespace {

struct Converted {
  ConvertResult result;
  std::vector<std::string> outputs;
};

Converted ConvertWhole(std::string_view text, const ConvertOptions& options) {
  StringReceiver receiver;
  Converted out;
  out.result = Convert(text, options, &receiver, nullptr);
  out.outputs = std::move(receiver.data());
  return out;
}

Converted ConvertPieces(std::string_view text, const ConvertOptions& options,
                        Choices* choices) {
  StringReceiver receiver;
  Converted out;
  Converter worker;
  Conversion clip(&worker, options, &receiver, nullptr, &out.result);
  const size_t most = choices->OneIn(2) ? 20 : 1000;
  while (!text.empty()) {
    // A copy in its own memory: the converter may use a piece only in the call.
    const std::string piece(text.substr(0, 1 + choices->Below(most)));
    text.remove_prefix(piece.size());
    choices->OneIn(2) ? clip.Add(piece) : clip.Add(piece, 0);
  }
  clip.Finish();
  out.outputs = std::move(receiver.data());
  return out;
}

void RequireSame(const OutputInfo& a, const OutputInfo& b) {
  Require(a.id == b.id && a.media_type == b.media_type);
  Require(a.status == b.status);
  Require(a.size_bytes == b.size_bytes);
  Require(a.tensor.has_value() == b.tensor.has_value());
  if (!a.tensor) return;
  Require(a.tensor->shape == b.tensor->shape);
  Require(a.tensor->axes == b.tensor->axes);
}

void RequireSame(const Converted& a, const Converted& b) {
  Require(a.result.status == b.result.status);
  RequireEqual(ReportJson("", a.result.report, a.result.info),
               ReportJson("", b.result.report, b.result.info));
  Require(a.result.outputs.size() == b.result.outputs.size());
  for (size_t i = 0; i < a.result.outputs.size(); ++i) {
    RequireSame(a.result.outputs[i], b.result.outputs[i]);
    Require(a.outputs[i] == b.outputs[i]);
    Require(static_cast<int64_t>(a.outputs[i].size()) ==
            a.result.outputs[i].size_bytes);
  }
}

}  // namespace

void RequireSameInPieces(std::string_view clip, const ConvertOptions& options,
                         Choices* choices) {
  const Converted whole = ConvertWhole(clip, options);
  const Converted pieces = ConvertPieces(clip, options, choices);
  RequireSame(whole, pieces);
}

}  // namespace bvhmill::fuzz
