// The data of an .anim of Second Life.

#include <pybind11/stl.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "bvhmill/anim/format/anim_file.h"
#include "client/python/module/bind.h"
#include "client/python/module/gil.h"
#include "client/python/module/python_values.h"

namespace bvhmill::python {
namespace {

// (times, values) of the keys of a curve: float32 (keys,), and float32 (keys,
// 4), x y z w, or (keys, 3).
py::tuple RotationKeys(const std::vector<AnimKey>& keys, float duration) {
  std::vector<float> times, values;
  for (const AnimKey& key : keys) {
    const Quat<float> q = RotationOf(key);
    times.push_back(TimeOf(key, duration));
    values.insert(values.end(), {q.x, q.y, q.z, q.w});
  }
  const auto count = static_cast<int64_t>(keys.size());
  return py::make_tuple(BlockOf(times, ElementType::kFloat32, {count}),
                        BlockOf(values, ElementType::kFloat32, {count, 4}));
}

py::tuple PositionKeys(const std::vector<AnimKey>& keys, float duration) {
  std::vector<float> times, values;
  for (const AnimKey& key : keys) {
    const Vec3<float> p = PositionOf(key);
    times.push_back(TimeOf(key, duration));
    values.insert(values.end(), {p[0], p[1], p[2]});
  }
  const auto count = static_cast<int64_t>(keys.size());
  return py::make_tuple(BlockOf(times, ElementType::kFloat32, {count}),
                        BlockOf(values, ElementType::kFloat32, {count, 3}));
}

py::dict MotionValue(const AnimMotion& motion) {
  py::list joints;
  for (const AnimJoint& joint : motion.joints) {
    joints.append(
        py::make_tuple(py::bytes(joint.name), joint.priority,
                       RotationKeys(joint.rotations, motion.duration),
                       PositionKeys(joint.positions, motion.duration)));
  }
  py::dict value;
  value["priority"] = motion.base_priority;
  value["duration"] = motion.duration;
  value["emote"] = py::bytes(motion.emote);
  value["loop"] = motion.loop != 0;
  value["loop_in"] = motion.loop_in;
  value["loop_out"] = motion.loop_out;
  value["ease_in"] = motion.ease_in;
  value["ease_out"] = motion.ease_out;
  value["hand_pose"] = motion.hand_pose;
  value["constraints"] = motion.constraints.size();
  value["joints"] = joints;
  return value;
}

// (motion or None, plays, uploads, report).
py::tuple ReadAnimValue(const py::buffer& source, const Choices& choices) {
  const py::buffer_info info = source.request();
  const std::string_view bytes = TextOf(info);
  AnimReadOptions options;
  options.limits = choices.options.limits;
  IssueLog log(choices.options.report);
  AnimReadResult read;
  Report report;
  {
    const FreeGil free;
    read = ReadAnim(bytes, options, &log);
    report = log.Finish(read.read, read.read);
  }
  py::object motion = py::none();
  if (read.read) motion = MotionValue(read.motion);
  return py::make_tuple(motion, read.plays, read.uploads,
                        std::make_shared<Report>(std::move(report)));
}

// The bytes of a file, decompressed by its name: (bytes, errno, error).
py::tuple ReadFileValue(const std::string& path, const Choices& choices) {
  Interrupts interrupts;
  Bytes bytes;
  int os_error = 0;
  absl::Status status;
  {
    const FreeGil free;
    status = ReadFile(path, choices.options.limits.max_clip_bytes, &interrupts,
                      &bytes, &os_error);
  }
  interrupts.Throw();
  const auto size = static_cast<int64_t>(bytes.size());
  return py::make_tuple(
      std::make_shared<Block>(std::move(bytes), ElementType::kByte,
                              std::vector<int64_t>{size}),
      os_error, ValueOf(status));
}

}  // namespace

void BindAnim(py::module_* module) {
  module->def("read_anim", &ReadAnimValue);
  module->def("read_file", &ReadFileValue);
}

}  // namespace bvhmill::python
