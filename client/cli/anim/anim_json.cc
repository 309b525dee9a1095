#include "client/cli/anim/anim_json.h"

#include <cmath>
#include <initializer_list>
#include <utility>

#include "bvhmill/base/status.h"
#include "bvhmill/base/utf8.h"
#include "bvhmill/encode/report_json.h"
#include "client/cli/ui/json_text.h"

namespace bvhmill::client {
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
