#include "bvhmill/validate/sample_rules.h"

#include <optional>

#include "bvhmill/validate/row_samples.h"
#include "bvhmill/validate/validate.h"

namespace bvhmill {
namespace {

class SampleRules final : public RowObserver {
 public:
  // Logs SKELETON_* too.
  bool IsAboutDataOnly() const override { return false; }
  void Begin(const ObservedClip& clip) override {
    clip_.emplace(clip);
    samples_.Begin(static_cast<int64_t>(clip.skeleton.channels.size()));
  }
  void Add(const ObservedRows& rows) override {
    samples_.Add(rows.frames, rows.values);
  }
  // The samples may be among the void rows. A clip with void rows is refused,
  // and the rules are not applied to it.
  void Truncate(int64_t /*frames*/) override {}
  void Finish(IssueLog* log) override {
    Validate(clip_->skeleton, clip_->facts, samples_, clip_->node_positions,
             clip_->source, clip_->conventions, log);
    clip_->motion.has_global_positions =
        HasGlobalPositions(clip_->skeleton, clip_->facts, samples_);
    clip_->motion.seems_z_up =
        SeemsZUp(clip_->skeleton, clip_->facts, samples_);
  }

 private:
  std::optional<ObservedClip> clip_;
  RowSamples samples_;
};

}  // namespace

std::unique_ptr<RowObserver> MakeSampleRules() {
  return std::make_unique<SampleRules>();
}

}  // namespace bvhmill
