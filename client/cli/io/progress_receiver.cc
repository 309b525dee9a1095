#include "client/cli/io/progress_receiver.h"

#include <algorithm>
#include <optional>

#include "bvhmill/encode/encode.h"

namespace bvhmill::client {
namespace {

// Bytes of the arrays of an archive: a position and a quaternion of each joint.
int64_t ArchiveBytes(const ClipInfo& info) {
  constexpr int64_t kPerJoint = (3 + 4) * sizeof(float);
  return info.frames * info.joint_count * kPerJoint;
}

}  // namespace

absl::Status ProgressReceiver::Begin(const ClipInfo& info,
                                     std::span<const OutputInfo> outputs) {
  for (output_ = 0; output_ < outputs.size(); ++output_) {
    const FormatCost cost = FormatOf(requests_[output_].format).cost;
    const std::optional<TensorInfo>& tensor = outputs[output_].tensor;
    counts_lines_ = cost == FormatCost::kText;
    if (counts_lines_) expected_ = info.frames;
    if (cost == FormatCost::kArrays) {
      expected_ = tensor ? TensorBytes(*tensor) : ArchiveBytes(info);
    }
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
