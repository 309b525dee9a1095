#include "bvhmill/anim/clip_to_anim.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bvhmill/anim/avatar/drive.h"
#include "bvhmill/anim/avatar/reference.h"
#include "bvhmill/anim/fit/joint_fit.h"
#include "bvhmill/anim/format/anim_motion.h"
#include "bvhmill/base/budget.h"
#include "bvhmill/base/status.h"
#include "bvhmill/base/text.h"
#include "bvhmill/clip/clip.h"
#include "bvhmill/report/issue_log.h"

namespace bvhmill {
namespace {

// Issues of a conversion: its choices, the nodes that drive nothing, changed
// values and exceeded bounds. `skeleton` is that of the clip; `node` is an
// index into its nodes.

// Four significant digits.
std::string Rounded(double value) {
  std::array<char, 32> text = {};
  std::snprintf(text.data(), text.size(), "%.4g", value);
  return text.data();
}

Location At(const Skeleton& skeleton, int32_t node) {
  Location location;
  location.joint = node;
  location.joint_name = DisplayName(skeleton, node);
  return location;
}

std::string_view MatchName(const ReferenceChoice& choice) {
  switch (choice.match) {
    case PoseMatch::kNone:
      return choice.skips_first_frame ? "not played, nothing matched"
                                      : "nothing matched";
    case PoseMatch::kLimbs:
      return "arms and legs matched";
    case PoseMatch::kWhole:
      break;
  }
  return "trunk, arms and legs matched";
}

// `value`, rounded. Files may have numbers that no integer holds.
std::string Whole(double value) {
  constexpr double kMost = 1e9;
  if (!(std::fabs(value) <= kMost)) return "more than 1000000000";
  return std::to_string(std::lround(value));
}

// The first ten names of `nodes`, quoted.
std::string QuotedNames(const Skeleton& skeleton,
                        std::span<const int32_t> nodes) {
  constexpr size_t kMaxNamed = 10;
  std::string names;
  for (size_t i = 0; i < std::min(nodes.size(), kMaxNamed); ++i) {
    names += (i > 0 ? ", " : "") + Quote(DisplayName(skeleton, nodes[i]));
  }
  if (nodes.size() > kMaxNamed) names += ", ...";
  return names;
}

// The name of the reference pose in messages.
std::string PoseName(const ReferenceChoice& choice) {
  if (choice.frame == kRestPoseFrame) return "the rest pose";
  return "frame " + std::to_string(choice.frame);
}

// Adds ANIM_REFERENCE_CHOSEN: the reference pose that kAuto chose.
void LogReferenceChosen(const ReferenceChoice& choice, IssueLog* log) {
  log->Add(IssueCode::ANIM_REFERENCE_CHOSEN, {},
           {{"pose", PoseName(choice)},
            {"matched", std::string(MatchName(choice))},
            {"degrees", Whole(choice.rest_degrees)}});
}

void LogScaleGuessed(double metres_per_unit, IssueLog* log) {
  log->Add(IssueCode::ANIM_SCALE_GUESSED, {},
           {{"metres", Rounded(metres_per_unit)}});
}

// Adds ANIM_JOINT_LEFT_OUT for each of `nodes`.
void LogLeftOut(const Skeleton& skeleton, const std::vector<int32_t>& nodes,
                IssueLog* log) {
  for (const int32_t node : nodes) {
    if (log->Repeat(IssueCode::ANIM_JOINT_LEFT_OUT, node)) continue;
    const Location location = At(skeleton, node);
    log->Add(IssueCode::ANIM_JOINT_LEFT_OUT, location,
             {{"joint", Quote(location.joint_name)}});
  }
}

// Adds ANIM_REFERENCE_ODD if a limb points far from that of the avatar in the
// reference pose, and no limb was matched.
void LogOddLimb(const Skeleton& skeleton, const AvatarDrive& drive,
                IssueLog* log) {
  constexpr double kOddDegrees = 10;
  const OddLimb& odd = drive.odd_limb;
  const bool is_matched = drive.reference.match != PoseMatch::kNone;
  if (is_matched || odd.degrees < kOddDegrees) return;
  for (const DrivenJoint& driven : drive.joints) {
    if (driven.avatar_joint != odd.avatar_joint) continue;
    const Location location = At(skeleton, driven.node);
    log->Add(IssueCode::ANIM_REFERENCE_ODD, location,
             {{"joint", Quote(location.joint_name)},
              {"degrees", Whole(odd.degrees)}});
  }
}

// Adds ANIM_FIRST_FRAME_LEFT_OUT if first_apart is set.
void LogFirstFrameApart(const AvatarDrive& drive, IssueLog* log) {
  const auto& apart = drive.reference.first_apart;
  if (!apart) return;
  Location location;
  location.frame = 0;
  log->Add(IssueCode::ANIM_FIRST_FRAME_LEFT_OUT, location,
           {{"degrees", Whole(apart->degrees)},
            {"metres", Rounded(apart->way * drive.metres_per_unit)}});
}

void LogTranslationLeftOut(const Skeleton& skeleton, int32_t node,
                           float millimetres, IssueLog* log) {
  if (log->Repeat(IssueCode::ANIM_TRANSLATION_LEFT_OUT, node)) return;
  const Location location = At(skeleton, node);
  log->Add(IssueCode::ANIM_TRANSLATION_LEFT_OUT, location,
           {{"joint", Quote(location.joint_name)},
            {"millimetres", Whole(millimetres)}});
}

// Adds an issue of `code` that stands for `count` values of a node; none if
// `count` is 0.
void LogValues(const Skeleton& skeleton, IssueCode code, int32_t node,
               int64_t count, IssueLog* log) {
  if (count == 0) return;
  const Location location = At(skeleton, node);
  log->Add(code, location, {{"joint", Quote(location.joint_name)}}, count);
}

// Adds ANIM_POSITION_FAR; `metres` is the largest distance along an axis.
void LogPositionFar(const Skeleton& skeleton, int32_t node, float metres,
                    IssueLog* log) {
  const Location location = At(skeleton, node);
  log->Add(
      IssueCode::ANIM_POSITION_FAR, location,
      {{"joint", Quote(location.joint_name)}, {"metres", Rounded(metres)}});
}

// Adds ANIM_BOUNDS_RAISED with the bounds and the size of `result`.
void LogBoundsRaised(const ClipToAnimResult& result, IssueLog* log) {
  const auto bytes = static_cast<int64_t>(AnimBytes(result.motion));
  log->Add(IssueCode::ANIM_BOUNDS_RAISED, {},
           {{"degrees", std::to_string(result.max_degrees)},
            {"millimetres", std::to_string(result.max_mm)},
            {"bytes", std::to_string(bytes)}});
}

// Adds ANIM_BOUND_MISSED for the first curve of each node. `first_frame` is the
// first played frame of the clip.
void LogMissed(const Skeleton& skeleton, const std::vector<Missed>& missed,
               int64_t first_frame, IssueLog* log) {
  for (const Missed& curve : missed) {
    if (log->Repeat(IssueCode::ANIM_BOUND_MISSED, curve.node)) continue;
    Location location = At(skeleton, curve.node);
    location.frame = first_frame + curve.frame;
    log->Add(IssueCode::ANIM_BOUND_MISSED, location,
             {{"joint", Quote(location.joint_name)},
              {"error", std::to_string(curve.error) + curve.unit},
              {"bound", std::to_string(curve.bound) + curve.unit}});
  }
}

// The variable parts of ANIM_SIZE_LIMIT. `max_degrees` is the largest bound
// that was allowed.
IssueArgs SizeLimitArgs(int64_t max_bytes, float max_degrees) {
  return {{"limit", std::to_string(max_bytes)},
          {"degrees", Rounded(max_degrees)}};
}

// The conversion.

// For clips that state no frame time.
constexpr double kDefaultFrameTime = 1.0 / 30;
// The factor by which both bounds are raised until the file fits.
constexpr float kRaise = 1.5F;
constexpr int kMaxRaises = 24;
// The number of different times that a key can have.
constexpr int64_t kMaxFrames = 65536;

// Logs no translation of a joint in its parent up to this, in millimetres.
constexpr float kMostLeftOut = 10;

// Memory in bytes until ClipToAnim returns.
constexpr int64_t kNodeBytes = 408;
constexpr int64_t kChannelBytes = 40;

// Units of work for a node and for a channel: to compile the skeleton, and to
// find the nodes that drive the avatar.
constexpr int64_t kNodeUnits = 80;
constexpr int64_t kChannelUnits = 30;

float SecondsOf(const Clip& clip, int64_t frames) {
  const double frame_time = HasRate(clip.motion.frame_time)
                                ? clip.motion.frame_time
                                : kDefaultFrameTime;
  return static_cast<float>(
      frame_time * static_cast<double>(std::max<int64_t>(frames - 1, 1)));
}

class Converter {
 public:
  Converter(const Clip& clip, const ClipToAnimOptions& options,
            ClipToAnimResult* result, IssueLog* log, Budget* budget)
      : clip_(clip),
        options_(options),
        result_(*result),
        log_(*log),
        memory_(budget),
        fit_({frames_, times_, drive_, options}, budget) {}

  absl::Status Convert() {
    // The drive decides if the first frame is played. Refuses the clip now only
    // if it is too long even without that frame.
    if (!IsPlayable(LeastFrames(), SecondsOf(clip_, LeastFrames())) &&
        !CanBePlayed(MostPlayed())) {
      return absl::OkStatus();
    }
    BVHMILL_RETURN_IF_ERROR(DrawForAll());
    plan_ = MakePlan(clip_.skeleton, options_.conventions);
    drive_ = MakeAvatarDrive(clip_, plan_, options_);
    SetFrames();
    if (!CanBePlayed(frames_.count) || !StandsUpright() || !MovesAsSource() ||
        !HasHeight()) {
      return absl::OkStatus();
    }
    times_ = MakeFrameTimes(frames_.count, SecondsOf(clip_, frames_.count));
    LogDrive();
    return FitUntilItFits();
  }

 private:
  WorkMeter& work() { return fit_.work(); }

  // The number of played frames if the first one is not played.
  int64_t LeastFrames() const {
    const int64_t frames = clip_.motion.frames;
    const bool plays_all = options_.reference == AnimReference::kRestPose;
    return plays_all || frames < 2 ? frames : frames - 1;
  }

  void SetFrames() {
    frames_ = {&clip_, &plan_, 0, clip_.motion.frames};
    if (!drive_.reference.skips_first_frame) return;
    frames_.first = 1;
    --frames_.count;
  }

  static bool IsPlayable(int64_t frames, float seconds) {
    return frames > 0 && frames <= kMaxFrames && seconds <= kMaxAnimSeconds;
  }

  // The number of played frames if it is not known whether the first one is
  // played.
  int64_t MostPlayed() const {
    return options_.reference == AnimReference::kFirstFrame
               ? LeastFrames()
               : clip_.motion.frames;
  }

  bool CanBePlayed(int64_t frames) {
    const float duration = SecondsOf(clip_, frames);
    if (frames <= 0) {
      Fail(IssueCode::ANIM_NO_JOINTS, {});
    } else if (duration > kMaxAnimSeconds) {
      Fail(IssueCode::ANIM_DURATION_LONG,
           {{"seconds", std::to_string(duration)}});
    } else if (frames > kMaxFrames) {
      Fail(IssueCode::ANIM_FRAME_COUNT, {{"count", std::to_string(frames)}});
    } else {
      return true;
    }
    return false;
  }

  // False, with an error in the log, if the avatar would fold or always lie.
  bool StandsUpright() {
    constexpr double kOddDegrees = 60;
    const ReferenceChoice& choice = drive_.reference;
    if (choice.odd_degrees >= kOddDegrees) {
      const char* map =
          options_.by_stated_map ? "; the stated joint map may be wrong" : "";
      return Accepts(IssueCode::ANIM_POSE_ODD,
                     {{"pose", PoseName(choice)},
                      {"degrees", Whole(choice.odd_degrees)},
                      {"map", map}});
    }
    if (choice.least_lean.value_or(0) >= kOddDegrees) {
      return Accepts(IssueCode::ANIM_LIES_DOWN,
                     {{"degrees", Whole(*choice.least_lean)}});
    }
    return true;
  }

  // False, with an error in the log, if a limb would not move, or would point
  // elsewhere than that of the source.
  bool MovesAsSource() {
    constexpr double kOddDegrees = 10;
    if (drive_.missing_limb && !drive_.joints.empty()) {
      const MissingLimb& missing = *drive_.missing_limb;
      return Accepts(IssueCode::ANIM_LIMB_UNKNOWN,
                     {{"limb", std::string(missing.limb)},
                      {"joints", QuotedNames(clip_.skeleton, missing.nodes)}});
    }
    const auto& loosest = drive_.reference.loosest_limb;
    if (loosest.degrees < kOddDegrees) return true;
    return Accepts(IssueCode::ANIM_LIMB_OFF,
                   {{"joint", Quote(DisplayName(clip_.skeleton, loosest.node))},
                    {"degrees", Whole(loosest.degrees)}});
  }

  // False, with an error in the log, if the avatar would float or sink.
  bool HasHeight() {
    constexpr double kWrong = 0.5;
    if (!drive_.height_error) return true;
    const HeightError& error = *drive_.height_error;
    const double legs = std::fabs(error.legs);
    if (legs < kHeightTolerance) return true;
    IssueArgs args = {{"percent", Whole(legs * 100)},
                      {"way", error.legs > 0 ? "high" : "low"},
                      {"mend", error.mend.empty()
                                   ? ""
                                   : "; the option " + std::string(error.mend) +
                                         " mends it"}};
    if (legs >= kWrong) {
      return Accepts(IssueCode::ANIM_HEIGHT_WRONG, std::move(args));
    }
    log_.Add(IssueCode::ANIM_HEIGHT_OFF, {}, std::move(args));
    return true;
  }

  // Logs an error and returns false, unless odd figures are accepted.
  bool Accepts(IssueCode code, IssueArgs args) {
    if (options_.accept_odd) {
      const CatalogueEntry& odd = EntryOf(code);
      log_.Add(IssueCode::ANIM_ODD_ACCEPTED, {},
               {{"what", FillMessage(odd.message, args)},
                {"code", std::string(odd.name)}});
      return true;
    }
    Fail(code, std::move(args));
    return false;
  }

  // Logs the reference pose and the scale if they were chosen here, and the
  // differences between the clip and the avatar.
  void LogDrive() {
    LogLeftOut(clip_.skeleton, drive_.left_out, &log_);
    if (options_.reference == AnimReference::kAuto) {
      LogReferenceChosen(drive_.reference, &log_);
    }
    if (drive_.guesses_scale) LogScaleGuessed(drive_.metres_per_unit, &log_);
    LogOddLimb(clip_.skeleton, drive_, &log_);
    LogFirstFrameApart(drive_, &log_);
  }

  // Draws the memory of the conversion, and the work that occurs only once.
  absl::Status DrawForAll() {
    const auto nodes = static_cast<int64_t>(clip_.skeleton.nodes.size());
    const auto channels = static_cast<int64_t>(clip_.skeleton.channels.size());
    const int64_t frames = clip_.motion.frames;
    BVHMILL_RETURN_IF_ERROR(memory_.Draw(frames * kClipToAnimFrameBytes +
                                         nodes * kNodeBytes +
                                         channels * kChannelBytes));
    constexpr int64_t kPoses = 2 * kReferenceSamples + 5;
    const int64_t more_channels = std::max<int64_t>(0, channels - 6 * nodes);
    work().Spend(nodes * (kNodeUnits + kPoses * kSourcePoseNodeUnits) +
                 more_channels * kPoses * kSourcePoseChannelUnits +
                 channels * kChannelUnits);
    return work().Pay();
  }

  void Fail(IssueCode code, IssueArgs args) {
    result_.motion = {};
    log_.Add(code, {}, std::move(args));
  }

  absl::Status FitUntilItFits() {
    result_.max_degrees = options_.max_degrees;
    result_.max_mm = options_.max_mm;
    for (int raises = 0; raises <= kMaxRaises; ++raises) {
      BVHMILL_RETURN_IF_ERROR(FitAll());
      BVHMILL_RETURN_IF_ERROR(work().Pay());
      if (is_refused_) {
        result_.motion = {};
        return absl::OkStatus();
      }
      if (result_.motion.joints.empty()) {
        Fail(IssueCode::ANIM_NO_JOINTS, {});
        return absl::OkStatus();
      }
      ApplySettings(options_.settings, &result_.motion);
      if (Fits(static_cast<int64_t>(AnimBytes(result_.motion)))) {
        Succeed(raises);
        return absl::OkStatus();
      }
      if (!Fits(LeastBytes()) || !Raise()) break;
    }
    Fail(IssueCode::ANIM_SIZE_LIMIT,
         SizeLimitArgs(options_.max_bytes, MaxDegrees()));
    return absl::OkStatus();
  }

  float MaxDegrees() const {
    return std::max(options_.max_degrees, options_.max_degrees_limit);
  }

  bool Fits(int64_t bytes) const {
    return options_.max_bytes <= 0 || bytes <= options_.max_bytes;
  }

  // Size of the file if every curve has one key. The curves are the same after
  // every raise.
  int64_t LeastBytes() const {
    int64_t curves = 0;
    for (const AnimJoint& joint : result_.motion.joints) {
      curves += joint.positions.empty() ? 1 : 2;
    }
    return static_cast<int64_t>(AnimBytes(result_.motion)) -
           (result_.keys - curves) * static_cast<int64_t>(kAnimKeyBytes);
  }

  // Raises both bounds; false if max_degrees then exceeds its limit.
  bool Raise() {
    constexpr float kLeastDegrees = 0.02F;
    constexpr float kLeastMillimetres = 0.2F;
    result_.max_degrees = std::max(result_.max_degrees, kLeastDegrees) * kRaise;
    result_.max_mm = std::max(result_.max_mm, kLeastMillimetres) * kRaise;
    is_again_ = true;
    return result_.max_degrees <= MaxDegrees();
  }

  void Succeed(int raises) {
    result_.converted = true;
    fit_.LeaveKeys();
    if (raises > 0) LogBoundsRaised(result_, &log_);
    LogMissed(clip_.skeleton, missed_, frames_.first, &log_);
  }

  absl::Status FitAll() {
    result_.motion = {};
    fit_.DropAll();
    missed_.clear();
    result_.degrees = 0;
    result_.millimetres = 0;
    result_.keys = 0;
    result_.motion.duration = times_.duration;
    result_.motion.loop_out = times_.duration;
    for (size_t i = 0; i < drive_.joints.size(); ++i) {
      BVHMILL_RETURN_IF_ERROR(
          FitJoint(drive_.joints[i], static_cast<int32_t>(i) == drive_.pelvis));
    }
    FitEases();
    return absl::OkStatus();
  }

  // Both eases together must not be longer than the motion.
  void FitEases() {
    AnimMotion& motion = result_.motion;
    const float most = motion.duration / 2;
    motion.ease_in = std::min(motion.ease_in, most);
    motion.ease_out = std::min(motion.ease_out, most);
  }

  // Logs changed values, in the first pass only: every raise changes the same
  // values.
  void LogOnce(IssueCode code, int32_t node, int64_t count) {
    if (!is_again_) LogValues(clip_.skeleton, code, node, count, &log_);
  }

  // False, with an error in the log, if positions are out of range and the
  // options do not accept this.
  bool TakesClamped(int32_t node, const FittedJoint& fitted) {
    if (fitted.clamped == 0 || options_.accept_odd) {
      LogOnce(IssueCode::ANIM_POSITION_CLAMPED, node, fitted.clamped);
      return true;
    }
    LogPositionFar(clip_.skeleton, node, fitted.farthest, &log_);
    is_refused_ = true;
    fit_.Drop(fitted.joint);
    return false;
  }

  absl::Status FitJoint(const DrivenJoint& driven, bool is_pelvis) {
    const FitBounds bounds = {result_.max_degrees, result_.max_mm};
    FittedJoint fitted;
    BVHMILL_RETURN_IF_ERROR(fit_.Fit(driven, is_pelvis, bounds, &fitted));
    LogOnce(IssueCode::ANIM_VALUE_NOT_FINITE, driven.node, fitted.repaired);
    if (!is_again_ && fitted.left_out > kMostLeftOut) {
      LogTranslationLeftOut(clip_.skeleton, driven.node, fitted.left_out,
                            &log_);
    }
    if (!TakesClamped(driven.node, fitted)) return absl::OkStatus();
    missed_.insert(missed_.end(), fitted.missed.begin(), fitted.missed.end());
    result_.millimetres = std::max(result_.millimetres, fitted.millimetres);
    AnimJoint& joint = fitted.joint;
    const bool is_still = !fitted.turns && joint.positions.empty();
    if (is_still && !options_.keep_still_joints) {
      fit_.Drop(joint);
      return absl::OkStatus();
    }
    result_.degrees = std::max(result_.degrees, fitted.degrees);
    result_.keys +=
        static_cast<int64_t>(joint.rotations.size() + joint.positions.size());
    result_.motion.joints.push_back(std::move(joint));
    return absl::OkStatus();
  }

  const Clip& clip_;
  const ClipToAnimOptions& options_;
  ClipToAnimResult& result_;
  IssueLog& log_;
  Plan plan_;
  PlayedFrames frames_;
  FrameTimes times_;
  AvatarDrive drive_;
  // Curves whose error exceeds their bound.
  std::vector<Missed> missed_;
  // Issues about values are logged in the first pass only.
  bool is_again_ = false;
  // True: the log has an error, and there is no motion.
  bool is_refused_ = false;
  HeldMemory memory_;
  JointFit fit_;
};

}  // namespace

absl::Status CheckOptions(const ClipToAnimOptions& options,
                          const Skeleton& skeleton) {
  if (!options.joint_names.empty() &&
      options.joint_names.size() != skeleton.nodes.size()) {
    return InvalidField("joint_names", "are not as many as the nodes");
  }
  if (!std::isfinite(options.metres_per_unit) || options.metres_per_unit < 0) {
    return InvalidField("metres_per_unit", "is negative");
  }
  return CheckSettings(options.settings);
}

absl::Status ClipToAnim(const Clip& clip, const ClipToAnimOptions& options,
                        ClipToAnimResult* result, IssueLog* log,
                        Budget* budget) {
  BVHMILL_RETURN_IF_ERROR(CheckOptions(options, clip.skeleton));
  *result = {};
  absl::Status status = Converter(clip, options, result, log, budget).Convert();
  if (!status.ok()) *result = {};
  return status;
}

}  // namespace bvhmill
