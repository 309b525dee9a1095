#include "client/cli/ui/clip_facts.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "bvhmill/base/text.h"
#include "bvhmill/skeletons/recognize.h"
#include "client/cli/ui/json_text.h"

namespace bvhmill::client {
namespace {

Recognition RecognizeJoints(const ClipInfo& info) {
  Skeleton skeleton;
  for (const JointInfo& joint : info.joints) {
    Node node;
    node.name = joint.name;
    // A server may send any number.
    const auto at = static_cast<int32_t>(skeleton.nodes.size());
    node.parent = joint.parent >= 0 && joint.parent < at ? joint.parent : -1;
    node.kind = joint.end_site ? NodeKind::kEndSite : NodeKind::kJoint;
    skeleton.nodes.push_back(std::move(node));
  }
  return Recognize(skeleton);
}

// "mixamo, 22 of 22 joints, prefix mixamorig:"; "mixed, 20 of 22 joints" for
// names of several schemes; "unknown".
std::string NamingText(const ClipInfo& info) {
  const Recognition found = RecognizeJoints(info);
  if (found.matched == 0) return "unknown";
  std::string out(found.scheme == nullptr ? "mixed" : found.scheme->name);
  out += ", " + std::to_string(found.matched) + " of " +
         Count(found.joints, "joint");
  if (!found.prefix.empty()) out += ", prefix " + Printable(found.prefix);
  return out;
}

}  // namespace

std::string NamingJson(const ClipInfo& info) {
  const Recognition found = RecognizeJoints(info);
  return JsonObject(
      {{"scheme",
        found.scheme == nullptr ? "null" : JsonQuote(found.scheme->name)},
       {"prefix", JsonQuote(found.prefix)},
       {"matched", std::to_string(found.matched)}});
}

std::span<const Column> ClipColumns() {
  static const Column kColumns[] = {
      {"CLIP", Align::kLeft},     {"JOINTS", Align::kRight},
      {"FRAMES", Align::kRight},  {"FPS", Align::kRight},
      {"SECONDS", Align::kRight}, {"HEIGHT", Align::kRight},
      {"NAMES", Align::kLeft}};
  return kColumns;
}

std::vector<std::string> ClipCells(
    std::string_view path, const ClipInfo& info,
    const std::optional<ClipMeasures>& measures) {
  const bool has_rate = info.frames_per_second > 0;
  const double seconds = static_cast<double>(info.frames) * info.frame_time;
  const bool has_height = measures && measures->height;
  const Recognition found = RecognizeJoints(info);
  return {Printable(path),
          std::to_string(info.joint_count),
          std::to_string(info.frames),
          has_rate ? Fixed(info.frames_per_second, 2) : "-",
          has_rate ? Fixed(seconds, 2) : "-",
          has_height ? Fixed(*measures->height, 2) : "-",
          found.scheme == nullptr ? "-" : std::string(found.scheme->name)};
}

namespace {

// Deeper joints are not indented further, so that a chain of thousands stays
// readable.
constexpr int kMaxIndent = 30;

std::string Rates(const ClipInfo& info) {
  if (info.frames_per_second <= 0) return "rate      unknown\n";
  const double seconds = static_cast<double>(info.frames) * info.frame_time;
  return "rate      " + Fixed(info.frames_per_second, 3) + " fps, " +
         Shortest(info.frame_time) + " s a frame\n" + "duration  " +
         Fixed(seconds, 3) + " s\n";
}

std::string Box(const std::optional<ClipExtents>& extents) {
  if (!extents) return "unknown";
  std::string out;
  const char* const axes[] = {"x ", ", y ", ", z "};
  for (size_t i = 0; i < 3; ++i) {
    out += axes[i] + Fixed(extents->least[i], 3) + " to " +
           Fixed(extents->greatest[i], 3);
  }
  return out;
}

// In the unit of the file; also in meters if these are known.
std::string Length(double length, double meters_per_unit) {
  const std::string text = Fixed(length, 3);
  if (meters_per_unit == 0) return text;
  return text + " (" + Fixed(length * meters_per_unit, 3) + " m)";
}

std::string Height(const ClipMeasures& measures, double meters_per_unit) {
  if (measures.height) return Length(*measures.height, meters_per_unit);
  const bool stands = measures.rest_pose == RestPoseKind::kT ||
                      measures.rest_pose == RestPoseKind::kA ||
                      measures.rest_pose == RestPoseKind::kArmsDown;
  return stands ? "unknown (the rest pose stands along another axis than --up)"
                : "unknown";
}

const char* NameOf(RestPoseKind kind) {
  switch (kind) {
    case RestPoseKind::kUnknown:
      break;
    case RestPoseKind::kT:
      return "T pose";
    case RestPoseKind::kA:
      return "A pose";
    case RestPoseKind::kArmsDown:
      return "arms down";
    case RestPoseKind::kAligned:
      return "all bones aligned";
    case RestPoseKind::kOther:
      return "neither T nor A pose";
  }
  return "of no body";
}

std::string Fastest(const ClipInfo& info, const FastestJoint& fastest) {
  const auto joint = static_cast<size_t>(fastest.joint);
  const std::string name = joint < info.joints.size()
                               ? Printable(info.joints[joint].name)
                               : std::to_string(fastest.joint);
  return "fastest   " + name + ", " + Fixed(fastest.speed, 3) +
         " a second at frame " + std::to_string(fastest.frame) + "\n";
}

// Lines about the size of the skeleton and the motion of its joints.
std::string SizeAndMotion(const ClipInfo& info, const ClipMeasures& measures,
                          double meters_per_unit) {
  const auto& [x, y, z] = measures.rest_size;
  std::string out = "extents   " + Box(measures.extents) + "\n";
  out += "rest pose " + std::string(NameOf(measures.rest_pose)) + ", " +
         Fixed(x, 3) + " by " + Fixed(y, 3) + " by " + Fixed(z, 3) + "\n";
  out += "height    " + Height(measures, meters_per_unit) + ", reach " +
         Length(measures.reach, meters_per_unit) + "\n";
  if (const auto root = BodyRootName(info, measures)) {
    out += "body root " + Printable(*root) + "\n";
  }
  if (measures.root_path) {
    out += "root      goes " + Fixed(*measures.root_path, 3);
    if (measures.root_speed) {
      out += ", " + Fixed(*measures.root_speed, 3) + " a second";
    }
    out += "\n";
  }
  if (measures.fastest) out += Fastest(info, *measures.fastest);
  if (measures.loop_degrees && measures.loop_distance) {
    out += "loop      first and last frame differ by " +
           Fixed(*measures.loop_degrees, 3) + " degrees, the root by " +
           Fixed(*measures.loop_distance, 3) + "\n";
  }
  return out;
}

// ": z -3.0 to 4.0, x 0.0 to 12.5, y 0.0 to 0.0, turns by 14.2 degrees"; empty
// if nothing is known.
std::string RangesOf(const std::string& channels,
                     const JointMeasures& measures) {
  std::string out;
  bool turns = false;
  for (size_t i = 0; i < channels.size() && i < measures.least.size(); ++i) {
    if (std::isnan(measures.least[i])) continue;
    const bool is_angle = channels[i] >= 'x' && channels[i] <= 'z';
    const int decimals = is_angle ? 1 : 3;
    turns = turns || is_angle;
    out += std::string(out.empty() ? ": " : ", ") + channels[i] + " " +
           Fixed(double{measures.least[i]}, decimals) + " to " +
           Fixed(double{measures.greatest[i]}, decimals);
  }
  if (turns) out += ", turns by " + Fixed(measures.degrees, 1) + " degrees";
  return out;
}

// "81: XYZzxy of 1 joint, zxy of 25 joints", in order of appearance.
std::string Channels(const ClipInfo& info) {
  std::vector<std::pair<std::string, int64_t>> kinds;
  size_t total = 0;
  for (const JointInfo& joint : info.joints) {
    total += joint.channels.size();
    if (joint.end_site) continue;
    const auto it = std::find_if(
        kinds.begin(), kinds.end(),
        [&](const auto& kind) { return kind.first == joint.channels; });
    if (it == kinds.end()) {
      kinds.emplace_back(joint.channels, 1);
    } else {
      ++it->second;
    }
  }
  std::string out = std::to_string(total);
  std::string separator = ": ";
  for (const auto& [letters, count] : kinds) {
    out += separator + (letters.empty() ? "none" : letters) + " of " +
           Count(count, "joint");
    separator = ", ";
  }
  return out;
}

std::string Tree(const ClipInfo& info,
                 const std::vector<JointMeasures>& measures) {
  std::string out;
  std::vector<int> depths;
  for (size_t i = 0; i < info.joints.size(); ++i) {
    const JointInfo& joint = info.joints[i];
    // Parents come first.
    const bool has_parent =
        joint.parent >= 0 && static_cast<size_t>(joint.parent) < depths.size();
    const int depth =
        has_parent ? depths[static_cast<size_t>(joint.parent)] + 1 : 0;
    depths.push_back(depth);
    out.append(2 + 2 * static_cast<size_t>(std::min(depth, kMaxIndent)), ' ');
    out += Printable(joint.name);
    if (!joint.channels.empty()) out += " " + joint.channels;
    if (i < measures.size()) out += RangesOf(joint.channels, measures[i]);
    out += joint.end_site ? " (end site)\n" : "\n";
  }
  return out;
}

}  // namespace

std::optional<std::string> BodyRootName(const ClipInfo& info,
                                        const ClipMeasures& measures) {
  const auto joint = static_cast<size_t>(measures.body_root.value_or(-1));
  if (joint >= info.joints.size()) return std::nullopt;
  return info.joints[joint].name;
}

std::string ClipFacts(std::string_view path, const ClipInfo& info,
                      const std::optional<ClipMeasures>& measures,
                      double meters_per_unit) {
  const auto end_sites =
      std::count_if(info.joints.begin(), info.joints.end(),
                    [](const JointInfo& joint) { return joint.end_site; });
  std::string out = Printable(path) + "\n";
  out += "joints    " + std::to_string(info.joint_count) + ", and " +
         Count(end_sites, "end site");
  if (measures) out += ", " + std::to_string(measures->depth) + " deep";
  out += "\nnames     " + NamingText(info) + "\n";
  out += "frames    " + std::to_string(info.frames) + "\n" + Rates(info);
  out += measures ? SizeAndMotion(info, *measures, meters_per_unit)
                  : "extents   unknown\n";
  out += "channels  " + Channels(info) + "\n";
  return out +
         Tree(info, measures ? measures->joints : std::vector<JointMeasures>());
}

}  // namespace bvhmill::client
