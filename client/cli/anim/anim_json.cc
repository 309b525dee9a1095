#include "client/cli/anim/anim_json.h"

#include <cmath>
#include <initializer_list>
#include <utility>

#include "bvhmill/base/status.h"
#include "bvhmill/base/utf8.h"
#include "bvhmill/encode/report_json.h"
#include "client/cli/ui/text.h"

namespace bvhmill::client {
namespace {

std::string Number(float value) {
  return std::isfinite(value) ? Shortest(value) : "null";
}

std::string Name(std::string_view name) { return JsonQuote(name); }

const char* Word(bool value) { return value ? "true" : "false"; }

using Fields = std::initializer_list<std::pair<const char*, std::string>>;

// Values are JSON already.
std::string Object(Fields fields) {
  std::string out;
  for (const auto& [name, value] : fields) {
    out += (out.empty() ? "{\"" : ",\"") + std::string(name) + "\":" + value;
  }
  return out + "}";
}

template <typename T, typename ToJson>
std::string Array(const T& values, const ToJson& to_json) {
  std::string out = "[";
  for (const auto& value : values) {
    if (out.size() > 1) out += ",";
    out += to_json(value);
  }
  return out + "]";
}

std::string Vector(const Vec3<float>& v) { return Array(v, Number); }

std::string Codes(const AnimKey& key) {
  return Array(std::initializer_list<int>{key.time, key.x, key.y, key.z},
               [](int code) { return std::to_string(code); });
}

std::string Rotation(const AnimKey& key, float duration) {
  const Quat<float> q = RotationOf(key);
  return Object(
      {{"time", Number(TimeOf(key, duration))},
       {"codes", Codes(key)},
       {"xyzw",
        Array(std::initializer_list<float>{q.x, q.y, q.z, q.w}, Number)}});
}

std::string Position(const AnimKey& key, float duration) {
  return Object({{"time", Number(TimeOf(key, duration))},
                 {"codes", Codes(key)},
                 {"xyz", Vector(PositionOf(key))}});
}

std::string Joint(const AnimJoint& joint, float duration) {
  const auto rotation = [&](const AnimKey& k) { return Rotation(k, duration); };
  const auto position = [&](const AnimKey& k) { return Position(k, duration); };
  return Object({{"name", Name(joint.name)},
                 {"priority", std::to_string(joint.priority)},
                 {"rotations", Array(joint.rotations, rotation)},
                 {"positions", Array(joint.positions, position)}});
}

std::string Constraint(const AnimConstraint& c) {
  return Object({{"chain_length", std::to_string(c.chain_length)},
                 {"type", std::to_string(c.type)},
                 {"source_volume", Name(c.source_volume)},
                 {"source_offset", Vector(c.source_offset)},
                 {"target_volume", Name(c.target_volume)},
                 {"target_offset", Vector(c.target_offset)},
                 {"target_direction", Vector(c.target_direction)},
                 {"ease_in_start", Number(c.ease_in_start)},
                 {"ease_in_stop", Number(c.ease_in_stop)},
                 {"ease_out_start", Number(c.ease_out_start)},
                 {"ease_out_stop", Number(c.ease_out_stop)}});
}

std::string Motion(const AnimMotion& motion) {
  const auto joint = [&](const AnimJoint& j) {
    return Joint(j, motion.duration);
  };
  return Object({{"base_priority", std::to_string(motion.base_priority)},
                 {"duration", Number(motion.duration)},
                 {"emote", Name(motion.emote)},
                 {"loop", Word(motion.loop != 0)},
                 {"loop_in", Number(motion.loop_in)},
                 {"loop_out", Number(motion.loop_out)},
                 {"ease_in", Number(motion.ease_in)},
                 {"ease_out", Number(motion.ease_out)},
                 {"hand_pose", std::to_string(motion.hand_pose)},
                 {"joints", Array(motion.joints, joint)},
                 {"constraints", Array(motion.constraints, Constraint)}});
}

}  // namespace

std::string AnimJson(const AnimFile& file) {
  const std::string path = JsonQuote(file.path);
  if (!file.status.ok()) {
    const std::string why(MessageOf(file.status));
    return Object({{"file", path}, {"error", JsonQuote(why)}}) + "\n";
  }
  const AnimReadResult& result = file.result;
  return Object({{"file", path},
                 {"bytes", std::to_string(file.bytes)},
                 {"plays", Word(result.plays)},
                 {"uploads", Word(result.uploads)},
                 {"motion", result.read ? Motion(result.motion) : "null"},
                 {"report", ReportJson(file.report)}}) +
         "\n";
}

}  // namespace bvhmill::client
