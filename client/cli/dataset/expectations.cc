#include "client/cli/dataset/expectations.h"

#include <algorithm>
#include <utility>

#include "bvhmill/report/issue_log.h"
#include "client/cli/dataset/path_pattern.h"
#include "client/cli/dataset/skeletons.h"

namespace bvhmill::client {
namespace {

std::string JoinedRates(const std::vector<double>& rates) {
  std::string out;
  for (const double rate : rates) {
    out += (out.empty() ? "" : " or ") + RateName(rate);
  }
  return out;
}

void CheckRate(const Expectations& expectations, const ClipTraits& traits,
               IssueLog* log) {
  const std::vector<double>& rates = expectations.frame_rates;
  if (rates.empty()) return;
  const bool is_expected =
      std::any_of(rates.begin(), rates.end(),
                  [&](double rate) { return RateName(rate) == traits.rate; });
  if (is_expected) return;
  log->Add(IssueCode::DATASET_FRAME_RATE, {},
           {{"rate", traits.rate.empty() ? "no rate" : traits.rate},
            {"expected", JoinedRates(rates)}});
}

void CheckSkeleton(const Expectations& expectations, const JointList& joints,
                   IssueLog* log) {
  if (!expectations.skeleton || joints.empty()) return;
  const ExpectedSkeleton& expected = *expectations.skeleton;
  const SkeletonDifference difference =
      expected.names.empty() ? CompareSkeletons(expected.joints, joints)
                             : CompareNames(expected.names, joints);
  if (difference.text.empty()) return;
  Location location;
  if (difference.joint >= 0) {
    location.joint = difference.joint;
    location.joint_name = joints[static_cast<size_t>(difference.joint)].name;
  }
  log->Add(IssueCode::DATASET_SKELETON, location,
           {{"difference", difference.text}});
}

// A clip that was not read as a whole has no hint about its unit.
void CheckUnit(const Expectations& expectations, const ClipTraits& traits,
               bool is_read, IssueLog* log) {
  if (!expectations.unit) return;
  if (!traits.unit) {
    if (is_read) {
      log->Add(IssueCode::DATASET_UNITS_UNKNOWN, {},
               {{"expected", expectations.unit->name}});
    }
    return;
  }
  if (expectations.unit->meters == traits.unit->meters) return;
  log->Add(
      IssueCode::DATASET_UNITS, {},
      {{"unit", traits.unit->name}, {"expected", expectations.unit->name}});
}

void CheckUp(const Expectations& expectations, const ClipTraits& traits,
             bool is_read, IssueLog* log) {
  if (expectations.up.empty()) return;
  if (traits.up.empty()) {
    if (is_read) {
      log->Add(IssueCode::DATASET_UP_AXIS_UNKNOWN, {},
               {{"expected", expectations.up}});
    }
    return;
  }
  if (expectations.up == traits.up) return;
  log->Add(IssueCode::DATASET_UP_AXIS, {},
           {{"axis", traits.up}, {"expected", expectations.up}});
}

}  // namespace

void ApplyTo(const Expectations& expectations, std::string_view below,
             ReportOptions* report) {
  for (const auto& [code, severity] : expectations.severities) {
    report->severities[code] = severity;
  }
  // The last value for a threshold counts, so the command line overrides the
  // file.
  report->thresholds.insert(report->thresholds.begin(),
                            expectations.thresholds.begin(),
                            expectations.thresholds.end());
  for (const IgnoredCodes& ignored : expectations.ignored) {
    const bool is_meant =
        ignored.files.empty() ||
        std::any_of(ignored.files.begin(), ignored.files.end(),
                    [below](const std::string& pattern) {
                      return MatchesPath(pattern, below);
                    });
    if (!is_meant) continue;
    report->ignore.insert(report->ignore.end(), ignored.codes.begin(),
                          ignored.codes.end());
  }
}

void CheckExpectations(const Expectations& expectations,
                       const ClipTraits& traits, const ReportOptions& options,
                       ConvertResult* result) {
  IssueLog log(options);
  // A clip that was refused is not known to lack a rate, and a pose needs none.
  const bool has_motion = result->status.ok() && result->info.frames > 1;
  if (has_motion || !traits.rate.empty()) {
    CheckRate(expectations, traits, &log);
  }
  if (traits.skeleton) {
    CheckSkeleton(expectations, result->info.joints, &log);
  }
  const bool is_read = result->status.ok();
  CheckUnit(expectations, traits, is_read, &log);
  CheckUp(expectations, traits, is_read, &log);
  if (log.added() == 0) return;
  AddToReport(log.Finish(true, true), &result->report);
}

}  // namespace bvhmill::client
