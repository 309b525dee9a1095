#pragma once

// The expectations of a data set: the traits that its clips must share, and the
// issues that matter. A file .bvhmill.toml holds them for the clips below its
// folder; docs/validate.md describes the file.
//
//   auto all = ClipExpectations::Find(flags, inputs, cancel);
//   all->ReadSkeletons(read);
//   const Expectations* expected = all->Of(i);
//   if (expected != nullptr) {
//     ApplyTo(*expected, PathFrom(expected->folder, path), &report_options);
//   }
//   result = engine.Validate(path, clip, options, cancel);
//   if (expected != nullptr) {
//     CheckExpectations(*expected, traits, report_options, &result);
//   }

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "bvhmill/base/cancel.h"
#include "bvhmill/clip/clip_info.h"
#include "bvhmill/files/inputs.h"
#include "client/cli/dataset/dataset_options.h"
#include "client/cli/dataset/dataset_tally.h"

namespace bvhmill::client {

// The skeleton that clips must have: the joints of a file, or a list of names.
// One of `joints` and `names` is empty.
struct ExpectedSkeleton {
  // A BVH file with the skeleton; its joints are read before the run.
  std::string file;
  // Where .bvhmill.toml names the file: "PATH:LINE:COLUMN", printable.
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

// The content of one file of expectations.
struct Expectations {
  // The file, and its folder.
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

// The expectations of each clip. Const functions are thread-safe.
class ClipExpectations {
 public:
  // Reads the files, each once. A clip has the expectations of flags.file, or
  // else those of the nearest file .bvhmill.toml, in its folder or in a folder
  // above; none if flags.none.
  //
  // INVALID_ARGUMENT "PATH:LINE:COLUMN: why" for the first fault of a file,
  // such as an unknown key; "PATH: why" if a file cannot be read or has more
  // than 1 MiB.
  static absl::StatusOr<ClipExpectations> Find(const ExpectationsFlags& flags,
                                               const std::vector<Input>& inputs,
                                               const CancelToken* cancel);

  // Calls `read` for each file that expectations name as their skeleton, and
  // keeps its joints. Call once, before Of. INVALID_ARGUMENT
  // "PATH:LINE:COLUMN: skeleton: FILE: why".
  absl::Status ReadSkeletons(
      const std::function<absl::StatusOr<JointList>(const std::string& path)>&
          read);

  // The expectations of the clip with this index among the inputs; null if it
  // has none. Valid as long as this object.
  const Expectations* Of(size_t input) const;

  // The files, sorted by path.
  std::vector<std::string> Paths() const;
  // Returns Paths(), then the files that they name as their skeletons. A
  // skeleton that is a list of names gives "".
  std::vector<std::string> ReadPaths() const;

 private:
  std::vector<Expectations> files_;
  // By input: an index into files_, or -1.
  std::vector<int> by_input_;
};

// Adds the severities, the thresholds and the ignored codes of `expectations`
// to `report`. Thresholds of `report` override those of `expectations`, but the
// severities of `expectations` override those of `report`. `below` is the path
// of the clip, relative to the folder of the expectations.
void ApplyTo(const Expectations& expectations, std::string_view below,
             ReportOptions* report);

// Adds an issue DATASET_... to result->report for each expectation that the
// clip breaks. A fact that is unknown breaks no expectation. If the clip was
// read, an unknown unit or up axis adds a hint. One exception: a clip that was
// read, has two frames or more and has no rate breaks an expectation of a rate.
// `options` are those of the report. result->status does not change.
void CheckExpectations(const Expectations& expectations,
                       const ClipTraits& traits, const ReportOptions& options,
                       ConvertResult* result);

// The path patterns of IgnoredCodes::files.

// True if `pattern` matches all of `path`, a relative path with slashes. "?" is
// one byte and "*" any number of bytes, without slashes. "**" is any number of
// bytes, including slashes. "**/" at the start, or after a slash, is any number
// of folders, including none. "./" at the start is ignored. All other bytes
// stand for themselves. A pattern without a slash is compared with the name of
// the file alone, in any folder. O(pattern * path).
bool MatchesPath(std::string_view pattern, std::string_view path);

// Returns why `pattern` can match no file below a folder, as the end of a
// sentence that begins with the pattern, such as "names no file". Empty if it
// can match one.
std::string WhyNoPattern(std::string_view pattern);

// The path from `folder` to `path`, with slashes: from "a" to "b/c" it is
// "../b/c". Each is absolute, or relative to the working folder; "" is the
// working folder. Symbolic links to folders are followed, so all paths to a
// file have the same result. The files need not exist.
std::string PathFrom(const std::string& folder, const std::string& path);

}  // namespace bvhmill::client
