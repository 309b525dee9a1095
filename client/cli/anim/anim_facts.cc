#include "client/cli/anim/anim_facts.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <utility>
#include <vector>

#include "bvhmill/base/status.h"
#include "bvhmill/base/text.h"
#include "bvhmill/encode/report_json.h"
#include "client/cli/ui/console.h"
#include "client/cli/ui/json_text.h"

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

namespace {

std::string Vector(const Vec3<float>& v) { return JsonNumbers(v); }

std::string Codes(const AnimKey& key) {
  return JsonArray(std::initializer_list<int>{key.time, key.x, key.y, key.z},
                   [](int code) { return std::to_string(code); });
}

std::string Rotation(const AnimKey& key, float duration) {
  const Quat<float> q = RotationOf(key);
  return JsonObject({{"time", JsonNumber(TimeOf(key, duration))},
                     {"codes", Codes(key)},
                     {"xyzw", JsonNumbers(std::initializer_list<float>{
                                  q.x, q.y, q.z, q.w})}});
}

std::string Position(const AnimKey& key, float duration) {
  return JsonObject({{"time", JsonNumber(TimeOf(key, duration))},
                     {"codes", Codes(key)},
                     {"xyz", Vector(PositionOf(key))}});
}

std::string Joint(const AnimJoint& joint, float duration) {
  const auto rotation = [&](const AnimKey& k) { return Rotation(k, duration); };
  const auto position = [&](const AnimKey& k) { return Position(k, duration); };
  return JsonObject({{"name", JsonQuote(joint.name)},
                     {"priority", std::to_string(joint.priority)},
                     {"rotations", JsonArray(joint.rotations, rotation)},
                     {"positions", JsonArray(joint.positions, position)}});
}

std::string Constraint(const AnimConstraint& c) {
  return JsonObject({{"chain_length", std::to_string(c.chain_length)},
                     {"type", std::to_string(c.type)},
                     {"source_volume", JsonQuote(c.source_volume)},
                     {"source_offset", Vector(c.source_offset)},
                     {"target_volume", JsonQuote(c.target_volume)},
                     {"target_offset", Vector(c.target_offset)},
                     {"target_direction", Vector(c.target_direction)},
                     {"ease_in_start", JsonNumber(c.ease_in_start)},
                     {"ease_in_stop", JsonNumber(c.ease_in_stop)},
                     {"ease_out_start", JsonNumber(c.ease_out_start)},
                     {"ease_out_stop", JsonNumber(c.ease_out_stop)}});
}

std::string Motion(const AnimMotion& motion) {
  const auto joint = [&](const AnimJoint& j) {
    return Joint(j, motion.duration);
  };
  return JsonObject(
      {{"base_priority", std::to_string(motion.base_priority)},
       {"duration", JsonNumber(motion.duration)},
       {"emote", JsonQuote(motion.emote)},
       {"loop", JsonBool(motion.loop != 0)},
       {"loop_in", JsonNumber(motion.loop_in)},
       {"loop_out", JsonNumber(motion.loop_out)},
       {"ease_in", JsonNumber(motion.ease_in)},
       {"ease_out", JsonNumber(motion.ease_out)},
       {"hand_pose", std::to_string(motion.hand_pose)},
       {"joints", JsonArray(motion.joints, joint)},
       {"constraints", JsonArray(motion.constraints, Constraint)}});
}

}  // namespace

std::string AnimJson(const AnimFile& file) {
  const bool is_known = file.status.ok();
  const AnimReadResult& result = file.result;
  const std::string why(MessageOf(file.status));
  return JsonObject({{"file", JsonPath(file.path)},
                     {"error", is_known ? "null" : JsonQuote(why)},
                     {"bytes", is_known ? std::to_string(file.bytes) : "null"},
                     {"plays", is_known ? JsonBool(result.plays) : "null"},
                     {"uploads", is_known ? JsonBool(result.uploads) : "null"},
                     {"motion", result.read ? Motion(result.motion) : "null"},
                     {"report", is_known ? ReportJson(file.report) : "null"}}) +
         "\n";
}

}  // namespace bvhmill::client
