#include "client/cli/ui/worst_clips.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace bvhmill::client {
namespace {

constexpr size_t kMaxClips = 5;

}  // namespace

bool WorstClips::IsWorse(const Clip& a, const Clip& b) {
  const IssueCounts& more = a.clip.counts;
  const IssueCounts& fewer = b.clip.counts;
  return std::tuple(fewer.errors, fewer.warnings, a.index) <
         std::tuple(more.errors, more.warnings, b.index);
}

void WorstClips::Add(size_t index, const std::string& path,
                     const IssueCounts& counts) {
  if (counts.errors == 0 && counts.warnings == 0) return;
  const std::lock_guard lock(mutex_);
  Clip clip = {index, {path, counts}};
  const auto place =
      std::upper_bound(clips_.begin(), clips_.end(), clip, IsWorse);
  clips_.insert(place, std::move(clip));
  if (clips_.size() > kMaxClips) clips_.pop_back();
}

std::vector<WorstClip> WorstClips::Clips() const {
  const std::lock_guard lock(mutex_);
  std::vector<WorstClip> worst;
  worst.reserve(clips_.size());
  for (const Clip& clip : clips_) worst.push_back(clip.clip);
  return worst;
}

}  // namespace bvhmill::client
