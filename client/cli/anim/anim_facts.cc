#include "client/cli/anim/anim_facts.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "client/cli/ui/table.h"
#include "client/cli/ui/text.h"

namespace bvhmill::client {
namespace {

constexpr int kDecimals = 3;
constexpr float kDegrees = 57.29577951308232F;

std::string Seconds(float value) { return Fixed(value, kDecimals) + " s"; }

// By how many degrees a rotation turns.
float AngleOf(const Quat<float>& q) {
  return 2 * std::acos(std::clamp(q.w, -1.0F, 1.0F)) * kDegrees;
}

// "0.0 to 45.1": how far a joint is turned from its rest.
std::string Turns(const AnimJoint& joint) {
  if (joint.rotations.empty()) return "-";
  float least = AngleOf(RotationOf(joint.rotations[0]));
  float most = least;
  for (const AnimKey& key : joint.rotations) {
    const float angle = AngleOf(RotationOf(key));
    least = std::min(least, angle);
    most = std::max(most, angle);
  }
  return Fixed(least, 1) + " to " + Fixed(most, 1);
}

std::string Place(const Vec3<float>& v) {
  return Fixed(v[0], kDecimals) + " " + Fixed(v[1], kDecimals) + " " +
         Fixed(v[2], kDecimals);
}

std::string Places(const AnimJoint& joint) {
  if (joint.positions.empty()) return "-";
  Vec3<float> least = PositionOf(joint.positions[0]);
  Vec3<float> most = least;
  for (const AnimKey& key : joint.positions) {
    const Vec3<float> place = PositionOf(key);
    for (size_t k = 0; k < place.size(); ++k) {
      least[k] = std::min(least[k], place[k]);
      most[k] = std::max(most[k], place[k]);
    }
  }
  return Place(least) + " to " + Place(most);
}

std::string Header(const AnimMotion& motion) {
  const bool loops = motion.loop != 0;
  std::string out = "duration   " + Seconds(motion.duration) + "\n";
  out += "priority   " + std::to_string(motion.base_priority) + "\n";
  out += "loop       " +
         (loops ? Seconds(motion.loop_in) + " to " + Seconds(motion.loop_out)
                : "no") +
         "\n";
  out += "ease       in " + Seconds(motion.ease_in) + ", out " +
         Seconds(motion.ease_out) + "\n";
  out += "hand pose  " + std::to_string(motion.hand_pose) + "\n";
  out += "emote      " +
         (motion.emote.empty() ? "none" : Printable(motion.emote)) + "\n";
  return out;
}

std::string Joints(const AnimMotion& motion) {
  std::vector<std::vector<std::string>> rows;
  for (const AnimJoint& joint : motion.joints) {
    rows.push_back(
        {Printable(joint.name),
         joint.priority == -1 ? "base" : std::to_string(joint.priority),
         std::to_string(joint.rotations.size()), Turns(joint),
         std::to_string(joint.positions.size()), Places(joint)});
  }
  return RenderTable({{"joint"},
                      {"priority", Align::kRight},
                      {"rotations", Align::kRight},
                      {"degrees", Align::kRight},
                      {"positions", Align::kRight},
                      {"metres"}},
                     rows);
}

std::string ConstraintLine(const AnimConstraint& c) {
  return "constraint " + Printable(c.source_volume) + " to " +
         (c.type == 0 ? "a point" : "a plane") + " at " +
         Printable(c.target_volume) + ", chain of " +
         std::to_string(c.chain_length) + ", in " + Seconds(c.ease_in_start) +
         " to " + Seconds(c.ease_in_stop) + ", out " +
         Seconds(c.ease_out_start) + " to " + Seconds(c.ease_out_stop) + "\n";
}

std::string Keys(const AnimJoint& joint, float duration) {
  constexpr int kMore = 5;
  std::string out = Printable(joint.name) + "\n";
  for (const AnimKey& key : joint.rotations) {
    const Quat<float> q = RotationOf(key);
    out += "  " + Seconds(TimeOf(key, duration)) + "  rotation " +
           Fixed(q.x, kMore) + " " + Fixed(q.y, kMore) + " " +
           Fixed(q.z, kMore) + " " + Fixed(q.w, kMore) + "\n";
  }
  for (const AnimKey& key : joint.positions) {
    out += "  " + Seconds(TimeOf(key, duration)) + "  position " +
           Place(PositionOf(key)) + "\n";
  }
  return out;
}

const char* Judgement(const AnimReadResult& result) {
  return !result.plays    ? "refused"
         : result.uploads ? "plays, uploads"
                          : "plays, is refused as an upload";
}

}  // namespace

std::string AnimFacts(const AnimFile& file, bool with_keys) {
  const AnimMotion& motion = file.result.motion;
  std::string out = Printable(file.path) + "\nviewer     " +
                    Judgement(file.result) + "\nsize       " +
                    Count(file.bytes, "byte") + "\n";
  if (!file.result.read) return out;
  out += Header(motion) + "joints     " + std::to_string(motion.joints.size()) +
         "\n";
  for (const AnimConstraint& constraint : motion.constraints) {
    out += ConstraintLine(constraint);
  }
  out += "\n" + Joints(motion);
  if (!with_keys) return out;
  for (const AnimJoint& joint : motion.joints) {
    out += "\n" + Keys(joint, motion.duration);
  }
  return out;
}

}  // namespace bvhmill::client
