#include "bvhmill/pipeline/internal/outputs/output_plan.h"

#include <algorithm>

namespace bvhmill {
namespace {

template <typename Wanted>
bool AnyNeeds(std::span<const std::unique_ptr<Encoder>> encoders,
              const Wanted& wanted) {
  return std::any_of(encoders.begin(), encoders.end(),
                     [&](const auto& e) { return wanted(e->Needs()); });
}

}  // namespace

void OutputPlan::AddNeeds(const EncoderNeeds& needs) {
  for (const PoseArray& array : needs.arrays) {
    const auto is_same = [&](const SharedArray& shared) {
      return shared.array == array && shared.whole == needs.full_arrays;
    };
    const auto it = std::find_if(arrays_.begin(), arrays_.end(), is_same);
    uses_.push_back(static_cast<size_t>(it - arrays_.begin()));
    if (it == arrays_.end()) arrays_.push_back({array, needs.full_arrays});
  }
}

void OutputPlan::SetOutputs(const std::vector<OutputRequest>& requests) {
  if (requests == requests_) return;
  requests_ = requests;
  encoders_.clear();
  arrays_.clear();
  uses_.clear();
  for (const OutputRequest& request : requests_) {
    encoders_.push_back(MakeEncoder(request));
    AddNeeds(encoders_.back()->Needs());
  }
}

bool OutputPlan::NeedsFrameCount() const {
  return AnyNeeds(encoders_, [](const auto& n) { return n.frame_count; });
}

bool OutputPlan::NeedsLog() const {
  return AnyNeeds(encoders_, [](const auto& n) { return n.log; });
}

bool OutputPlan::NeedsNeighbours() const {
  return std::any_of(arrays_.begin(), arrays_.end(), [](const auto& shared) {
    return shared.array.kind == PoseKind::kVelocities;
  });
}

std::span<const size_t> OutputPlan::ArraysOf(size_t encoder) const {
  size_t first = 0;
  for (size_t i = 0; i < encoder; ++i) {
    first += encoders_[i]->Needs().arrays.size();
  }
  return std::span(uses_).subspan(first,
                                  encoders_[encoder]->Needs().arrays.size());
}

// The limit on whole arrays is that on outputs: each is part of one.
int64_t OutputPlan::WholeBytes(const SharedArray& shared, int64_t frames,
                               const Skeleton& skeleton) const {
  if (!shared.whole) return 0;
  return frames * RowsOf(shared.array, skeleton) * WidthOf(shared.array) *
         static_cast<int64_t>(sizeof(float));
}

int64_t OutputPlan::ForeseenBytes(std::span<const OutputInfo> outputs,
                                  int64_t frames,
                                  const Skeleton& skeleton) const {
  int64_t bytes = 0;
  for (size_t i = 0; i < outputs.size(); ++i) {
    bytes += std::max<int64_t>(outputs[i].size_bytes, 0);
    if (outputs[i].size_bytes >= 0) continue;
    for (const size_t array : ArraysOf(i)) {
      bytes += WholeBytes(arrays_[array], frames, skeleton);
    }
  }
  return bytes;
}

// Text has more bytes than the numbers in it.
int64_t OutputPlan::FrameBytes(std::span<const OutputInfo> outputs,
                               const Plan& plan) const {
  constexpr int64_t kBytesOfWord = 16;
  int64_t bytes = 0;
  for (size_t i = 0; i < encoders_.size(); ++i) {
    const auto number =
        outputs[i].tensor ? static_cast<int64_t>(sizeof(float)) : kBytesOfWord;
    bytes += 2 * kBytesOfWord;
    for (const PoseArray& array : encoders_[i]->Needs().arrays) {
      bytes +=
          number * WidthOf(array) * bvhmill::RowsOf(plan, array.with_end_sites);
    }
  }
  return bytes;
}

// Solving a node takes about as long as copying some numbers; writing a number
// as text takes many times as long.
int64_t OutputPlan::FrameWork(std::span<const OutputInfo> outputs,
                              const Plan& plan) const {
  constexpr int64_t kNodeWork = 6;
  constexpr int64_t kTextWork = 24;
  int64_t units = 1;
  for (const SharedArray& shared : arrays_) {
    units += (kNodeWork + WidthOf(shared.array)) *
             static_cast<int64_t>(plan.nodes.size());
  }
  for (size_t i = 0; i < encoders_.size(); ++i) {
    if (outputs[i].tensor) continue;
    const std::vector<PoseArray>& arrays = encoders_[i]->Needs().arrays;
    // An encoder without arrays copies the rows.
    if (arrays.empty()) units += kTextWork * plan.columns;
    for (const PoseArray& array : arrays) {
      units += kTextWork * WidthOf(array) *
               bvhmill::RowsOf(plan, array.with_end_sites);
    }
  }
  return units;
}

}  // namespace bvhmill
