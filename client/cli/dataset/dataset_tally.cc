#include "client/cli/dataset/dataset_tally.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <iterator>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include "bvhmill/base/text.h"
#include "client/cli/ui/issue_lines.h"

namespace bvhmill::client {
namespace {

static_assert(std::endian::native == std::endian::little);

// The five primes of the specification.
constexpr uint64_t kPrime1 = 0x9E3779B185EBCA87;
constexpr uint64_t kPrime2 = 0xC2B2AE3D27D4EB4F;
constexpr uint64_t kPrime3 = 0x165667B19E3779F9;
constexpr uint64_t kPrime4 = 0x85EBCA77C2B2AE63;
constexpr uint64_t kPrime5 = 0x27D4EB2F165667C5;

template <typename T>
T Take(std::string_view* bytes) {
  T value = 0;
  std::memcpy(&value, bytes->data(), sizeof(T));
  bytes->remove_prefix(sizeof(T));
  return value;
}

uint64_t Round(uint64_t lane, uint64_t word) {
  return std::rotl(lane + word * kPrime2, 31) * kPrime1;
}

uint64_t Merge(uint64_t hash, uint64_t lane) {
  return (hash ^ Round(0, lane)) * kPrime1 + kPrime4;
}

// Consumes whole stripes of 32 bytes.
uint64_t HashStripes(std::string_view* bytes) {
  std::array<uint64_t, 4> lanes = {kPrime1 + kPrime2, kPrime2, 0,
                                   uint64_t{0} - kPrime1};
  while (bytes->size() >= 32) {
    for (uint64_t& lane : lanes) lane = Round(lane, Take<uint64_t>(bytes));
  }
  uint64_t hash = std::rotl(lanes[0], 1) + std::rotl(lanes[1], 7) +
                  std::rotl(lanes[2], 12) + std::rotl(lanes[3], 18);
  for (const uint64_t lane : lanes) hash = Merge(hash, lane);
  return hash;
}

uint64_t HashTail(uint64_t hash, std::string_view bytes) {
  while (bytes.size() >= 8) {
    hash ^= Round(0, Take<uint64_t>(&bytes));
    hash = std::rotl(hash, 27) * kPrime1 + kPrime4;
  }
  if (bytes.size() >= 4) {
    hash ^= Take<uint32_t>(&bytes) * kPrime1;
    hash = std::rotl(hash, 23) * kPrime2 + kPrime3;
  }
  while (!bytes.empty()) {
    hash ^= Take<uint8_t>(&bytes) * kPrime5;
    hash = std::rotl(hash, 11) * kPrime1;
  }
  return hash;
}

// Splits a text at CR and LF.
class Lines {
 public:
  explicit Lines(std::string_view text) : text_(text) {}

  bool has_more() const { return at_ < text_.size(); }
  // The next line, without the blanks around it.
  std::string_view NextTrimmed() {
    constexpr std::string_view kBlanks = " \t";
    const size_t end = std::min(Find('\n', &feed_), Find('\r', &return_));
    const std::string_view line = text_.substr(at_, end - at_);
    at_ = end + 1;
    const size_t first = line.find_first_not_of(kBlanks);
    if (first == line.npos) return {};
    return line.substr(first, line.find_last_not_of(kBlanks) - first + 1);
  }

 private:
  // The first `c` from here on. `*known` is that of the last call, so that a
  // text without it is searched once.
  size_t Find(char c, size_t* known) const {
    if (*known < at_ || at_ == 0) {
      *known = std::min(text_.find(c, at_), text_.size());
    }
    return *known;
  }

  std::string_view text_;
  size_t at_ = 0;
  size_t feed_ = 0;
  size_t return_ = 0;
};

// Removes `word`, in lower case, from the begin of `line`, where it may have
// any case. False if `line` does not begin with it.
bool TakeWord(std::string_view word, std::string_view* line) {
  constexpr char kToSmall = 'a' - 'A';
  const auto is_same = [](char small, char c) {
    return c == small || c + kToSmall == small;
  };
  const bool is_there =
      line->size() >= word.size() &&
      std::equal(word.begin(), word.end(), line->begin(), is_same);
  if (is_there) line->remove_prefix(word.size());
  return is_there;
}

bool IsFrameTime(std::string_view line) {
  if (!TakeWord("frame", &line)) return false;
  line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
  return TakeWord("time", &line);
}

}  // namespace

uint64_t Xxh64(std::string_view bytes) {
  const uint64_t size = bytes.size();
  uint64_t hash = bytes.size() >= 32 ? HashStripes(&bytes) : kPrime5;
  hash = HashTail(hash + size, bytes);
  hash = (hash ^ (hash >> 33)) * kPrime2;
  hash = (hash ^ (hash >> 29)) * kPrime3;
  return hash ^ (hash >> 32);
}

std::optional<uint64_t> HashRows(std::string_view text) {
  std::string hashes;
  size_t rows = 0;
  bool is_below_header = false;
  for (Lines lines(text); lines.has_more();) {
    const std::string_view line = lines.NextTrimmed();
    if (line.empty()) continue;
    if (!is_below_header) {
      is_below_header = IsFrameTime(line);
      continue;
    }
    const uint64_t hash = Xxh64(line);
    hashes.append(reinterpret_cast<const char*>(&hash), sizeof(hash));
    ++rows;
  }
  if (rows < 2) return std::nullopt;
  return Xxh64(hashes);
}

namespace {

std::string Quoted(const std::string& name) {
  return "'" + Printable(name) + "'";
}

std::string NameOf(const JointInfo& joint) {
  return joint.end_site ? "an end site" : Quoted(joint.name);
}

std::string ParentOf(const JointList& joints, size_t i) {
  const int32_t parent = joints[i].parent;
  const bool is_known =
      parent >= 0 && static_cast<size_t>(parent) < joints.size();
  return is_known ? Quoted(joints[static_cast<size_t>(parent)].name)
                  : "no joint";
}

std::string ChannelsOf(const JointInfo& joint) {
  return joint.channels.empty() ? "none" : joint.channels;
}

// The difference of joint `i` of `found`; empty if there is none. The reader
// makes the names of end sites, so they are not compared.
std::string JointDifference(const JointList& expected, const JointList& found,
                            size_t i) {
  const JointInfo& want = expected[i];
  const JointInfo& got = found[i];
  const std::string number = std::to_string(i);
  const bool same_kind = want.end_site == got.end_site;
  if (!same_kind || (!want.end_site && want.name != got.name)) {
    return "joint " + number + " is " + NameOf(got) + ", not " + NameOf(want);
  }
  const std::string which = "joint " + number + " " + NameOf(got);
  if (want.parent != got.parent) {
    return "the parent of " + which + " is " + ParentOf(found, i) + ", not " +
           ParentOf(expected, i);
  }
  if (want.channels != got.channels) {
    return "the channels of " + which + " are " + ChannelsOf(got) + ", not " +
           ChannelsOf(want);
  }
  return {};
}

// `what` is a plural; `surplus` is the index of the first joint too many, -1 if
// there is none.
SkeletonDifference CountDifference(size_t expected, size_t found,
                                   const std::string& what, int32_t surplus) {
  if (expected == found) return {};
  return {
      std::to_string(found) + " " + what + ", not " + std::to_string(expected),
      surplus};
}

}  // namespace

uint64_t SkeletonKey(const JointList& joints) {
  std::string text;
  for (const JointInfo& joint : joints) {
    text += joint.end_site ? "\n" : joint.name;
    text += '\0';
    text += std::to_string(joint.parent) + " " + joint.channels;
    text += '\0';
  }
  return Xxh64(text);
}

SkeletonDifference CompareSkeletons(const JointList& expected,
                                    const JointList& found) {
  const size_t both = std::min(expected.size(), found.size());
  for (size_t i = 0; i < both; ++i) {
    std::string text = JointDifference(expected, found, i);
    if (!text.empty()) return {std::move(text), static_cast<int32_t>(i)};
  }
  const bool has_more = found.size() > expected.size();
  return CountDifference(expected.size(), found.size(), "joints and end sites",
                         has_more ? static_cast<int32_t>(both) : -1);
}

SkeletonDifference CompareNames(const std::vector<std::string>& expected,
                                const JointList& found) {
  size_t place = 0;
  int32_t surplus = -1;
  for (size_t i = 0; i < found.size(); ++i) {
    const JointInfo& joint = found[i];
    if (joint.end_site) continue;
    if (place == expected.size()) surplus = static_cast<int32_t>(i);
    if (place < expected.size() && expected[place] != joint.name) {
      return {"joint " + std::to_string(i) + " is " + NameOf(joint) + ", not " +
                  Quoted(expected[place]),
              static_cast<int32_t>(i)};
    }
    ++place;
  }
  return CountDifference(expected.size(), place, "joints", surplus);
}

int64_t CountJoints(const JointList& joints) {
  return std::count_if(joints.begin(), joints.end(),
                       [](const JointInfo& joint) { return !joint.end_site; });
}

namespace {

// The precision of frame times that have at least six digits.
constexpr double kRateTolerance = 0.0005;

const Issue* FindIssue(std::span<const Issue> issues, std::string_view code) {
  const auto found =
      std::find_if(issues.begin(), issues.end(),
                   [code](const Issue& issue) { return issue.code == code; });
  return found == issues.end() ? nullptr : &*found;
}

}  // namespace

std::string RateName(double frames_per_second) {
  if (!(frames_per_second > 0) || !std::isfinite(frames_per_second)) return {};
  const double whole = std::round(frames_per_second);
  const bool is_whole =
      std::abs(frames_per_second - whole) <= kRateTolerance * whole;
  return Fixed(frames_per_second, is_whole ? 0 : 2) + " fps";
}

ContentHashes HashContent(std::string_view text, bool is_bvh) {
  ContentHashes hashes;
  hashes.file = Xxh64(text);
  if (is_bvh) hashes.rows = HashRows(text);
  return hashes;
}

ClipTraits TraitsOf(const ConvertResult& result, std::span<const Issue> facts,
                    const SourceSpace& source) {
  ClipTraits traits;
  const Report& report = result.report;
  if (report.verdict == Verdict::kUnreadable) return traits;
  traits.rate = RateName(StatedRate(result.info));
  if (!result.info.joints.empty()) {
    traits.skeleton = SkeletonKey(result.info.joints);
  }
  if (const Issue* unit = FindIssue(facts, "DATA_UNIT_GUESS")) {
    traits.unit = {ArgOf(*unit, "unit"), ArgOf(*unit, "meters")};
    traits.up = "Y";
  }
  if (source.up_axis != UpAxis::kUnknown) {
    traits.up = std::string(1, "XYZ"[HeightAxis(source.up_axis)]);
  } else if (const Issue* axis = FindIssue(facts, "DATA_UP_AXIS_GUESS")) {
    traits.up = ArgOf(*axis, "axis");
  }
  return traits;
}

namespace {

constexpr size_t kMaxListed = DatasetSummary::kMaxListed;
// With fewer clips, no value counts as that of most clips.
constexpr int64_t kFewest = 3;
// Skeletons whose joints are kept, so that differences can be named.
constexpr size_t kMaxSkeletons = 64;
constexpr char kSkeleton[] = "skeleton";
constexpr size_t kMaxWorst = 5;

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
  if (clips_.size() > kMaxWorst) clips_.pop_back();
}

std::vector<WorstClip> WorstClips::Clips() const {
  const std::lock_guard lock(mutex_);
  std::vector<WorstClip> worst;
  worst.reserve(clips_.size());
  for (const Clip& clip : clips_) worst.push_back(clip.clip);
  return worst;
}

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
    bodies_.Add(clip.index, clip.path, clip.result.info.joints);
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
  summary.bodies = bodies_.Summary();
  return summary;
}

}  // namespace bvhmill::client
