#pragma once

// The expectations of a data set: the traits that its clips must share, and the
// issues that matter.

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bvhmill/clip/clip_info.h"
#include "client/cli/dataset/clip_traits.h"

namespace bvhmill::client {

// The name of the file that has the expectations of a folder.
inline constexpr std::string_view kExpectationsName = ".bvhmill.toml";

// A skeleton by its joints. One of the two lists is empty.
struct ExpectedSkeleton {
  // A BVH file with the skeleton; its joints are read before the run.
  std::string file;
  // Where the expectations name it: "PATH:LINE:COLUMN", printable.
  std::string place;
  JointList joints;
  // Names of all joints, without end sites, in the order of the file.
  std::vector<std::string> names;
};

// Issues that are not listed and not counted.
struct IgnoredCodes {
  std::vector<std::string> codes;
  // Patterns of MatchesPath, relative to the folder of the expectations. Empty:
  // all files.
  std::vector<std::string> files;
};

struct Expectations {
  // The file with the expectations, and its folder.
  std::string path;
  std::string folder;
  // Empty: any rate.
  std::vector<double> frame_rates;
  std::optional<UnitGuess> unit;
  // "Y" or "Z"; empty: any.
  std::string up;
  std::optional<ExpectedSkeleton> skeleton;
  std::vector<IgnoredCodes> ignored;
  std::map<std::string, Severity, std::less<>> severities;
  std::vector<ThresholdChoice> thresholds;
};

// Adds the severities, the thresholds and the ignored codes of `expectations`
// to `report`. Thresholds that `report` has override those of `expectations`;
// severities are overridden by them. `below` is the path of the clip, relative
// to the folder of the expectations.
void ApplyTo(const Expectations& expectations, std::string_view below,
             ReportOptions* report);

// Adds an issue DATASET_... to result->report for each expectation that the
// clip breaks. An unknown fact breaks none, with one exception: a clip of two
// frames or more whose rate is not known breaks an expectation of a rate. An
// unknown unit or up axis is a hint.
// `options` are those of the report. result->status does not change.
void CheckExpectations(const Expectations& expectations,
                       const ClipTraits& traits, const ReportOptions& options,
                       ConvertResult* result);

}  // namespace bvhmill::client
