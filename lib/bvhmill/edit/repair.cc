#include "bvhmill/edit/repair.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "bvhmill/base/budget.h"
#include "bvhmill/base/status.h"
#include "bvhmill/base/text.h"
#include "bvhmill/clip/clip.h"
#include "bvhmill/clip/clip_info.h"
#include "bvhmill/edit/editing.h"
#include "bvhmill/edit/joint_pose.h"
#include "bvhmill/math/linear.h"
#include "bvhmill/report/issue_log.h"
#include "bvhmill/report/repeated_rows.h"
#include "bvhmill/report/report.h"
#include "bvhmill/report/thresholds.h"

namespace bvhmill {
namespace {

enum class ChannelKind : uint8_t { kRotation, kPosition };

std::string NameOf(ChannelKind kind) {
  return kind == ChannelKind::kRotation ? "rotation" : "position";
}

// The rotation channels, or the position channels, of one joint over all
// frames.
struct JointTrack {
  int32_t node = 0;
  ChannelKind kind = ChannelKind::kRotation;
  // Indices in a row, in file order; at least one.
  std::vector<size_t> columns;
};

void AddTrack(const Skeleton& skeleton, size_t index, ChannelKind kind,
              std::vector<JointTrack>* tracks) {
  const Node& node = skeleton.nodes[index];
  JointTrack track;
  track.node = static_cast<int32_t>(index);
  track.kind = kind;
  for (int32_t i = 0; i < node.channel_count; ++i) {
    const auto column = static_cast<size_t>(node.first_channel + i);
    const Channel channel = skeleton.channels[column];
    const bool is_wanted = kind == ChannelKind::kRotation ? IsRotation(channel)
                                                          : IsPosition(channel);
    if (is_wanted) track.columns.push_back(column);
  }
  if (!track.columns.empty()) tracks->push_back(std::move(track));
}

// The rotation by `degrees` about X, Y or Z.
Quat<double> About(int axis, double degrees) {
  const double half = ToRadians(degrees) / 2;
  Quat<double> q;
  q.w = std::cos(half);
  (axis == 0 ? q.x : axis == 1 ? q.y : q.z) = std::sin(half);
  return q;
}

// The tracks of all nodes that have channels, in the order of the nodes.
std::vector<JointTrack> TracksOf(const Skeleton& skeleton) {
  std::vector<JointTrack> tracks;
  for (size_t i = 0; i < skeleton.nodes.size(); ++i) {
    AddTrack(skeleton, i, ChannelKind::kPosition, &tracks);
    AddTrack(skeleton, i, ChannelKind::kRotation, &tracks);
  }
  return tracks;
}

// True for the channels of an end site. No reader uses them.
bool IsOfEndSite(const Skeleton& skeleton, const JointTrack& track) {
  return IsEndSite(skeleton.nodes[static_cast<size_t>(track.node)]);
}

// True if the row `frame` has the values of the row before, where NaN is equal
// to NaN. Requires 0 < frame < frames.
bool RepeatsRow(const Clip& clip, int64_t frame) {
  const auto row = RowAt(clip, frame);
  return std::equal(row.begin(), row.end(), RowAt(clip, frame - 1).begin(),
                    [](float a, float b) {
                      return a == b || (std::isnan(a) && std::isnan(b));
                    });
}

// True if all values of the track in `row` are finite.
bool IsFinite(const JointTrack& track, std::span<const float> row) {
  return std::all_of(track.columns.begin(), track.columns.end(),
                     [&](size_t column) { return std::isfinite(row[column]); });
}

// The pose of a track whose columns have `values`, in degrees or in the unit of
// the file. A rotation is the product of its channels in file order, as a unit
// quaternion. A position is x, y, z with w = 0; a missing channel is 0.
Quat<double> PoseOf(const Skeleton& skeleton, const JointTrack& track,
                    std::span<const float> values) {
  Quat<double> pose;
  std::array<double, 3> at = {};
  for (size_t i = 0; i < values.size(); ++i) {
    const int axis = AxisOf(skeleton.channels[track.columns[i]]);
    at[static_cast<size_t>(axis)] = values[i];
    if (track.kind == ChannelKind::kPosition) continue;
    pose = Multiply(pose, About(axis, values[i]));
  }
  if (track.kind == ChannelKind::kRotation) return pose;
  return {at[0], at[1], at[2], 0};
}

// The values of the columns of `track` in `row`.
void ReadValues(const JointTrack& track, std::span<const float> row,
                std::vector<float>* values) {
  values->clear();
  for (const size_t column : track.columns) values->push_back(row[column]);
}

// The location of a change of `node` in frames `first` to `last` of the source.
Location PlaceOf(const Skeleton& skeleton, int32_t node, int64_t first,
                 int64_t last) {
  Location place;
  place.joint = node;
  place.joint_name = DisplayName(skeleton, node);
  place.frame = first;
  if (last != first) place.last_frame = last;
  return place;
}

// Draws the work on `frames` frames of `track`, with `units` for each of its
// values, in parts: a conversion that is cancelled stops soon.
absl::Status DrawWork(const JointTrack& track, int64_t frames, int64_t units,
                      Budget* budget) {
  constexpr int64_t kPart = int64_t{1} << 24;
  const auto columns = static_cast<int64_t>(track.columns.size());
  const int64_t step = std::max<int64_t>(kPart / (units * columns), 1);
  for (int64_t done = 0; done < frames; done += step) {
    BVHMILL_RETURN_IF_ERROR(
        WorkFrom(budget, units * columns * std::min(step, frames - done)));
  }
  return absl::OkStatus();
}

// The frames from `begin` to `end` - 1.
struct FrameRun {
  int64_t begin = 0;
  int64_t end = 0;

  int64_t frames() const { return end - begin; }
};

// A clip that is being repaired, and the numbers of its frames in the source.
struct RepairedClip {
  Clip* clip = nullptr;
  std::vector<JointTrack> tracks;
  IssueLog* log = nullptr;
  Thresholds thresholds;
  Budget* budget = nullptr;
  // Frame t of the clip is frame first_frame + stride * t of the source; frame
  // 0 always is frame 0. first_frame may be negative.
  int64_t first_frame = 0;
  int64_t stride = 1;

  // The newest changes: their code, joint and kinds of channels. They are
  // logged when the first change of another joint or code is noted, since the
  // log keeps one issue for a code and a joint.
  IssueCode code = IssueCode::REPAIR_UNWRAPPED;
  int32_t node = -1;
  std::string kinds;
  // Their frames, in order; no two ranges overlap.
  std::vector<FrameRun> ranges;

  // Adds changes of `track` in the frames `changed`. These ranges are in order,
  // and no two overlap.
  void Note(IssueCode of, const JointTrack& track,
            std::vector<FrameRun> changed);
  // Logs the changes that are noted.
  void LogNoted();

  int64_t SourceFrame(int64_t frame) const {
    return std::max<int64_t>(first_frame + stride * frame, 0);
  }
};

// All frames of `a` and `b`, each of which is in order. Ranges that share a
// frame become one.
std::vector<FrameRun> Union(std::span<const FrameRun> a,
                            std::span<const FrameRun> b) {
  std::vector<FrameRun> all(a.size() + b.size());
  std::merge(
      a.begin(), a.end(), b.begin(), b.end(), all.begin(),
      [](const FrameRun& x, const FrameRun& y) { return x.begin < y.begin; });
  size_t count = 0;
  for (const FrameRun& range : all) {
    if (count > 0 && range.begin < all[count - 1].end) {
      all[count - 1].end = std::max(all[count - 1].end, range.end);
    } else {
      all[count++] = range;
    }
  }
  all.resize(count);
  return all;
}

void RepairedClip::Note(IssueCode of, const JointTrack& track,
                        std::vector<FrameRun> changed) {
  if (node != track.node || code != of) {
    LogNoted();
    code = of;
    node = track.node;
  }
  kinds += (kinds.empty() ? "" : " and ") + NameOf(track.kind);
  ranges = ranges.empty() ? std::move(changed) : Union(ranges, changed);
}

void RepairedClip::LogNoted() {
  if (node >= 0) {
    const Skeleton& skeleton = clip->skeleton;
    const auto gaps = static_cast<int64_t>(ranges.size());
    int64_t frames = 0;
    std::vector<int64_t> begins;
    for (const FrameRun& range : ranges) {
      frames += range.frames();
      const bool is_listed = begins.size() < kMostListedFrames;
      if (is_listed) begins.push_back(SourceFrame(range.begin));
    }
    IssueArgs args = {{"kind", kinds},
                      {"joint", Quote(DisplayName(skeleton, node))},
                      {"frames", std::to_string(frames)},
                      {"gaps", std::to_string(gaps)}};
    if (gaps > 1) args.emplace_back("at", FrameList(begins));
    log->Add(code,
             PlaceOf(skeleton, node, SourceFrame(ranges.front().begin),
                     SourceFrame(ranges.back().end - 1)),
             std::move(args), gaps);
  }
  node = -1;
  kinds.clear();
  ranges.clear();
}

// The steps, in the order of MakeRepairs. Each has the contract of RepairClip.

// Repeated frames.

// Fewer poses than this are no pattern.
constexpr int64_t kLeastPoses = 4;

// The poses of a clip that repeats each of them `stride` times: frames
// `first`, `first + stride` and so on. The first pose may last for fewer
// frames.
struct Pattern {
  int64_t first = 0;
  int64_t stride = 1;
};

// None if some frames repeat and others that should repeat do not, or if there
// are too few poses.
std::optional<Pattern> PatternOf(const Clip& clip) {
  const int64_t frames = clip.motion.frames;
  // The frames that begin a new pose, but for frame 0.
  int64_t first = 0;
  int64_t stride = 0;
  int64_t last = 0;
  int64_t poses = 1;
  for (int64_t t = 1; t < frames; ++t) {
    if (RepeatsRow(clip, t)) continue;
    ++poses;
    if (first == 0) {
      first = t;
    } else if (stride == 0) {
      stride = t - last;
    } else if (t - last != stride) {
      return std::nullopt;
    }
    last = t;
  }
  const bool is_regular =
      stride > 1 && first <= stride && frames - last <= stride;
  if (!is_regular || poses < kLeastPoses) return std::nullopt;
  return Pattern{first, stride};
}

// Counts the repeated rows of `clip`, as DATA_REPEATED_FRAMES does.
RepeatedRows RepeatsOf(const Clip& clip, const Thresholds& thresholds) {
  RepeatedRows rows(thresholds, MotionFrameTime(clip.motion.frame_time));
  for (int64_t t = 0; t < clip.motion.frames; ++t) {
    rows.Add(t > 0 && RepeatsRow(clip, t));
  }
  rows.Finish();
  return rows;
}

// REPAIR_FRAMES_DROPPED, REPAIR_REPEATS_LEFT. Sets `first_frame` and `stride`.
// Frame 0 is kept for the first pose, which may last for fewer frames than the
// others.
absl::Status DropRepeats(RepairedClip* repaired) {
  Motion& motion = repaired->clip->motion;
  const size_t width = repaired->clip->skeleton.channels.size();
  for (const JointTrack& track : repaired->tracks) {
    BVHMILL_RETURN_IF_ERROR(
        DrawWork(track, motion.frames, 1, repaired->budget));
  }
  const std::optional<Pattern> pattern = PatternOf(*repaired->clip);
  if (!pattern) {
    const RepeatedRows rows = RepeatsOf(*repaired->clip, repaired->thresholds);
    if (rows.are_reported()) {
      repaired->log->Add(IssueCode::REPAIR_REPEATS_LEFT, {},
                         {{"frames", std::to_string(rows.repeats())}});
    }
    return absl::OkStatus();
  }
  repaired->stride = pattern->stride;
  // The frame of the source at which a full first pose would begin.
  repaired->first_frame = pattern->first - pattern->stride;
  int64_t kept = 1;
  for (int64_t t = pattern->first; t < motion.frames; t += pattern->stride) {
    const auto row = RowAt(*repaired->clip, t);
    std::copy(row.begin(), row.end(), RowAt(repaired->clip, kept++).begin());
  }
  const int64_t dropped = motion.frames - kept;
  motion.frames = kept;
  motion.values.resize(static_cast<size_t>(kept) * width);
  motion.frame_time *= static_cast<double>(pattern->stride);
  repaired->log->Add(IssueCode::REPAIR_FRAMES_DROPPED, {},
                     {{"frames", std::to_string(dropped)},
                      {"stride", std::to_string(pattern->stride)}});
  return absl::OkStatus();
}

// The frame time.

// Below this difference the frame time is that of the rate already.
constexpr double kSameTime = 1e-12;

// With as many digits as identify the number.
std::string Shortest(double value) {
  std::array<char, 32> text = {};
  const auto [end, error] =
      std::to_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() ? std::string(text.data(), end) : "";
}

// REPAIR_FRAME_TIME.
void SnapFrameTime(RepairedClip* repaired) {
  Motion& motion = repaired->clip->motion;
  if (!HasRate(motion.frame_time)) return;
  const NearRate near = NearestFrameRate(motion.frame_time);
  const double most =
      repaired->thresholds[Threshold::DATA_FRAME_TIME_ODD_difference];
  if (near.difference > most || near.difference < kSameTime) return;
  const double from = motion.frame_time;
  motion.frame_time = 1 / near.frames_per_second;
  repaired->log->Add(
      IssueCode::REPAIR_FRAME_TIME, {},
      {{"from", Shortest(from)}, {"to", ShortRate(near.frames_per_second)}});
}

// Gaps.

// Units of work for a value that is read, and for a joint whose pose is
// blended.
constexpr int64_t kGapWork = 2;
constexpr int64_t kBlendWork = 400;

// Fills the gaps of one track.
class GapFiller {
 public:
  GapFiller(const JointTrack& track, Clip* clip, std::span<float> blended)
      : track_(track), clip_(*clip), blended_(blended) {}

  // Fills `gap`, which has frames with all values on both sides.
  void Fill(const FrameRun& gap) {
    const Node& node = clip_.skeleton.nodes[static_cast<size_t>(track_.node)];
    const auto before = RowAt(&clip_, gap.begin - 1);
    const auto after = RowAt(&clip_, gap.end);
    const double intervals = static_cast<double>(gap.end - gap.begin + 1);
    for (int64_t t = gap.begin; t < gap.end; ++t) {
      const auto row = RowAt(&clip_, t);
      BlendNode(clip_.skeleton, node, before, after,
                static_cast<double>(t - gap.begin + 1) / intervals, WayOf(row),
                blended_);
      for (const size_t column : track_.columns) {
        if (!std::isfinite(row[column])) row[column] = blended_[column];
      }
    }
  }

 private:
  // A joint that has some of its angles keeps them, so the others are
  // interpolated one by one.
  Interpolation WayOf(std::span<const float> row) const {
    for (const size_t column : track_.columns) {
      if (std::isfinite(row[column])) return Interpolation::kLerp;
    }
    return Interpolation::kSlerp;
  }

  const JointTrack& track_;
  Clip& clip_;
  std::span<float> blended_;
};

// Runs of frames in which `track` lacks values.
std::vector<FrameRun> GapsOf(const Clip& clip, const JointTrack& track) {
  std::vector<FrameRun> gaps;
  int64_t begin = 0;
  for (int64_t t = 0; t <= clip.motion.frames; ++t) {
    if (t < clip.motion.frames && !IsFinite(track, RowAt(clip, t))) continue;
    if (t > begin) gaps.push_back({begin, t});
    begin = t + 1;
  }
  return gaps;
}

// Fills the gaps of one joint. `blended` has room for a row. Sets `*has_left`
// if a gap is too long, or at an end of the clip.
absl::Status FillTrack(const JointTrack& track, int64_t max_frames,
                       std::span<float> blended, RepairedClip* repaired,
                       bool* has_left) {
  Clip& clip = *repaired->clip;
  BVHMILL_RETURN_IF_ERROR(
      DrawWork(track, clip.motion.frames, kGapWork, repaired->budget));
  std::vector<FrameRun> gaps = GapsOf(clip, track);
  const auto is_left = [&](const FrameRun& gap) {
    return gap.begin == 0 || gap.end == clip.motion.frames ||
           gap.frames() > max_frames;
  };
  *has_left |= std::erase_if(gaps, is_left) > 0;
  int64_t frames = 0;
  for (const FrameRun& gap : gaps) frames += gap.frames();
  BVHMILL_RETURN_IF_ERROR(
      DrawWork(track, frames, kBlendWork, repaired->budget));
  GapFiller filler(track, &clip, blended);
  for (const FrameRun& gap : gaps) filler.Fill(gap);
  if (frames > 0) {
    repaired->Note(IssueCode::REPAIR_GAP_FILLED, track, std::move(gaps));
  }
  return absl::OkStatus();
}

// Notes the gaps that are not filled.
absl::Status NoteLeftGaps(RepairedClip* repaired) {
  for (const JointTrack& track : repaired->tracks) {
    BVHMILL_RETURN_IF_ERROR(DrawWork(track, repaired->clip->motion.frames,
                                     kGapWork, repaired->budget));
    std::vector<FrameRun> gaps = GapsOf(*repaired->clip, track);
    if (gaps.empty()) continue;
    repaired->Note(IssueCode::REPAIR_GAP_LEFT, track, std::move(gaps));
  }
  return absl::OkStatus();
}

// REPAIR_GAP_FILLED, REPAIR_GAP_LEFT.
absl::Status FillGaps(int64_t max_frames, RepairedClip* repaired) {
  const Clip& clip = *repaired->clip;
  // Every other frame may be a gap, and a list that grows takes three times its
  // size.
  HeldMemory memory(repaired->budget);
  BVHMILL_RETURN_IF_ERROR(memory.Draw(2 * clip.motion.frames *
                                      static_cast<int64_t>(sizeof(FrameRun))));
  std::vector<float> blended(clip.skeleton.channels.size());
  bool has_left = false;
  for (const JointTrack& track : repaired->tracks) {
    BVHMILL_RETURN_IF_ERROR(
        FillTrack(track, max_frames, blended, repaired, &has_left));
  }
  return has_left ? NoteLeftGaps(repaired) : absl::OkStatus();
}

// Spikes.

// The conditions are those of DATA_SPIKE for one frame;
// validate/motion/event_tests.cc has the rule.
struct SpikeLimits {
  // The size of one unit of a step, and of a kink: degrees, or shares of the
  // reach.
  double step_unit = 0;
  double kink_unit = 0;
  double size = 0;
  double size_per_second2 = 0;
  // Only rotations: a spike of a joint that is calm otherwise.
  double calm_size = 0;
};
constexpr double kCalmShare = 0.5;
constexpr double kLeastUsualKink = 0.3;
constexpr double kMostUsualKink = 10;
constexpr double kLeastOverNext = 1.5;
constexpr double kMostOverNext = 4;
constexpr double kOverFarther = 4;
// The least square of the steps of a half turn.
constexpr double kLeastHalfTurn = 1.2;
// Units of work for a value.
constexpr int64_t kSpikeWork = 40;

Quat<double> Minus(const Quat<double>& a, const Quat<double>& b) {
  return {a.x - b.x, a.y - b.y, a.z - b.z, a.w - b.w};
}

SpikeLimits LimitsOf(ChannelKind kind, double reach,
                     const Thresholds& thresholds) {
  constexpr double kDegrees = 180 / std::numbers::pi;
  if (kind == ChannelKind::kRotation) {
    return {2 * kDegrees, kDegrees, thresholds[Threshold::DATA_SPIKE_degrees],
            thresholds[Threshold::DATA_SPIKE_degrees_per_second2],
            thresholds[Threshold::DATA_SPIKE_calm_degrees]};
  }
  return {1 / reach, 0.5 / reach, thresholds[Threshold::DATA_SPIKE_reach],
          thresholds[Threshold::DATA_SPIKE_reach_per_second2], 0};
}

// The poses of one track over all frames, and the spikes in them. The clip has
// kFewestMotionFrames or more.
class SpikeFinder {
 public:
  SpikeFinder(const Clip& clip, const Thresholds& thresholds, double reach)
      : clip_(clip),
        thresholds_(thresholds),
        reach_(reach),
        dt_(MotionFrameTime(clip.motion.frame_time)) {
    const auto frames = static_cast<size_t>(clip.motion.frames);
    poses_.reserve(frames);
    steps_.reserve(frames);
    kinks_.reserve(frames);
    is_known_.reserve(frames);
  }

  // Bytes that a finder holds for a clip with `frames` frames.
  static int64_t Bytes(int64_t frames) {
    // The list of spikes grows: three times its size.
    return frames *
           static_cast<int64_t>(sizeof(Quat<double>) + 2 * sizeof(double) + 1 +
                                2 * sizeof(FrameRun));
  }

  // The spikes of `track`, in order: a frame each, no two of them neighbours.
  std::vector<FrameRun> Find(const JointTrack& track);
  // Reads the poses of `track`, as Find does.
  void Read(const JointTrack& track);
  bool JumpsTo(int64_t t) const;
  bool JumpsOver(int64_t t) const;

 private:
  void ReadPoses(const JointTrack& track);
  void ComputeSteps();
  double StepAt(int64_t t) const { return At(steps_, t); }
  double KinkAt(int64_t t) const { return At(kinks_, t); }
  double At(const std::vector<double>& list, int64_t t) const {
    return t < 0 || t >= clip_.motion.frames ? 0 : list[static_cast<size_t>(t)];
  }
  // The frame and both neighbours have all values.
  bool IsKnown(int64_t t) const {
    const auto i = static_cast<size_t>(t);
    return is_known_[i - 1] != 0 && is_known_[i] != 0 && is_known_[i + 1] != 0;
  }
  bool IsBack(int64_t t) const;
  bool IsHalfTurn(int64_t t) const;
  bool IsInner(int64_t t) const;
  bool HasKinksOfSpike(int64_t t) const;
  bool IsLocalSpike(int64_t t) const;
  bool IsSpike(int64_t t, double usual_kink) const;
  double UsualKink() const;

  const Clip& clip_;
  const Thresholds& thresholds_;
  const double reach_;
  const double dt_;
  SpikeLimits limits_;
  std::vector<Quat<double>> poses_;
  // The frame has all values of the track.
  std::vector<uint8_t> is_known_;
  // The step to each frame, and the kink at it; 0 where they do not exist.
  std::vector<double> steps_;
  std::vector<double> kinks_;
};

// A frame that lacks values has the pose of the one before, and no step.
void SpikeFinder::ReadPoses(const JointTrack& track) {
  poses_.clear();
  is_known_.clear();
  std::vector<float> values;
  for (int64_t t = 0; t < clip_.motion.frames; ++t) {
    ReadValues(track, RowAt(clip_, t), &values);
    Quat<double> pose = PoseOf(clip_.skeleton, track, values);
    is_known_.push_back(IsFinite(track, RowAt(clip_, t)) ? 1 : 0);
    if (is_known_.back() == 0) {
      pose = t == 0 ? Quat<double>{} : poses_.back();
    }
    if (track.kind == ChannelKind::kRotation && t > 0 &&
        Dot(pose, poses_.back()) < 0) {
      pose = {-pose.x, -pose.y, -pose.z, -pose.w};
    }
    poses_.push_back(pose);
  }
}

void SpikeFinder::ComputeSteps() {
  const size_t frames = poses_.size();
  steps_.assign(frames, 0);
  kinks_.assign(frames, 0);
  for (size_t t = 1; t < frames; ++t) {
    const Quat<double> step = Minus(poses_[t], poses_[t - 1]);
    steps_[t] = limits_.step_unit * std::sqrt(Dot(step, step));
    if (t + 1 == frames) break;
    const Quat<double> kink = Minus(Minus(poses_[t + 1], poses_[t]), step);
    kinks_[t] = limits_.kink_unit * std::sqrt(Dot(kink, kink));
  }
}

// The root mean square of the kinks, each at most kMostUsualKink.
double SpikeFinder::UsualKink() const {
  double sum = 0;
  for (const double kink : kinks_) {
    sum += std::pow(std::min(kink, kMostUsualKink), 2);
  }
  return std::max(std::sqrt(sum / static_cast<double>(kinks_.size() - 2)),
                  kLeastUsualKink);
}

bool SpikeFinder::IsBack(int64_t t) const {
  const auto i = static_cast<size_t>(t);
  const Quat<double> way = Minus(poses_[i + 1], poses_[i - 1]);
  return limits_.step_unit * std::sqrt(Dot(way, way)) <=
         thresholds_[Threshold::DATA_SPIKE_back] *
             std::min(steps_[i], steps_[i + 1]);
}

// True if the joint turns by about half a turn and back. The signs of such
// quaternions are arbitrary, so the motion may read as a whole turn.
bool SpikeFinder::IsHalfTurn(int64_t t) const {
  const double least = std::min(StepAt(t), StepAt(t + 1));
  const double raw = least / limits_.step_unit;
  const bool is_rotation = limits_.calm_size > 0;
  if (!is_rotation || raw * raw < kLeastHalfTurn) return false;
  const auto i = static_cast<size_t>(t);
  const Quat<double>& next = poses_[i + 1];
  const Quat<double> way =
      Minus(poses_[i - 1], {-next.x, -next.y, -next.z, -next.w});
  return limits_.step_unit * std::sqrt(Dot(way, way)) <=
             thresholds_[Threshold::DATA_SPIKE_back] * least &&
         std::max(StepAt(t - 1), StepAt(t + 2)) <= kCalmShare * least;
}

// True if no end of the clip is near.
bool SpikeFinder::IsInner(int64_t t) const {
  constexpr int64_t kMargin = 4;
  return t >= kMargin && t + kMargin < clip_.motion.frames;
}

// The kink is many times the kinks near by that the spike does not affect.
bool SpikeFinder::IsLocalSpike(int64_t t) const {
  constexpr double kLongestFrameTime = 1 / 23.9;
  const double near =
      std::max({KinkAt(t - 3), KinkAt(t - 2), KinkAt(t + 2), KinkAt(t + 3)});
  const double rate =
      thresholds_[Threshold::DATA_SPIKE_local_degrees_per_second2];
  return dt_ <= kLongestFrameTime && IsInner(t) &&
         KinkAt(t) >= thresholds_[Threshold::DATA_SPIKE_local_degrees] &&
         2 * KinkAt(t) / (dt_ * dt_) >= rate &&
         KinkAt(t) >= thresholds_[Threshold::DATA_SPIKE_local_ratio] * near;
}

// True for the kinks of a spike of a joint that moves. The frame after a first
// pose that the motion does not continue may have them, too, but the step from
// that pose is longer.
bool SpikeFinder::HasKinksOfSpike(int64_t t) const {
  const double most = std::max(StepAt(t), StepAt(t + 1));
  const double beside = std::max(StepAt(t - 1), StepAt(t + 2));
  if (StepAt(t) == 0 || (!IsInner(t) && beside > most)) return false;
  const double kink = KinkAt(t);
  return kink >= kLeastOverNext * std::max(KinkAt(t - 1), KinkAt(t + 1)) &&
         kink <= kMostOverNext * std::min(KinkAt(t - 1), KinkAt(t + 1)) &&
         kink >= kOverFarther * std::max(KinkAt(t - 2), KinkAt(t + 2));
}

bool SpikeFinder::IsSpike(int64_t t, double usual_kink) const {
  if (IsHalfTurn(t)) return true;
  const double kink = KinkAt(t);
  const bool is_fast = kink >= limits_.size &&
                       2 * kink / (dt_ * dt_) >= limits_.size_per_second2;
  const bool is_back = IsBack(t);
  if (is_fast && is_back) return true;
  if (is_fast && HasKinksOfSpike(t)) return true;
  const double least = std::min(StepAt(t), StepAt(t + 1));
  const bool is_calm =
      std::max(StepAt(t - 1), StepAt(t + 2)) <= kCalmShare * least;
  if (!(limits_.calm_size > 0) || !is_back || !is_calm) return false;
  return IsLocalSpike(t) ||
         (kink >= limits_.calm_size &&
          kink >= thresholds_[Threshold::DATA_SPIKE_calm_ratio] * usual_kink);
}

std::vector<FrameRun> SpikeFinder::Find(const JointTrack& track) {
  std::vector<FrameRun> spikes;
  if (track.kind == ChannelKind::kPosition && !(reach_ > 0)) return spikes;
  Read(track);
  const double usual_kink = UsualKink();
  for (int64_t t = 1; t + 1 < clip_.motion.frames; ++t) {
    if (!IsKnown(t) || !IsSpike(t, usual_kink)) continue;
    const bool is_next = !spikes.empty() && spikes.back().end == t;
    // The larger of two neighbours is the spike; the other is its slope.
    if (is_next && KinkAt(spikes.back().begin) >= KinkAt(t)) continue;
    if (is_next) spikes.pop_back();
    spikes.push_back({t, t + 1});
  }
  return spikes;
}

// The step to frame `t` exceeds those before and after it by a jump, as in
// DATA_JUMP.
bool SpikeFinder::JumpsTo(int64_t t) const {
  const bool is_rotation = limits_.calm_size > 0;
  const double least = thresholds_[is_rotation ? Threshold::DATA_JUMP_degrees
                                               : Threshold::DATA_JUMP_reach];
  return StepAt(t) - std::max(StepAt(t - 1), StepAt(t + 1)) >= least;
}

// The steps to frame `t` and from it are a jump over two frames, as in
// DATA_JUMP.
bool SpikeFinder::JumpsOver(int64_t t) const {
  const bool is_rotation = limits_.calm_size > 0;
  const double least = thresholds_[is_rotation ? Threshold::DATA_JUMP_degrees
                                               : Threshold::DATA_JUMP_reach];
  const double ratio =
      thresholds_[is_rotation ? Threshold::DATA_JUMP_quick_ratio
                              : Threshold::DATA_JUMP_spread_reach_ratio];
  return StepAt(t) + StepAt(t + 1) >= least &&
         std::min(StepAt(t), StepAt(t + 1)) >=
             ratio * std::max(StepAt(t - 1), StepAt(t + 2));
}

void SpikeFinder::Read(const JointTrack& track) {
  limits_ = LimitsOf(track.kind, reach_, thresholds_);
  ReadPoses(track);
  ComputeSteps();
}

void Replace(const JointTrack& track, int64_t frame, Clip* clip,
             std::span<float> blended) {
  const auto row = RowAt(clip, frame);
  BlendNode(clip->skeleton,
            clip->skeleton.nodes[static_cast<size_t>(track.node)],
            RowAt(*clip, frame - 1), RowAt(*clip, frame + 1), 0.5,
            Interpolation::kSlerp, blended);
  for (const size_t column : track.columns) row[column] = blended[column];
}

// The frames of one track that are replaced, and those that stay because the
// joint would jump there.
struct Outcome {
  std::vector<FrameRun> replaced;
  std::vector<FrameRun> left;
};

bool Has(const std::vector<FrameRun>& frames, int64_t frame) {
  return std::any_of(frames.begin(), frames.end(),
                     [&](const FrameRun& run) { return run.begin == frame; });
}

// Replaces the spikes of a track, and searches again until there are none: a
// frame beside a replaced one may be a spike only then.
absl::Status ReplaceInTrack(const JointTrack& track, SpikeFinder* finder,
                            RepairedClip* repaired, Outcome* outcome) {
  constexpr int kMostPasses = 4;
  Clip& clip = *repaired->clip;
  std::vector<float> blended(clip.skeleton.channels.size());
  for (int pass = 0; pass < kMostPasses; ++pass) {
    BVHMILL_RETURN_IF_ERROR(
        DrawWork(track, clip.motion.frames, kSpikeWork, repaired->budget));
    std::vector<FrameRun> spikes = finder->Find(track);
    std::erase_if(spikes, [&](const FrameRun& spike) {
      return Has(outcome->left, spike.begin);
    });
    if (spikes.empty()) break;
    std::vector<float> before;
    std::vector<bool> jumped;
    for (const FrameRun& spike : spikes) {
      const int64_t t = spike.begin;
      jumped.push_back(finder->JumpsTo(t - 1) || finder->JumpsTo(t + 2));
      for (const size_t column : track.columns) {
        before.push_back(RowAt(clip, t)[column]);
      }
    }
    for (const FrameRun& spike : spikes) {
      Replace(track, spike.begin, &clip, blended);
    }
    finder->Read(track);
    for (size_t i = 0; i < spikes.size(); ++i) {
      const int64_t t = spikes[i].begin;
      const bool jumps =
          finder->JumpsOver(t) ||
          (!jumped[i] && (finder->JumpsTo(t - 1) || finder->JumpsTo(t + 2)));
      (jumps ? outcome->left : outcome->replaced).push_back(spikes[i]);
      if (!jumps) continue;
      for (size_t k = 0; k < track.columns.size(); ++k) {
        RowAt(&clip, t)[track.columns[k]] =
            before[i * track.columns.size() + k];
      }
    }
  }
  const auto by_begin = [](const FrameRun& a, const FrameRun& b) {
    return a.begin < b.begin;
  };
  std::sort(outcome->replaced.begin(), outcome->replaced.end(), by_begin);
  std::sort(outcome->left.begin(), outcome->left.end(), by_begin);
  return absl::OkStatus();
}

// REPAIR_SPIKE_REPLACED, REPAIR_SPIKE_LEFT.
absl::Status ReplaceSpikes(RepairedClip* repaired) {
  const Clip& clip = *repaired->clip;
  const int64_t frames = clip.motion.frames;
  if (frames < kFewestMotionFrames) return absl::OkStatus();
  for (const JointTrack& track : repaired->tracks) {
    BVHMILL_RETURN_IF_ERROR(DrawWork(track, frames, 1, repaired->budget));
  }
  // A step is at every new pose of such a clip.
  if (RepeatsOf(clip, repaired->thresholds).are_many()) {
    return absl::OkStatus();
  }
  HeldMemory memory(repaired->budget);
  BVHMILL_RETURN_IF_ERROR(memory.Draw(SpikeFinder::Bytes(frames)));
  SpikeFinder finder(clip, repaired->thresholds,
                     ReachOf(clip.skeleton, {}, frames, clip.motion.values));
  for (const JointTrack& track : repaired->tracks) {
    if (IsOfEndSite(clip.skeleton, track)) continue;
    Outcome outcome;
    BVHMILL_RETURN_IF_ERROR(ReplaceInTrack(track, &finder, repaired, &outcome));
    for (auto [code, runs] :
         {std::pair{IssueCode::REPAIR_SPIKE_REPLACED, &outcome.replaced},
          std::pair{IssueCode::REPAIR_SPIKE_LEFT, &outcome.left}}) {
      if (!runs->empty()) repaired->Note(code, track, std::move(*runs));
    }
  }
  return absl::OkStatus();
}

// Wrapped angles.

constexpr double kTurn = 360;
// A jump of an angle by more than half a turn is a wrap if the rotation turns
// by less than this share of it: that of DATA_EULER_FLIP.
constexpr double kLeastTurn = 180;
constexpr double kRotationShare = 0.25;
// Larger steps are no angles: turns could not be counted in single precision.
constexpr double kMostTurn = 1e6;
// The largest error of an unwrapped angle, in degrees.
constexpr double kMostRounding = 0.002;
// Units of work for a value.
constexpr int64_t kUnwrapWork = 80;

// Unwraps one track, frame after frame.
class Unwrapper {
 public:
  Unwrapper(const Skeleton& skeleton, const JointTrack& track)
      : skeleton_(skeleton), track_(track), turns_(track.columns.size()) {}

  void Take(int64_t frame, std::span<float> row) {
    const bool is_whole = IsFinite(track_, row);
    if (is_whole) {
      ReadValues(track_, row, &raw_);
      if (!before_.empty() && IsWrap()) CountTurns();
      std::swap(before_, raw_);
    }
    // A row that lacks values goes on as the row before.
    for (size_t i = 0; i < turns_.size(); ++i) AddTurns(i, frame, row);
  }

  int64_t values() const { return values_; }
  int64_t first() const { return first_; }
  int64_t last() const { return last_; }

 private:
  bool IsWrap() const {
    double most = 0;
    for (size_t i = 0; i < raw_.size(); ++i) {
      most = std::max(most, std::abs(double{raw_[i]} - before_[i]));
    }
    return most > kLeastTurn && most < kMostTurn &&
           AngleBetween(PoseOf(skeleton_, track_, before_),
                        PoseOf(skeleton_, track_, raw_)) <
               kRotationShare * most;
  }

  void CountTurns() {
    for (size_t i = 0; i < raw_.size(); ++i) {
      const double step = double{raw_[i]} - before_[i];
      turns_[i] -= static_cast<int64_t>(std::round(step / kTurn));
    }
  }

  void AddTurns(size_t i, int64_t frame, std::span<float> row) {
    float& value = row[track_.columns[i]];
    if (turns_[i] == 0 || !std::isfinite(value)) return;
    const double whole = value + kTurn * static_cast<double>(turns_[i]);
    const auto rounded = static_cast<float>(whole);
    // A larger error of single precision would change the pose: the angle
    // begins again, without turns.
    if (!(std::abs(rounded - whole) <= kMostRounding)) {
      turns_[i] = 0;
      return;
    }
    value = rounded;
    if (values_++ == 0) first_ = frame;
    last_ = frame;
  }

  const Skeleton& skeleton_;
  const JointTrack& track_;
  // The values of the frame before and of this one, as they were.
  std::vector<float> before_;
  std::vector<float> raw_;
  // Full turns that are added to each channel.
  std::vector<int64_t> turns_;
  int64_t values_ = 0;
  int64_t first_ = 0;
  int64_t last_ = 0;
};

// REPAIR_UNWRAPPED.
absl::Status UnwrapAngles(RepairedClip* repaired) {
  Clip& clip = *repaired->clip;
  for (const JointTrack& track : repaired->tracks) {
    if (track.kind != ChannelKind::kRotation ||
        IsOfEndSite(clip.skeleton, track)) {
      continue;
    }
    BVHMILL_RETURN_IF_ERROR(
        DrawWork(track, clip.motion.frames, kUnwrapWork, repaired->budget));
    Unwrapper unwrapper(clip.skeleton, track);
    for (int64_t t = 0; t < clip.motion.frames; ++t) {
      unwrapper.Take(t, RowAt(&clip, t));
    }
    if (unwrapper.values() == 0) continue;
    repaired->log->Add(
        IssueCode::REPAIR_UNWRAPPED,
        PlaceOf(clip.skeleton, track.node,
                repaired->SourceFrame(unwrapper.first()),
                repaired->SourceFrame(unwrapper.last())),
        {{"joint", Quote(DisplayName(clip.skeleton, track.node))},
         {"values", std::to_string(unwrapper.values())}});
  }
  return absl::OkStatus();
}

// Bytes of the tracks of a clip.
int64_t TrackBytes(const Skeleton& skeleton) {
  // A vector that grows takes twice its size for a while; each track has a list
  // of columns. Steps hold a row of their own.
  constexpr int64_t kListBytes = 32;
  return static_cast<int64_t>(
      skeleton.nodes.size() * 2 * (2 * sizeof(JointTrack) + kListBytes) +
      skeleton.channels.size() * (2 * sizeof(size_t) + sizeof(float)));
}

// Bytes of the ranges of frames of a joint: those of its position, which may
// have grown to twice their number, and the union with those of its rotation.
// Ranges do not touch, so there are at most frames / 2 of them.
int64_t RangeBytes(const Repairs& repairs, int64_t frames) {
  const bool has_ranges = repairs.fill_gaps > 0 || repairs.replace_spikes;
  return has_ranges ? 2 * frames * static_cast<int64_t>(sizeof(FrameRun)) : 0;
}

absl::Status MakeRepairs(const Repairs& repairs, RepairedClip* repaired) {
  if (repairs.drop_repeated) {
    BVHMILL_RETURN_IF_ERROR(DropRepeats(repaired));
  }
  if (repairs.snap_rate) SnapFrameTime(repaired);
  if (repairs.fill_gaps > 0) {
    BVHMILL_RETURN_IF_ERROR(FillGaps(repairs.fill_gaps, repaired));
  }
  if (repairs.replace_spikes) BVHMILL_RETURN_IF_ERROR(ReplaceSpikes(repaired));
  return repairs.unwrap ? UnwrapAngles(repaired) : absl::OkStatus();
}

}  // namespace

absl::Status RepairClip(const Repairs& repairs, const Thresholds& thresholds,
                        Budget* budget, Clip* clip, IssueLog* log) {
  if (IsEmpty(repairs)) return absl::OkStatus();
  HeldMemory memory(budget);
  BVHMILL_RETURN_IF_ERROR(memory.Draw(
      TrackBytes(clip->skeleton) + RangeBytes(repairs, clip->motion.frames)));
  RepairedClip repaired;
  repaired.clip = clip;
  repaired.tracks = TracksOf(clip->skeleton);
  repaired.log = log;
  repaired.thresholds = thresholds;
  repaired.budget = budget;
  const absl::Status status = MakeRepairs(repairs, &repaired);
  repaired.LogNoted();
  return status;
}

}  // namespace bvhmill
