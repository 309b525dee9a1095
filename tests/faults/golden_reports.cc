#include "tests/faults/golden_reports.h"

#include "tests/faults/score.h"

namespace bvhmill::faults {
namespace {

// "DATA_SPIKE or DATA_JUMP, frames 12 to 13, joints 4 5"
std::string ExpectationText(const Expected& expected) {
  std::string out;
  for (const std::string& code : expected.codes) {
    out += (out.empty() ? "" : " or ") + code;
  }
  if (expected.first_frame) {
    out += ", frames " + std::to_string(*expected.first_frame) + " to " +
           std::to_string(*expected.last_frame);
  }
  if (!expected.joints.empty()) out += ", joints";
  for (const int32_t joint : expected.joints)
    out += " " + std::to_string(joint);
  return out;
}

const char* OutcomeText(const Outcome& outcome) {
  if (!outcome.is_found) return "not found";
  return outcome.is_placed ? "found" : "found elsewhere";
}

std::string GoldenReport(const FaultyFile& file) {
  const Report report = ReportOfText(file.text);
  std::string out = file.name + ": " + ExpectationText(file.expected) + "\n";
  out += std::string("  ") + OutcomeText(Judge(report, file.expected)) + "\n";
  for (const Issue& issue : report.issues) {
    out += "    " + RenderIssue(issue) + "\n";
  }
  return out;
}

}  // namespace

std::map<std::string, std::string> GoldenReports(
    const std::vector<FaultyFile>& files) {
  std::map<std::string, std::string> tables;
  for (const FaultyFile& file : files) tables[file.kind] += GoldenReport(file);
  return tables;
}

}  // namespace bvhmill::faults
