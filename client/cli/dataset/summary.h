#pragma once

// The traits that the clips of a run share, and the clips that differ: plain
// data, for the summary of `validate`.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bvhmill/report/report.h"

namespace bvhmill::client {

// Clips by verdict.
struct VerdictCounts {
  int64_t valid = 0;
  int64_t accepted = 0;
  int64_t invalid = 0;
  int64_t unreadable = 0;
  // Files without a verdict: they cannot be opened or decompressed.
  int64_t not_read = 0;
};

// An issue code and how often it occurs.
struct CodeCount {
  std::string code;
  Severity severity = Severity::kError;
  // Clips that have the code, and all occurrences in these.
  int64_t clips = 0;
  int64_t occurrences = 0;
};

struct WorstClip {
  std::string path;
  IssueCounts counts;
};

// A clip that differs from most.
struct OddClip {
  std::string path;
  // Its frame rate, its unit, ...: "30 fps".
  std::string value;
};

// A value of a trait, and how many clips have it.
struct TraitValue {
  std::string value;
  int64_t clips = 0;
};

// A trait of clips: "skeleton", "frame rate", "unit" or "up axis", with its
// values.
struct SharedTrait {
  std::string trait;
  // The value of more than half of the known clips: "60 fps". Empty if there is
  // none.
  std::string usual;
  // Clips that have it.
  int64_t usual_clips = 0;
  // Clips whose value is known.
  int64_t known_clips = 0;
  // The most frequent values, at most kMaxListed.
  std::vector<TraitValue> values;
  // Clips with another value than the usual one. The list has at most
  // kMaxListed of them.
  int64_t odd_clips = 0;
  std::vector<OddClip> odd;
  // All values, also those that the list leaves out.
  int64_t value_count = 0;
  // The indexes of all clips with another value, ascending.
  std::vector<size_t> odd_indexes;
};

// Clips that are equal.
struct EqualClips {
  int64_t clips = 0;
  // The list has at most kMaxListed of them, in the order of the inputs.
  std::vector<std::string> paths;
  // The indexes of all of them, ascending.
  std::vector<size_t> indexes;
};

// All groups of clips that are equal in one way.
struct EqualGroups {
  // At most kMaxListed groups, in the order of their first clips.
  std::vector<EqualClips> listed;
  // All groups, also those that the list leaves out.
  int64_t count = 0;
  // The indexes of all clips of groups that the list leaves out, ascending.
  std::vector<size_t> others;
};

// How a body differs from a larger one, which more clips have.
struct BodyDifference {
  enum class Kind {
    // All bones are `scale` times as long.
    kScaled,
    // A few joints have another OFFSET; `joint` is the one that differs most.
    kJoint,
    // Bones are as long, but have other directions; `joint` as above.
    kRestPose,
    // As the bodies of two actors do; `joint` as above.
    kOther,
  };

  Kind kind = Kind::kOther;
  // The first clip of the larger body.
  std::string from;
  // The reach of the body divided by that of the larger one.
  double scale = 1;
  // The name of the joint, and the length of its OFFSET in both bodies.
  std::string joint;
  double length = 0;
  double usual_length = 0;
};

// The clips of a skeleton whose OFFSETs are equal: the takes of an actor.
struct Body {
  int64_t clips = 0;
  // The list has at most kMaxListed of them, in the order of the inputs.
  std::vector<std::string> paths;
  // The indexes of all of them, ascending.
  std::vector<size_t> indexes;
  // Its reach divided by that of the body that most clips have.
  double scale = 1;
  // None for the body that most clips have. From a body that it resembles, or
  // else from the one that most clips have.
  std::optional<BodyDifference> difference;
  // True if the body may be a fault, such as that of a clip that is scaled.
  bool is_odd = false;
};

// The bodies of the clips that have the same joints with the same parents.
struct SkeletonBodies {
  // "26 joints, as in a.bvh".
  std::string skeleton;
  int64_t clips = 0;
  // All bodies, and the odd ones of them.
  int64_t body_count = 0;
  int64_t odd_count = 0;
  // Sorted by the number of their clips, the largest first: at most kMaxListed
  // odd ones, and at most kMaxListed others.
  std::vector<Body> bodies;
};

// The bodies of all clips.
struct BodySummary {
  // Skeletons of several bodies, in the order of their first clips; the list
  // has at most kMaxListed of them.
  int64_t skeleton_count = 0;
  std::vector<SkeletonBodies> skeletons;
  // Clips that were not compared, since the run has too many bodies.
  int64_t clips_left_out = 0;
};

// The summary of all clips of a run.
struct DatasetSummary {
  // Clips, values or groups that are listed for one fact.
  static constexpr size_t kMaxListed = 20;

  VerdictCounts verdicts;
  // The most severe first, then those that most clips have.
  std::vector<CodeCount> codes;
  // Clips with more issues than a server lists: their codes count in part.
  int64_t cut_clips = 0;
  // The clips with the most errors, or else the most warnings; five at most.
  std::vector<WorstClip> worst;
  // Traits that some clips do not share, if at least three clips have a known
  // value.
  std::vector<SharedTrait> odd;
  // Groups of clips with equal bytes, and of clips with equal rows of MOTION
  // below another header. The latter have the first clip of each of the former.
  EqualGroups equal_files;
  EqualGroups equal_motions;
  BodySummary bodies;
  // Issues that the baseline has.
  int64_t known_issues = 0;
  // The files of expectations that were used, sorted by path.
  std::vector<std::string> expectations;
};

}  // namespace bvhmill::client
