#include "client/cli/dataset/dataset_tally.h"

#include <algorithm>
#include <iterator>
#include <tuple>
#include <utility>

#include "client/cli/dataset/skeletons.h"
#include "client/cli/ui/text.h"

namespace bvhmill::client {
namespace {

constexpr size_t kMaxListed = DatasetSummary::kMaxListed;
// With fewer clips than this, there is no "most".
constexpr int64_t kFewest = 3;
// Skeletons whose joints are kept, so that differences can be named.
constexpr size_t kMaxSkeletons = 64;
constexpr char kSkeleton[] = "skeleton";

}  // namespace

void DatasetTally::AddTo(Group* group, const ClipFinding& clip) {
  group->indexes.push_back(clip.index);
  if (group->first.size() < kMaxListed) group->first.push_back(clip.path);
}

bool DatasetTally::AddEqual(EqualsByHash* groups, uint64_t hash,
                            const ClipFinding& clip) {
  const auto [it, is_new] = groups->try_emplace(hash);
  EqualClips& group = it->second;
  ++group.clips;
  group.indexes.push_back(clip.index);
  if (group.paths.size() < kMaxListed) group.paths.push_back(clip.path);
  return is_new;
}

EqualGroups DatasetTally::GroupsOf(const EqualsByHash& groups) {
  std::map<size_t, const EqualClips*> by_first;
  for (const auto& [hash, group] : groups) {
    if (group.clips < 2) continue;
    by_first.emplace(group.indexes.front(), &group);
  }
  EqualGroups out;
  out.count = static_cast<int64_t>(by_first.size());
  for (const auto& [first, clips] : by_first) {
    if (out.listed.size() < kMaxListed) {
      out.listed.push_back(*clips);
    } else {
      out.others.insert(out.others.end(), clips->indexes.begin(),
                        clips->indexes.end());
    }
  }
  std::sort(out.others.begin(), out.others.end());
  return out;
}

void DatasetTally::AddVerdict(const ClipFinding& clip) {
  VerdictCounts& counts = summary_.verdicts;
  if (!clip.is_read) {
    ++counts.not_read;
    return;
  }
  switch (clip.result.report.verdict) {
    case Verdict::kValid:
      ++counts.valid;
      break;
    case Verdict::kAccepted:
      ++counts.accepted;
      break;
    case Verdict::kInvalid:
      ++counts.invalid;
      break;
    case Verdict::kUnreadable:
      ++counts.unreadable;
      break;
  }
}

void DatasetTally::Add(const ClipFinding& clip, bool is_cut,
                       const ClipTraits& traits) {
  AddVerdict(clip);
  if (!clip.is_read) return;
  codes_.Add(clip.codes);
  summary_.cut_clips += is_cut ? 1 : 0;
  worst_.Add(clip.index, clip.path, clip.result.report.counts);
  summary_.known_issues += clip.known_issues;
  const auto add = [&](const char* trait, const std::string& value) {
    AddTo(&traits_[trait][value], clip);
  };
  if (!traits.rate.empty()) add("frame rate", traits.rate);
  if (traits.unit) add("unit", traits.unit->name);
  if (!traits.up.empty()) add("up axis", traits.up);
  if (traits.skeleton) {
    const std::string key = std::to_string(*traits.skeleton);
    add(kSkeleton, key);
    AddSkeleton(key, clip.result.info.joints);
  }
  if (!traits.content) return;
  // One file of each group of equal files is compared by its motion.
  const bool is_new = AddEqual(&files_, traits.content->file, clip);
  if (is_new && traits.content->rows) {
    AddEqual(&motions_, *traits.content->rows, clip);
  }
}

void DatasetTally::AddSkeleton(const std::string& key,
                               const JointList& joints) {
  if (skeletons_.size() < kMaxSkeletons) skeletons_.try_emplace(key, joints);
  if (majority_.votes == 0) majority_ = {key, joints, 0};
  majority_.votes += majority_.key == key ? 1 : -1;
}

const JointList* DatasetTally::JointsOf(const std::string& key) const {
  if (majority_.votes > 0 && key == majority_.key) return &majority_.joints;
  const auto joints = skeletons_.find(key);
  return joints == skeletons_.end() ? nullptr : &joints->second;
}

std::string DatasetTally::ValueName(const std::string& trait,
                                    const std::string& value,
                                    const std::string& usual) const {
  if (trait != kSkeleton) return value;
  const JointList* joints = JointsOf(value);
  if (joints == nullptr) return "another skeleton";
  const JointList* most = JointsOf(usual);
  if (!usual.empty() && value != usual && most != nullptr) {
    return CompareSkeletons(*most, *joints).text;
  }
  const Group& group = traits_.at(trait).at(value);
  return Count(CountJoints(*joints), "joint") + ", as in " +
         group.first.front();
}

std::string DatasetTally::ListedName(const std::string& trait,
                                     const std::string& value,
                                     const std::string& usual,
                                     const std::string& first) const {
  const std::string name = ValueName(trait, value, usual);
  if (trait != kSkeleton || !usual.empty() || value == first) return name;
  const JointList* const joints = JointsOf(value);
  const JointList* const most = JointsOf(first);
  if (joints == nullptr || most == nullptr) return name;
  return name + "; " + CompareSkeletons(*most, *joints).text;
}

std::vector<OddClip> DatasetTally::OddClips(const std::string& name,
                                            const Groups& groups,
                                            const std::string& usual) const {
  std::map<size_t, OddClip> odd;
  for (const auto& [value, group] : groups) {
    if (value == usual) continue;
    const std::string text = ValueName(name, value, usual);
    for (size_t i = 0; i < group.first.size(); ++i) {
      odd.emplace(group.indexes[i], OddClip{group.first[i], text});
      if (odd.size() > kMaxListed) odd.erase(std::prev(odd.end()));
    }
  }
  std::vector<OddClip> clips;
  for (auto& [index, clip] : odd) clips.push_back(std::move(clip));
  return clips;
}

SharedTrait DatasetTally::TraitOf(const std::string& name,
                                  const Groups& groups) const {
  SharedTrait trait;
  trait.trait = name;
  // Values by their clips, then by their first clip.
  std::vector<std::tuple<int64_t, size_t, std::string>> order;
  for (const auto& [value, group] : groups) {
    const auto clips = static_cast<int64_t>(group.indexes.size());
    trait.known_clips += clips;
    order.emplace_back(-clips, group.indexes.front(), value);
  }
  std::sort(order.begin(), order.end());
  const std::string first = std::get<2>(order.front());
  const auto most = static_cast<int64_t>(groups.at(first).indexes.size());
  const bool is_usual = 2 * most > trait.known_clips;
  const std::string usual = is_usual ? first : "";
  trait.value_count = static_cast<int64_t>(order.size());
  if (order.size() > kMaxListed) order.resize(kMaxListed);
  for (const auto& [clips, index, value] : order) {
    trait.values.push_back({ListedName(name, value, usual, first), -clips});
  }
  if (!is_usual) return trait;
  trait.usual = trait.values.front().value;
  trait.usual_clips = most;
  trait.odd_clips = trait.known_clips - most;
  trait.odd = OddClips(name, groups, usual);
  for (const auto& [value, group] : groups) {
    if (value == usual) continue;
    trait.odd_indexes.insert(trait.odd_indexes.end(), group.indexes.begin(),
                             group.indexes.end());
  }
  std::sort(trait.odd_indexes.begin(), trait.odd_indexes.end());
  return trait;
}

DatasetSummary DatasetTally::Summary() const {
  DatasetSummary summary = summary_;
  summary.codes = codes_.Counts();
  summary.worst = worst_.Clips();
  for (const auto& [name, groups] : traits_) {
    if (groups.size() < 2) continue;
    SharedTrait trait = TraitOf(name, groups);
    if (trait.known_clips >= kFewest) summary.odd.push_back(std::move(trait));
  }
  summary.equal_files = GroupsOf(files_);
  summary.equal_motions = GroupsOf(motions_);
  return summary;
}

}  // namespace bvhmill::client
