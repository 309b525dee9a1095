#include "bvhmill/anim/clip_to_anim_log.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <string_view>

#include "bvhmill/anim/format/anim_motion.h"
#include "bvhmill/base/utf8.h"

namespace bvhmill {
namespace {

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

}  // namespace

std::string WholeDegrees(double degrees) {
  return std::to_string(std::lround(degrees));
}

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

std::string PoseName(const ReferenceChoice& choice) {
  if (choice.frame == kRestPoseFrame) return "the rest pose";
  return "frame " + std::to_string(choice.frame);
}

void LogReferenceChosen(const ReferenceChoice& choice, IssueLog* log) {
  log->Add(IssueCode::ANIM_REFERENCE_CHOSEN, {},
           {{"pose", PoseName(choice)},
            {"matched", std::string(MatchName(choice))},
            {"degrees", WholeDegrees(choice.rest_degrees)}});
}

void LogScaleGuessed(double metres_per_unit, IssueLog* log) {
  log->Add(IssueCode::ANIM_SCALE_GUESSED, {},
           {{"metres", Rounded(metres_per_unit)}});
}

void LogLeftOut(const Skeleton& skeleton, const std::vector<int32_t>& nodes,
                IssueLog* log) {
  for (const int32_t node : nodes) {
    if (log->Repeat(IssueCode::ANIM_JOINT_LEFT_OUT, node)) continue;
    const Location location = At(skeleton, node);
    log->Add(IssueCode::ANIM_JOINT_LEFT_OUT, location,
             {{"joint", Quote(location.joint_name)}});
  }
}

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
              {"degrees", WholeDegrees(odd.degrees)}});
  }
}

void LogFirstFrameApart(const AvatarDrive& drive, IssueLog* log) {
  const auto& apart = drive.reference.first_apart;
  if (!apart) return;
  Location location;
  location.frame = 0;
  log->Add(IssueCode::ANIM_FIRST_FRAME_LEFT_OUT, location,
           {{"degrees", WholeDegrees(apart->degrees)},
            {"metres", Rounded(apart->way * drive.metres_per_unit)}});
}

void LogTranslationLeftOut(const Skeleton& skeleton, int32_t node,
                           float millimetres, IssueLog* log) {
  if (log->Repeat(IssueCode::ANIM_TRANSLATION_LEFT_OUT, node)) return;
  const Location location = At(skeleton, node);
  log->Add(IssueCode::ANIM_TRANSLATION_LEFT_OUT, location,
           {{"joint", Quote(location.joint_name)},
            {"millimetres", WholeDegrees(millimetres)}});
}

void LogValues(const Skeleton& skeleton, IssueCode code, int32_t node,
               int64_t count, IssueLog* log) {
  if (count == 0) return;
  const Location location = At(skeleton, node);
  log->Add(code, location, {{"joint", Quote(location.joint_name)}}, count);
}

void LogPositionFar(const Skeleton& skeleton, int32_t node, float metres,
                    IssueLog* log) {
  const Location location = At(skeleton, node);
  log->Add(
      IssueCode::ANIM_POSITION_FAR, location,
      {{"joint", Quote(location.joint_name)}, {"metres", Rounded(metres)}});
}

void LogBoundsRaised(const ClipToAnimResult& result, IssueLog* log) {
  const auto bytes = static_cast<int64_t>(AnimBytes(result.motion));
  log->Add(IssueCode::ANIM_BOUNDS_RAISED, {},
           {{"degrees", std::to_string(result.max_degrees)},
            {"millimetres", std::to_string(result.max_mm)},
            {"bytes", std::to_string(bytes)}});
}

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

IssueArgs SizeLimitArgs(int64_t max_bytes, float max_degrees) {
  return {{"limit", std::to_string(max_bytes)},
          {"degrees", Rounded(max_degrees)}};
}

}  // namespace bvhmill
