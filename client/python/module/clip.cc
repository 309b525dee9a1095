#include "client/python/module/clip.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>
#include <utility>
#include <vector>

#include "bvhmill/edit/joint_map.h"
#include "bvhmill/kinematics/fk_job.h"

namespace bvhmill::python {
namespace {

constexpr std::string_view kLetters = "XYZxyzijk";
// Frames between two looks for signals.
constexpr int64_t kStepFrames = 4096;

// The rows from `begin` to `end` of the whole clip.
std::span<const float> ValuesOf(const ClipHandle& clip, int64_t begin,
                                int64_t end) {
  const size_t width = clip.skeleton->skeleton.channels.size();
  const auto* values = reinterpret_cast<const float*>(clip.rows->data());
  return {values + static_cast<size_t>(begin) * width,
          static_cast<size_t>(end - begin) * width};
}

std::vector<int64_t> ShapeOf(const SolveRequest& request, int64_t frames,
                             int64_t rows) {
  const bool is_rotation = request.kind.ends_with("rotations");
  if (!is_rotation) return {frames, rows, 3};
  if (request.rotation == RotationKind::kMatrix) return {frames, rows, 3, 3};
  return {frames, rows, WidthOf(request.rotation)};
}

// Solves the frames from `first` on into `out`, which holds these frames.
void SolvePoses(const Plan& plan, const SolveRequest& request,
                std::span<const float> values, int64_t frames,
                UninitializedVector<float>* scratch, std::span<float> out) {
  FkJob job;
  job.plan = &plan;
  job.frames = frames;
  job.values = values;
  job.with_end_sites = request.end_sites;
  job.rotation_kind = request.rotation;
  job.scratch = scratch;
  if (request.kind == "positions") job.positions = out;
  if (request.kind == "rotations") job.local_rotations = out;
  if (request.kind == "world_rotations") job.world_rotations = out;
  job.Run();
}

// Velocities at the ends of a slice use the frames next to it, so that they are
// equal to those of the whole clip.
void SolveVelocities(const Plan& plan, const SolveRequest& request,
                     const ClipHandle& clip, int64_t first, int64_t frames,
                     std::array<UninitializedVector<float>, 2>* scratch,
                     std::span<float> out) {
  first += clip.first_frame;
  VelocityJob job;
  job.plan = &plan;
  job.frames = frames;
  job.has_before = first > 0;
  job.has_after = first + frames < clip.rows->shape()[0];
  const int64_t begin = first - (job.has_before ? 1 : 0);
  const int64_t end = first + frames + (job.has_after ? 1 : 0);
  job.values = ValuesOf(clip, begin, end);
  job.frame_time = clip.frame_time;
  job.with_end_sites = request.end_sites;
  job.velocities = out;
  job.scratch = &(*scratch)[0];
  job.fk_scratch = &(*scratch)[1];
  job.Run();
}

void CheckNode(const std::vector<NodeParts>& nodes, size_t i, bool was_read) {
  const NodeParts& node = nodes[i];
  const std::string where = "joint " + std::to_string(i) + ": ";
  if (node.parent < -1 || node.parent >= static_cast<int64_t>(i)) {
    throw std::invalid_argument(where + "its parent must stand before it");
  }
  const bool is_root = node.parent < 0;
  if (is_root && node.end_site) {
    throw std::invalid_argument(where + "an end site needs a parent");
  }
  if (!is_root && nodes[static_cast<size_t>(node.parent)].end_site) {
    throw std::invalid_argument(where + "an end site cannot be a parent");
  }
  if (node.channels.find_first_not_of(kLetters) != std::string::npos) {
    throw std::invalid_argument(where + "channels are letters of " +
                                std::string(kLetters));
  }
  if (was_read) return;
  for (const float value : node.offset) {
    if (!std::isfinite(value)) {
      throw std::invalid_argument(where + "its offset is not finite");
    }
  }
  if (node.end_site) return;
  const absl::Status name = CheckJointName("name", node.name);
  if (!name.ok()) {
    throw std::invalid_argument(where + std::string(name.message()));
  }
}

// BVH writes a tree depth-first: the parent of a node is the node before it, or
// one above that.
void CheckOrder(const std::vector<NodeParts>& nodes) {
  std::vector<int32_t> path;
  for (size_t i = 0; i < nodes.size(); ++i) {
    while (!path.empty() && path.back() != nodes[i].parent) path.pop_back();
    if (path.empty() && nodes[i].parent >= 0) {
      throw std::invalid_argument(
          "joint " + std::to_string(i) +
          ": joints must stand depth-first, as in a BVH file");
    }
    path.push_back(static_cast<int32_t>(i));
  }
}

}  // namespace

ClipRows ClipHandle::Rows() const {
  if (rows == nullptr) throw std::logic_error("the rows were not kept");
  return {skeleton, frames, frame_time,
          ValuesOf(*this, first_frame, first_frame + frames)};
}

std::shared_ptr<Block> Solve(const ClipHandle& clip,
                             const SolveRequest& request,
                             Interrupts* interrupts) {
  const ClipRows rows = clip.Rows();
  const Plan plan = MakePlan(clip.skeleton->skeleton, clip.conventions);
  const std::vector<int64_t> shape =
      ShapeOf(request, clip.frames, RowsOf(plan, request.end_sites));
  size_t width = 1;
  for (size_t i = 1; i < shape.size(); ++i) {
    width *= static_cast<size_t>(shape[i]);
  }
  const auto columns = static_cast<size_t>(plan.columns);
  Bytes bytes(static_cast<size_t>(clip.frames) * width * sizeof(float));
  const std::span<float> out(reinterpret_cast<float*>(bytes.data()),
                             bytes.size() / sizeof(float));
  std::array<UninitializedVector<float>, 2> scratch;
  for (int64_t first = 0; first < clip.frames; first += kStepFrames) {
    const int64_t frames = std::min(kStepFrames, clip.frames - first);
    const auto at = static_cast<size_t>(first);
    const auto count = static_cast<size_t>(frames);
    const std::span<float> part = out.subspan(at * width, count * width);
    if (request.kind == "velocities") {
      SolveVelocities(plan, request, clip, first, frames, &scratch, part);
    } else {
      SolvePoses(plan, request,
                 rows.values.subspan(at * columns, count * columns), frames,
                 &scratch[0], part);
    }
    if (interrupts->Check()) break;
  }
  return std::make_shared<Block>(std::move(bytes), ElementType::kFloat32,
                                 shape);
}

SharedSkeleton SkeletonOf(const std::vector<NodeParts>& nodes, bool was_read) {
  auto source = std::make_shared<SourceSkeleton>();
  Skeleton& skeleton = source->skeleton;
  for (size_t i = 0; i < nodes.size(); ++i) {
    CheckNode(nodes, i, was_read);
    Node node;
    node.name = nodes[i].name;
    node.parent = nodes[i].parent;
    node.kind = nodes[i].end_site     ? NodeKind::kEndSite
                : nodes[i].parent < 0 ? NodeKind::kRoot
                                      : NodeKind::kJoint;
    node.offset = nodes[i].offset;
    node.first_channel = static_cast<int32_t>(skeleton.channels.size());
    node.channel_count = static_cast<int32_t>(nodes[i].channels.size());
    for (const char letter : nodes[i].channels) {
      skeleton.channels.push_back(static_cast<Channel>(kLetters.find(letter)));
    }
    skeleton.nodes.push_back(std::move(node));
  }
  if (nodes.empty()) throw std::invalid_argument("there is no joint");
  CheckOrder(nodes);
  return source;
}

std::vector<NodeParts> PartsOf(const Skeleton& skeleton) {
  std::vector<NodeParts> parts;
  for (const Node& node : skeleton.nodes) {
    parts.push_back({node.name, node.parent, IsEndSite(node), node.offset,
                     ChannelLetters(skeleton, node)});
  }
  return parts;
}

}  // namespace bvhmill::python
