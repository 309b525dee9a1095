#include "bvhmill/anim/format/anim_edits.h"

#include <algorithm>
#include <cmath>

#include "bvhmill/anim/avatar/avatar.h"
#include "bvhmill/anim/fit/key_play.h"
#include "bvhmill/anim/format/anim_checks.h"
#include "bvhmill/base/call_error.h"

namespace bvhmill {
namespace {

// The value of the curve at `seconds`, as a key with the time `code`.
AnimKey KeyAt(std::span<const AnimKey> keys, bool is_rotation, float duration,
              float seconds, uint16_t code) {
  const BetweenKeys at = KeyCursor(keys, duration).To(seconds);
  if (at.from == at.to) return {code, at.from->x, at.from->y, at.from->z};
  Vec3<float> v;
  const float range = is_rotation ? kAnimRotationRange : kAnimPositionRange;
  if (is_rotation) {
    v = PackRotation(
        BlendRotations(RotationOf(*at.from), RotationOf(*at.to), at.u));
  } else {
    v = BlendPositions(PositionOf(*at.from), PositionOf(*at.to), at.u);
  }
  return {code, RoundU16(v[0], -range, range), RoundU16(v[1], -range, range),
          RoundU16(v[2], -range, range)};
}

struct Span {
  float begin;
  float end;
  float duration;
};

void TrimCurve(const Span& span, bool is_rotation, std::vector<AnimKey>* keys) {
  constexpr uint16_t kLast = 65535;
  if (keys->empty()) return;
  SortKeys(keys);
  const AnimKey first = KeyAt(*keys, is_rotation, span.duration, span.begin, 0);
  const AnimKey last =
      KeyAt(*keys, is_rotation, span.duration, span.end, kLast);
  if (keys->size() == 1) {
    keys->assign(1, first);
    return;
  }
  std::vector<AnimKey> kept = {first};
  for (AnimKey key : *keys) {
    const float seconds = TimeOf(key, span.duration);
    if (seconds <= span.begin || seconds >= span.end) continue;
    key.time = RoundU16(seconds - span.begin, 0, span.end - span.begin);
    if (key.time > kept.back().time && key.time < kLast) kept.push_back(key);
  }
  kept.push_back(last);
  *keys = std::move(kept);
}

template <typename Change>
void ChangeTimes(const Change& change, AnimMotion* motion) {
  motion->loop_in = change(motion->loop_in);
  motion->loop_out = change(motion->loop_out);
  for (AnimConstraint& c : motion->constraints) {
    for (float* time : {&c.ease_in_start, &c.ease_in_stop, &c.ease_out_start,
                        &c.ease_out_stop}) {
      *time = change(*time);
    }
  }
}

void ShortenEases(AnimMotion* motion) {
  motion->ease_in = std::min(motion->ease_in, motion->duration);
  motion->ease_out =
      std::min(motion->ease_out, motion->duration - motion->ease_in);
}

std::string_view FullName(const std::string& name) {
  const int32_t joint = FindAvatarJoint(name);
  if (joint < 0) return name;
  return AvatarJoints()[static_cast<size_t>(joint)].name;
}

std::string MirrorName(const std::string& name) {
  const int32_t joint = FindAvatarJoint(name);
  if (joint < 0) return name;
  return std::string(
      AvatarJoints()[static_cast<size_t>(MirrorJoint(joint))].name);
}

// The code of the negated value.
uint16_t Negative(uint16_t code) { return static_cast<uint16_t>(65535 - code); }

uint32_t MirrorHand(uint32_t pose) {
  constexpr uint32_t kFirstLeft = 4;
  constexpr uint32_t kFirstRight = 7;
  constexpr uint32_t kPairs = 3;
  if (pose >= kFirstLeft && pose < kFirstLeft + kPairs) return pose + kPairs;
  if (pose >= kFirstRight && pose < kFirstRight + kPairs) return pose - kPairs;
  return pose;
}

void ResaveKeys(bool is_rotation, float duration, std::vector<AnimKey>* keys) {
  const float range = is_rotation ? kAnimRotationRange : kAnimPositionRange;
  SortKeys(keys);
  for (AnimKey& key : *keys) {
    const Vec3<float> v =
        is_rotation ? PackRotation(RotationOf(key)) : PositionOf(key);
    key.time = EncodeU16(TimeOf(key, duration), 0, duration);
    key.x = EncodeTwice(v[0], range);
    key.y = EncodeTwice(v[1], range);
    key.z = EncodeTwice(v[2], range);
  }
}

}  // namespace

absl::Status TrimAnim(float begin, float end, AnimMotion* motion) {
  if (!(begin >= 0 && begin < end && end <= motion->duration)) {
    return InvalidField("trim", "is not within the duration");
  }
  const Span span = {begin, end, motion->duration};
  for (AnimJoint& joint : motion->joints) {
    TrimCurve(span, /*is_rotation=*/true, &joint.rotations);
    TrimCurve(span, /*is_rotation=*/false, &joint.positions);
  }
  motion->duration = end - begin;
  ChangeTimes(
      [&](float time) { return std::clamp(time - begin, 0.0F, end - begin); },
      motion);
  ShortenEases(motion);
  return absl::OkStatus();
}

absl::Status RetimeAnim(float duration, AnimMotion* motion) {
  if (!(duration > 0 && duration <= kMaxAnimSeconds)) {
    return InvalidField("duration", "is not above 0 s and at most 60 s");
  }
  if (!(motion->duration > 0)) {
    return InvalidField("duration", "there is none to change");
  }
  const float factor = duration / motion->duration;
  motion->duration = duration;
  ChangeTimes([&](float time) { return time * factor; }, motion);
  motion->loop_out = std::min(motion->loop_out, duration);
  ShortenEases(motion);
  return absl::OkStatus();
}

int64_t DropAnimJoints(std::span<const std::string> names, AnimMotion* motion) {
  const size_t removed =
      std::erase_if(motion->joints, [&](const AnimJoint& joint) {
        const std::string_view full = FullName(joint.name);
        return std::any_of(
            names.begin(), names.end(),
            [&](const std::string& name) { return FullName(name) == full; });
      });
  std::erase_if(motion->constraints, [&](const AnimConstraint& constraint) {
    return MissingJointOf(constraint, *motion).has_value();
  });
  return static_cast<int64_t>(removed);
}

// Mirrors at the plane of X and Z.
void MirrorAnim(AnimMotion* motion) {
  for (AnimJoint& joint : motion->joints) {
    joint.name = MirrorName(joint.name);
    for (AnimKey& key : joint.rotations) {
      key.x = Negative(key.x);
      key.z = Negative(key.z);
    }
    for (AnimKey& key : joint.positions) key.y = Negative(key.y);
  }
  for (AnimConstraint& c : motion->constraints) {
    c.source_volume = MirrorName(c.source_volume);
    c.target_volume = MirrorName(c.target_volume);
    for (Vec3<float>* v :
         {&c.source_offset, &c.target_offset, &c.target_direction}) {
      (*v)[1] = -(*v)[1];
    }
  }
  motion->hand_pose = MirrorHand(motion->hand_pose);
}

void ResaveAsViewer(AnimMotion* motion) {
  motion->base_priority = std::min(motion->base_priority, kMaxAnimPriority);
  motion->loop = motion->loop != 0 ? 1 : 0;
  if (!IsKnownEmote(motion->emote)) motion->emote.clear();
  for (AnimJoint& joint : motion->joints) {
    joint.name = FullName(joint.name);
    ResaveKeys(/*is_rotation=*/true, motion->duration, &joint.rotations);
    ResaveKeys(/*is_rotation=*/false, motion->duration, &joint.positions);
  }
  std::reverse(motion->constraints.begin(), motion->constraints.end());
}

}  // namespace bvhmill
