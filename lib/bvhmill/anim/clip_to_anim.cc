#include "bvhmill/anim/clip_to_anim.h"

#include <algorithm>
#include <cmath>

#include "bvhmill/anim/avatar.h"
#include "bvhmill/anim/avatar_drive.h"
#include "bvhmill/anim/curve_fit.h"
#include "bvhmill/anim/drive_curves.h"
#include "bvhmill/base/status.h"
#include "bvhmill/base/utf8.h"

namespace bvhmill {
namespace {

constexpr float kDegrees = 57.29577951308232F;
// Of clips that do not say theirs.
constexpr double kDefaultFrameTime = 1.0 / 30;
// Both bounds are raised by this until the file fits.
constexpr float kRaise = 1.5F;
constexpr int kMostRaises = 24;
// As many times as a key can have.
constexpr int64_t kMostFrames = 65536;

float SecondsOf(const Clip& clip, int64_t frames) {
  const double frame_time = HasRate(clip.motion.frame_time)
                                ? clip.motion.frame_time
                                : kDefaultFrameTime;
  return static_cast<float>(
      frame_time * static_cast<double>(std::max<int64_t>(frames - 1, 1)));
}

// A curve that no keys bring within its bound.
struct Missed {
  int32_t node = 0;
  // The worst frame of those that are played.
  int64_t frame = 0;
  float error = 0;
  float bound = 0;
  const char* unit = "";
};

// By more than single precision explains. No bound is none to miss.
bool IsMissed(float error, float bound) {
  constexpr float kNoise = 0.002F;
  return bound > 0 && error > bound * (1 + kNoise) + kNoise / 2;
}

class Converter {
 public:
  Converter(const Clip& clip, const ClipToAnimOptions& options,
            ClipToAnimResult* result, IssueLog* log)
      : clip_(clip), options_(options), result_(*result), log_(*log) {}

  void Convert() {
    plan_ = MakePlan(clip_.skeleton, options_.conventions);
    frames_ = {&clip_, &plan_, 0, clip_.motion.frames};
    if (options_.reference == AnimReference::kFirstFrame && frames_.count > 1) {
      frames_.first = 1;
      --frames_.count;
    }
    if (frames_.count <= 0) return Fail(IssueCode::ANIM_NO_JOINTS, {});
    const float duration = SecondsOf(clip_, frames_.count);
    if (duration > kMaxAnimSeconds) {
      return Fail(IssueCode::ANIM_DURATION_LONG,
                  {{"seconds", std::to_string(duration)}});
    }
    if (frames_.count > kMostFrames) {
      return Fail(IssueCode::ANIM_FRAME_COUNT,
                  {{"count", std::to_string(frames_.count)}});
    }
    times_ = MakeFrameTimes(frames_.count, duration);
    drive_ = MakeAvatarDrive(clip_, plan_, options_);
    LogLeftOut();
    LogOddLimb();
    FitUntilItFits();
  }

 private:
  void Fail(IssueCode code, IssueArgs args) {
    result_.motion = {};
    log_.Add(code, {}, std::move(args));
  }

  Location At(int32_t node) const {
    Location location;
    location.joint = node;
    location.joint_name = DisplayName(clip_.skeleton, node);
    return location;
  }

  void LogLeftOut() {
    for (const int32_t node : drive_.left_out) {
      if (log_.Repeat(IssueCode::ANIM_JOINT_LEFT_OUT, node)) continue;
      const Location location = At(node);
      log_.Add(IssueCode::ANIM_JOINT_LEFT_OUT, location,
               {{"joint", Quote(location.joint_name)}});
    }
  }

  void LogOddLimb() {
    constexpr double kOddDegrees = 45;
    const OddLimb& odd = drive_.odd_limb;
    if (options_.match_limbs || odd.degrees < kOddDegrees) return;
    for (const DrivenJoint& driven : drive_.joints) {
      if (driven.avatar_joint != odd.avatar_joint) continue;
      const Location location = At(driven.node);
      log_.Add(IssueCode::ANIM_REFERENCE_ODD, location,
               {{"joint", Quote(location.joint_name)},
                {"degrees", std::to_string(std::lround(odd.degrees))}});
    }
  }

  void LogValues(IssueCode code, int32_t node, int64_t count) {
    if (count == 0 || is_again_) return;
    const Location location = At(node);
    log_.Add(code, location, {{"joint", Quote(location.joint_name)}}, count);
  }

  void FitUntilItFits() {
    result_.max_degrees = options_.max_degrees;
    result_.max_millimetres = options_.max_millimetres;
    for (int raises = 0; raises <= kMostRaises; ++raises) {
      FitAll();
      if (result_.motion.joints.empty()) {
        return Fail(IssueCode::ANIM_NO_JOINTS, {});
      }
      ApplySettings(options_.settings, &result_.motion);
      const auto bytes = static_cast<int64_t>(AnimBytes(result_.motion));
      if (options_.max_bytes <= 0 || bytes <= options_.max_bytes) {
        result_.converted = true;
        if (raises > 0) LogRaise(bytes);
        LogMissed();
        return;
      }
      constexpr float kLeastDegrees = 0.02F;
      constexpr float kLeastMillimetres = 0.2F;
      result_.max_degrees =
          std::max(result_.max_degrees, kLeastDegrees) * kRaise;
      result_.max_millimetres =
          std::max(result_.max_millimetres, kLeastMillimetres) * kRaise;
      is_again_ = true;
    }
    Fail(IssueCode::ANIM_SIZE_LIMIT,
         {{"limit", std::to_string(options_.max_bytes)}});
  }

  void LogRaise(int64_t bytes) {
    log_.Add(IssueCode::ANIM_BOUNDS_RAISED, {},
             {{"degrees", std::to_string(result_.max_degrees)},
              {"millimetres", std::to_string(result_.max_millimetres)},
              {"bytes", std::to_string(bytes)}});
  }

  void LogMissed() {
    for (const Missed& missed : missed_) {
      if (log_.Repeat(IssueCode::ANIM_BOUND_MISSED, missed.node)) continue;
      Location location = At(missed.node);
      location.frame = frames_.first + missed.frame;
      log_.Add(IssueCode::ANIM_BOUND_MISSED, location,
               {{"joint", Quote(location.joint_name)},
                {"error", std::to_string(missed.error) + missed.unit},
                {"bound", std::to_string(missed.bound) + missed.unit}});
    }
  }

  void FitAll() {
    result_.motion = {};
    missed_.clear();
    result_.degrees = 0;
    result_.millimetres = 0;
    result_.keys = 0;
    result_.motion.duration = times_.duration;
    result_.motion.loop_out = times_.duration;
    for (size_t i = 0; i < drive_.joints.size(); ++i) {
      FitJoint(drive_.joints[i], static_cast<int32_t>(i) == drive_.pelvis);
    }
    FitEases();
  }

  // Both eases together are not longer than the motion.
  void FitEases() {
    AnimMotion& motion = result_.motion;
    const float most = motion.duration / 2;
    motion.ease_in = std::min(motion.ease_in, most);
    motion.ease_out = std::min(motion.ease_out, most);
  }

  void FitJoint(const DrivenJoint& driven, bool is_pelvis) {
    AnimJoint joint;
    joint.name = AvatarJoints()[static_cast<size_t>(driven.avatar_joint)].name;
    LogValues(IssueCode::ANIM_VALUE_NOT_FINITE, driven.node,
              FillRotation(frames_, driven, &rotation_));
    float degrees = 0;
    const bool turns = LeavesRest();
    FitResult fit = FitRotation(rotation_, times_,
                                result_.max_degrees / kDegrees, &workspace_);
    degrees = fit.error * kDegrees;
    if (IsMissed(degrees, result_.max_degrees)) {
      missed_.push_back(
          {driven.node, 0, degrees, result_.max_degrees, " degrees"});
      MeasureRotation(rotation_, times_, fit.keys, &missed_.back().frame);
    }
    joint.rotations = std::move(fit.keys);
    AddPositions(driven, is_pelvis, &joint);
    const bool is_still = !turns && joint.positions.empty();
    if (is_still && !options_.keep_still_joints) return;
    result_.degrees = std::max(result_.degrees, degrees);
    result_.keys +=
        static_cast<int64_t>(joint.rotations.size() + joint.positions.size());
    result_.motion.joints.push_back(std::move(joint));
  }

  // True if the rotation is not that at rest in all frames, within the bound.
  bool LeavesRest() const {
    const float least =
        std::cos(std::min(options_.max_degrees, 1.0F) / kDegrees / 2);
    for (const float w : rotation_.q[3]) {
      if (w < least) return true;
    }
    return false;
  }

  bool HasPosition(int32_t node) const {
    const PlanNode& at = plan_.nodes[static_cast<size_t>(node)];
    return std::any_of(at.position_column.begin(), at.position_column.end(),
                       [](int32_t column) { return column >= 0; });
  }

  void AddPositions(const DrivenJoint& driven, bool is_pelvis,
                    AnimJoint* joint) {
    if (is_pelvis && options_.pelvis_position) {
      FillPelvisPosition(frames_, drive_, &position_);
    } else if (!is_pelvis && options_.joint_positions &&
               HasPosition(driven.node)) {
      FillJointPosition(frames_, drive_, driven, &position_);
    } else {
      return;
    }
    LogValues(IssueCode::ANIM_POSITION_CLAMPED, driven.node, ClampPositions());
    constexpr float kMillimetres = 1000.0F;
    FitResult fit = FitPosition(
        position_, times_, result_.max_millimetres / kMillimetres, &workspace_);
    const float millimetres = fit.error * kMillimetres;
    if (IsMissed(millimetres, result_.max_millimetres)) {
      missed_.push_back(
          {driven.node, 0, millimetres, result_.max_millimetres, " mm"});
      MeasurePosition(position_, times_, fit.keys, &missed_.back().frame);
    }
    joint->positions = std::move(fit.keys);
    result_.millimetres = std::max(result_.millimetres, millimetres);
  }

  int64_t ClampPositions() {
    int64_t clamped = 0;
    for (FloatArray& values : position_.p) {
      for (float& value : values) {
        if (std::fabs(value) <= kAnimPositionRange) continue;
        value = std::copysign(kAnimPositionRange, value);
        ++clamped;
      }
    }
    return clamped;
  }

  const Clip& clip_;
  const ClipToAnimOptions& options_;
  ClipToAnimResult& result_;
  IssueLog& log_;
  Plan plan_;
  PlayedFrames frames_;
  FrameTimes times_;
  AvatarDrive drive_;
  // Curves that are off by more than their bound.
  std::vector<Missed> missed_;
  // What was said about values is not said again.
  bool is_again_ = false;
  RotationCurve rotation_;
  PositionCurve position_;
  FitWorkspace workspace_;
};

bool IsGood(float bound, float most) { return bound >= 0 && bound <= most; }

}  // namespace

absl::Status CheckOptions(const ClipToAnimOptions& options,
                          const Skeleton& skeleton) {
  constexpr float kMostDegrees = 90;
  constexpr float kMostMillimetres = 1000;
  if (!options.joint_names.empty() &&
      options.joint_names.size() != skeleton.nodes.size()) {
    return InvalidField("joint_names", "are not as many as the nodes");
  }
  if (!IsGood(options.max_degrees, kMostDegrees)) {
    return InvalidField("max_degrees", "is not 0 to 90");
  }
  if (!IsGood(options.max_millimetres, kMostMillimetres)) {
    return InvalidField("max_millimetres", "is not 0 to 1000");
  }
  if (!std::isfinite(options.metres_per_unit) || options.metres_per_unit <= 0) {
    return InvalidField("metres_per_unit", "is not above 0");
  }
  if (options.max_bytes < 0) return InvalidField("max_bytes", "is negative");
  return CheckSettings(options.settings);
}

absl::Status ClipToAnim(const Clip& clip, const ClipToAnimOptions& options,
                        ClipToAnimResult* result, IssueLog* log) {
  BVHMILL_RETURN_IF_ERROR(CheckOptions(options, clip.skeleton));
  *result = {};
  Converter(clip, options, result, log).Convert();
  return absl::OkStatus();
}

}  // namespace bvhmill
