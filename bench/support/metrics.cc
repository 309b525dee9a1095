#include "bench/support/metrics.h"

#include <benchmark/benchmark.h>
#include <sys/utsname.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <string_view>
#include <thread>
#include <vector>

#include "bvhmill/base/version.h"

namespace bvhmill::bench {
namespace {

// Collects the counters of every run, also of those that are not displayed.
class Collector final : public benchmark::ConsoleReporter {
 public:
  Collector() : ConsoleReporter(OO_Tabular) {}

  void ReportRuns(const std::vector<Run>& runs) override {
    ConsoleReporter::ReportRuns(runs);
    for (const Run& run : runs) {
      if (run.error_occurred) {
        failed_ = true;
        continue;
      }
      if (run.run_type != Run::RT_Iteration) continue;
      for (const auto& [name, counter] : run.counters) {
        samples_[run.run_name.function_name + "." + name].push_back(counter);
      }
    }
  }

  bool failed() const { return failed_; }

  // Sets the metrics of all rounds, and those that `derive` makes of each.
  void Summarize(void (*derive)(Metrics*), Metrics* metrics) {
    size_t rounds = 0;
    for (const auto& [name, values] : samples_) {
      rounds = std::max(rounds, values.size());
    }
    std::map<std::string, std::vector<double>> derived;
    for (size_t k = 0; k < rounds; ++k) {
      Metrics round;
      for (const auto& [name, values] : samples_) {
        if (k < values.size()) round.Set(name, values[k]);
      }
      derive(&round);
      for (const auto& [name, value] : round.values()) {
        if (!samples_.contains(name)) derived[name].push_back(value.median);
      }
    }
    for (const auto& [name, values] : samples_) metrics->SetAll(name, values);
    for (const auto& [name, values] : derived) metrics->SetAll(name, values);
  }

 private:
  std::map<std::string, std::vector<double>> samples_;
  bool failed_ = false;
};

std::string CpuModel() {
  std::ifstream in("/proc/cpuinfo");
  std::string line;
  while (std::getline(in, line)) {
    const size_t colon = line.find(": ");
    if (line.starts_with("model name") && colon != std::string::npos) {
      return line.substr(colon + 2);
    }
  }
  return "unknown";
}

constexpr char kStdout[] = "-";

// Takes `flag [VALUE]` out of the arguments: `missing` without VALUE, "" if it
// is not there.
std::string TakeFlag(std::string_view flag, std::string_view missing, int* argc,
                     char** argv) {
  std::string value;
  int kept = 0;
  for (int i = 0; i < *argc; ++i) {
    if (argv[i] != flag) {
      argv[kept++] = argv[i];
      continue;
    }
    const bool has_value =
        i + 1 < *argc && !std::string_view(argv[i + 1]).starts_with("--");
    value = has_value ? argv[++i] : missing;
  }
  *argc = kept;
  return value;
}

void PrintTable(const Metrics& metrics, FILE* out) {
  for (const auto& [name, value] : metrics.values()) {
    std::fprintf(out, "%-44s %12.6g", name.c_str(), value.median);
    if (value.low < value.high) {
      std::fprintf(out, "  (%.6g to %.6g)", value.low, value.high);
    }
    std::fputc('\n', out);
  }
}

bool WriteJson(const Metrics& metrics, const std::string& file) {
  if (file == kStdout) return !!(std::cout << MetricsJson(metrics));
  std::ofstream out(file);
  out << MetricsJson(metrics);
  return static_cast<bool>(out.flush());
}

}  // namespace

Metrics& Metrics::Global() {
  static Metrics metrics;
  return metrics;
}

double Worse(double a, double b) { return a >= b || std::isnan(a) ? a : b; }

void Metrics::SetAll(const std::string& name, std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const size_t last = values.size() - 1;
  values_[name] = {values[(last + 1) / 2], values[last / 4],
                   values[last - last / 4]};
}

double Metrics::Get(const std::string& name) const {
  const auto it = values_.find(name);
  return it == values_.end() ? 0 : it->second.median;
}

std::string MetricsJson(const Metrics& metrics) {
  utsname system = {};
  uname(&system);
  std::string out =
      "{\n\"machine\": {\"cpu\": \"" + CpuModel() +
      "\", \"cores\": " + std::to_string(std::thread::hardware_concurrency()) +
      ", \"arch\": \"" + system.machine + "\", \"system\": \"" +
      system.sysname + " " + system.release + "\", \"compiler\": \"" +
      std::string(Compiler()) + "\", \"commit\": \"" +
      std::string(GitCommit()) + "\"},\n\"metrics\": {";
  const char* separator = "\n";
  for (const auto& [name, value] : metrics.values()) {
    char numbers[128];
    std::snprintf(numbers, sizeof(numbers), "[%.6g, %.6g, %.6g]", value.median,
                  value.low, value.high);
    out += separator;
    out += "\"" + name + "\": " + numbers;
    separator = ",\n";
  }
  return out + "\n}\n}\n";
}

int RunBenchmarks(int argc, char** argv, void (*derive)(Metrics*), int rounds) {
  const std::string json = TakeFlag("--json", kStdout, &argc, argv);
  const std::string wanted = TakeFlag("--rounds", "", &argc, argv);
  if (!wanted.empty()) rounds = std::max(1, std::atoi(wanted.c_str()));
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  const bool is_data = json == kStdout;
  Collector collector;
  if (is_data) collector.SetOutputStream(&std::cerr);
  for (int i = 0; i < rounds; ++i) {
    benchmark::RunSpecifiedBenchmarks(&collector);
  }
  Metrics& metrics = Metrics::Global();
  collector.Summarize(derive, &metrics);
  PrintTable(metrics, is_data ? stderr : stdout);
  if (!json.empty() && !WriteJson(metrics, json)) {
    std::cerr << "cannot write " << json << "\n";
    return 1;
  }
  return collector.failed() ? 1 : 0;
}

}  // namespace bvhmill::bench
