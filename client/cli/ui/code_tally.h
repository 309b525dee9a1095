#pragma once

// Counts the clips of a run by the codes of their issues.

#include <array>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "bvhmill/report/report.h"
#include "client/cli/dataset/summary.h"

namespace bvhmill::client {

// Returns the codes in `report`, each with its number of occurrences and a clip
// count of 1.
std::vector<CodeCount> CodesOf(const Report& report);

// Thread-safe.
class CodeTally {
 public:
  // Counts a clip, once for each code that `report` lists.
  void Add(const Report& report) { Add(CodesOf(report)); }
  // Counts a clip that has `codes`, a result of CodesOf.
  void Add(const std::vector<CodeCount>& codes);

  // "3 clips with warnings: DATA_NOT_FINITE 2, TEXT_COMMENT 1" and a line end;
  // the most frequent code first. Empty if no clip has issues of `severity`.
  // `words`, if not empty, replace "with warnings".
  std::string Line(Severity severity, std::string_view words = {}) const;
  // The code of `severity` that most clips have; empty if there is none.
  std::string MostFrequent(Severity severity) const;
  // The lines of all severities, the most severe first.
  std::string Lines() const;
  // All codes, the most severe first, then those that most clips have.
  std::vector<CodeCount> Counts() const;

 private:
  struct Code {
    int64_t clips = 0;
    int64_t occurrences = 0;
  };
  struct Clips {
    int64_t count = 0;
    std::map<std::string, Code, std::less<>> by_code;
  };

  // The codes of a severity, those that most clips have first. Requires that
  // the mutex is held.
  std::vector<CodeCount> CountsOf(Severity severity) const;

  mutable std::mutex mutex_;
  // Indexed by Severity; element 0 is unused.
  std::array<Clips, 5> clips_;
};

}  // namespace bvhmill::client
