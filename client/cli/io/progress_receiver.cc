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
  for (size_t i = 0; i < outputs.size(); ++i) {
    const FormatCost cost = FormatOf(requests_[i].format).cost;
    const std::optional<TensorInfo>& tensor = outputs[i].tensor;
    Expected& expected = expected_.emplace_back();
    expected.counts_lines = cost == FormatCost::kText;
    if (expected.counts_lines) expected.count = info.frames;
    if (cost == FormatCost::kArrays) {
      expected.count = tensor ? TensorBytes(*tensor) : ArchiveBytes(info);
    }
  }
  return receiver_.Begin(info, outputs);
}

absl::Status ProgressReceiver::Data(size_t output, std::string_view bytes) {
  if (output != output_) made_ = 0;
  output_ = output;
  const Expected& expected = expected_[output];
  made_ += expected.counts_lines ? std::count(bytes.begin(), bytes.end(), '\n')
                                 : static_cast<int64_t>(bytes.size());
  double part = 0;
  if (expected.count > 0) {
    part = std::min(
        static_cast<double>(made_) / static_cast<double>(expected.count), 1.0);
  }
  const double all = (static_cast<double>(output) + part) /
                     static_cast<double>(expected_.size());
  progress_ =
      begin_ + static_cast<int64_t>(all * static_cast<double>(end_ - begin_));
  return receiver_.Data(output, bytes);
}

}  // namespace bvhmill::client
