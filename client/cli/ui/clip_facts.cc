#include "client/cli/ui/clip_facts.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "client/cli/ui/text.h"

namespace bvhmill::client {
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

std::string Box(const Extents& extents) {
  if (!extents.known()) return "unknown";
  std::string out;
  const char* const axes[] = {"x ", ", y ", ", z "};
  for (size_t i = 0; i < 3; ++i) {
    out += axes[i] + Fixed(extents.least()[i], 3) + " to " +
           Fixed(extents.greatest()[i], 3);
  }
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

std::string Tree(const ClipInfo& info) {
  std::string out;
  std::vector<int> depths;
  for (const JointInfo& joint : info.joints) {
    // Parents come first.
    const bool has_parent =
        joint.parent >= 0 && static_cast<size_t>(joint.parent) < depths.size();
    const int depth =
        has_parent ? depths[static_cast<size_t>(joint.parent)] + 1 : 0;
    depths.push_back(depth);
    out.append(2 + 2 * static_cast<size_t>(std::min(depth, kMaxIndent)), ' ');
    out += Printable(joint.name);
    if (!joint.channels.empty()) out += " " + joint.channels;
    out += joint.end_site ? " (end site)\n" : "\n";
  }
  return out;
}

}  // namespace

std::string ClipFacts(std::string_view path, const ClipInfo& info,
                      const Extents& extents) {
  const auto end_sites =
      std::count_if(info.joints.begin(), info.joints.end(),
                    [](const JointInfo& joint) { return joint.end_site; });
  std::string out = Printable(path) + "\n";
  out += "joints    " + std::to_string(info.joint_count) + ", and " +
         Count(end_sites, "end site") + "\n";
  out += "frames    " + std::to_string(info.frames) + "\n" + Rates(info);
  out += "extents   " + Box(extents) + "\n";
  out += "channels  " + Channels(info) + "\n";
  return out + Tree(info);
}

}  // namespace bvhmill::client
