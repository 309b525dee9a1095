#include "client/cli/dataset/bodies.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <span>
#include <utility>

#include "bvhmill/base/text.h"
#include "client/cli/dataset/dataset_tally.h"

namespace bvhmill::client {
namespace {

using Kind = BodyDifference::Kind;
using Shape = BodyTally::Shape;

// As a share of the reach.
constexpr double kTolerance = 0.001;
// Bones that may differ between a body and the one that it resembles.
constexpr int64_t kFewBones = 3;
// A body with fewer clips than another one divided by this is small.
constexpr int64_t kSmall = 10;
constexpr int64_t kMostListed = DatasetSummary::kMaxListed;

// The length of a - scale * b.
double Distance(const std::array<float, 3>& a, double scale,
                const std::array<float, 3>& b) {
  double sum = 0;
  for (size_t axis = 0; axis < 3; ++axis) {
    const double difference = a[axis] - scale * b[axis];
    sum += difference * difference;
  }
  return std::sqrt(sum);
}

double Length(const std::array<float, 3>& v) { return Distance(v, 0, v); }

// The parent of joint `i`; -1 without one. A server may state anything.
int32_t EarlierParent(const JointList& joints, size_t i) {
  const int32_t parent = joints[i].parent;
  return parent < static_cast<int32_t>(i) ? std::max(parent, -1) : -1;
}

// For each joint and end site: true if its OFFSET is a bone.
std::vector<bool> BonesOf(const JointList& joints) {
  // The number of children of each; children[0] is that of no joint.
  std::vector<int> children(joints.size() + 1);
  for (size_t i = 0; i < joints.size(); ++i) {
    ++children[static_cast<size_t>(EarlierParent(joints, i) + 1)];
  }
  std::vector<bool> bones;
  for (size_t i = 0; i < joints.size(); ++i) {
    const int32_t parent = EarlierParent(joints, i);
    const auto place = static_cast<size_t>(parent + 1);
    const bool is_moved =
        joints[i].channels.find_first_of("XYZ") != std::string::npos;
    bones.push_back(parent >= 0 &&
                    (bones[place - 1] || children[place] > 1 || !is_moved));
  }
  return bones;
}

// The names of the joints, all parents and which OFFSETs are bones, as text.
// Equal texts are of equally many joints.
std::string TreeKey(const JointList& joints, const std::vector<bool>& bones) {
  std::string text = std::to_string(joints.size());
  for (size_t i = 0; i < joints.size(); ++i) {
    text += joints[i].end_site ? "\n" : joints[i].name;
    text += '\0';
    text += std::to_string(joints[i].parent) + (bones[i] ? " bone" : "");
    text += '\0';
  }
  return text;
}

// The longest way along bones from a ROOT down; 0 if an OFFSET is not finite.
double ReachOf(const JointList& joints, const std::vector<bool>& bones) {
  std::vector<double> ways;
  double reach = 0;
  for (size_t i = 0; i < joints.size(); ++i) {
    const int32_t parent = EarlierParent(joints, i);
    const double way = parent < 0 ? 0 : ways[static_cast<size_t>(parent)];
    ways.push_back(way + (bones[i] ? Length(joints[i].offset) : 0));
    if (!std::isfinite(ways.back())) return 0;
    reach = std::max(reach, ways.back());
  }
  return reach;
}

bool IsSame(const Shape& usual, const Shape& found) {
  for (size_t i = 0; i < usual.bones.size(); ++i) {
    const double distance =
        Distance(found.joints[i].offset, 1, usual.joints[i].offset);
    if (usual.bones[i] && distance > kTolerance * usual.reach) return false;
  }
  return true;
}

// The difference between two bodies of one skeleton that are not the same.
BodyDifference DifferenceOf(const Shape& usual, const Shape& found) {
  BodyDifference out;
  out.from = usual.body.paths.front();
  out.scale = found.reach / usual.reach;
  const double slack = kTolerance * usual.reach;
  bool is_scaled = true;
  bool has_lengths = true;
  int64_t bones = 0;
  int64_t changed = 0;
  double most = -1;
  size_t worst = 0;
  for (size_t i = 0; i < usual.bones.size(); ++i) {
    if (!usual.bones[i]) continue;
    const auto& from = usual.joints[i].offset;
    const auto& to = found.joints[i].offset;
    const double distance = Distance(to, 1, from);
    ++bones;
    changed += distance > slack ? 1 : 0;
    is_scaled &= Distance(to, out.scale, from) <= slack * out.scale;
    has_lengths &= std::abs(Length(to) - Length(from)) <= slack;
    if (distance <= most) continue;
    most = distance;
    worst = i;
  }
  out.joint = found.joints[worst].name;
  out.length = Length(found.joints[worst].offset);
  out.usual_length = Length(usual.joints[worst].offset);
  if (has_lengths) {
    out.kind = Kind::kRestPose;
  } else if (changed <= kFewBones && 2 * changed < bones) {
    out.kind = Kind::kJoint;
  } else if (is_scaled) {
    out.kind = Kind::kScaled;
  }
  return out;
}

// Sets what compares `body`, that of `shape`, with `larger` bodies of the
// skeleton, which `clips` have.
void CompareWithLarger(std::span<const Shape* const> larger, int64_t clips,
                       const Shape& shape, Body* body) {
  const Shape* usual = larger.front();
  body->difference = DifferenceOf(*usual, shape);
  body->scale = body->difference->scale;
  for (const Shape* other : larger.subspan(1)) {
    if (body->difference->kind != Kind::kOther) break;
    BodyDifference difference = DifferenceOf(*other, shape);
    if (difference.kind == Kind::kOther) continue;
    body->difference = std::move(difference);
    usual = other;
  }
  const int64_t most = usual->body.clips;
  const bool is_small = body->clips * kSmall < most;
  const bool is_single = body->clips == 1 && most > 1;
  body->is_odd = body->difference->kind == Kind::kOther
                     ? is_small && 2 * most > clips
                     : is_small || is_single;
}

// The bodies of one skeleton.
SkeletonBodies Compare(const std::vector<Shape>& shapes) {
  SkeletonBodies out;
  const Shape& first = shapes.front();
  out.skeleton = Count(CountJoints(first.joints), "joint") + ", as in " +
                 first.body.paths.front();
  std::vector<const Shape*> order;
  for (const Shape& shape : shapes) {
    out.clips += shape.body.clips;
    order.push_back(&shape);
  }
  std::stable_sort(order.begin(), order.end(),
                   [](const Shape* a, const Shape* b) {
                     return a->body.clips > b->body.clips;
                   });
  out.body_count = static_cast<int64_t>(order.size());
  int64_t even = 0;
  for (size_t i = 0; i < order.size(); ++i) {
    Body body = order[i]->body;
    if (i > 0) {
      CompareWithLarger(std::span(order).first(i), out.clips, *order[i], &body);
    }
    int64_t* const count = body.is_odd ? &out.odd_count : &even;
    if (++*count <= kMostListed) out.bodies.push_back(std::move(body));
  }
  return out;
}

// At most four digits.
std::string Rounded(double value) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.4g", value);
  return text;
}

}  // namespace

void BodyTally::Add(size_t index, const std::string& path,
                    const JointList& joints) {
  Shape shape;
  shape.joints = joints;
  shape.bones = BonesOf(joints);
  shape.reach = ReachOf(joints, shape.bones);
  if (!(shape.reach > 0)) return;
  std::vector<Shape>& shapes = skeletons_[TreeKey(joints, shape.bones)];
  const auto same =
      std::find_if(shapes.begin(), shapes.end(),
                   [&](const Shape& known) { return IsSame(known, shape); });
  if (same == shapes.end() && body_count_ == kMaxBodies) {
    ++left_out_;
    return;
  }
  const bool is_new = same == shapes.end();
  body_count_ += is_new ? 1 : 0;
  Body* const body =
      is_new ? &shapes.emplace_back(std::move(shape)).body : &same->body;
  ++body->clips;
  body->indexes.push_back(index);
  if (body->paths.size() < DatasetSummary::kMaxListed)
    body->paths.push_back(path);
}

BodySummary BodyTally::Summary() const {
  std::map<size_t, const std::vector<Shape>*> by_first;
  for (const auto& [key, shapes] : skeletons_) {
    if (shapes.size() < 2) continue;
    by_first.emplace(shapes.front().body.indexes.front(), &shapes);
  }
  BodySummary out;
  out.skeleton_count = static_cast<int64_t>(by_first.size());
  out.clips_left_out = left_out_;
  for (const auto& [first, shapes] : by_first) {
    if (out.skeletons.size() == DatasetSummary::kMaxListed) break;
    out.skeletons.push_back(Compare(*shapes));
  }
  return out;
}

std::string DifferenceText(const Body& body) {
  if (!body.difference) return {};
  const BodyDifference& found = *body.difference;
  const std::string of = "the OFFSET of " + Quote(found.joint);
  const std::string from = "; compared with " + Printable(found.from);
  switch (found.kind) {
    case Kind::kScaled:
      return "scaled by " + Rounded(found.scale) + from;
    case Kind::kJoint:
      return of + " is " + Rounded(found.length) + " long, not " +
             Rounded(found.usual_length) + from;
    case Kind::kRestPose:
      return "another rest pose; " + of + " has another direction" + from;
    case Kind::kOther:
      break;
  }
  return "another body, " + Rounded(body.scale) + " times as large";
}

std::string ClipsText(const Body& body) {
  const int64_t more = body.clips - 1;
  return Printable(body.paths.front()) +
         (more > 0 ? " and " + std::to_string(more) + " more" : "");
}

}  // namespace bvhmill::client
