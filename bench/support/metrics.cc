#include "bench/support/metrics.h"

#include <benchmark/benchmark.h>
#include <sys/utsname.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
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

  void PutMedians(Metrics* metrics) {
    for (auto& [name, values] : samples_) {
      const auto middle =
          values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
      std::nth_element(values.begin(), middle, values.end());
      metrics->Set(name, *middle);
    }
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

// Takes `--json [FILE]` out of the arguments; kStdout without FILE, "" if it is
// not there.
std::string TakeJsonFlag(int* argc, char** argv) {
  std::string file;
  int kept = 0;
  for (int i = 0; i < *argc; ++i) {
    if (std::string_view(argv[i]) != "--json") {
      argv[kept++] = argv[i];
      continue;
    }
    const bool has_file =
        i + 1 < *argc && !std::string_view(argv[i + 1]).starts_with("--");
    file = has_file ? argv[++i] : kStdout;
  }
  *argc = kept;
  return file;
}

void PrintTable(const Metrics& metrics, FILE* out) {
  for (const auto& [name, value] : metrics.values()) {
    std::fprintf(out, "%-44s %12.6g\n", name.c_str(), value);
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

double Metrics::Get(const std::string& name) const {
  const auto it = values_.find(name);
  return it == values_.end() ? 0 : it->second;
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
    char number[64];
    std::snprintf(number, sizeof(number), "%.6g", value);
    out += separator;
    out += "\"" + name + "\": " + number;
    separator = ",\n";
  }
  return out + "\n}\n}\n";
}

int RunBenchmarks(int argc, char** argv, void (*derive)(Metrics*)) {
  const std::string json = TakeJsonFlag(&argc, argv);
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  const bool is_data = json == kStdout;
  Collector collector;
  if (is_data) collector.SetOutputStream(&std::cerr);
  benchmark::RunSpecifiedBenchmarks(&collector);
  Metrics& metrics = Metrics::Global();
  collector.PutMedians(&metrics);
  derive(&metrics);
  PrintTable(metrics, is_data ? stderr : stdout);
  if (!json.empty() && !WriteJson(metrics, json)) {
    std::cerr << "cannot write " << json << "\n";
    return 1;
  }
  return collector.failed() ? 1 : 0;
}

}  // namespace bvhmill::bench
