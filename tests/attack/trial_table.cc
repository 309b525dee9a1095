#include "tests/attack/trial_table.h"

#include <cstdio>
#include <nlohmann/json.hpp>

namespace bvhmill::attack {
namespace {

constexpr double kMegabyte = 1 << 20;

double Megabytes(int64_t bytes) {
  return static_cast<double>(bytes) / kMegabyte;
}

template <typename... Values>
std::string Format(const char* format, Values... values) {
  char line[512];
  std::snprintf(line, sizeof(line), format, values...);
  return line;
}

}  // namespace

std::string TableHead() {
  return Format("%-26s %9s %7s %8s %9s %8s %7s %7s %7s %7s  %s\n", "attack",
                "sent KB", "calls", "grew MB", "counted", "beyond", "cpu s",
                "median", "worst", "drain s", "missed");
}

std::string TableRow(const Trial& trial) {
  return Format(
      "%-26s %9.1f %7lld %8.0f %9.0f %8.0f %7.1f %7.3f %7.3f %7.1f  %s\n",
      trial.name.c_str(), static_cast<double>(trial.sent_bytes) / 1024,
      static_cast<long long>(trial.calls), Megabytes(trial.growth_bytes),
      Megabytes(trial.counted_bytes), Megabytes(trial.uncounted_bytes()),
      trial.cpu_seconds, trial.honest.median, trial.honest.worst,
      trial.ending.seconds, trial.missed.empty() ? "-" : trial.missed.c_str());
}

std::string TrialsJson(std::span<const Trial> trials) {
  std::string out = "{\"trials\": [\n";
  for (size_t i = 0; i < trials.size(); ++i) {
    const Trial& t = trials[i];
    const nlohmann::ordered_json row = {
        {"name", t.name},
        {"calls", t.calls},
        {"sent_bytes", t.sent_bytes},
        {"survived", t.survived},
        {"growth_bytes", t.growth_bytes},
        {"counted_bytes", t.counted_bytes},
        {"uncounted_bytes", t.uncounted_bytes()},
        {"cpu_seconds", t.cpu_seconds},
        {"honest_calls", t.honest.calls},
        {"honest_failed", t.honest.failed},
        {"honest_median_seconds", t.honest.median},
        {"honest_worst_seconds", t.honest.worst},
        {"end", t.ending.how},
        {"drain_seconds", t.ending.seconds},
        {"metrics_answered", t.metrics_answered},
        {"missed", t.missed}};
    out += row.dump() + (i + 1 < trials.size() ? ",\n" : "\n");
  }
  return out + "]}\n";
}

}  // namespace bvhmill::attack
