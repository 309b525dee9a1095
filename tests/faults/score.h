// Compares reports with the faults that were put into clips.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "bvhmill/report/report.h"
#include "tests/faults/corpus.h"

namespace bvhmill::faults {

// The report of a clip that is converted without outputs, with all issues.
Report ReportOfText(const std::string& text);

// One file.
struct Outcome {
  // An issue with one of the codes is in the report.
  bool is_found = false;
  // One of them is at the right joint, and within two frames.
  bool is_placed = false;
};
Outcome Judge(const Report& report, const Expected& expected);

// Files of one rule, or of one kind, at one strength.
struct Tally {
  int files = 0;
  int found = 0;
  int placed = 0;

  void Add(const Outcome& outcome);
  // Shares; NaN without files.
  double Recall() const;
  double Placed() const;  // of those that were found
};

// By rule (the first code of what is expected) or kind, and strength.
using Tallies = std::map<std::string, std::map<Strength, Tally>>;

struct Scores {
  Tallies by_rule;
  Tallies by_kind;
  std::map<Strength, Tally> all;
  // Names of files whose fault was not found, or not at its place.
  std::vector<std::string> missed;
  std::vector<std::string> misplaced;
};

// Converts each file without outputs and judges its report.
Scores Score(const std::vector<FaultyFile>& files);

// Clean clips with a warning or an error: "name CODE CODE".
std::vector<std::string> FalseAlarms(const std::vector<CleanClip>& clips);

// A table for people.
std::string ScoreTable(const Tallies& tallies);

}  // namespace bvhmill::faults
