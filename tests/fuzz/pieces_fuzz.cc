// A clip in pieces is converted as the whole text is, with any options: status,
// report, facts and outputs are equal, or both are refused.

#include <string>
#include <string_view>
#include <vector>

#include "bvhmill/encode/report_json.h"
#include "bvhmill/pipeline/clip_converter.h"
#include "tests/fuzz/any_options.h"
#include "tests/fuzz/bytes.h"

namespace {

using bvhmill::ClipConverter;
using bvhmill::ConvertOptions;
using bvhmill::ConvertResult;
using bvhmill::OutputInfo;
using bvhmill::StringReceiver;
using bvhmill::fuzz::Choices;
using bvhmill::fuzz::Require;
using bvhmill::fuzz::RequireEqual;

struct Converted {
  ConvertResult result;
  std::vector<std::string> outputs;
};

Converted ConvertWhole(std::string_view text, const ConvertOptions& options) {
  StringReceiver receiver;
  Converted out;
  out.result = bvhmill::Convert(text, options, &receiver, nullptr);
  out.outputs = std::move(receiver.data());
  return out;
}

void WorkOff(ClipConverter* converter) {
  while (converter->has_work()) converter->Work();
}

// One piece as a whole, or step by step.
void PushPiece(std::string_view piece, Choices* choices,
               ClipConverter* converter) {
  if (choices->OneIn(2)) {
    converter->Push(piece);
    return;
  }
  converter->Read(piece);
  WorkOff(converter);
  if (choices->OneIn(4) && converter->CanFlush()) {
    converter->Flush();
    WorkOff(converter);
  }
}

Converted ConvertPieces(std::string_view text, const ConvertOptions& options,
                        Choices* choices) {
  StringReceiver receiver;
  Converted out;
  ClipConverter converter(options, &receiver, nullptr, &out.result);
  const size_t most = choices->OneIn(2) ? 20 : 1000;
  while (!text.empty()) {
    // A copy in its own memory: the converter may use a piece only in the call.
    const std::string piece(text.substr(0, 1 + choices->Below(most)));
    text.remove_prefix(piece.size());
    PushPiece(piece, choices, &converter);
  }
  if (choices->OneIn(2)) {
    converter.End();
    WorkOff(&converter);
  }
  converter.Finish();
  out.outputs = std::move(receiver.data());
  return out;
}

void RequireSame(const OutputInfo& a, const OutputInfo& b) {
  Require(a.id == b.id && a.media_type == b.media_type);
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

// The last two bytes choose options and pieces, so that any file is a seed.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 2) return 0;
  const std::string text(reinterpret_cast<const char*>(data), size - 2);
  Choices choices(1 + data[size - 2] + 256U * data[size - 1]);
  const ConvertOptions options =
      bvhmill::fuzz::AnyOptions(bvhmill::fuzz::NamesIn(text), &choices);
  const Converted whole = ConvertWhole(text, options);
  const Converted pieces = ConvertPieces(text, options, &choices);
  RequireSame(whole, pieces);
  return 0;
}
