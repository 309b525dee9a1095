#include "client/cli/ui/worst_clips.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "client/cli/ui/issue_lines.h"
#include "client/cli/ui/text.h"

namespace bvhmill::client {
namespace {

constexpr size_t kMaxClips = 5;

}  // namespace

bool WorstClips::IsWorse(const Clip& a, const Clip& b) {
  return std::tuple(b.counts.errors, b.counts.warnings, a.index) <
         std::tuple(a.counts.errors, a.counts.warnings, b.index);
}

void WorstClips::Add(size_t index, const std::string& path,
                     const IssueCounts& counts) {
  if (counts.errors == 0 && counts.warnings == 0) return;
  const std::lock_guard lock(mutex_);
  Clip clip = {index, path, counts};
  const auto place =
      std::upper_bound(clips_.begin(), clips_.end(), clip, IsWorse);
  clips_.insert(place, std::move(clip));
  if (clips_.size() > kMaxClips) clips_.pop_back();
}

std::string WorstClips::Lines() const {
  const std::lock_guard lock(mutex_);
  std::string out = clips_.empty() ? "" : "most issues:\n";
  for (const Clip& clip : clips_) {
    out += "  " + Printable(clip.path) + ": " + FaultCounts(clip.counts) + "\n";
  }
  return out;
}

}  // namespace bvhmill::client
