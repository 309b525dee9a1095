// A .glb is a header, a chunk of JSON and a chunk of numbers. The JSON says how
// many keys each joint has, so all keys are found before the first byte is
// written:
//
//   rotations of all joints --FitRotationKeys--> tracks --> JSON, numbers

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <numbers>
#include <numeric>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bvhmill/base/budget.h"
#include "bvhmill/base/parallel.h"
#include "bvhmill/base/status.h"
#include "bvhmill/base/text.h"
#include "bvhmill/base/uninitialized.h"
#include "bvhmill/encode/encode.h"
#include "bvhmill/encode/key_fit.h"
#include "bvhmill/encode/npy.h"
#include "bvhmill/encode/poses.h"
#include "bvhmill/skeletons/naming_schemes.h"

namespace bvhmill {
namespace {

// The keys of the rotations or the translations of a joint.
struct Track {
  // A node of the skeleton.
  int32_t node = 0;
  bool is_rotation = false;
  // The row of the joint in the array of rotations.
  int32_t row = 0;
  // Frames of the clip, increasing.
  std::vector<int32_t> frames;
  // The value of each key: x y z w, or x y z.
  UninitializedVector<float> values;
  // How many frames have values that are not finite.
  int64_t repaired = 0;
  absl::Status status;
};

size_t WidthOf(const Track& track) { return track.is_rotation ? 4 : 3; }

// A coordinate of glTF: sign times a coordinate of the clip.
struct AxisSource {
  size_t axis = 0;
  float sign = 1;
};

// From the space of the clip to that of glTF: Y up, metres, if they are known.
struct Space {
  double scale = 1;
  // The axis of the clip that is up.
  size_t up = 1;

  // The source of axis `k`: a quarter turn about the third axis, as the edit
  // to_up.
  AxisSource Source(size_t k) const {
    if (up == 1) return {k, 1};
    if (k == 1) return {up, 1};
    if (k == up) return {1, -1};
    return {k, 1};
  }
  std::array<float, 3> Placed(const std::array<float, 3>& v) const {
    std::array<float, 3> out;
    for (size_t k = 0; k < 3; ++k) {
      const AxisSource source = Source(k);
      const double value = double{source.sign} * v[source.axis] * scale;
      // + 0 so that no 0 is negative.
      out[k] = static_cast<float>(value + 0);
    }
    return out;
  }
};

template <size_t kCount>
bool AllFinite(const std::array<float, kCount>& values) {
  return AreFinite(values);
}

// Replaces values that are not finite by the last finite values before them, or
// the first ones after. Returns their number. `fallback` stands if there are no
// finite ones.
template <size_t kCount>
int64_t Repair(const std::array<float, kCount>& fallback,
               CurveValues<kCount>* curve) {
  const size_t count = curve->of[0].size();
  const auto set = [&](size_t i, const std::array<float, kCount>& value) {
    for (size_t k = 0; k < kCount; ++k) curve->of[k][i] = value[k];
  };
  size_t first = 0;
  while (first < count && !AllFinite(curve->At(first))) ++first;
  std::array<float, kCount> last = first < count ? curve->At(first) : fallback;
  int64_t repaired = 0;
  for (size_t i = 0; i < count; ++i) {
    if (AllFinite(curve->At(i))) {
      last = curve->At(i);
    } else {
      set(i, last);
      ++repaired;
    }
  }
  return repaired;
}

template <size_t kCount>
bool IsFinite(const CurveValues<kCount>& curve) {
  return std::all_of(
      curve.of.begin(), curve.of.end(),
      [](const std::vector<float>& component) { return AreFinite(component); });
}

// True if neighbours are on the same side: q and -q are the same rotation.
bool IsOnOneSide(const CurveValues<4>& curve) {
  const size_t count = curve.of[0].size();
  const float* const x = curve.of[0].data();
  const float* const y = curve.of[1].data();
  const float* const z = curve.of[2].data();
  const float* const w = curve.of[3].data();
  // The sign bit is set if one of the products is negative.
  uint32_t signs = 0;
  for (size_t i = 1; i < count; ++i) {
    signs |= std::bit_cast<uint32_t>(x[i] * x[i - 1] + y[i] * y[i - 1] +
                                     z[i] * z[i - 1] + w[i] * w[i - 1]);
  }
  return signs >> 31 == 0;
}

void TakeSides(CurveValues<4>* curve) {
  if (IsOnOneSide(*curve)) return;
  const size_t count = curve->of[0].size();
  std::array<float, 4> before = {};
  for (size_t i = 0; i < count; ++i) {
    const std::array<float, 4> q = curve->At(i);
    float dot = 0;
    for (size_t k = 0; k < 4; ++k) dot += before[k] * q[k];
    for (size_t k = 0; k < 4; ++k) before[k] = dot < 0 ? -q[k] : q[k];
    for (size_t k = 0; k < 4; ++k) curve->of[k][i] = before[k];
  }
}

// `q`, whose length is almost 1, with length 1.
std::array<float, 4> UnitOf(const std::array<float, 4>& q) {
  double square = 0;
  for (const float value : q) square += double{value} * value;
  // 1 / sqrt(square), as its series at 1.
  const double scale = 1.5 - 0.5 * square;
  std::array<float, 4> out;
  for (size_t k = 0; k < 4; ++k) out[k] = static_cast<float>(q[k] * scale);
  return out;
}

// Finds the keys of all tracks of a clip.
class TrackMaker {
 public:
  TrackMaker(const GlbFormat& format, const EncodeContext& context,
             const Space& space)
      : context_(context), space_(space) {
    radians_ = double{format.tolerance_degrees} * std::numbers::pi / 180;
    length_ = double{format.tolerance_percent} / 100 * space.scale *
              ReachOf(context.skeleton(), context.conventions, context.frames(),
                      context.clip->motion.values);
    // Without a reach, no error is known to be small.
    if (!std::isfinite(length_)) length_ = 0;
  }

  // Sets `tracks`, whose memory `memory` draws.
  absl::Status Make(std::vector<Track>* tracks, HeldMemory* memory) {
    ListTracks(tracks);
    if (tracks->empty()) return absl::OkStatus();
    PoseArray rotations;
    rotations.kind = PoseKind::kLocalRotations;
    rotations.layout = TensorLayout::kJointMajor;
    absl::Status status =
        WriteWhole(rotations, context_, [&](std::string_view bytes) {
          return FitAll({reinterpret_cast<const float*>(bytes.data()),
                         bytes.size() / sizeof(float)},
                        tracks);
        });
    for (const Track& track : *tracks) {
      memory->Adopt(KeyBytes(track, track.frames.size()));
      if (status.ok()) status = track.status;
    }
    return status;
  }

 private:
  // Of a track with `keys` keys: frame, value, and the time that is written.
  static int64_t KeyBytes(const Track& track, size_t keys) {
    return static_cast<int64_t>(keys * (2 + WidthOf(track)) * sizeof(float));
  }

  // A track for each joint with rotation channels, and one for each with
  // position channels.
  void ListTracks(std::vector<Track>* tracks) const {
    int32_t row = 0;
    for (size_t i = 0; i < context_.plan->nodes.size(); ++i) {
      const PlanNode& node = context_.plan->nodes[i];
      if (node.is_end_site) continue;
      Track track;
      track.node = static_cast<int32_t>(i);
      track.row = row++;
      const auto& columns = node.position_column;
      if (std::any_of(columns.begin(), columns.end(),
                      [](int32_t column) { return column >= 0; })) {
        tracks->push_back(track);
      }
      track.is_rotation = true;
      if (node.step_count > 0) tracks->push_back(track);
    }
  }

  // `rotations`: joint-major quaternions of all joints.
  absl::Status FitAll(std::span<const float> rotations,
                      std::vector<Track>* tracks) {
    const bool is_short = context_.frames() < 256;
    const int threads = context_.parallel == nullptr || is_short
                            ? 1
                            : context_.parallel->threads();
    HeldMemory memory(context_.budget);
    BVHMILL_RETURN_IF_ERROR(
        memory.Draw(threads * context_.frames() * kKeyFitFrameBytes));
    std::atomic<size_t> next{0};
    const auto work = [&](int64_t /*thread*/) {
      KeyFit fit;
      fit.work = WorkMeter(context_.budget);
      for (size_t i = next++; i < tracks->size(); i = next++) {
        Track& track = (*tracks)[i];
        track.status = Fit(rotations, &fit, &track);
      }
    };
    if (threads == 1) {
      work(0);
    } else {
      context_.parallel->Run(threads, work);
    }
    return absl::OkStatus();
  }

  // Draws the memory of the keys; if that fails, the track has none.
  absl::Status Fit(std::span<const float> rotations, KeyFit* fit,
                   Track* track) {
    // Reading a value, and writing its keys.
    constexpr int64_t kFrameUnits = 12;
    const auto count = static_cast<size_t>(context_.frames());
    fit->work.Spend(context_.frames() * kFrameUnits);
    if (!fit->work.ok()) return fit->work.Pay();
    if (fit->place.size() != count) {
      fit->place.resize(count);
      for (size_t i = 0; i < count; ++i) {
        fit->place[i] = static_cast<float>(i);
      }
    }
    if (track->is_rotation) {
      ReadRotations(rotations.subspan(
                        static_cast<size_t>(track->row) * count * 4, count * 4),
                    fit, track);
      FitRotationKeys(radians_, fit);
    } else {
      ReadPositions(fit, track);
      FitPositionKeys(length_, fit);
    }
    BVHMILL_RETURN_IF_ERROR(fit->work.Pay());
    BVHMILL_RETURN_IF_ERROR(
        HoldFrom(context_.budget, KeyBytes(*track, fit->keys.size())));
    track->frames = fit->keys;
    track->values.resize(fit->keys.size() * WidthOf(*track));
    float* out = track->values.data();
    for (const int32_t key : fit->keys) {
      const auto at = static_cast<size_t>(key);
      if (track->is_rotation) {
        out = std::ranges::copy(UnitOf(fit->rotation.At(at)), out).out;
      } else {
        out = std::ranges::copy(fit->position.At(at), out).out;
      }
    }
    return absl::OkStatus();
  }

  void ReadRotations(std::span<const float> quaternions, KeyFit* fit,
                     Track* track) const {
    const size_t count = quaternions.size() / 4;
    fit->rotation.Resize(count);
    // The vector part turns as a place.
    std::array<float*, 3> to;
    std::array<float, 3> sign;
    for (size_t k = 0; k < 3; ++k) {
      const AxisSource source = space_.Source(k);
      to[source.axis] = fit->rotation.of[k].data();
      sign[source.axis] = source.sign;
    }
    float* __restrict const x = to[0];
    float* __restrict const y = to[1];
    float* __restrict const z = to[2];
    float* __restrict const w = fit->rotation.of[3].data();
    const float* __restrict const q = quaternions.data();
    for (size_t i = 0; i < count; ++i) {
      x[i] = sign[0] * q[4 * i];
      y[i] = sign[1] * q[4 * i + 1];
      z[i] = sign[2] * q[4 * i + 2];
      w[i] = q[4 * i + 3];
    }
    if (!IsFinite(fit->rotation)) {
      track->repaired = Repair<4>({0, 0, 0, 1}, &fit->rotation);
    }
    TakeSides(&fit->rotation);
  }

  void ReadPositions(KeyFit* fit, Track* track) const {
    const auto count = static_cast<size_t>(context_.frames());
    const PlanNode& node =
        context_.plan->nodes[static_cast<size_t>(track->node)];
    const auto columns = static_cast<size_t>(context_.plan->columns);
    const std::span<const float> values = context_.clip->motion.values;
    fit->position.Resize(count);
    for (size_t i = 0; i < count; ++i) {
      const std::span<const float> row = values.subspan(i * columns, columns);
      std::array<float, 3> place = node.offset;
      for (size_t k = 0; k < 3; ++k) {
        const int32_t column = node.position_column[k];
        if (column >= 0) place[k] += row[static_cast<size_t>(column)];
      }
      place = space_.Placed(place);
      for (size_t k = 0; k < 3; ++k) fit->position.of[k][i] = place[k];
    }
    if (!IsFinite(fit->position)) {
      const Node& joint =
          context_.skeleton().nodes[static_cast<size_t>(track->node)];
      track->repaired = Repair<3>(space_.Placed(joint.offset), &fit->position);
    }
  }

  const EncodeContext& context_;
  const Space& space_;
  // The largest errors.
  double radians_ = 0;
  double length_ = 0;
};

// Text of JSON.

std::string Quoted(std::string_view text) {
  return nlohmann::json(text).dump(-1, ' ', false,
                                   nlohmann::json::error_handler_t::replace);
}

void Append(int64_t number, std::string* out) {
  *out += std::to_string(number);
}

void AppendVector(const std::array<float, 3>& v, std::string* out) {
  *out += '[';
  for (size_t k = 0; k < 3; ++k) {
    if (k > 0) *out += ',';
    *out += Shortest(std::isfinite(v[k]) ? v[k] : 0.0F);
  }
  *out += ']';
}

// Calls `append(i)` for each i below `count`, with commas between.
template <typename AppendOne>
void AppendList(size_t count, std::string* out, AppendOne append) {
  *out += '[';
  for (size_t i = 0; i < count; ++i) {
    if (i > 0) *out += ',';
    append(i);
  }
  *out += ']';
}

// The bones of a humanoid of VRM, for the extension VRMC_vrm_animation.

// The bones that the extension may name, and whether VRM requires them. It has
// no eyes.
std::map<std::string_view, bool> VrmBones() {
  std::map<std::string_view, bool> bones;
  const NamingScheme* const vrm = FindNamingScheme("vrm");
  if (vrm == nullptr) return bones;
  for (int i = 0; i < IndexOf(Role::kBodyRoles); ++i) {
    const auto& names = vrm->names[static_cast<size_t>(i)];
    const auto role = static_cast<Role>(i);
    if (names.empty() || role == Role::kLeftEye || role == Role::kRightEye) {
      continue;
    }
    bones[names.front()] = false;
  }
  for (const std::string_view name :
       {"hips", "spine", "head", "leftUpperLeg", "leftLowerLeg", "leftFoot",
        "rightUpperLeg", "rightLowerLeg", "rightFoot", "leftUpperArm",
        "leftLowerArm", "leftHand", "rightUpperArm", "rightLowerArm",
        "rightHand"}) {
    bones[name] = true;
  }
  return bones;
}

// The node of each bone; empty unless all bones that VRM requires are there.
std::map<std::string_view, int32_t> FindVrmBones(const Skeleton& skeleton) {
  static const auto* const kBones = new std::map(VrmBones());
  std::map<std::string_view, int32_t> found;
  for (size_t i = 0; i < skeleton.nodes.size(); ++i) {
    if (IsEndSite(skeleton.nodes[i])) continue;
    const auto bone = kBones->find(skeleton.nodes[i].name);
    if (bone != kBones->end()) {
      found.emplace(bone->first, static_cast<int32_t>(i));
    }
  }
  for (const auto& [name, is_required] : *kBones) {
    if (is_required && !found.contains(name)) return {};
  }
  return found;
}

// Writes the file of one clip.
class GlbWriter {
 public:
  GlbWriter(const GlbFormat& format, const EncodeContext& context)
      : format_(format), context_(context) {
    if (context.meters_per_unit > 0) space_.scale = context.meters_per_unit;
    space_.up = HeightAxis(context.up_axis);
  }

  absl::Status Write(Sink* sink) {
    BVHMILL_RETURN_IF_ERROR(CheckTimes());
    HeldMemory memory(context_.budget);
    BVHMILL_RETURN_IF_ERROR(DrawForText(&memory));
    BVHMILL_RETURN_IF_ERROR(
        TrackMaker(format_, context_, space_).Make(&tracks_, &memory));
    if (context_.frames() == 0) tracks_.clear();
    LogRepairs();
    KeepDuration();
    ListTimes();
    std::string json = Json();
    json.resize((json.size() + 3) / 4 * 4, ' ');
    const int64_t bytes =
        kHeads + static_cast<int64_t>(json.size()) + NumberBytes();
    if (bytes > std::numeric_limits<uint32_t>::max()) {
      return MakeStatus(absl::StatusCode::kFailedPrecondition,
                        "a .glb has at most 4 GiB; lower the rate, cut the "
                        "clip, or raise the tolerance");
    }
    const bool has_numbers = !tracks_.empty();
    const auto size = static_cast<uint32_t>(has_numbers ? bytes : bytes - 8);
    constexpr uint32_t kMagic = 0x46546C67;  // "glTF"
    constexpr uint32_t kJson = 0x4E4F534A;   // "JSON"
    constexpr uint32_t kBin = 0x004E4942;    // "BIN"
    const std::array<uint32_t, 5> head = {
        kMagic, 2, size, static_cast<uint32_t>(json.size()), kJson};
    BVHMILL_RETURN_IF_ERROR(
        sink->Append(BytesOf(std::span<const uint32_t>(head))));
    BVHMILL_RETURN_IF_ERROR(sink->Append(json));
    if (!has_numbers) return absl::OkStatus();
    const std::array<uint32_t, 2> chunk = {static_cast<uint32_t>(NumberBytes()),
                                           kBin};
    BVHMILL_RETURN_IF_ERROR(
        sink->Append(BytesOf(std::span<const uint32_t>(chunk))));
    return WriteNumbers(sink);
  }

 private:
  // Bytes of the heads of the file and of its two chunks.
  static constexpr int64_t kHeads = 28;

  // The keys of tracks at the same frames share their times.
  using Times = std::map<std::vector<int32_t>, int32_t>;

  // Requires that the times of frames are different numbers. glTF has float32.
  absl::Status CheckTimes() const {
    const double frame_time = context_.clip->motion.frame_time;
    constexpr int64_t kMostFrames = int64_t{1} << 24;
    if (context_.frames() > kMostFrames) {
      return MakeStatus(absl::StatusCode::kFailedPrecondition,
                        "a .glb has times for at most 16777216 frames");
    }
    constexpr double kLeast = 1e-30;
    const bool is_good = HasRate(frame_time) && frame_time > kLeast &&
                         std::isfinite(SecondsOf(context_.frames()));
    if (context_.frames() < 2 || is_good) return absl::OkStatus();
    context_.log->Add(IssueCode::TARGET_FRAME_TIME, {},
                      {{"output", "the keys of a .glb"}});
    return MakeCallError({.code = absl::StatusCode::kFailedPrecondition,
                          .reason = std::string(kFrameRateUnknown),
                          .message = "a .glb needs a frame time"});
  }

  float SecondsOf(int64_t frame) const {
    if (frame == 0) return 0;
    return static_cast<float>(static_cast<double>(frame) *
                              context_.clip->motion.frame_time);
  }

  absl::Status DrawForText(HeldMemory* memory) {
    constexpr int64_t kNodeBytes = 1200;
    // A character becomes at most \uNNNN.
    constexpr int64_t kByteBytes = 8;
    constexpr int64_t kNodeWork = 2000;
    const auto nodes = static_cast<int64_t>(context_.skeleton().nodes.size());
    int64_t bytes = nodes * kNodeBytes;
    for (const Node& node : context_.skeleton().nodes) {
      bytes += kByteBytes * static_cast<int64_t>(node.name.size());
    }
    BVHMILL_RETURN_IF_ERROR(WorkFrom(context_.budget, nodes * kNodeWork));
    return memory->Draw(bytes);
  }

  void LogRepairs() {
    for (const Track& track : tracks_) {
      if (track.repaired == 0) continue;
      Location location;
      location.joint = track.node;
      location.joint_name = DisplayName(context_.skeleton(), track.node);
      context_.log->Add(IssueCode::ANIM_VALUE_NOT_FINITE, location,
                        {{"joint", Quote(location.joint_name)}},
                        track.repaired);
    }
  }

  // An animation ends with its last key. If nothing moves, a second key of the
  // first track keeps the duration of the clip.
  void KeepDuration() {
    const auto last = static_cast<int32_t>(context_.frames() - 1);
    const bool ends = std::any_of(
        tracks_.begin(), tracks_.end(),
        [&](const Track& track) { return track.frames.back() == last; });
    if (ends || tracks_.empty()) return;
    Track& first = tracks_.front();
    first.frames.push_back(last);
    const size_t width = first.values.size();
    first.values.resize(2 * width);
    std::copy_n(first.values.begin(), width, first.values.begin() + width);
  }

  void ListTimes() {
    for (const Track& track : tracks_) {
      const auto [it, is_new] = times_.emplace(
          track.frames, static_cast<int32_t>(time_lists_.size()));
      if (is_new) time_lists_.push_back(&it->first);
    }
  }

  int64_t ValuesOf(bool rotations) const {
    size_t count = 0;
    for (const Track& track : tracks_) {
      if (track.is_rotation == rotations) count += track.values.size();
    }
    return static_cast<int64_t>(count);
  }
  int64_t TimesCount() const {
    size_t count = 0;
    for (const std::vector<int32_t>* frames : time_lists_) {
      count += frames->size();
    }
    return static_cast<int64_t>(count);
  }
  int64_t NumberBytes() const {
    return 4 * (TimesCount() + ValuesOf(true) + ValuesOf(false));
  }

  // The numbers are times, then rotations, then translations.
  absl::Status WriteNumbers(Sink* sink) const {
    std::vector<float> seconds;
    for (const std::vector<int32_t>* frames : time_lists_) {
      seconds.clear();
      for (const int32_t frame : *frames) seconds.push_back(SecondsOf(frame));
      BVHMILL_RETURN_IF_ERROR(
          sink->Append(BytesOf(std::span<const float>(seconds))));
    }
    for (const bool rotations : {true, false}) {
      for (const Track& track : tracks_) {
        if (track.is_rotation != rotations) continue;
        BVHMILL_RETURN_IF_ERROR(
            sink->Append(BytesOf(std::span<const float>(track.values))));
      }
    }
    return absl::OkStatus();
  }

  // The whole JSON.
  std::string Json() {
    ListNodes();
    std::string out = R"({"asset":{"version":"2.0","generator":"bvhmill"})";
    AppendVrm(&out);
    AppendScene(&out);
    AppendNodes(&out);
    AppendSkins(&out);
    if (!tracks_.empty()) {
      AppendAnimation(&out);
      AppendAccessors(&out);
      AppendViews(&out);
    }
    return out += '}';
  }

  // Numbers the nodes of the file.
  void ListNodes() {
    const std::vector<Node>& nodes = context_.skeleton().nodes;
    number_.assign(nodes.size(), -1);
    for (size_t i = 0; i < nodes.size(); ++i) {
      if (IsEndSite(nodes[i]) && !format_.with_end_sites) continue;
      number_[i] = static_cast<int32_t>(listed_.size());
      listed_.push_back(static_cast<int32_t>(i));
      children_.emplace_back();
      const int32_t parent = nodes[i].parent;
      (parent < 0 ? roots_
                  : children_[static_cast<size_t>(
                        number_[static_cast<size_t>(parent)])])
          .push_back(number_[i]);
    }
  }

  static void AppendNumbers(const std::vector<int32_t>& numbers,
                            std::string* out) {
    AppendList(numbers.size(), out, [&](size_t i) { Append(numbers[i], out); });
  }

  void AppendVrm(std::string* out) const {
    const auto bones = FindVrmBones(context_.skeleton());
    if (bones.empty()) return;
    *out += R"(,"extensionsUsed":["VRMC_vrm_animation"],"extensions":)"
            R"({"VRMC_vrm_animation":{"specVersion":"1.0","humanoid":)"
            R"({"humanBones":)";
    char before = '{';
    for (const auto& [name, node] : bones) {
      *out += before;
      *out += Quoted(name) + ":{\"node\":";
      Append(number_[static_cast<size_t>(node)], out);
      *out += '}';
      before = ',';
    }
    *out += "}}}}";
  }

  // What is known of the space is in the extras: importers show these.
  void AppendScene(std::string* out) const {
    *out += R"(,"scene":0,"scenes":[{)";
    if (!roots_.empty()) {
      *out += "\"nodes\":";
      AppendNumbers(roots_, out);
      *out += ',';
    }
    const double frame_time = context_.clip->motion.frame_time;
    *out += R"("extras":{"unit":)";
    *out += context_.meters_per_unit > 0 ? R"("m")" : R"("unknown")";
    *out += R"(,"up_axis":)";
    *out += context_.up_axis == UpAxis::kUnknown ? R"("unknown")" : R"("y")";
    *out += R"(,"frames":)";
    Append(context_.frames(), out);
    *out += R"(,"frame_time":)";
    *out += std::isfinite(frame_time) ? Shortest(frame_time) : "null";
    *out += "}}]";
  }

  void AppendNodes(std::string* out) const {
    if (listed_.empty()) return;
    const Skeleton& skeleton = context_.skeleton();
    std::string name;
    *out += ",\"nodes\":";
    AppendList(listed_.size(), out, [&](size_t i) {
      DisplayNameInto(skeleton, listed_[i], &name);
      *out += "{\"name\":" + Quoted(name) + ",\"translation\":";
      const Node& node = skeleton.nodes[static_cast<size_t>(listed_[i])];
      AppendVector(space_.Placed(node.offset), out);
      if (!children_[i].empty()) {
        *out += ",\"children\":";
        AppendNumbers(children_[i], out);
      }
      *out += '}';
    });
  }

  // A skin for each root, without a mesh: it makes nodes bones, which programs
  // show as a skeleton. The nodes of a root are in one piece.
  void AppendSkins(std::string* out) const {
    if (roots_.empty()) return;
    *out += ",\"skins\":";
    AppendList(roots_.size(), out, [&](size_t i) {
      const int32_t end = i + 1 < roots_.size()
                              ? roots_[i + 1]
                              : static_cast<int32_t>(listed_.size());
      std::vector<int32_t> joints(static_cast<size_t>(end - roots_[i]));
      std::iota(joints.begin(), joints.end(), roots_[i]);
      *out += "{\"joints\":";
      AppendNumbers(joints, out);
      *out += '}';
    });
  }

  // Sampler and channel i are those of track i. The accessors are those of the
  // times, then those of the tracks.
  void AppendAnimation(std::string* out) const {
    *out += R"(,"animations":[{"name":"motion","samplers":)";
    AppendList(tracks_.size(), out, [&](size_t i) {
      *out += "{\"input\":";
      Append(times_.at(tracks_[i].frames), out);
      *out += ",\"output\":";
      Append(static_cast<int64_t>(time_lists_.size() + i), out);
      *out += R"(,"interpolation":"LINEAR"})";
    });
    *out += ",\"channels\":";
    AppendList(tracks_.size(), out, [&](size_t i) {
      *out += "{\"sampler\":";
      Append(static_cast<int64_t>(i), out);
      *out += ",\"target\":{\"node\":";
      Append(number_[static_cast<size_t>(tracks_[i].node)], out);
      *out += tracks_[i].is_rotation ? R"(,"path":"rotation"}})"
                                     : R"(,"path":"translation"}})";
    });
    *out += "}]";
  }

  void AppendAccessors(std::string* out) const {
    *out += ",\"accessors\":";
    // The bytes so far in each view.
    std::array<int64_t, 3> at = {};
    const auto append = [&](size_t view, size_t count, std::string_view type) {
      *out += "{\"bufferView\":";
      Append(ViewNumber(view), out);
      *out += ",\"byteOffset\":";
      Append(at[view], out);
      *out += ",\"componentType\":5126,\"count\":";
      Append(static_cast<int64_t>(count), out);
      out->append(",\"type\":\"").append(type).append("\"");
    };
    AppendList(time_lists_.size() + tracks_.size(), out, [&](size_t i) {
      if (i < time_lists_.size()) {
        const std::vector<int32_t>& frames = *time_lists_[i];
        append(0, frames.size(), "SCALAR");
        // The least and the largest number, exactly.
        *out += ",\"min\":[" + Shortest(double{SecondsOf(frames.front())});
        *out += "],\"max\":[" + Shortest(double{SecondsOf(frames.back())});
        *out += "]}";
        at[0] += static_cast<int64_t>(frames.size() * sizeof(float));
        return;
      }
      const Track& track = tracks_[i - time_lists_.size()];
      const size_t view = track.is_rotation ? 1 : 2;
      append(view, track.frames.size(), track.is_rotation ? "VEC4" : "VEC3");
      *out += '}';
      at[view] += static_cast<int64_t>(track.values.size() * sizeof(float));
    });
  }

  // A view without numbers is left out.
  int64_t ViewNumber(size_t view) const {
    return view == 2 && ValuesOf(true) == 0 ? 1 : static_cast<int64_t>(view);
  }

  void AppendViews(std::string* out) const {
    int64_t at = 0;
    *out += ",\"bufferViews\":[";
    for (const int64_t count :
         {TimesCount(), ValuesOf(true), ValuesOf(false)}) {
      if (count == 0) continue;
      if (at > 0) *out += ',';
      *out += "{\"buffer\":0,\"byteOffset\":";
      Append(at, out);
      *out += ",\"byteLength\":";
      Append(4 * count, out);
      *out += '}';
      at += 4 * count;
    }
    *out += "],\"buffers\":[{\"byteLength\":";
    Append(at, out);
    *out += "}]";
  }

  const GlbFormat& format_;
  const EncodeContext& context_;
  Space space_;
  std::vector<Track> tracks_;
  Times times_;
  std::vector<const std::vector<int32_t>*> time_lists_;
  // Of each node of the skeleton: its number in the file, or -1.
  std::vector<int32_t> number_;
  // The nodes of the file, as nodes of the skeleton, and their children.
  std::vector<int32_t> listed_;
  std::vector<std::vector<int32_t>> children_;
  std::vector<int32_t> roots_;
};

}  // namespace

absl::Status CheckGlbFormat(const GlbFormat& /*format*/) {
  return absl::OkStatus();
}

int64_t DescribeGlbFormat(const GlbFormat& /*format*/,
                          const Skeleton& /*skeleton*/, int64_t /*frames*/,
                          OutputInfo* info) {
  return DescribeUnknownSize(info);
}

absl::Status EncodeGlbFormat(const GlbFormat& format,
                             const EncodeContext& context, Sink* sink) {
  return GlbWriter(format, context).Write(sink);
}

}  // namespace bvhmill
