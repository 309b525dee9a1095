#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "bvhmill/anim/avatar/avatar.h"
#include "bvhmill/anim/clip_to_anim.h"
#include "bvhmill/anim/format/anim_file.h"
#include "bvhmill/anim/format/anim_motion.h"
#include "bvhmill/anim/viewer/viewer_import.h"
#include "bvhmill/base/budget.h"
#include "bvhmill/base/sink.h"
#include "bvhmill/base/status.h"
#include "bvhmill/base/text.h"
#include "bvhmill/edit/edit_clip.h"
#include "bvhmill/edit/joint_map.h"
#include "bvhmill/edit/up_guess.h"
#include "bvhmill/encode/anim_target.h"
#include "bvhmill/encode/encode.h"
#include "bvhmill/report/issue_log.h"

namespace bvhmill {
namespace {

// The smaller of the limits on the size of the file, for the profile kBest; 0:
// there is none.
int64_t MaxBytes(const AnimFormat& format) {
  if (!format.upload) return format.max_bytes;
  const int64_t most = kMaxAnimUploadBytes;
  return format.max_bytes > 0 ? std::min(format.max_bytes, most) : most;
}

ClipToAnimOptions ConversionOptions(const AnimFormat& format) {
  ClipToAnimOptions options;
  options.reference = format.reference;
  options.match_limbs = format.match_limbs;
  options.scale_to_avatar = format.scale_to_avatar;
  options.max_degrees = format.max_degrees;
  options.max_mm = format.max_mm;
  options.max_bytes = MaxBytes(format);
  options.max_degrees_limit = format.max_degrees_limit;
  options.accept_odd = format.accept_odd;
  options.settings = format.settings;
  return options;
}

// The first node of each name, as it is shown.
using NodesByName = std::unordered_map<std::string, int32_t>;

NodesByName NodesOf(const Skeleton& skeleton) {
  NodesByName nodes;
  for (size_t i = 0; i < skeleton.nodes.size(); ++i) {
    nodes.emplace(ToUtf8(skeleton.nodes[i].name), static_cast<int32_t>(i));
  }
  return nodes;
}

// Without a joint index if only the avatar has a joint of this name.
Location LocationOf(const std::string& name, const NodesByName& nodes) {
  Location location;
  location.joint_name = ToUtf8(name);
  const auto it = nodes.find(location.joint_name);
  if (it != nodes.end()) location.joint = it->second;
  return location;
}

// `status` with its field inside the format: "anim.field".
absl::Status InsideAnim(const absl::Status& status) {
  CallError error = CallErrorOf(status);
  error.field.insert(0, "anim.");
  return MakeCallError(std::move(error));
}

// A list of the joints that the avatar does not have.
struct UnknownJoints {
  std::string names;
  int64_t count = 0;

  void Add(const std::string& name, int64_t occurrences) {
    constexpr int64_t kMaxNamed = 10;
    if (count < kMaxNamed) names += (count > 0 ? ", " : "") + Quote(name);
    if (count == kMaxNamed) names += ", ...";
    count += occurrences;
  }
};

absl::Status Refusal() {
  return MakeStatus(absl::StatusCode::kFailedPrecondition,
                    "an .anim cannot hold the clip");
}

// Makes the animation of one clip.
class AnimMaker {
 public:
  AnimMaker(const AnimFormat& format, const EncodeContext& context)
      : format_(format), context_(context) {}

  absl::Status Write(Sink* sink) {
    // Encoding a row takes about as long as writing it as text.
    constexpr int64_t kChannelUnits = 24;
    const auto channels =
        static_cast<int64_t>(context_.skeleton().channels.size());
    const int64_t errors = context_.log->errors();
    CheckAnimTarget(format_, context_);
    if (context_.log->errors() > errors) return Refusal();
    BVHMILL_RETURN_IF_ERROR(WorkFrom(
        context_.budget, context_.frames() * (1 + kChannelUnits * channels)));
    HeldMemory memory(context_.budget);
    AnimMotion motion;
    BVHMILL_RETURN_IF_ERROR(format_.profile == AnimProfile::kViewer
                                ? ConvertAsViewer(&motion)
                                : ConvertBest(&motion));
    memory.Adopt(KeyBytes(motion));
    LogLoop(motion.duration);
    BVHMILL_RETURN_IF_ERROR(DrawForFile(motion, &memory));
    std::string bytes;
    StringSink file(&bytes);
    BVHMILL_RETURN_IF_ERROR(WriteAnim(motion, &file));
    BVHMILL_RETURN_IF_ERROR(LogChecks(bytes));
    return sink->Append(bytes);
  }

 private:
  // Draws memory for the bytes of the file, of which two copies exist while it
  // is written, and for the keys that are read back from it.
  absl::Status DrawForFile(const AnimMotion& motion, HeldMemory* memory) {
    constexpr int64_t kByteUnits = 4;
    const auto bytes = static_cast<int64_t>(AnimBytes(motion));
    BVHMILL_RETURN_IF_ERROR(memory->Draw(2 * bytes + KeyBytes(motion)));
    return WorkFrom(context_.budget, bytes * kByteUnits);
  }

  // Logs that the loop was asked to go beyond the end, by more than a rounded
  // time.
  void LogLoop(float duration) {
    constexpr float kRounding = 0.001F;
    const AnimSettings& settings = format_.settings;
    const float asked =
        std::max(settings.loop_in.value_or(0), settings.loop_out.value_or(0));
    if (asked <= duration + kRounding) return;
    context_.log->Add(IssueCode::ANIM_LOOP_CLAMPED, {},
                      {{"asked", Short(asked)}, {"seconds", Short(duration)}});
  }

  absl::Status ConvertAsViewer(AnimMotion* motion) {
    const absl::Status status =
        ImportAsViewer(*context_.clip, motion, context_.log, context_.budget);
    if (absl::IsFailedPrecondition(status)) return Refusal();
    BVHMILL_RETURN_IF_ERROR(status);
    ApplySettings(format_.settings, motion);
    LogClamped(*motion);
    return CheckSize(static_cast<int64_t>(AnimBytes(*motion)));
  }

  // Logs the clamped positions of each joint. A position at the end of its
  // range was farther away, except if it was that value exactly.
  void LogClamped(const AnimMotion& motion) {
    const auto is_at_end = [](uint16_t code) {
      return code == 0 || code == std::numeric_limits<uint16_t>::max();
    };
    const NodesByName nodes = NodesOf(context_.skeleton());
    for (const AnimJoint& joint : motion.joints) {
      const auto count = std::count_if(
          joint.positions.begin(), joint.positions.end(),
          [&](const AnimKey& key) {
            return is_at_end(key.x) || is_at_end(key.y) || is_at_end(key.z);
          });
      if (count == 0) continue;
      context_.log->Add(IssueCode::ANIM_POSITION_CLAMPED,
                        LocationOf(joint.name, nodes),
                        {{"joint", Quote(joint.name)}}, count);
    }
  }

  // With the profile kViewer the clip is checked like a file for upload:
  // unknown joints are refused.
  bool RefusesUnknown() const {
    return format_.profile == AnimProfile::kViewer && !format_.accept_odd;
  }

  // With the profile kViewer only uploads have a limit.
  absl::Status CheckSize(int64_t bytes) {
    if (!format_.upload || bytes <= kMaxAnimUploadBytes) {
      return absl::OkStatus();
    }
    context_.log->Add(IssueCode::ANIM_UPLOAD_LARGE, {},
                      {{"bytes", std::to_string(bytes)}});
    return Refusal();
  }

  absl::Status ConvertBest(AnimMotion* motion) {
    const auto nodes = static_cast<int64_t>(context_.skeleton().nodes.size());
    HeldMemory memory(context_.budget);
    BVHMILL_RETURN_IF_ERROR(memory.Draw(nodes * kAvatarNameBytes));
    BVHMILL_RETURN_IF_ERROR(
        WorkFrom(context_.budget, nodes * kAvatarNameUnits));
    ClipToAnimOptions options = ConversionOptions(format_);
    options.joint_names = NameAvatarJoints(format_, context_.skeleton()).names;
    options.by_stated_map =
        !format_.joint_map_rows.empty() ||
        (!format_.joint_map.empty() && format_.joint_map != kAutoAnimMap);
    options.conventions = context_.conventions;
    options.metres_per_unit = context_.meters_per_unit;
    Clip turned;
    UpAxis up = UpAxis::kUnknown;
    BVHMILL_RETURN_IF_ERROR(FindUpAxis(&up));
    const bool turns = up == UpAxis::kX || up == UpAxis::kZ;
    if (turns) BVHMILL_RETURN_IF_ERROR(TurnUp(up, &memory, &turned));
    ClipToAnimResult result;
    BVHMILL_RETURN_IF_ERROR(ClipToAnim(turns ? turned : *context_.clip, options,
                                       &result, context_.log, context_.budget));
    if (!result.converted) return Refusal();
    *motion = std::move(result.motion);
    return absl::OkStatus();
  }

  // If the up axis is not stated, the clip may show it.
  absl::Status FindUpAxis(UpAxis* up) {
    *up = context_.up_axis;
    if (*up != UpAxis::kUnknown) return absl::OkStatus();
    const auto guess =
        GuessUpAxis(*context_.clip, context_.conventions, 0, context_.budget);
    if (!guess.ok()) return guess.status();
    *up = guess->axis;
    if (*up != UpAxis::kZ) return absl::OkStatus();
    context_.log->Add(IssueCode::EDIT_UP_AXIS_GUESSED, {},
                      {{"axis", "Z"}, {"evidence", guess->evidence}});
    return absl::OkStatus();
  }

  // The avatar needs a clip with Y up.
  absl::Status TurnUp(UpAxis up, HeldMemory* memory, Clip* turned) {
    const Clip& clip = *context_.clip;
    BVHMILL_RETURN_IF_ERROR(memory->Draw(
        SkeletonBytes(clip.skeleton) +
        static_cast<int64_t>(clip.motion.values.size() * sizeof(float))));
    *turned = clip;
    ClipEdits edits;
    edits.source.up_axis = up;
    edits.to_up = UpAxis::kY;
    return EditClip(edits, context_.conventions, {}, context_.budget, turned,
                    nullptr);
  }

  // Reads the file back and logs the issues that the viewer has with it.
  // Positions in the file are left out, since they are not positions in the
  // clip.
  absl::Status LogChecks(std::string_view bytes) {
    AnimReadOptions no_limits;
    no_limits.limits.max_clip_bytes = 0;
    no_limits.limits.max_name_bytes = 0;
    IssueLog log({});
    const AnimReadResult result = ReadAnim(bytes, no_limits, &log);
    Report report = log.Finish(true, true);
    NodesByName nodes;
    if (!report.issues.empty()) nodes = NodesOf(context_.skeleton());
    UnknownJoints unknown;
    for (Issue& issue : report.issues) {
      const IssueCode code = FindEntry(issue.code)->code;
      if (code == IssueCode::ANIM_JOINT_UNKNOWN && RefusesUnknown()) {
        unknown.Add(issue.location.joint_name, issue.occurrences);
        continue;
      }
      context_.log->Add(code, LocationOf(issue.location.joint_name, nodes),
                        std::move(issue.args), issue.occurrences);
    }
    if (unknown.count > 0) {
      context_.log->Add(IssueCode::ANIM_JOINT_REFUSED, {},
                        {{"joints", unknown.names}}, unknown.count);
      return Refusal();
    }
    return result.plays ? absl::OkStatus() : Refusal();
  }

  const AnimFormat& format_;
  const EncodeContext& context_;
};

absl::Status CheckRows(const std::vector<JointMapRow>& rows) {
  for (size_t i = 0; i < rows.size(); ++i) {
    if (FindAvatarJoint(rows[i].target) >= 0) continue;
    std::vector<std::string_view> names;
    for (const AvatarJoint& joint : AvatarJoints()) names.push_back(joint.name);
    return InvalidField("anim.map_rows[" + std::to_string(i) + "].target",
                        "the avatar has no joint " + Quote(rows[i].target) +
                            DidYouMean(rows[i].target, names));
  }
  return absl::OkStatus();
}

absl::Status CheckMap(const AnimFormat& format) {
  const std::string_view name = format.joint_map;
  const bool has_rows = !format.joint_map_rows.empty();
  if (name.empty() && !has_rows) return absl::OkStatus();
  if (format.profile == AnimProfile::kViewer) {
    return InvalidField("anim.map", "cannot be used with the viewer profile");
  }
  if (has_rows && !name.empty()) {
    return InvalidField("anim.map", "cannot be used together with map_rows");
  }
  if (has_rows) return CheckRows(format.joint_map_rows);
  if (name == kAutoAnimMap || name == kOwnAnimMap) return absl::OkStatus();
  std::vector<std::string_view> maps = JointMapNames();
  if (std::find(maps.begin(), maps.end(), name) != maps.end()) {
    return absl::OkStatus();
  }
  maps.insert(maps.begin(), {kAutoAnimMap, kOwnAnimMap});
  std::string known;
  for (const std::string_view map : maps) {
    known.append(known.empty() ? "" : ", ").append(map);
  }
  return InvalidField("anim.map", "there is no map " + Quote(name) +
                                      "; there are " + known +
                                      DidYouMean(name, maps));
}

}  // namespace

absl::Status CheckAnimFormat(const AnimFormat& format) {
  const absl::Status status = CheckOptions(ConversionOptions(format), {});
  return status.ok() ? CheckMap(format) : InsideAnim(status);
}

int64_t DescribeAnimFormat(const AnimFormat& /*format*/,
                           const Skeleton& /*skeleton*/, int64_t /*frames*/,
                           OutputInfo* info) {
  return DescribeUnknownSize(info);
}

absl::Status EncodeAnimFormat(const AnimFormat& format,
                              const EncodeContext& context, Sink* sink) {
  return AnimMaker(format, context).Write(sink);
}

}  // namespace bvhmill
