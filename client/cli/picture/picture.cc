#include "client/cli/picture/picture.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

namespace bvhmill::client {
namespace {

size_t At(int32_t index) { return static_cast<size_t>(index); }

std::vector<int32_t> ChildCounts(const JointList& joints) {
  std::vector<int32_t> counts(joints.size(), 0);
  for (const JointInfo& joint : joints) {
    if (joint.parent >= 0) ++counts[At(joint.parent)];
  }
  return counts;
}

// True for the joints above the first branch of a tree that branches.
std::vector<bool> CarriersOf(const JointList& joints) {
  const std::vector<int32_t> children = ChildCounts(joints);
  std::vector<bool> is_above(joints.size(), false);
  std::vector<bool> branches_below(joints.size(), false);
  // Children come after their parents.
  for (size_t i = joints.size(); i-- > 0;) {
    if (children[i] > 1) branches_below[i] = true;
    const int32_t parent = joints[i].parent;
    if (branches_below[i] && parent >= 0) branches_below[At(parent)] = true;
  }
  for (size_t i = 0; i < joints.size(); ++i) {
    const int32_t parent = joints[i].parent;
    const bool is_top = parent < 0 || is_above[At(parent)];
    is_above[i] = is_top && children[i] == 1 && branches_below[i];
  }
  return is_above;
}

float LengthOf(const JointInfo& joint) {
  const auto& [x, y, z] = joint.offset;
  const float length = std::hypot(x, y, z);
  return std::isfinite(length) ? length : 0;
}

// The joints to draw, ascending.
std::vector<int32_t> Chosen(const JointList& joints, size_t most) {
  const std::vector<bool> is_carrier = CarriersOf(joints);
  // The topmost joints come first, since the others are attached to them.
  const auto priority = [&](int32_t i) {
    const int32_t parent = joints[At(i)].parent;
    const bool is_top = parent < 0 || is_carrier[At(parent)];
    return is_top ? std::numeric_limits<float>::infinity()
                  : LengthOf(joints[At(i)]);
  };
  std::vector<int32_t> chosen;
  for (size_t i = 0; i < joints.size(); ++i) {
    if (!is_carrier[i]) chosen.push_back(static_cast<int32_t>(i));
  }
  if (chosen.size() > most) {
    std::stable_sort(chosen.begin(), chosen.end(), [&](int32_t a, int32_t b) {
      return priority(a) > priority(b);
    });
    chosen.resize(most);
    std::sort(chosen.begin(), chosen.end());
  }
  return chosen;
}

}  // namespace

DrawnJoints ChooseDrawnJoints(const JointList& joints, size_t most) {
  DrawnJoints out;
  out.joints = Chosen(joints, most);
  // The nearest drawn joint of each joint, itself included, as its place in
  // `out.joints`.
  std::vector<int32_t> nearest(joints.size(), -1);
  size_t next = 0;
  for (size_t i = 0; i < joints.size(); ++i) {
    const int32_t parent = joints[i].parent;
    const int32_t above = parent < 0 ? -1 : nearest[At(parent)];
    nearest[i] = above;
    if (next == out.joints.size() || At(out.joints[next]) != i) continue;
    out.parents.push_back(above);
    nearest[i] = static_cast<int32_t>(next++);
  }
  return out;
}

namespace {

// The turn away from the widest view, in radians: 20 degrees.
constexpr double kTurn = 0.349;

double Dot(const Point3& a, const Point3& b) {
  return static_cast<double>(a[0]) * b[0] + static_cast<double>(a[1]) * b[1] +
         static_cast<double>(a[2]) * b[2];
}

bool IsFinite(const Point3& point) {
  return std::isfinite(point[0]) && std::isfinite(point[1]) &&
         std::isfinite(point[2]);
}

// Second moments about the middles of the poses, along two directions.
struct Moments {
  double aa = 0;
  double ab = 0;
  double bb = 0;
};

void AddPose(const SampledPose& pose, const Point3& a, const Point3& b,
             Moments* moments) {
  double sum_a = 0;
  double sum_b = 0;
  double count = 0;
  for (const Point3& point : pose.points) {
    if (!IsFinite(point)) continue;
    sum_a += Dot(point, a);
    sum_b += Dot(point, b);
    ++count;
  }
  if (count == 0) return;
  for (const Point3& point : pose.points) {
    if (!IsFinite(point)) continue;
    const double along_a = Dot(point, a) - sum_a / count;
    const double along_b = Dot(point, b) - sum_b / count;
    moments->aa += along_a * along_a;
    moments->ab += along_a * along_b;
    moments->bb += along_b * along_b;
  }
}

}  // namespace

PoseView ChooseView(std::span<const SampledPose> poses, const Point3& up) {
  const bool is_x_up = up[0] != 0;
  const bool is_y_up = up[1] != 0;
  const Point3 a = is_x_up ? Point3{0, 1, 0} : Point3{1, 0, 0};
  const Point3 b = is_x_up || is_y_up ? Point3{0, 0, 1} : Point3{0, 1, 0};
  Moments moments;
  for (const SampledPose& pose : poses) AddPose(pose, a, b, &moments);
  // The angle of the principal axis of a symmetric 2 x 2 matrix.
  const double angle =
      0.5 * std::atan2(2 * moments.ab, moments.aa - moments.bb) + kTurn;
  PoseView view;
  view.up = up;
  for (size_t i = 0; i < 3; ++i) {
    view.right[i] =
        static_cast<float>(std::cos(angle) * a[i] + std::sin(angle) * b[i]);
  }
  return view;
}

PosePicture Project(const SampledPose& pose, const PoseView& view) {
  PosePicture out;
  out.frame = pose.frame;
  for (const Point3& point : pose.points) {
    out.points.push_back({static_cast<float>(Dot(point, view.right)),
                          static_cast<float>(Dot(point, view.up))});
  }
  return out;
}

float MedianHeight(std::span<const SampledPose> poses, const Point3& up) {
  std::vector<double> heights;
  for (const SampledPose& pose : poses) {
    std::vector<double> along;
    for (const Point3& point : pose.points) {
      if (IsFinite(point)) along.push_back(Dot(point, up));
    }
    if (along.empty()) continue;
    const auto [least, greatest] =
        std::minmax_element(along.begin(), along.end());
    heights.push_back(*greatest - *least);
  }
  if (heights.empty()) return 0;
  const auto middle =
      heights.begin() + static_cast<std::ptrdiff_t>(heights.size() / 2);
  std::nth_element(heights.begin(), middle, heights.end());
  return static_cast<float>(*middle);
}

SampledPoses::SampledPoses(std::vector<int32_t> joints, size_t most)
    : joints_(std::move(joints)), most_(most) {}

void SampledPoses::Add(std::span<const float> positions) {
  const int64_t frame = frames_++;
  if (frame % step_ != 0) return;
  if (poses_.size() == most_) DropEverySecond();
  if (frame % step_ != 0) return;
  SampledPose pose;
  pose.frame = frame;
  pose.points.reserve(joints_.size());
  for (const int32_t joint : joints_) {
    const float* const at = positions.data() + 3 * static_cast<size_t>(joint);
    pose.points.push_back({at[0], at[1], at[2]});
  }
  poses_.push_back(std::move(pose));
}

void SampledPoses::DropEverySecond() {
  // The first stays: a vector that is moved to itself is empty.
  for (size_t i = 1; 2 * i < poses_.size(); ++i) {
    poses_[i] = std::move(poses_[2 * i]);
  }
  poses_.resize((poses_.size() + 1) / 2);
  step_ *= 2;
}

namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNoTurn = std::numeric_limits<float>::quiet_NaN();

}  // namespace

TurnCurves::TurnCurves(size_t series) : series_(series) {
  ranges_.reserve(series * kMaxValues);
}

void TurnCurves::Add(std::span<const float> values) {
  if (frames_ == frames_per_value_ * static_cast<int64_t>(kMaxValues)) Merge();
  const auto range = static_cast<size_t>(frames_ / frames_per_value_);
  ranges_.resize((range + 1) * series_, {kInfinity, -kInfinity});
  Range* const last = ranges_.data() + range * series_;
  for (size_t i = 0; i < series_; ++i) {
    if (!std::isfinite(values[i])) continue;
    last[i].low = std::min(last[i].low, values[i]);
    last[i].high = std::max(last[i].high, values[i]);
  }
  ++frames_;
}

void TurnCurves::Merge() {
  for (size_t range = 0; range < kMaxValues / 2; ++range) {
    const Range* const first = ranges_.data() + 2 * range * series_;
    const Range* const second = first + series_;
    Range* const both = ranges_.data() + range * series_;
    for (size_t i = 0; i < series_; ++i) {
      both[i] = {std::min(first[i].low, second[i].low),
                 std::max(first[i].high, second[i].high)};
    }
  }
  ranges_.resize(kMaxValues / 2 * series_);
  frames_per_value_ *= 2;
}

TurnCurve TurnCurves::CurveOf(size_t series) const {
  TurnCurve curve;
  for (size_t at = series; at < ranges_.size(); at += series_) {
    const bool is_known = ranges_[at].low <= ranges_[at].high;
    curve.low.push_back(is_known ? ranges_[at].low : kNoTurn);
    curve.high.push_back(is_known ? ranges_[at].high : kNoTurn);
  }
  return curve;
}

namespace {

constexpr char kPositions[] = "picture.positions";
constexpr char kRotations[] = "picture.rotations";
// The most joints with curves: 1 MB.
constexpr size_t kMaxTurning = 1024;
// The poses of a picture, as fractions of the length of the clip.
constexpr double kPlaces[] = {0.1, 0.5, 0.9};
constexpr float kUnknown = std::numeric_limits<float>::quiet_NaN();

bool IsTurning(const JointInfo& joint) {
  return joint.channels.find_first_of("xyz") != std::string::npos;
}

// The angle between two unit quaternions of four numbers, in degrees. 4 asin of
// half their distance is exact for small angles; q and -q are the same.
float StepOf(const float* a, const float* b) {
  float minus = 0;
  float plus = 0;
  for (size_t i = 0; i < 4; ++i) {
    minus += (a[i] - b[i]) * (a[i] - b[i]);
    plus += (a[i] + b[i]) * (a[i] + b[i]);
  }
  const float distance = std::sqrt(std::min(minus, plus));
  if (!std::isfinite(distance)) return kUnknown;
  return 4 * std::asin(std::min(distance / 2, 1.0F)) * 180 /
         std::numbers::pi_v<float>;
}

// The pose that is nearest to `frame`.
const SampledPose& NearestTo(double frame,
                             const std::vector<SampledPose>& poses) {
  return *std::min_element(
      poses.begin(), poses.end(), [&](const auto& a, const auto& b) {
        return std::abs(static_cast<double>(a.frame) - frame) <
               std::abs(static_cast<double>(b.frame) - frame);
      });
}

std::optional<Point3> AxisOf(std::string_view name) {
  const bool is_down = name.starts_with('-');
  if (is_down || name.starts_with('+')) name.remove_prefix(1);
  const size_t axis = std::string_view("XYZ").find(name);
  if (name.size() != 1 || axis == std::string_view::npos) return std::nullopt;
  Point3 out = {};
  out[axis] = is_down ? -1 : 1;
  return out;
}

Point3 GuessedUp(const Report& report) {
  for (const Issue& issue : report.issues) {
    if (issue.code != "DATA_UP_AXIS_GUESS") continue;
    for (const auto& [name, value] : issue.args) {
      const auto axis = AxisOf(value);
      if (name == "axis" && axis) return *axis;
    }
    return {0, 0, 1};
  }
  return {0, 1, 0};
}

// Adds the outputs that a picture needs to `outputs`: world positions and local
// rotations, with end sites.
void AddPictureOutputs(std::vector<OutputRequest>* outputs) {
  PositionsFormat positions;
  positions.with_end_sites = true;
  outputs->push_back({kPositions, positions});
  RotationsFormat rotations;
  rotations.with_end_sites = true;
  outputs->push_back({kRotations, rotations});
}

// True if the frames of the outputs are those of the file.
bool KeepsFrames(const ClipEdits& edits) {
  return edits.fps == 0 && edits.frames == FrameRange() &&
         edits.trim == TimeRange() && !edits.repairs.drop_repeated;
}

// Makes a picture of the outputs of AddPictureOutputs and drops all others.
// Memory: kMaxPoseBytes, and about 1 KB for each joint. Only the first
// kMaxTurning joints have curves.
class PictureReceiver final : public OutputReceiver {
 public:
  // The most points of a pose, and the most joints with a curve.
  static constexpr size_t kMaxPoints = 100;
  static constexpr size_t kMaxCurves = 4;
  // The most poses of issues.
  static constexpr size_t kMaxIssuePoses = 6;
  // Poses are kept for issues, whose frames are known at the end. A clip of 50
  // joints and 12,000 frames has all of them; a longer one has every second
  // frame, every fourth, ...
  static constexpr size_t kMaxPoseBytes = size_t{7} << 20;

  absl::Status Begin(const ClipInfo& info,
                     std::span<const OutputInfo> outputs) override;
  absl::Status Data(size_t output, std::string_view bytes) override;

  // The picture after a conversion that succeeded; nothing if the clip has no
  // frame. It has the curves of the joints that the most severe issues of
  // `report` name, and the poses of these issues if `keeps_frames`: the frames
  // of the outputs are those of the file. Call once.
  std::optional<ClipPicture> Finish(const Report& report, const Point3& up,
                                    bool keeps_frames);

 private:
  void AddRotations(std::span<const float> rotations);
  // The joint of an issue, if it is in the clip after edits.
  std::optional<size_t> JointOf(const Location& location) const;
  // The point of a joint in a pose, or of its nearest ancestor that has one.
  int32_t PointOf(size_t joint) const;
  void AddIssuePoses(const Report& report, const PoseView& view,
                     ClipPicture* picture) const;
  // The joint of an issue in time, if it turns and is in the clip after edits.
  std::optional<size_t> TurningJoint(const Location& location) const;
  void AddCurves(const Report& report, ClipPicture* picture) const;

  // Indices of the outputs.
  std::optional<size_t> positions_;
  std::optional<size_t> rotations_;
  JointList joints_;
  DrawnJoints drawn_;
  FrameCutter position_frames_;
  FrameCutter rotation_frames_;
  SampledPoses poses_;
  SampledPoses all_poses_;
  // One series for each joint, then the mean of all.
  std::optional<TurnCurves> turns_;
  std::vector<float> last_rotations_;
  std::vector<float> steps_;
};

absl::Status PictureReceiver::Begin(const ClipInfo& info,
                                    std::span<const OutputInfo> outputs) {
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (outputs[i].id == kPositions) positions_ = i;
    if (outputs[i].id == kRotations) rotations_ = i;
  }
  joints_ = info.joints;
  drawn_ = ChooseDrawnJoints(joints_, kMaxPoints);
  position_frames_ = FrameCutter(3 * joints_.size());
  rotation_frames_ = FrameCutter(4 * joints_.size());
  poses_ = SampledPoses(drawn_.joints);
  const size_t pose_bytes =
      sizeof(SampledPose) + drawn_.joints.size() * sizeof(Point3);
  all_poses_ = SampledPoses(drawn_.joints, kMaxPoseBytes / pose_bytes);
  steps_.assign(std::min(joints_.size(), kMaxTurning) + 1, 0);
  turns_.emplace(steps_.size());
  last_rotations_.clear();
  return absl::OkStatus();
}

absl::Status PictureReceiver::Data(size_t output, std::string_view bytes) {
  if (output == positions_) {
    position_frames_.Add(bytes, [&](std::span<const float> frame) {
      poses_.Add(frame);
      all_poses_.Add(frame);
    });
  } else if (output == rotations_) {
    rotation_frames_.Add(
        bytes, [&](std::span<const float> frame) { AddRotations(frame); });
  }
  return absl::OkStatus();
}

void PictureReceiver::AddRotations(std::span<const float> rotations) {
  const bool is_first = last_rotations_.empty();
  double sum = 0;
  int64_t turning = 0;
  const size_t count = steps_.size() - 1;
  for (size_t i = 0; i < count; ++i) {
    steps_[i] = is_first ? kUnknown
                         : StepOf(rotations.data() + 4 * i,
                                  last_rotations_.data() + 4 * i);
    if (!IsTurning(joints_[i]) || !std::isfinite(steps_[i])) continue;
    sum += steps_[i];
    ++turning;
  }
  steps_[count] = turning > 0
                      ? static_cast<float>(sum / static_cast<double>(turning))
                      : kUnknown;
  turns_->Add(steps_);
  last_rotations_.assign(rotations.begin(), rotations.end());
}

std::optional<size_t> PictureReceiver::JointOf(const Location& location) const {
  const auto is_it = [&](size_t i) {
    return i < joints_.size() && joints_[i].name == location.joint_name;
  };
  if (!location.joint) return std::nullopt;
  if (is_it(static_cast<size_t>(*location.joint))) {
    return static_cast<size_t>(*location.joint);
  }
  // Edits may have moved it.
  std::optional<size_t> found;
  for (size_t i = 0; i < joints_.size(); ++i) {
    if (!is_it(i)) continue;
    if (found) return std::nullopt;
    found = i;
  }
  return found;
}

std::optional<size_t> PictureReceiver::TurningJoint(
    const Location& location) const {
  const std::optional<size_t> joint = JointOf(location);
  const bool has_curve = joint && location.frame &&
                         *joint < steps_.size() - 1 &&
                         IsTurning(joints_[*joint]);
  return has_curve ? joint : std::nullopt;
}

int32_t PictureReceiver::PointOf(size_t joint) const {
  for (auto at = static_cast<int32_t>(joint); at >= 0;
       at = joints_[static_cast<size_t>(at)].parent) {
    const auto found =
        std::lower_bound(drawn_.joints.begin(), drawn_.joints.end(), at);
    if (found != drawn_.joints.end() && *found == at) {
      return static_cast<int32_t>(found - drawn_.joints.begin());
    }
  }
  return -1;
}

void PictureReceiver::AddIssuePoses(const Report& report, const PoseView& view,
                                    ClipPicture* picture) const {
  std::vector<PosePicture>& poses = picture->issue_poses;
  for (const Issue& issue : report.issues) {
    if (poses.size() == kMaxIssuePoses) break;
    const std::optional<int64_t> frame = issue.location.frame;
    if (!frame || *frame >= all_poses_.frames()) continue;
    const std::optional<size_t> joint = JointOf(issue.location);
    PosePicture pose = Project(
        NearestTo(static_cast<double>(*frame), all_poses_.poses()), view);
    pose.joint = joint ? PointOf(*joint) : -1;
    const bool is_there =
        std::any_of(poses.begin(), poses.end(), [&](const PosePicture& other) {
          return other.frame == pose.frame && other.joint == pose.joint;
        });
    if (!is_there) poses.push_back(std::move(pose));
  }
}

void PictureReceiver::AddCurves(const Report& report,
                                ClipPicture* picture) const {
  picture->frames_per_value = turns_->frames_per_value();
  picture->curves.push_back(turns_->CurveOf(steps_.size() - 1));
  for (const Issue& issue : report.issues) {
    if (picture->curves.size() > kMaxCurves) break;
    const std::optional<size_t> joint = TurningJoint(issue.location);
    if (!joint) continue;
    const bool is_there =
        std::any_of(picture->curves.begin(), picture->curves.end(),
                    [&](const TurnCurve& curve) {
                      return curve.joint == static_cast<int32_t>(*joint);
                    });
    if (is_there) continue;
    picture->curves.push_back(turns_->CurveOf(*joint));
    picture->curves.back().joint = static_cast<int32_t>(*joint);
    picture->curves.back().name = joints_[*joint].name;
  }
}

std::optional<ClipPicture> PictureReceiver::Finish(const Report& report,
                                                   const Point3& up,
                                                   bool keeps_frames) {
  if (!turns_ || poses_.poses().empty()) return std::nullopt;
  ClipPicture picture;
  picture.parents = std::move(drawn_.parents);
  const PoseView view = ChooseView(poses_.poses(), up);
  for (const double place : kPlaces) {
    const double frame = place * static_cast<double>(poses_.frames() - 1);
    const SampledPose& pose = NearestTo(frame, poses_.poses());
    const bool is_new =
        picture.poses.empty() || picture.poses.back().frame != pose.frame;
    if (is_new) picture.poses.push_back(Project(pose, view));
  }
  if (keeps_frames) AddIssuePoses(report, view, &picture);
  picture.height = MedianHeight(poses_.poses(), up);
  AddCurves(report, &picture);
  return picture;
}

// The unit of outputs; 0 if it is not known.
double MetersPerUnit(const ClipEdits& edits) {
  return edits.to_units > 0 ? edits.to_units : edits.source.meters_per_unit;
}

// True if the outputs of the picture may be the reason of a failure.
bool MayBePictures(const absl::Status& status) {
  return absl::IsResourceExhausted(status) ||
         absl::IsFailedPrecondition(status);
}

}  // namespace

Point3 UpOf(const ClipEdits& edits, const Report& report) {
  const UpAxis stated =
      edits.to_up != UpAxis::kUnknown ? edits.to_up : edits.source.up_axis;
  if (stated == UpAxis::kX) return {1, 0, 0};
  if (stated == UpAxis::kY) return {0, 1, 0};
  if (stated == UpAxis::kZ) return {0, 0, 1};
  return GuessedUp(report);
}

ConvertResult ValidateWithPicture(Engine* engine, std::string_view name,
                                  const ClipData& clip,
                                  const ConvertOptions& options,
                                  const CancelToken* cancel,
                                  std::optional<ClipPicture>* picture) {
  ConvertOptions with_picture = options;
  AddPictureOutputs(&with_picture.outputs);
  PictureReceiver receiver;
  ConvertResult result =
      engine->Convert(name, clip, with_picture, &receiver, cancel);
  if (MayBePictures(result.status)) {
    return engine->Validate(name, clip, options, cancel);
  }
  if (!result.status.ok()) return result;
  *picture = receiver.Finish(result.report, UpOf(options.edits, result.report),
                             KeepsFrames(options.edits));
  if (*picture && HasMeters(options.edits)) {
    (*picture)->height *= static_cast<float>(MetersPerUnit(options.edits));
  }
  return result;
}

bool HasMeters(const ClipEdits& edits) { return MetersPerUnit(edits) > 0; }

}  // namespace bvhmill::client
