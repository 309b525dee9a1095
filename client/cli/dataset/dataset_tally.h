#pragma once

// Compares the clips of a run with each other, for the summary.

#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "bvhmill/clip/clip_info.h"
#include "client/cli/dataset/clip_traits.h"
#include "client/cli/dataset/summary.h"
#include "client/cli/report/report_writer.h"
#include "client/cli/ui/code_tally.h"
#include "client/cli/ui/worst_clips.h"

namespace bvhmill::client {

// Not thread-safe: clips are added in the order of the inputs. Takes about 400
// bytes for each clip that is not equal to an earlier one.
class DatasetTally {
 public:
  // Adds a clip. `is_cut`: the server has listed a part of its issues only.
  void Add(const ClipFinding& clip, bool is_cut, const ClipTraits& traits);

  DatasetSummary Summary() const;

 private:
  // Clips that share a value, and the paths of the first of them.
  struct Group {
    std::vector<size_t> indexes;
    std::vector<std::string> first;
  };
  using Groups = std::map<std::string, Group>;
  // The skeleton of most clips, if more than half of them have one. By the vote
  // of Boyer and Moore: each clip with another skeleton takes a vote away.
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
  // Its joints are kept however many skeletons come before it.
  Majority majority_;
  EqualsByHash files_;
  EqualsByHash motions_;
};

}  // namespace bvhmill::client
