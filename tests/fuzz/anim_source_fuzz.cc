// An .anim as a source, with any options: in pieces as in one piece. If the
// file is good and nothing is edited, its outputs are those of its BVH text.

#include <string>

#include "bvhmill/anim/format/anim_file.h"
#include "bvhmill/base/sink.h"
#include "bvhmill/encode/anim_bvh.h"
#include "bvhmill/pipeline/convert.h"
#include "tests/fuzz/bytes.h"
#include "tests/fuzz/support/any_options.h"
#include "tests/fuzz/support/pieces.h"

namespace {

using bvhmill::ConvertOptions;
using bvhmill::IssueLog;
using bvhmill::fuzz::Require;

std::vector<std::string> OutputsOf(const std::string& clip,
                                   const ConvertOptions& options) {
  bvhmill::StringReceiver receiver;
  const auto result = bvhmill::Convert(clip, options, &receiver, nullptr);
  return result.status.ok() ? receiver.data() : std::vector<std::string>();
}

void RequireThatOfItsText(const std::string& anim) {
  ConvertOptions options;
  options.outputs = {{"", bvhmill::PositionsFormat{}},
                     {"", bvhmill::CsvFormat{}}};
  options.source_format = bvhmill::SourceFormat::kAnim;
  const std::vector<std::string> outputs = OutputsOf(anim, options);
  if (outputs.empty()) return;
  bvhmill::AnimToClipOptions how;
  how.reference_frame = false;
  std::string text;
  bvhmill::StringSink sink(&text);
  IssueLog log({});
  const auto read = bvhmill::ReadAnim(anim, {}, &log);
  Require(bvhmill::WriteAnimAsBvh(read.motion, how, &sink, &log).ok());
  options.source_format = bvhmill::SourceFormat::kBvh;
  Require(OutputsOf(text, options) == outputs);
}

}  // namespace

// The last two bytes choose options and pieces.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 2) return 0;
  const std::string anim(reinterpret_cast<const char*>(data), size - 2);
  bvhmill::fuzz::Choices choices(1 + data[size - 2] + 256U * data[size - 1]);
  ConvertOptions options =
      bvhmill::fuzz::AnyOptions({"mPelvis", "mTorso", "mHead"}, &choices);
  options.source_format = bvhmill::SourceFormat::kAnim;
  bvhmill::fuzz::RequireSameInPieces(anim, options, &choices);
  RequireThatOfItsText(anim);
  return 0;
}
