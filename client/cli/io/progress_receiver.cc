#include "client/cli/io/progress_receiver.h"

#include <algorithm>
#include <variant>

namespace bvhmill::client {
namespace {

bool HasLineForEachFrame(const FormatOptions& format) {
  return std::holds_alternative<CsvFormat>(format) ||
         std::holds_alternative<BvhFormat>(format);
}

// Bytes of the arrays of an .npz: a position and a quaternion of each joint.
int64_t NpzBytes(const ClipInfo& info) {
  constexpr int64_t kPerJoint = (3 + 4) * sizeof(float);
  return info.frames * info.joint_count * kPerJoint;
}

}  // namespace

absl::Status ProgressReceiver::Begin(const ClipInfo& info,
                                     std::span<const OutputInfo> outputs) {
  for (output_ = 0; output_ < outputs.size(); ++output_) {
    const FormatOptions& format = requests_[output_].format;
    counts_lines_ = HasLineForEachFrame(format);
    if (counts_lines_) expected_ = info.frames;
    if (outputs[output_].tensor)
      expected_ = TensorBytes(*outputs[output_].tensor);
    if (std::holds_alternative<NpzFormat>(format)) expected_ = NpzBytes(info);
    if (expected_ > 0) break;
  }
  return receiver_.Begin(info, outputs);
}

absl::Status ProgressReceiver::Data(size_t output, std::string_view bytes) {
  if (output == output_ && expected_ > 0) {
    made_ += counts_lines_ ? std::count(bytes.begin(), bytes.end(), '\n')
                           : static_cast<int64_t>(bytes.size());
    const double part =
        static_cast<double>(made_) / static_cast<double>(expected_);
    progress_ =
        static_cast<int64_t>(std::min(part, 1.0) * static_cast<double>(bytes_));
  }
  return receiver_.Data(output, bytes);
}

}  // namespace bvhmill::client
