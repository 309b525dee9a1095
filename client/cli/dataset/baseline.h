#pragma once

// The known faults of a data set: a run with a baseline reports only new ones.
//
//   auto baseline = Baseline::Read("known.jsonl", cancel);
//   int64_t known = baseline->TakeOut(path, options, &report);
//
// A baseline is a file with one JSON object on each line. A fault is known if
// the baseline has its file, its code, its joint (index and name) and its kind
// (rotation or position), and if it is no more severe and occurs no more often
// than there. Files are named relative to the folder of the baseline.
//
// Earlier versions wrote no kinds. Their lines count all kinds of a fault, and
// are compared with the sum of all kinds. They wrote no severities either, so
// their faults may have any.

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "bvhmill/base/cancel.h"
#include "bvhmill/files/inputs.h"
#include "bvhmill/report/report.h"

namespace bvhmill::client {

// How much of a baseline a run has found again.
struct BaselineMatch {
  // The issues of the baseline that the run looked for, and those of them that
  // it found. It looks for an issue if TakeOut was called for its clip with a
  // whole report, whose options list its code.
  int64_t looked_for = 0;
  int64_t found = 0;
  // All issues of the baseline.
  int64_t all = 0;
  // The issues of files that are not among the inputs, and these files, sorted.
  int64_t elsewhere = 0;
  std::vector<std::string> files_elsewhere;
  // Clips of the run to which some or all rules did not apply, for a reason
  // that only known issues state.
  int64_t not_judged = 0;
};

// The issues of a data set by file, code, joint and kind. Thread-safe.
class Baseline {
 public:
  // An empty baseline, to be written to the file `path`. Reads no file.
  explicit Baseline(const std::string& path);
  Baseline(Baseline&& other) noexcept;

  // Reads the baseline in the file `path`, of at most 256 MiB. INVALID_ARGUMENT
  // "PATH:LINE: why", or "PATH: why" if the file cannot be read.
  static absl::StatusOr<Baseline> Read(const std::string& path,
                                       const CancelToken* cancel);

  // Adds all issues that `report` lists about the clip `path`.
  void Add(const std::string& path, const Report& report);

  // Removes the known issues of the clip `path` from the list and the counts of
  // `report`, which was made with `options`. Returns the number of issues that
  // were removed, not of their occurrences. The verdict does not change.
  int64_t TakeOut(const std::string& path, const ReportOptions& options,
                  Report* report);

  // Compares the baseline with the run so far, whose clips are `paths`.
  BaselineMatch Match(std::span<const std::string> paths) const;

  // The lines of the file, sorted.
  std::string Text() const;

  // The version of the rules with which the baseline was made.
  const std::string& rules_version() const { return rules_version_; }

 private:
  // File, code, joint or -1, name of the joint, kind. An empty kind is that of
  // an issue without a kind, or all kinds.
  using Key =
      std::tuple<std::string, std::string, int32_t, std::string, std::string>;
  struct Known {
    int64_t occurrences = 0;
    // The frames at which it occurs, ascending; empty if not all are known.
    std::vector<int64_t> frames;
    // The most severe one of its issues; none: not known.
    std::optional<Severity> severity;
    bool is_found = false;
    bool is_looked_for = false;
  };

  static Key KeyOf(const std::string& file, const Issue& issue);
  // The known fault of this kind, or else that of all kinds; null if there is
  // none.
  Known* Find(const std::string& file, const Issue& issue);
  absl::Status ReadLine(const std::string& line);
  // True if the issue is more severe than the known ones.
  static bool IsWorse(const Issue& issue, const Known& known);
  // States in a new issue what the baseline lacks: the severity, or the listed
  // frames.
  static void StateNews(const Known& known, Issue* issue);

  std::string folder_;
  std::string rules_version_;
  mutable std::mutex mutex_;
  std::map<Key, Known> known_;
  int64_t not_judged_ = 0;
};

// Notes for people about how much of `baseline`, which was read from `path`, a
// run over `inputs` has found again; whole lines.
std::string BaselineUse(const std::string& path, const Baseline& baseline,
                        std::span<const Input> inputs);

}  // namespace bvhmill::client
