#include "bvhmill/anim/avatar/drive.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <vector>

#include "bvhmill/anim/avatar/avatar.h"
#include "bvhmill/anim/avatar/limbs.h"
#include "bvhmill/anim/format/anim_motion.h"
#include "bvhmill/math/sincos.h"
namespace bvhmill {
namespace {

const PlanNode& NodeAt(const Plan& plan, int32_t node) {
  return plan.nodes[static_cast<size_t>(node)];
}

int32_t DepthOf(const Plan& plan, int32_t node) {
  return node < 0 ? 0 : NodeAt(plan, node).depth;
}

// Counts `*node`, and moves to its parent.
void GoUp(const Plan& plan, int32_t* node, DrivePath* path) {
  const PlanNode& at = NodeAt(plan, *node);
  ++path->nodes;
  path->steps += at.step_count;
  *node = at.parent;
}

// Appends the rotations from `node` up to the child of `above`, innermost
// first.
void AppendUp(const Plan& plan, int32_t node, int32_t above, float sign,
              std::vector<DriveStep>* steps) {
  for (; node != above; node = NodeAt(plan, node).parent) {
    const PlanNode& at = NodeAt(plan, node);
    for (int32_t i = at.step_count; i-- > 0;) {
      const RotationStep& step = plan.steps[StepIndex(at, i)];
      steps->push_back({step.axis, step.column, sign});
    }
  }
}

// The range of the hip heights of people, in metres.
constexpr double kLeastHipHeight = 0.5;
constexpr double kMaxHipHeight = 1.5;

class Maker {
 public:
  Maker(const Clip& clip, const Plan& plan, const ClipToAnimOptions& options)
      : clip_(clip), plan_(plan), options_(options) {}

  AvatarDrive Make() {
    FindDrivers();
    drive_.missing_limb = FindMissingLimb(clip_, drivers_);
    drive_.reference =
        ChooseReference(clip_, plan_, drivers_, options_, &pose_);
    SolveReference();
    SetScaleAndZero();
    drive_.heading = view_.heading;
    drive_.odd_limb = FarthestLimb(view_, Limbs::kAll);
    swings_ = MatchPose(view_, pose_.turns, drive_.reference.bones,
                        drive_.reference.match);
    for (size_t i = 0; i < drivers_.size(); ++i) {
      if (drivers_[i] >= 0) AddJoint(static_cast<int32_t>(i));
    }
    FindHeight();
    return std::move(drive_);
  }

 private:
  int32_t AvatarJointOf(size_t node) const {
    if (IsEndSite(clip_.skeleton.nodes[node])) return -1;
    return FindAvatarJoint(options_.joint_names.empty()
                               ? clip_.skeleton.nodes[node].name
                               : options_.joint_names[node]);
  }

  void FindDrivers() {
    drivers_.assign(AvatarJoints().size(), -1);
    for (size_t i = 0; i < clip_.skeleton.nodes.size(); ++i) {
      const int32_t joint = AvatarJointOf(i);
      if (joint >= 0 && drivers_[static_cast<size_t>(joint)] < 0) {
        drivers_[static_cast<size_t>(joint)] = static_cast<int32_t>(i);
      } else if (!IsEndSite(clip_.skeleton.nodes[i])) {
        drive_.left_out.push_back(static_cast<int32_t>(i));
      }
    }
  }

  // Solves the reference pose. A matched pose may face anywhere; the heading is
  // then that of the first frame.
  void SolveReference() {
    const int64_t first = drive_.reference.first_apart ? 1 : 0;
    SolveSourcePose(clip_, plan_, first, &pose_);
    view_ = {drivers_, pose_.places, {}};
    if (drivers_[0] >= 0) {
      first_place_ = pose_.places[static_cast<size_t>(drivers_[0])];
    }
    const bool is_whole = drive_.reference.match == PoseMatch::kWhole;
    const Quat<double> first_heading = HeadingOf(view_);
    SolveSourcePose(clip_, plan_, drive_.reference.frame, &pose_);
    view_.places = pose_.places;
    if (!options_.align_heading) return;
    view_.heading = is_whole ? first_heading : HeadingOf(view_);
  }

  // The height of the hips above the ground on straight legs, in units of the
  // source.
  double StandingHeight() const {
    if (drive_.reference.match == PoseMatch::kWhole) {
      const auto leg = LegLength(view_);
      if (leg) return *leg * kAvatarHipHeight / AvatarLegLength();
    }
    const double height = pose_.places[static_cast<size_t>(drivers_[0])][1];
    double lowest = height;
    for (const Vec3<double>& place : pose_.places) {
      lowest = std::min(lowest, place[1]);
    }
    return height - lowest + LegSlack(view_);
  }

  void FindHeight() {
    if (options_.pelvis_height != PelvisHeight::kStanding) return;
    drive_.height_error = FindHeightError(
        clip_, plan_, drivers_, drive_.reference.skips_first_frame ? 1 : 0,
        {drive_.metres_per_unit, drive_.pelvis_zero[1]}, &pose_);
  }

  // True if the unit is not known, and one inch for a unit would give a hip
  // height that no person has.
  bool CannotBeInch(double standing) const {
    if (options_.metres_per_unit > 0 || !LegLength(view_)) return false;
    const double height = standing * kInchMetres;
    return height < kLeastHipHeight || height > kMaxHipHeight;
  }

  void SetScaleAndZero() {
    drive_.metres_per_unit =
        options_.metres_per_unit > 0 ? options_.metres_per_unit : kInchMetres;
    if (drivers_[0] < 0) return;
    const double standing = StandingHeight();
    drive_.guesses_scale = !options_.scale_to_avatar && CannotBeInch(standing);
    if ((options_.scale_to_avatar || drive_.guesses_scale) && standing > 0) {
      drive_.metres_per_unit = kAvatarHipHeight / standing;
    }
    drive_.pelvis_zero = first_place_;
    if (options_.pelvis_height == PelvisHeight::kStanding) {
      drive_.pelvis_zero[1] = standing;
    }
  }

  // The nearest joint above that is driven; -1 if there is none.
  int32_t DrivenAbove(int32_t joint) const {
    do {
      joint = AvatarJoints()[static_cast<size_t>(joint)].parent;
    } while (joint >= 0 && drivers_[static_cast<size_t>(joint)] < 0);
    return joint;
  }

  void AddJoint(int32_t avatar_joint) {
    DrivenJoint joint;
    joint.avatar_joint = avatar_joint;
    joint.node = drivers_[static_cast<size_t>(avatar_joint)];
    const int32_t above = DrivenAbove(avatar_joint);
    if (above >= 0) joint.base = drivers_[static_cast<size_t>(above)];
    joint.before = Conjugate(view_.heading);
    if (joint.base >= 0) {
      joint.before =
          Multiply(joint.before, pose_.turns[static_cast<size_t>(joint.base)]);
      joint.before = Multiply(Conjugate(swings_[static_cast<size_t>(above)]),
                              joint.before);
    }
    joint.after = Multiply(
        Conjugate(pose_.turns[static_cast<size_t>(joint.node)]), view_.heading);
    joint.after =
        Multiply(joint.after, swings_[static_cast<size_t>(avatar_joint)]);
    if (avatar_joint == 0) {
      drive_.pelvis = static_cast<int32_t>(drive_.joints.size());
    }
    drive_.joints.push_back(std::move(joint));
  }

  const Clip& clip_;
  const Plan& plan_;
  const ClipToAnimOptions& options_;
  AvatarDrive drive_;
  // For each joint of the avatar, the node that drives it, or -1.
  std::vector<int32_t> drivers_;
  // The reference pose.
  SourcePose pose_;
  PoseView view_;
  // The place of the pelvis in the first frame.
  Vec3<double> first_place_ = {};
  // The rotations of the avatar's joints in their reference pose.
  std::vector<Quat<double>> swings_;
};

// Curves.

// Units of work for each frame; for each rotation in a frame; for each node in
// a frame; and for each angle of a block with an angle beyond
// kMaxSinCosDegrees.
constexpr int64_t kCurveFrameUnits = 8;
constexpr int64_t kCurveStepUnits = 4;
constexpr int64_t kCurveNodeUnits = 8;
constexpr int64_t kCurveHugeUnits = 200;

// The functions process frames in blocks that fit into the first cache.
constexpr size_t kBlock = 256;
using Block = std::array<float, kBlock>;

struct QuatBlock {
  Block x;
  Block y;
  Block z;
  Block w;
};

// The rows of a block of frames.
struct Rows {
  const float* values;
  size_t stride;
  size_t count;
};

Rows RowsAt(const PlayedFrames& frames, size_t begin) {
  const auto stride = static_cast<size_t>(frames.plan->columns);
  const size_t row = static_cast<size_t>(frames.first) + begin;
  return {frames.clip->motion.values.data() + row * stride, stride,
          std::min(kBlock, static_cast<size_t>(frames.count) - begin)};
}

// Replaces each value that is not finite by the value before it. Returns the
// number of replaced values.
int64_t Repair(size_t count, float before, float* values) {
  int64_t repaired = 0;
  for (size_t i = 0; i < count; ++i) {
    if (!std::isfinite(values[i])) {
      values[i] = before;
      ++repaired;
    }
    before = values[i];
  }
  return repaired;
}

// True if a value is huge or not finite. Bits of positive floats are in the
// order of the floats, and all values that are not finite come last.
bool AreOdd(size_t count, const float* values) {
  constexpr uint32_t kWithoutSign = 0x7FFFFFFF;
  int32_t largest = 0;
  for (size_t i = 0; i < count; ++i) {
    const auto bits =
        static_cast<int32_t>(std::bit_cast<uint32_t>(values[i]) & kWithoutSign);
    largest = std::max(largest, bits);
  }
  return largest > std::bit_cast<int32_t>(kMaxSinCosDegrees);
}

// Copies a column of the rows and makes it finite. `before` is the last value
// of the previous block. Returns the number of replaced values.
int64_t TakeColumn(const Rows& rows, int32_t column, float* before,
                   float* out) {
  const float* value = rows.values + column;
  for (size_t i = 0; i < rows.count; ++i) out[i] = value[i * rows.stride];
  const bool is_odd = AreOdd(rows.count, out);
  const int64_t repaired = is_odd ? Repair(rows.count, *before, out) : 0;
  *before = out[rows.count - 1];
  return repaired;
}

void BringBelowTwoTurns(size_t count, float* degrees, WorkMeter* work) {
  constexpr float kTwoTurns = 720.0F;
  if (!AreOdd(count, degrees)) return;
  work->Spend(static_cast<int64_t>(count) * kCurveHugeUnits);
  for (size_t i = 0; i < count; ++i) {
    degrees[i] = std::fmod(degrees[i], kTwoTurns);
  }
}

// q * (cos + sin e), where e is the axis of component `i`, and j and k are the
// next two axes.
void TurnAbout(size_t count, const float* sine, const float* cosine, float* i,
               float* j, float* k, float* w) {
  for (size_t f = 0; f < count; ++f) {
    const float s = sine[f];
    const float c = cosine[f];
    const float a = i[f];
    const float b = j[f];
    const float d = k[f];
    const float e = w[f];
    i[f] = a * c + e * s;
    j[f] = b * c + d * s;
    k[f] = d * c - b * s;
    w[f] = e * c - a * s;
  }
}

void TurnAbout(size_t count, int32_t axis, const Block& sine,
               const Block& cosine, QuatBlock* q) {
  const std::array<float*, 3> v = {q->x.data(), q->y.data(), q->z.data()};
  const auto i = static_cast<size_t>(axis);
  TurnAbout(count, sine.data(), cosine.data(), v[i], v[(i + 1) % 3],
            v[(i + 2) % 3], q->w.data());
}

bool IsIdentity(const Quat<double>& q) {
  constexpr double kSmall = 1e-9;
  return std::fabs(q.x) + std::fabs(q.y) + std::fabs(q.z) < kSmall;
}

// q * `by` for each.
void MultiplyAll(size_t count, const Quat<double>& by, QuatBlock* q) {
  const Quat<float> b = {static_cast<float>(by.x), static_cast<float>(by.y),
                         static_cast<float>(by.z), static_cast<float>(by.w)};
  for (size_t f = 0; f < count; ++f) {
    const Quat<float> a = {q->x[f], q->y[f], q->z[f], q->w[f]};
    const Quat<float> product = Multiply(a, b);
    q->x[f] = product.x;
    q->y[f] = product.y;
    q->z[f] = product.z;
    q->w[f] = product.w;
  }
}

void Fill(const Quat<double>& value, QuatBlock* q) {
  q->x.fill(static_cast<float>(value.x));
  q->y.fill(static_cast<float>(value.y));
  q->z.fill(static_cast<float>(value.z));
  q->w.fill(static_cast<float>(value.w));
}

// Stores unit quaternions with w >= 0 in the avatar's axes.
void Store(const QuatBlock& q, size_t begin, size_t count,
           RotationCurve* curve) {
  float* const x = curve->q[0].data() + begin;
  float* const y = curve->q[1].data() + begin;
  float* const z = curve->q[2].data() + begin;
  float* const w = curve->q[3].data() + begin;
  for (size_t f = 0; f < count; ++f) {
    const float square =
        q.x[f] * q.x[f] + q.y[f] * q.y[f] + q.z[f] * q.z[f] + q.w[f] * q.w[f];
    const float factor = std::copysign(1.0F / std::sqrt(square), q.w[f]);
    x[f] = q.z[f] * factor;
    y[f] = q.x[f] * factor;
    z[f] = q.y[f] * factor;
    w[f] = q.w[f] * factor;
  }
}

void SinCosAll(size_t count, float factor, const Block& degrees, Block* sine,
               Block* cosine) {
  for (size_t f = 0; f < count; ++f) {
    const SinCos both = FastSinCos(degrees[f] * factor);
    (*sine)[f] = both.sine;
    (*cosine)[f] = both.cosine;
  }
}

// The last values of the columns, to replace values that are not finite.
using LastValues = std::vector<float>;

int64_t TakeAngles(const Rows& rows, const DriveStep& step, float factor,
                   float* before, Block* sine, Block* cosine, WorkMeter* work) {
  Block degrees;
  const int64_t repaired =
      TakeColumn(rows, step.column, before, degrees.data());
  BringBelowTwoTurns(rows.count, degrees.data(), work);
  SinCosAll(rows.count, factor * step.sign, degrees, sine, cosine);
  return repaired;
}

struct VectorBlock {
  std::array<Block, 3> v;
};

// Rotates each v about `axis`.
void TurnVectors(size_t count, int32_t axis, const Block& sine,
                 const Block& cosine, VectorBlock* vectors) {
  Block& j = vectors->v[static_cast<size_t>((axis + 1) % 3)];
  Block& k = vectors->v[static_cast<size_t>((axis + 2) % 3)];
  for (size_t f = 0; f < count; ++f) {
    const float a = j[f];
    const float b = k[f];
    j[f] = cosine[f] * a - sine[f] * b;
    k[f] = sine[f] * a + cosine[f] * b;
  }
}

// Adds the translation of `node`.
int64_t AddShift(const Rows& rows, const PlanNode& node, float* before,
                 VectorBlock* vectors) {
  int64_t repaired = 0;
  for (size_t k = 0; k < 3; ++k) {
    Block column;
    column.fill(0);
    if (node.position_column[k] >= 0) {
      repaired +=
          TakeColumn(rows, node.position_column[k], before + k, column.data());
    }
    for (size_t f = 0; f < rows.count; ++f) {
      vectors->v[k][f] += column[f] + node.offset[k];
    }
  }
  return repaired;
}

// The transform of one node for a place below it, with its state between the
// blocks of a curve.
struct Link {
  const PlanNode* node;
  std::array<float, 3> last_shift = {};
  LastValues last_angles;
};

std::vector<Link> LinksUp(const Plan& plan, int32_t node) {
  std::vector<Link> links;
  const int32_t depth = plan.nodes[static_cast<size_t>(node)].depth;
  links.reserve(static_cast<size_t>(depth));
  for (; node >= 0; node = plan.nodes[static_cast<size_t>(node)].parent) {
    const PlanNode& at = plan.nodes[static_cast<size_t>(node)];
    links.push_back({&at, {}, LastValues(static_cast<size_t>(at.step_count))});
  }
  return links;
}

int64_t UnitsOf(const Rows& rows, int64_t units) {
  return static_cast<int64_t>(rows.count) * units;
}

// Changes places in the node of `link` to places in its parent.
int64_t Follow(const Rows& rows, const Plan& plan, bool with_turn, Link* link,
               VectorBlock* vectors, WorkMeter* work) {
  int64_t repaired = 0;
  for (int32_t i = link->node->step_count; with_turn && i-- > 0;) {
    if (!work->Spend(UnitsOf(rows, kCurveStepUnits))) return repaired;
    const RotationStep& step = plan.steps[StepIndex(*link->node, i)];
    Block sine;
    Block cosine;
    repaired += TakeAngles(rows, {step.axis, step.column, 1}, 1.0F,
                           &link->last_angles[static_cast<size_t>(i)], &sine,
                           &cosine, work);
    TurnVectors(rows.count, step.axis, sine, cosine, vectors);
  }
  work->Spend(UnitsOf(rows, kCurveNodeUnits));
  return repaired +
         AddShift(rows, *link->node, link->last_shift.data(), vectors);
}

// `turn` * (v - `zero`), in metres and the avatar's axes, plus `rest`.
struct Placing {
  Quat<double> turn;
  Vec3<double> zero = {};
  Vec3<float> rest = {};
  double metres = 1;
};

void StorePositions(const VectorBlock& vectors, const Placing& placing,
                    size_t begin, size_t count, PositionCurve* curve) {
  const Mat3<double> turn = ToMatrix(placing.turn);
  for (size_t f = 0; f < count; ++f) {
    Vec3<double> v = {};
    for (size_t k = 0; k < 3; ++k) v[k] = vectors.v[k][f] - placing.zero[k];
    v = ToAvatarAxes(Transform<double>(turn, {}, v));
    for (size_t k = 0; k < 3; ++k) {
      curve->p[k][begin + f] =
          static_cast<float>(v[k] * placing.metres) + placing.rest[k];
    }
  }
}

}  // namespace

AvatarDrive MakeAvatarDrive(const Clip& clip, const Plan& plan,
                            const ClipToAnimOptions& options) {
  return Maker(clip, plan, options).Make();
}

// The deeper one of the two moves up until they meet.
DrivePath FindPath(const Plan& plan, int32_t base, int32_t node) {
  DrivePath path;
  path.base = base;
  path.node = node;
  while (base != node) {
    GoUp(plan, DepthOf(plan, base) > DepthOf(plan, node) ? &base : &node,
         &path);
  }
  path.above = base;
  return path;
}

void SetSteps(const Plan& plan, const DrivePath& path,
              std::vector<DriveStep>* steps) {
  steps->clear();
  steps->reserve(static_cast<size_t>(path.steps));
  AppendUp(plan, path.base, path.above, -1, steps);
  const auto down = static_cast<std::ptrdiff_t>(steps->size());
  AppendUp(plan, path.node, path.above, 1, steps);
  std::reverse(steps->begin() + down, steps->end());
}

int64_t FillRotation(const PlayedFrames& frames, const DrivenJoint& joint,
                     std::span<const DriveStep> steps, RotationCurve* curve,
                     WorkMeter* work) {
  const auto count = static_cast<size_t>(frames.count);
  for (FloatArray& array : curve->q) array.resize(count);
  LastValues last(steps.size());
  QuatBlock q;
  Block sine;
  Block cosine;
  int64_t repaired = 0;
  for (size_t begin = 0; begin < count; begin += kBlock) {
    const Rows rows = RowsAt(frames, begin);
    if (!work->Spend(UnitsOf(rows, kCurveFrameUnits))) return repaired;
    Fill(joint.before, &q);
    for (size_t i = 0; i < steps.size(); ++i) {
      const DriveStep& step = steps[i];
      if (!work->Spend(UnitsOf(rows, kCurveStepUnits))) return repaired;
      repaired += TakeAngles(rows, step, 0.5F, &last[i], &sine, &cosine, work);
      TurnAbout(rows.count, step.axis, sine, cosine, &q);
    }
    if (!IsIdentity(joint.after)) MultiplyAll(rows.count, joint.after, &q);
    Store(q, begin, rows.count, curve);
  }
  return repaired;
}

int64_t FillPelvisPosition(const PlayedFrames& frames, const AvatarDrive& drive,
                           PositionCurve* curve, WorkMeter* work) {
  const auto count = static_cast<size_t>(frames.count);
  for (FloatArray& array : curve->p) array.resize(count);
  const DrivenJoint& joint = drive.joints[static_cast<size_t>(drive.pelvis)];
  std::vector<Link> links = LinksUp(*frames.plan, joint.node);
  const Placing placing = {
      Conjugate(drive.heading), drive.pelvis_zero, {}, drive.metres_per_unit};
  int64_t repaired = 0;
  for (size_t begin = 0; begin < count; begin += kBlock) {
    const Rows rows = RowsAt(frames, begin);
    VectorBlock vectors = {};
    if (!work->Spend(UnitsOf(rows, kCurveFrameUnits))) return repaired;
    for (size_t i = 0; i < links.size() && work->ok(); ++i) {
      repaired += Follow(rows, *frames.plan, i > 0, &links[i], &vectors, work);
    }
    StorePositions(vectors, placing, begin, rows.count, curve);
  }
  return repaired;
}

int64_t FillJointPosition(const PlayedFrames& frames, const AvatarDrive& drive,
                          const DrivenJoint& joint, PositionCurve* curve,
                          WorkMeter* work) {
  const auto count = static_cast<size_t>(frames.count);
  for (FloatArray& array : curve->p) array.resize(count);
  const auto node = static_cast<size_t>(joint.node);
  const Node& source = frames.clip->skeleton.nodes[node];
  Placing placing;
  placing.turn = joint.before;
  placing.metres = drive.metres_per_unit;
  for (size_t k = 0; k < 3; ++k) placing.zero[k] = source.offset[k];
  placing.rest = AvatarJoints()[static_cast<size_t>(joint.avatar_joint)].rest;
  Link link = {&frames.plan->nodes[node], {}, {}};
  int64_t repaired = 0;
  for (size_t begin = 0; begin < count; begin += kBlock) {
    const Rows rows = RowsAt(frames, begin);
    VectorBlock vectors = {};
    if (!work->Spend(UnitsOf(rows, kCurveFrameUnits + kCurveNodeUnits))) {
      return repaired;
    }
    repaired += AddShift(rows, *link.node, link.last_shift.data(), &vectors);
    StorePositions(vectors, placing, begin, rows.count, curve);
  }
  return repaired;
}

}  // namespace bvhmill
