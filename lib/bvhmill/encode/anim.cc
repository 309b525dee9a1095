#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "bvhmill/anim/anim_reader.h"
#include "bvhmill/anim/anim_writer.h"
#include "bvhmill/anim/clip_to_anim.h"
#include "bvhmill/anim/viewer_import.h"
#include "bvhmill/base/status.h"
#include "bvhmill/edit/joint_map.h"
#include "bvhmill/encode/anim_target.h"
#include "bvhmill/encode/encoders.h"

namespace bvhmill {
namespace {

ClipToAnimOptions ConversionOptions(const AnimFormat& format) {
  ClipToAnimOptions options;
  options.reference = format.reference;
  options.match_limbs = format.match_limbs;
  options.scale_to_avatar = format.scale_to_avatar;
  options.max_degrees = format.max_degrees;
  options.max_millimetres = format.max_millimetres;
  options.max_bytes = format.max_bytes;
  options.settings = format.settings;
  return options;
}

// The first node of that name; none for a name that only the avatar has.
std::optional<int32_t> NodeCalled(const std::string& name,
                                  const Skeleton& skeleton) {
  const auto& nodes = skeleton.nodes;
  const auto it = std::find_if(nodes.begin(), nodes.end(),
                               [&](const Node& n) { return n.name == name; });
  if (it == nodes.end()) return std::nullopt;
  return static_cast<int32_t>(it - nodes.begin());
}

// Fields of AnimSettings that requests call otherwise.
struct FieldName {
  std::string_view own;
  std::string_view asked;
};
constexpr FieldName kFieldNames[] = {{"base_priority", "priority"},
                                     {"loop_in", "loop_in_seconds"},
                                     {"loop_out", "loop_out_seconds"},
                                     {"ease_in", "ease_in_seconds"},
                                     {"ease_out", "ease_out_seconds"}};

// "field: why" as "anim.field: why", the field as in requests.
std::string InWordsOfRequests(std::string_view message) {
  const size_t colon = std::min(message.find(':'), message.size());
  std::string_view field = message.substr(0, colon);
  for (const auto& [own, asked] : kFieldNames) {
    if (field == own) field = asked;
  }
  return "anim." + std::string(field) + std::string(message.substr(colon));
}

absl::Status Refusal() {
  return MakeStatus(absl::StatusCode::kFailedPrecondition,
                    "an .anim cannot hold the clip");
}

// The rows are kept: the conversion needs all of them.
class AnimEncoder final : public Encoder {
 public:
  explicit AnimEncoder(AnimFormat format) : format_(std::move(format)) {
    needs_.frame_count = true;
    needs_.log = true;
  }

  const EncoderNeeds& Needs() const override { return needs_; }

  void Describe(const EncodeContext& /*context*/,
                OutputInfo* info) const override {
    info->media_type = kAnimMediaType;
    info->size_bytes = -1;
    info->tensor.reset();
  }

  void Check(const EncodeContext& context) const override {
    CheckAnimTarget(format_, context);
  }

  absl::Status Begin(const EncodeContext& context, Sink* /*sink*/) override {
    context_ = context;
    clip_.skeleton = *context.skeleton;
    clip_.motion.frames = context.frames;
    clip_.motion.frame_time = context.frame_time;
    clip_.motion.values.clear();
    return absl::OkStatus();
  }

  absl::Status Add(const PoseTile& tile, PoseSpans /*arrays*/,
                   Sink* /*sink*/) override {
    auto& values = clip_.motion.values;
    values.insert(values.end(), tile.values.begin(), tile.values.end());
    return absl::OkStatus();
  }

  absl::Status End(PoseSpans /*arrays*/, Sink* sink) override {
    AnimMotion motion;
    BVHMILL_RETURN_IF_ERROR(format_.profile == AnimProfile::kViewer
                                ? ConvertAsViewer(&motion)
                                : ConvertBest(&motion));
    BVHMILL_RETURN_IF_ERROR(LogChecks(motion));
    return WriteAnim(motion, sink);
  }

 private:
  absl::Status ConvertAsViewer(AnimMotion* motion) {
    if (!ImportAsViewer(clip_, motion, context_.log)) return Refusal();
    ApplySettings(format_.settings, motion);
    return absl::OkStatus();
  }

  absl::Status ConvertBest(AnimMotion* motion) {
    ClipToAnimOptions options = ConversionOptions(format_);
    options.joint_names = AvatarNames(format_, clip_.skeleton);
    options.conventions = context_.conventions;
    if (context_.meters_per_unit > 0) {
      options.metres_per_unit = context_.meters_per_unit;
    }
    ClipToAnimResult result;
    BVHMILL_RETURN_IF_ERROR(ClipToAnim(clip_, options, &result, context_.log));
    if (!result.converted) return Refusal();
    *motion = std::move(result.motion);
    return absl::OkStatus();
  }

  // What the viewer says to the file. Its places are none of the clip's.
  absl::Status LogChecks(const AnimMotion& motion) {
    IssueLog log({});
    AnimReadResult result;
    BVHMILL_RETURN_IF_ERROR(CheckAnim(motion, &result, &log));
    for (Issue& issue : log.Finish(true, true).issues) {
      Location location;
      location.joint_name = issue.location.joint_name;
      location.joint = NodeCalled(location.joint_name, clip_.skeleton);
      context_.log->Add(FindEntry(issue.code)->code, location,
                        std::move(issue.args), issue.occurrences);
    }
    return result.plays ? absl::OkStatus() : Refusal();
  }

  AnimFormat format_;
  EncoderNeeds needs_;
  EncodeContext context_;
  Clip clip_;
};

}  // namespace

absl::Status CheckAnimFormat(const AnimFormat& format) {
  const absl::Status status = CheckOptions(ConversionOptions(format), {});
  if (!status.ok()) {
    return MakeStatus(status.code(), InWordsOfRequests(MessageOf(status)));
  }
  if (format.joint_map.empty()) return absl::OkStatus();
  if (format.profile == AnimProfile::kViewer) {
    return InvalidField("anim.joint_map", "the viewer knows no maps");
  }
  const std::vector<std::string_view> maps = JointMapNames();
  const bool is_known =
      std::find(maps.begin(), maps.end(), format.joint_map) != maps.end();
  return is_known ? absl::OkStatus()
                  : InvalidField("anim.joint_map", "there is no such map");
}

std::unique_ptr<Encoder> MakeAnimEncoder(const AnimFormat& format) {
  return std::make_unique<AnimEncoder>(format);
}

}  // namespace bvhmill
