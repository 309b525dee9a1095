#include "bench/encode/anim_compare.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <string>
#include <vector>

#include "bench/support/metrics.h"
#include "bvhmill/anim/avatar/avatar.h"
#include "bvhmill/anim/clip_to_anim.h"
#include "bvhmill/anim/fit/curve_fit.h"
#include "bvhmill/anim/format/anim_motion.h"
#include "bvhmill/anim/viewer/viewer_import.h"
#include "bvhmill/bvh/reader.h"
#include "bvhmill/edit/edit_clip.h"
#include "bvhmill/edit/joint_map.h"
#include "bvhmill/math/linear.h"

namespace bvhmill::bench {
namespace {

constexpr double kMaxSeconds = 59;
constexpr double kMaxFrames = 60'000;
// The range in which the ratio of errors is searched.
constexpr double kLeastErrorRatio = 0.01;
constexpr double kMostErrorRatio = 4;

// The curves of a joint that the viewer means, in double precision.
struct Source {
  RotationCurve rotation;
  PositionCurve position;
};

double ValueAt(const Clip& clip, size_t frame, int32_t column) {
  if (column < 0) return 0;
  const size_t stride = clip.skeleton.channels.size();
  return clip.motion.values[frame * stride + static_cast<size_t>(column)];
}

Quat<double> TurnAt(const Clip& clip, size_t frame, const ViewerJoint& joint) {
  Quat<double> q;
  for (size_t i = 0; i < 3; ++i) {
    q = Multiply(q, AxisQuat(joint.axes[i],
                             ValueAt(clip, frame, joint.angle_columns[i])));
  }
  return q;
}

Vec3<double> PlaceAt(const Clip& clip, size_t frame, const ViewerJoint& joint) {
  Vec3<double> p = {};
  if (joint.position_column < 0) return p;
  for (int32_t k = 0; k < 3; ++k) {
    p[static_cast<size_t>(k)] = ValueAt(clip, frame, joint.position_column + k);
  }
  return p;
}

void PutFrame(size_t i, const Quat<double>& turn, const Vec3<double>& place,
              Source* source) {
  const Quat<double> q = PositiveW<double>({turn.z, turn.x, turn.y, turn.w});
  const std::array<double, 4> parts = {q.x, q.y, q.z, q.w};
  for (size_t k = 0; k < 4; ++k) {
    source->rotation.q[k][i] = static_cast<float>(parts[k]);
  }
  for (size_t k = 0; k < 3; ++k) {
    const double metres = place[(k + 2) % 3] * kInchMetres;
    source->position.p[k][i] =
        static_cast<float>(std::clamp(metres, -5.0, 5.0));
  }
}

Source SourceOf(const Clip& clip, const ViewerJoint& joint, bool is_pelvis) {
  const auto frames = static_cast<size_t>(clip.motion.frames);
  const size_t first = frames == 1 ? 0 : 1;
  Source source;
  for (FloatArray& array : source.rotation.q) array.resize(frames - first);
  for (FloatArray& array : source.position.p) array.resize(frames - first);
  Quat<double> back;
  Vec3<double> zero = {};
  if (is_pelvis) {
    const Quat<double> q = TurnAt(clip, 0, joint);
    back = {-q.x, -q.y, -q.z, q.w};
    zero = PlaceAt(clip, 0, joint);
  }
  const Mat3<double> turn_back = ToMatrix(back);
  for (size_t i = first; i < frames; ++i) {
    Vec3<double> place = PlaceAt(clip, i, joint);
    for (size_t k = 0; k < 3; ++k) place[k] -= zero[k];
    PutFrame(i - first, Multiply(back, TurnAt(clip, i, joint)),
             Transform(turn_back, {}, place), &source);
  }
  return source;
}

// The clip without the frame that is not played.
Clip Played(const Clip& clip) {
  Clip played = clip;
  if (clip.motion.frames < 2) return played;
  const auto stride = static_cast<int64_t>(clip.skeleton.channels.size());
  const auto& values = clip.motion.values;
  played.motion.values.assign(values.begin() + stride, values.end());
  --played.motion.frames;
  return played;
}

class Comparison {
 public:
  explicit Comparison(const Clip& clip) : clip_(clip), played_(Played(clip)) {}

  AnimComparison Run() {
    if (!Import()) return {};
    for (const AnimJoint& joint : viewer_.joints) Measure(joint);
    result_.best_bytes = BytesWith(1);
    result_.best_bytes_by_joint = static_cast<double>(AnimBytes(by_joint_));
    if (!std::isfinite(result_.best_bytes)) return {};
    FindErrorRatio();
    result_.is_compared = true;
    return result_;
  }

 private:
  bool Import() {
    int32_t node = 0;
    if (TakeFromClip(clip_, &take_, &node) != ViewerStatus::kOk) return false;
    if (!ImportViewerTake(take_, &viewer_).ok()) return false;
    std::erase_if(viewer_.joints, [](const AnimJoint& joint) {
      return FindAvatarAlias(joint.name) < 0;
    });
    result_.viewer_bytes = static_cast<double>(AnimBytes(viewer_));
    times_ = MakeFrameTimes(played_.motion.frames, viewer_.duration);
    by_joint_ = viewer_;
    by_joint_.joints.clear();
    return !viewer_.joints.empty();
  }

  const ViewerJoint* JointOf(const std::string& name) const {
    for (const ViewerJoint& joint : take_.joints) {
      const int32_t bone = FindAvatarAlias(joint.name);
      if (bone >= 0 && AvatarJoints()[static_cast<size_t>(bone)].name == name) {
        return &joint;
      }
    }
    return nullptr;
  }

  void Measure(const AnimJoint& joint) {
    const ViewerJoint* driver = JointOf(joint.name);
    if (driver == nullptr) return;
    const Source source = SourceOf(clip_, *driver, joint.name == "mPelvis");
    const float radians =
        MeasureRotation(source.rotation, times_, joint.rotations);
    result_.degrees = Worse(result_.degrees, static_cast<double>(radians) *
                                                 kDegreesPerRadian<double>);
    AnimJoint best = {joint.name, joint.priority, {}, {}};
    best.rotations =
        FitRotation(source.rotation, times_, radians, &workspace_).keys;
    if (!joint.positions.empty()) {
      const float metres =
          MeasurePosition(source.position, times_, joint.positions);
      result_.millimetres =
          Worse(result_.millimetres, static_cast<double>(metres) * 1000);
      best.positions =
          FitPosition(source.position, times_, metres, &workspace_).keys;
      has_joint_positions_ |= joint.name != "mPelvis";
    }
    by_joint_.joints.push_back(std::move(best));
  }

  // The bytes of `best` with `part` of the viewer's errors as its bounds;
  // infinite if it makes no file.
  double BytesWith(double part) const {
    ClipToAnimOptions options;
    options.align_heading = false;
    options.joint_positions = has_joint_positions_;
    options.max_degrees = static_cast<float>(result_.degrees * part);
    options.max_mm = static_cast<float>(result_.millimetres * part);
    IssueLog log({});
    ClipToAnimResult result;
    if (!ClipToAnim(played_, options, &result, &log).ok()) {
      return std::numeric_limits<double>::infinity();
    }
    std::erase_if(result.motion.joints, [this](const AnimJoint& joint) {
      return !std::any_of(
          viewer_.joints.begin(), viewer_.joints.end(),
          [&](const AnimJoint& other) { return other.name == joint.name; });
    });
    return static_cast<double>(AnimBytes(result.motion));
  }

  void FindErrorRatio() {
    double low = kLeastErrorRatio;
    double high = kMostErrorRatio;
    constexpr int kHalvings = 9;
    for (int i = 0; i < kHalvings; ++i) {
      const double middle = std::sqrt(low * high);
      if (BytesWith(middle) <= result_.viewer_bytes) {
        high = middle;
      } else {
        low = middle;
      }
    }
    result_.error_ratio_at_viewer_bytes = high;
  }

  const Clip& clip_;
  const Clip played_;
  ViewerTake take_;
  AnimMotion viewer_;
  AnimMotion by_joint_;
  FrameTimes times_;
  FitWorkspace workspace_;
  bool has_joint_positions_ = false;
  AnimComparison result_;
};

std::string ReadAll(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

int Known(const Clip& clip) {
  int known = 0;
  for (const Node& node : clip.skeleton.nodes) {
    known += !IsEndSite(node) && FindAvatarAlias(node.name) >= 0 ? 1 : 0;
  }
  return known;
}

// Sums over the takes of one kind.
class Tally {
 public:
  void Add(const AnimComparison& comparison) {
    if (!comparison.is_compared) return;
    viewer_bytes_ += comparison.viewer_bytes;
    best_bytes_ += comparison.best_bytes;
    best_bytes_by_joint_ += comparison.best_bytes_by_joint;
    ratios_.push_back(comparison.best_bytes / comparison.viewer_bytes);
    by_joint_.push_back(comparison.best_bytes_by_joint /
                        comparison.viewer_bytes);
    parts_.push_back(comparison.error_ratio_at_viewer_bytes);
  }

  void Tell(const std::string& kind) const {
    if (ratios_.empty()) return;
    const std::string name = "encode.anim.best." + kind;
    Set(name + "bytes_ratio_at_viewer_error", ratios_);
    Set(name + "bytes_ratio_at_viewer_error_by_joint", by_joint_);
    Set(name + "error_ratio_at_viewer_bytes", parts_);
    const std::string sum = name + "bytes_ratio_at_viewer_error";
    Metrics::Global().Set(sum + ".sum", best_bytes_ / viewer_bytes_);
    Metrics::Global().Set(sum + "_by_joint.sum",
                          best_bytes_by_joint_ / viewer_bytes_);
    Metrics::Global().Set(name + "takes", static_cast<double>(ratios_.size()));
  }

 private:
  static void Set(const std::string& name, std::vector<double> values) {
    std::sort(values.begin(), values.end());
    Metrics::Global().Set(name, values[values.size() / 2]);
    Metrics::Global().Set(name + ".worst", values.back());
  }

  double viewer_bytes_ = 0;
  double best_bytes_ = 0;
  double best_bytes_by_joint_ = 0;
  std::vector<double> ratios_;
  std::vector<double> by_joint_;
  std::vector<double> parts_;
};

void AddFolder(const std::filesystem::path& folder, Tally* tally) {
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    if (entry.path().extension() != ".bvh") continue;
    IssueLog log({});
    ReadResult read = ReadBvh(ReadAll(entry.path()), {}, &log);
    if (!read.motion_read) continue;
    tally->Add(CompareProfiles(WithAvatarNames(read.clip)));
  }
}

}  // namespace

AnimComparison CompareProfiles(Clip clip) {
  Motion& motion = clip.motion;
  if (motion.frames < 1 || !HasRate(motion.frame_time)) return {};
  const auto most = static_cast<int64_t>(
      std::min(kMaxSeconds / motion.frame_time, kMaxFrames));
  if (motion.frames > most + 1) {
    motion.frames = most + 1;
    motion.values.resize(static_cast<size_t>(motion.frames) *
                         clip.skeleton.channels.size());
  }
  return Comparison(clip).Run();
}

Clip WithAvatarNames(const Clip& clip) {
  Clip best = clip;
  for (const std::string_view map : JointMapNames()) {
    Clip renamed = clip;
    ClipEdits edits;
    edits.joint_map = map;
    if (!EditClip(edits, {}, {}, nullptr, &renamed, nullptr).ok()) continue;
    if (Known(renamed) > Known(best)) best = std::move(renamed);
  }
  return best;
}

void MeasureComparisons(const Clip& made) {
  const char* const data = std::getenv("BVHMILL_DATA");
  if (data == nullptr) {
    Tally tally;
    tally.Add(CompareProfiles(made));
    return tally.Tell("");
  }
  Tally named;
  AddFolder(std::filesystem::path(data) / "anim" / "golden", &named);
  named.Tell("");
  Tally foreign;
  AddFolder(std::filesystem::path(data) / "bvh", &foreign);
  foreign.Tell("foreign.");
}

}  // namespace bvhmill::bench
