#include "bvhmill/anim/anim_to_clip.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "bvhmill/anim/avatar/avatar.h"
#include "bvhmill/anim/fit/key_play.h"
#include "bvhmill/anim/format/anim_motion.h"
#include "bvhmill/base/status.h"
#include "bvhmill/base/text.h"
#include "bvhmill/math/euler.h"

namespace bvhmill {
namespace {

// Frames per second of a grid: the range of the search, and the default.
constexpr double kLeastRate = 20;
constexpr double kMaxRate = 120;
constexpr double kUsualRate = 30;
// The number of codes of a time.
constexpr size_t kCodes = 65536;
// Units of work for one time at one rate.
constexpr int64_t kTimeWork = 5;

// True if a step has the time code `time`, or one next to it.
bool IsOnGrid(size_t time, int64_t steps) {
  constexpr double kLast = kCodes - 1;
  const auto count = static_cast<double>(steps);
  const double code = static_cast<double>(time);
  const double step = std::round(code / kLast * count);
  return std::fabs(std::floor(step / count * kLast) - code) <= 1;
}

// The time codes of all keys, each once, in order.
std::vector<size_t> TimesOf(const AnimMotion& motion) {
  std::vector<bool> is_there(kCodes);
  for (const AnimJoint& joint : motion.joints) {
    for (const AnimKey& key : joint.rotations) is_there[key.time] = true;
    for (const AnimKey& key : joint.positions) is_there[key.time] = true;
  }
  std::vector<size_t> times;
  for (size_t i = 0; i < kCodes; ++i) {
    if (is_there[i]) times.push_back(i);
  }
  return times;
}

// The rate of a motion without a duration.
constexpr double kPoseRate = 30;
// Units of work for one joint in one frame.
constexpr int64_t kJointWork = 150;

// Changes the axes of the avatar to those of BVH.
template <typename Real>
Vec3<Real> ToBvhAxes(const Vec3<Real>& v) {
  return {v[1], v[2], v[0]};
}

// The angles about Z, X and Y, Z outermost, that are nearest to `before`. `q`
// may have any length.
EulerAngles AnglesOf(const Quat<double>& q, const EulerAngles& before) {
  constexpr EulerAxes kAxes = {2, 0, 1};
  const double length =
      std::sqrt(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w);
  const Quat<double> unit = {q.x / length, q.y / length, q.z / length,
                             q.w / length};
  return ToEuler(kAxes, ToMatrix(unit), before);
}

// A value that the import, which truncates twice, encodes as `code`: the middle
// of the interval of that code, or of the code above.
float Inside(uint16_t code, float range) {
  float value = 0;
  for (const int up : {1, 0}) {
    const double middle = (code + up + 0.5) / 65535.0;
    value = static_cast<float>((middle * 2 - 1) * range);
    if (up == 1 && EncodeTwice(value, range) == code) break;
  }
  return std::clamp(value, -range, range);
}

Vec3<float> InsideKey(const AnimKey& key, float range) {
  return {Inside(key.x, range), Inside(key.y, range), Inside(key.z, range)};
}

// A rotation that the import quantises to the codes of `key`, if there is one.
Quat<float> InsideRotation(const AnimKey& key) {
  const Vec3<float> v = InsideKey(key, kAnimRotationRange);
  const float square = v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
  return square < 1 ? UnpackRotation(v) : RotationOf(key);
}

Quat<double> ToBvhRotation(const Quat<float>& q) {
  return {q.y, q.z, q.x, q.w};
}

Vec3<float> InInches(const Vec3<float>& metres) {
  Vec3<float> v = ToBvhAxes(metres);
  for (float& value : v) value = static_cast<float>(value / kInchMetres);
  return v;
}

const AvatarJoint& JointAt(int32_t joint) {
  return AvatarJoints()[static_cast<size_t>(joint)];
}

// Only joints below the pelvis can be in the tree of the clip.
bool IsBelowPelvis(int32_t joint) {
  while (joint > 0) joint = JointAt(joint).parent;
  return joint == 0;
}

std::string BvhName(int32_t joint) {
  std::string name(JointAt(joint).name);
  std::replace(name.begin(), name.end(), ' ', '_');
  return name;
}

// Times are truncated: a time within a few codes of a key is the time of the
// key.
BetweenKeys Near(const BetweenKeys& at, float duration, bool is_pose) {
  constexpr float kFewCodes = 2.5F / 65535.0F;
  if (is_pose || at.from == at.to) return {at.from, at.from, 0};
  const float seconds = TimeOf(*at.to, duration) - TimeOf(*at.from, duration);
  const float near = kFewCodes * duration / seconds;
  if (at.u <= near) return {at.from, at.from, 0};
  if (at.u >= 1 - near) return {at.to, at.to, 0};
  return at;
}

void AddEndSite(int32_t joint, int32_t parent, Skeleton* skeleton) {
  Node node;
  node.parent = parent;
  node.kind = NodeKind::kEndSite;
  node.offset = InInches(JointAt(joint).end);
  node.first_channel = static_cast<int32_t>(skeleton->channels.size());
  skeleton->nodes.push_back(std::move(node));
}

}  // namespace

absl::Status AnimToClip(const AnimMotion& motion,
                        const AnimToClipOptions& options, Clip* clip,
                        IssueLog* log) {
  constexpr double kMaxRate = 240;
  const double rate = options.frames_per_second;
  if (!(rate >= 0 && rate <= kMaxRate)) {
    return InvalidField("frames_per_second", "is not 0 to 240");
  }
  *clip = {};
  if (!(motion.duration <= kMaxAnimSeconds)) {
    log->Add(IssueCode::ANIM_DURATION_LONG, {},
             {{"seconds", std::to_string(motion.duration)}});
    return absl::OkStatus();
  }
  AnimClipMaker maker(motion, options);
  BVHMILL_RETURN_IF_ERROR(maker.MakeHeader(/*budget=*/nullptr, log, clip));
  return maker.MakeRows(/*budget=*/nullptr, clip);
}

absl::Status AnimClipMaker::MakeHeader(Budget* budget, IssueLog* log,
                                       Clip* clip) {
  *clip = {};
  TakeCurves(log);
  AddNodes(&clip->skeleton);
  FrameGrid grid;
  BVHMILL_RETURN_IF_ERROR(
      FindFrameGrid(motion_, options_.frames_per_second, budget, &grid));
  const double seconds =
      motion_.duration > 0 ? motion_.duration : 1 / kPoseRate;
  played_ = grid.is_pose ? 1 : grid.steps + 1;
  frame_time_ = seconds / static_cast<double>(grid.steps);
  clip->motion.frames = played_ + (options_.reference_frame ? 1 : 0);
  clip->motion.frame_time = frame_time_;
  return absl::OkStatus();
}

absl::Status AnimClipMaker::MakeRows(Budget* budget, Clip* clip) const {
  clip->motion.values.assign(
      static_cast<size_t>(clip->motion.frames) * clip->skeleton.channels.size(),
      0.0F);
  for (size_t i = 0; i < joints_.size(); ++i) {
    BVHMILL_RETURN_IF_ERROR(WorkFrom(budget, kJointWork * played_));
    FillJoint(joints_[i], clip->skeleton.nodes[nodes_[i]], clip);
  }
  return absl::OkStatus();
}

void AnimClipMaker::TakeCurves(IssueLog* log) {
  curves_.resize(AvatarJoints().size());
  included_.assign(AvatarJoints().size(), options_.all_bones);
  for (size_t i = 0; i < motion_.joints.size(); ++i) {
    TakeJoint(motion_.joints[i], static_cast<int32_t>(i), log);
  }
  included_[0] = true;
  for (size_t i = included_.size(); i-- > 0;) {
    const AvatarJoint& joint = AvatarJoints()[i];
    if (options_.all_bones && joint.kind != AvatarJointKind::kBone &&
        curves_[i].rotations.empty() && curves_[i].positions.empty()) {
      included_[i] = false;
    }
    if (included_[i] && joint.parent >= 0) {
      included_[static_cast<size_t>(joint.parent)] = true;
    }
  }
}

void AnimClipMaker::TakeJoint(const AnimJoint& joint, int32_t place,
                              IssueLog* log) {
  const int32_t index = FindAvatarJoint(joint.name);
  if (index < 0 || FindAvatarAlias(BvhName(index)) < 0 ||
      !IsBelowPelvis(index)) {
    Location location;
    location.joint = place;
    location.joint_name = ToUtf8(joint.name);
    log->Add(IssueCode::ANIM_JOINT_NOT_IN_BVH, location,
             {{"joint", Quote(joint.name)}});
    return;
  }
  Curves& curves = curves_[static_cast<size_t>(index)];
  // The viewer plays both entries of a joint: the later one overrides the
  // earlier one.
  if (!joint.rotations.empty()) curves.rotations = joint.rotations;
  if (!joint.positions.empty()) curves.positions = joint.positions;
  SortKeys(&curves.rotations);
  SortKeys(&curves.positions);
  included_[static_cast<size_t>(index)] = true;
}

// Adds nodes depth-first. The attachment points in AvatarJoints() are not in
// that order.
void AnimClipMaker::AddNodes(Skeleton* skeleton) {
  std::vector<std::pair<int32_t, int32_t>> open = {{0, -1}};
  while (!open.empty()) {
    const auto [joint, parent] = open.back();
    open.pop_back();
    const auto node = static_cast<int32_t>(skeleton->nodes.size());
    AddNode(joint, parent, skeleton);
    const size_t children = open.size();
    for (size_t i = included_.size(); i-- > 0;) {
      if (included_[i] && AvatarJoints()[i].parent == joint) {
        open.emplace_back(static_cast<int32_t>(i), node);
      }
    }
    if (open.size() == children) AddEndSite(joint, node, skeleton);
  }
}

void AnimClipMaker::AddNode(int32_t joint, int32_t parent, Skeleton* skeleton) {
  Node node;
  node.name = BvhName(joint);
  node.parent = parent;
  node.kind = parent < 0 ? NodeKind::kRoot : NodeKind::kJoint;
  node.offset = InInches(JointAt(joint).rest);
  auto& channels = skeleton->channels;
  node.first_channel = static_cast<int32_t>(channels.size());
  if (parent < 0 || !curves_[static_cast<size_t>(joint)].positions.empty()) {
    channels.insert(channels.end(), {Channel::kXPosition, Channel::kYPosition,
                                     Channel::kZPosition});
  }
  channels.insert(channels.end(), {Channel::kZRotation, Channel::kXRotation,
                                   Channel::kYRotation});
  node.channel_count =
      static_cast<int32_t>(channels.size()) - node.first_channel;
  joints_.push_back(joint);
  nodes_.push_back(skeleton->nodes.size());
  skeleton->nodes.push_back(std::move(node));
}

float* AnimClipMaker::Row(int64_t played, const Node& node, Clip* clip) const {
  const int64_t row = played + (options_.reference_frame ? 1 : 0);
  return clip->motion.values.data() +
         static_cast<size_t>(row) * clip->skeleton.channels.size() +
         node.first_channel;
}

float AnimClipMaker::SecondsAt(int64_t played) const {
  return static_cast<float>(static_cast<double>(played) * frame_time_);
}

void AnimClipMaker::FillJoint(int32_t joint, const Node& node,
                              Clip* clip) const {
  const Curves& curves = curves_[static_cast<size_t>(joint)];
  const bool has_positions = node.channel_count > 3;
  if (has_positions) FillPositions(curves.positions, node, clip);
  if (curves.rotations.empty()) return;
  KeyCursor cursor(curves.rotations, motion_.duration);
  Vec3<double> before = {};
  for (int64_t i = 0; i < played_; ++i) {
    const BetweenKeys at =
        Near(cursor.To(SecondsAt(i)), motion_.duration, played_ == 1);
    const Quat<float> q = at.u == 0 ? InsideRotation(*at.from)
                                    : BlendRotations(RotationOf(*at.from),
                                                     RotationOf(*at.to), at.u);
    before = AnglesOf(ToBvhRotation(q), before);
    float* const out = Row(i, node, clip) + (has_positions ? 3 : 0);
    for (size_t k = 0; k < 3; ++k) out[k] = static_cast<float>(before[k]);
  }
}

// The keys of the root are relative to its rest position.
void AnimClipMaker::FillPositions(const std::vector<AnimKey>& keys,
                                  const Node& node, Clip* clip) const {
  const int64_t first = options_.reference_frame ? -1 : 0;
  for (int64_t i = first; i < played_; ++i) {
    std::copy(node.offset.begin(), node.offset.end(), Row(i, node, clip));
  }
  if (keys.empty()) return;
  KeyCursor cursor(keys, motion_.duration);
  const bool is_root = node.parent < 0;
  for (int64_t i = 0; i < played_; ++i) {
    const BetweenKeys at =
        Near(cursor.To(SecondsAt(i)), motion_.duration, played_ == 1);
    const Vec3<float> p =
        ToBvhAxes(at.u == 0 ? InsideKey(*at.from, kAnimPositionRange)
                            : BlendPositions(PositionOf(*at.from),
                                             PositionOf(*at.to), at.u));
    float* const out = Row(i, node, clip);
    for (size_t k = 0; k < 3; ++k) {
      out[k] =
          static_cast<float>(p[k] / kInchMetres) + (is_root ? out[k] : 0.0F);
    }
  }
}

absl::Status FindFrameGrid(const AnimMotion& motion, double rate,
                           Budget* budget, FrameGrid* grid) {
  *grid = {};
  const std::vector<size_t> times = TimesOf(motion);
  const double seconds = std::max(motion.duration, 0.0F);
  grid->is_pose = seconds <= 0 || times.empty() || times.back() == 0;
  if (grid->is_pose) return absl::OkStatus();
  const auto steps = [&](double per_second) {
    return std::max<int64_t>(std::llround(seconds * per_second), 1);
  };
  grid->steps = steps(rate > 0 ? rate : kUsualRate);
  if (rate > 0) return absl::OkStatus();
  for (int64_t n = steps(kLeastRate); n <= steps(kMaxRate); ++n) {
    const auto off =
        std::find_if_not(times.begin(), times.end(),
                         [&](size_t time) { return IsOnGrid(time, n); });
    BVHMILL_RETURN_IF_ERROR(
        WorkFrom(budget, kTimeWork * (off - times.begin() + 1)));
    if (off != times.end()) continue;
    grid->steps = n;
    break;
  }
  return absl::OkStatus();
}

}  // namespace bvhmill
