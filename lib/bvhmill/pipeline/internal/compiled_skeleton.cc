#include "bvhmill/pipeline/internal/compiled_skeleton.h"

namespace bvhmill {
std::shared_ptr<const CompiledSkeleton> SkeletonCompiler::Compile(
    const SharedSkeleton& source, bool needs_plan,
    const Conventions& conventions) {
  const bool is_known = last_ != nullptr && last_->source == source;
  const bool is_same = is_known && last_->conventions == conventions;
  if (is_same && (last_->has_plan || !needs_plan)) return last_;
  const auto made = std::make_shared<CompiledSkeleton>();
  made->source = source;
  if (is_known) {
    made->facts = last_->facts;
    made->info = last_->info;
  } else {
    FindFacts(source->skeleton, &made->facts);
    made->info = DescribeClip(source->skeleton, 0, 0);
  }
  if (needs_plan) made->plan = MakePlan(source->skeleton, conventions);
  made->landmark_plan = MakePlan(
      LandmarkSkeleton(source->skeleton, made->facts.landmarks), conventions);
  made->has_plan = needs_plan;
  made->conventions = conventions;
  last_ = made;
  return last_;
}

void SkeletonCompiler::KeepOnly(const SharedSkeleton& source) {
  if (last_ != nullptr && last_->source != source) last_.reset();
}

void DescribeClip(const CompiledSkeleton& skeleton, int64_t frames,
                  double frame_time, ClipInfo* info) {
  *info = skeleton.info;
  SetFrames(frames, frame_time, info);
}

}  // namespace bvhmill
