#include "bvhmill/anim/viewer/viewer_import.h"

#include <algorithm>

#include "bvhmill/anim/avatar/avatar.h"
#include "bvhmill/anim/format/anim_format.h"
#include "bvhmill/anim/viewer/viewer_loader.h"
#include "bvhmill/anim/viewer/viewer_track.h"
#include "bvhmill/base/held_memory.h"
#include "bvhmill/base/status.h"
#include "bvhmill/base/utf8.h"

namespace bvhmill {
namespace {

constexpr int32_t kPriority = 2;
constexpr float kEaseSeconds = 0.3F;

// Memory and units of work for the view of a node; units for a joint, for the
// time code of a frame, and for a key.
constexpr int64_t kNodeBytes = 184;
constexpr int64_t kNodeUnits = 40;
constexpr int64_t kJointUnits = 60;
constexpr int64_t kTimeUnits = 4;
constexpr int64_t kKeyUnits = 40;

// The rotation `a` followed by `b`, with the sums in the viewer's order.
Quat<float> Then(const Quat<float>& a, const Quat<float>& b) {
  return {b.w * a.x + b.x * a.w + b.y * a.z - b.z * a.y,
          b.w * a.y + b.y * a.w + b.z * a.x - b.x * a.z,
          b.w * a.z + b.z * a.w + b.x * a.y - b.y * a.x,
          b.w * a.w - b.x * a.x - b.y * a.y - b.z * a.z};
}

Quat<float> Inverse(const Quat<float>& q) { return {-q.x, -q.y, -q.z, q.w}; }

// `v` turned by `q`, with the sums in the viewer's order.
Vec3<float> Turn(const Vec3<float>& v, const Quat<float>& q) {
  const float w = -q.x * v[0] - q.y * v[1] - q.z * v[2];
  const float x = q.w * v[0] + q.y * v[2] - q.z * v[1];
  const float y = q.w * v[1] + q.z * v[0] - q.x * v[2];
  const float z = q.w * v[2] + q.x * v[1] - q.y * v[0];
  return {-w * q.x + x * q.w - y * q.z + z * q.y,
          -w * q.y + y * q.w - z * q.x + x * q.z,
          -w * q.z + z * q.w - x * q.y + y * q.x};
}

// How the import changes the values of one joint.
struct Frame {
  std::string name;
  // From the axes of BVH to those of the avatar.
  Quat<float> axes;
  // Subtracted from every frame.
  Quat<float> first_rotation;
  Vec3<float> first_position = {};
  int32_t priority = 0;
  bool with_positions = true;
};

// Joints that are not in the table of names keep their name and axes.
Frame FrameOf(const ViewerJoint& joint, const ViewerTrack& track) {
  Frame frame;
  const int32_t index = FindAvatarAlias(joint.name);
  frame.name = joint.name;
  if (index < 0) return frame;
  frame.name = AvatarJoints()[static_cast<size_t>(index)].name;
  frame.axes = {0.5F, 0.5F, 0.5F, 0.5F};
  frame.priority = kPriority;
  frame.with_positions = joint.channel_count != 3;
  if (frame.name != "mPelvis") return frame;
  frame.first_rotation = RotationAt(track, 0);
  if (!track.position[0].empty()) {
    frame.first_position = VectorAt(track.position, 0);
  }
  return frame;
}

// The first frame is the reference, so the second frame is at time 0.
uint16_t TimeCode(size_t frame, float frame_time, float duration) {
  const float index = frame == 0 ? 0.0F : static_cast<float>(frame - 1);
  return EncodeU16(index * frame_time, 0, duration);
}

AnimKey MakeKey(uint16_t time, const Vec3<float>& v, float range) {
  return {time, EncodeTwice(v[0], range), EncodeTwice(v[1], range),
          EncodeTwice(v[2], range)};
}

AnimKey RotationKey(const Frame& frame, const ViewerTrack& track, size_t i,
                    uint16_t time) {
  Quat<float> q = Then(Inverse(frame.axes), RotationAt(track, i));
  q = Then(q, Inverse(frame.first_rotation));
  q = Then(q, frame.axes);
  return MakeKey(time, PackRotation(q), kAnimRotationRange);
}

AnimKey PositionKey(const Frame& frame, const ViewerTrack& track, size_t i,
                    uint16_t time) {
  Vec3<float> p = {};
  if (!track.position[0].empty()) p = VectorAt(track.position, i);
  for (size_t k = 0; k < p.size(); ++k) p[k] -= frame.first_position[k];
  p = Turn(Turn(p, Inverse(frame.first_rotation)), frame.axes);
  for (float& value : p) value *= static_cast<float>(kInchMetres);
  return MakeKey(time, p, kAnimPositionRange);
}

struct KeyCounts {
  size_t rotations = 0;
  size_t positions = 0;
};

KeyCounts CountKeys(const ViewerKeys& keys, const Frame& frame) {
  const auto kept = [](const std::vector<uint8_t>& keep) {
    return static_cast<size_t>(std::count(keep.begin(), keep.end(), 1));
  };
  return {kept(keys.keep_rotation),
          frame.with_positions ? kept(keys.keep_position) : 0};
}

AnimJoint MakeJoint(const ViewerTake& take, const Frame& frame,
                    const ViewerTrack& track, const ViewerKeys& keys,
                    const KeyCounts& counts, float duration, WorkMeter* work) {
  AnimJoint out;
  out.name = frame.name;
  out.priority = frame.priority;
  out.rotations.reserve(counts.rotations);
  out.positions.reserve(counts.positions);
  const size_t count = keys.keep_rotation.size();
  for (size_t begin = 0; begin < count && work->ok(); begin += kViewerBlock) {
    const size_t end = std::min(begin + kViewerBlock, count);
    work->Spend(static_cast<int64_t>(end - begin) * kTimeUnits);
    for (size_t i = begin; i < end; ++i) {
      const uint16_t time = TimeCode(i, take.frame_time, duration);
      if (keys.keep_rotation[i] != 0) {
        out.rotations.push_back(RotationKey(frame, track, i, time));
        work->Spend(kKeyUnits);
      }
      if (frame.with_positions && keys.keep_position[i] != 0) {
        out.positions.push_back(PositionKey(frame, track, i, time));
        work->Spend(kKeyUnits);
      }
    }
  }
  return out;
}

// Both eases together must not be longer than the motion.
void SetEases(AnimMotion* motion) {
  motion->ease_in = kEaseSeconds;
  motion->ease_out = kEaseSeconds;
  const float sum = motion->ease_in + motion->ease_out;
  if (sum > motion->duration && motion->duration != 0) {
    const float factor = motion->duration / sum;
    motion->ease_in *= factor;
    motion->ease_out *= factor;
  }
}

void LogRefusal(ViewerStatus status, const Location& location, IssueLog* log) {
  log->Add(IssueCode::ANIM_IMPORT_REFUSED, location,
           {{"status", std::string(ViewerStatusName(status))},
            {"why", std::string(ViewerStatusMeaning(status))}});
}

class Importer {
 public:
  Importer(const ViewerTake& take, AnimMotion* motion, Budget* budget)
      : take_(take),
        motion_(*motion),
        work_(budget),
        memory_(budget),
        key_memory_(budget) {}

  absl::Status Import() {
    SetHeader();
    if (take_.frames <= 0) return absl::OkStatus();
    BVHMILL_RETURN_IF_ERROR(memory_.Draw(take_.frames * kViewerFrameBytes));
    for (const ViewerJoint& joint : take_.joints) {
      BVHMILL_RETURN_IF_ERROR(AddJoint(joint));
    }
    BVHMILL_RETURN_IF_ERROR(work_.Pay());
    key_memory_.Leave();
    return absl::OkStatus();
  }

 private:
  void SetHeader() {
    motion_ = {};
    const auto played = static_cast<float>(take_.frames - 2);
    motion_.duration = std::max(played, 1.0F) * take_.frame_time;
    motion_.loop_out = motion_.duration;
    motion_.base_priority = kPriority;
    SetEases(&motion_);
  }

  absl::Status AddJoint(const ViewerJoint& joint) {
    work_.Spend(kJointUnits);
    FillViewerTrack(take_, joint, &track_, &work_);
    if (!work_.ok()) return work_.Pay();
    ChooseViewerKeys(track_, take_.frames, joint.depth, &keys_, &work_);
    if (!work_.ok()) return work_.Pay();
    if (!keys_.moves) return absl::OkStatus();
    const Frame frame = FrameOf(joint, track_);
    const KeyCounts counts = CountKeys(keys_, frame);
    const auto keys = static_cast<int64_t>(counts.rotations + counts.positions);
    BVHMILL_RETURN_IF_ERROR(
        key_memory_.Draw(keys * static_cast<int64_t>(sizeof(AnimKey))));
    motion_.joints.push_back(MakeJoint(take_, frame, track_, keys_, counts,
                                       motion_.duration, &work_));
    return work_.ok() ? absl::OkStatus() : work_.Pay();
  }

  const ViewerTake& take_;
  AnimMotion& motion_;
  ViewerTrack track_;
  ViewerKeys keys_;
  WorkMeter work_;
  HeldMemory memory_;
  HeldMemory key_memory_;
};

}  // namespace

absl::Status ImportViewerTake(const ViewerTake& take, AnimMotion* motion,
                              Budget* budget) {
  absl::Status status = Importer(take, motion, budget).Import();
  if (!status.ok()) *motion = {};
  return status;
}

absl::Status ImportAsViewer(const Clip& clip, AnimMotion* motion, IssueLog* log,
                            Budget* budget) {
  *motion = {};
  HeldMemory memory(budget);
  const auto nodes = static_cast<int64_t>(clip.skeleton.nodes.size());
  BVHMILL_RETURN_IF_ERROR(memory.Draw(nodes * kNodeBytes));
  BVHMILL_RETURN_IF_ERROR(WorkFrom(budget, nodes * kNodeUnits));
  ViewerTake take;
  int32_t node = 0;
  const ViewerStatus status = TakeFromClip(clip, &take, &node);
  if (status == ViewerStatus::kOk) {
    return ImportViewerTake(take, motion, budget);
  }
  Location location;
  location.joint = node;
  location.joint_name = DisplayName(clip.skeleton, node);
  LogRefusal(status, location, log);
  return MakeStatus(absl::StatusCode::kFailedPrecondition,
                    "the viewer refuses the clip");
}

bool ImportTextAsViewer(std::string_view text, AnimMotion* motion,
                        IssueLog* log) {
  const ViewerText loaded = LoadViewerText(text);
  if (loaded.status == ViewerStatus::kOk) {
    return ImportViewerTake(loaded.take, motion).ok();
  }
  *motion = {};
  LogRefusal(loaded.status, LocationAt(loaded.place), log);
  return false;
}

}  // namespace bvhmill
