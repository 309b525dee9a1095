#pragma once

// Compares the clips of a data set: the traits of each clip (frame rate, unit,
// up axis, skeleton, content), and a tally that finds the values that most
// clips share, the clips that differ, and the clips that are equal.
//
//   DatasetTally tally;
//   for (const ClipFinding& clip : findings) {
//     tally.Add(clip, is_cut, TraitsOf(clip.result, facts, source));
//   }
//   DatasetSummary summary = tally.Summary();

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "bvhmill/clip/clip_info.h"
#include "bvhmill/pipeline/convert.h"
#include "client/cli/dataset/bodies.h"
#include "client/cli/dataset/summary.h"
#include "client/cli/report/report_writer.h"
#include "client/cli/ui/code_tally.h"

namespace bvhmill::client {

// The unit that a clip seems to have.
struct UnitGuess {
  // "centimeters".
  std::string name;
  // Meters in one unit, as text: "0.01".
  std::string meters;
};

// Hashes of a clip that is not compressed.
struct ContentHashes {
  // XXH64 of the bytes.
  uint64_t file = 0;
  // See HashRows.
  std::optional<uint64_t> rows;
};

// The traits of one clip that the clips of a data set should share.
struct ClipTraits {
  // "60 fps"; empty if it is unknown.
  std::string rate;
  std::optional<UnitGuess> unit;
  // "Y", "Z" or another direction, such as "-Y"; empty if nothing shows it.
  std::string up;
  // See SkeletonKey; none without a skeleton.
  std::optional<uint64_t> skeleton;
  std::optional<ContentHashes> content;
};

// The five clips with the most errors, or else the most warnings. Thread-safe.
class WorstClips {
 public:
  // Adds a clip. Of clips with equal counts, the one with the smaller `index`
  // is first.
  void Add(size_t index, const std::string& path, const IssueCounts& counts);

  // Clips with errors or warnings, the worst first.
  std::vector<WorstClip> Clips() const;

 private:
  struct Clip {
    size_t index = 0;
    WorstClip clip;
  };

  static bool IsWorse(const Clip& a, const Clip& b);

  mutable std::mutex mutex_;
  // The worst first.
  std::vector<Clip> clips_;
};

// Compares the clips of a run with each other, for the summary. Not
// thread-safe. Needs about 400 bytes for each clip that is not equal to an
// earlier one.
class DatasetTally {
 public:
  // Adds a clip. Call it in the order of the inputs. `is_cut`: the server lists
  // only a part of its issues.
  void Add(const ClipFinding& clip, bool is_cut, const ClipTraits& traits);

  DatasetSummary Summary() const;

 private:
  // Clips that share a value, and the paths of the first of them.
  struct Group {
    std::vector<size_t> indexes;
    std::vector<std::string> first;
  };
  using Groups = std::map<std::string, Group>;
  // The skeleton of more than half of the clips, if there is one, by the
  // majority vote of Boyer and Moore: each clip with another skeleton removes a
  // vote.
  struct Majority {
    std::string key;
    JointList joints;
    int64_t votes = 0;
  };
  // Clips with the same hash.
  using EqualsByHash = std::unordered_map<uint64_t, EqualClips>;

  static void AddTo(Group* group, const ClipFinding& clip);
  // True if `clip` is the first one with this hash.
  static bool AddEqual(EqualsByHash* groups, uint64_t hash,
                       const ClipFinding& clip);
  // The groups of several clips.
  static EqualGroups GroupsOf(const EqualsByHash& groups);
  void AddVerdict(const ClipFinding& clip);
  void AddSkeleton(const std::string& key, const JointList& joints);
  // The joints of a skeleton; null if they are not kept.
  const JointList* JointsOf(const std::string& key) const;
  // The first clips whose value is not `usual`.
  std::vector<OddClip> OddClips(const std::string& name, const Groups& groups,
                                const std::string& usual) const;
  SharedTrait TraitOf(const std::string& name, const Groups& groups) const;
  // The name of a value. With a `usual` value, that of another skeleton is its
  // difference from the usual one.
  std::string ValueName(const std::string& trait, const std::string& value,
                        const std::string& usual) const;
  // As ValueName, for the list of all values. If no value is usual, other
  // skeletons are named with their difference from the most frequent one.
  std::string ListedName(const std::string& trait, const std::string& value,
                         const std::string& usual,
                         const std::string& first) const;

  CodeTally codes_;
  WorstClips worst_;
  DatasetSummary summary_;
  // By trait, then by value. The value of a skeleton is its key.
  std::map<std::string, Groups> traits_;
  // The joints of the first skeletons, by key.
  std::map<std::string, JointList> skeletons_;
  // Its joints are kept, also if it is not among the first skeletons.
  Majority majority_;
  EqualsByHash files_;
  EqualsByHash motions_;
  BodyTally bodies_;
};

// The traits of one clip.

// The name of a rate, such as "60 fps". A rate within 0.05 % of a whole number
// has that number, so frame times of 0.0083333 and 0.008333 are both 120 fps.
// Others have two decimals. Empty if the rate is not positive and finite.
std::string RateName(double frames_per_second);

// The hashes of `text`, with those of the rows if it `is_bvh`. O(bytes).
ContentHashes HashContent(std::string_view text, bool is_bvh);

// The traits of a clip, without its content; empty if the clip is unreadable.
// `facts` are the hints DATA_UNIT_GUESS and DATA_UP_AXIS_GUESS of the clip if
// its space is not stated. The unit is that of the first. The up axis is the
// one that `source` states, or else that of the second hint, or else Y if there
// is a unit.
ClipTraits TraitsOf(const ConvertResult& result, std::span<const Issue> facts,
                    const SourceSpace& source);

// XXH64 of `bytes` with the seed 0, by the specification of xxHash, version
// 0.1.1. It does not protect against forgery. O(bytes), several GB/s.
uint64_t Xxh64(std::string_view bytes);

// A hash of the rows of MOTION of a BVH text: of all lines below the one that
// begins with "Frame Time", in any case. Line ends, empty lines, and blanks
// around a line do not count. None if there are fewer than two rows: equal
// poses of one row are too frequent. O(bytes), 8 bytes of memory for each row.
std::optional<uint64_t> HashRows(std::string_view text);

// Two skeletons are the same if they have joints and end sites in the same
// order, with the same parents, and the joints have the same names and
// channels. Names of end sites do not count: the reader makes them. Offsets do
// not count: takes of several people have the same skeleton in several sizes.

// A hash that is equal for the same skeletons. O(joints).
uint64_t SkeletonKey(const JointList& joints);

// A difference between two skeletons.
struct SkeletonDifference {
  // "joint 3 is 'Chest', not 'Spine1'"; empty if the skeletons are the same.
  std::string text;
  // The index of the joint of `found` that differs; -1 if joints are missing at
  // the end.
  int32_t joint = -1;
};

// The first difference of `found` from `expected`.
SkeletonDifference CompareSkeletons(const JointList& expected,
                                    const JointList& found);

// The first difference of the names of joints, without end sites, from
// `expected`.
SkeletonDifference CompareNames(const std::vector<std::string>& expected,
                                const JointList& found);

// The number of joints, without end sites.
int64_t CountJoints(const JointList& joints);

}  // namespace bvhmill::client
