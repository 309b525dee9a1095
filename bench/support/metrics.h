#pragma once

// Shared parts of benchmark programs: a flat list of named numbers, and a main
// that runs Google Benchmark and writes them.

#include <map>
#include <string>

namespace bvhmill::bench {

// Metrics of this run, by name, e.g. "read.cmu.scalar.mb_per_s".
class Metrics {
 public:
  // The list that RunBenchmarks prints and writes.
  static Metrics& Global();

  void Set(const std::string& name, double value) { values_[name] = value; }
  // 0 if there is none.
  double Get(const std::string& name) const;
  const std::map<std::string, double>& values() const { return values_; }

 private:
  std::map<std::string, double> values_;
};

// The larger one of two errors; NaN if one of them is NaN, which std::max would
// lose.
double Worse(double a, double b);

// {"machine": {...}, "metrics": {"name": number, ...}}, one metric a line.
std::string MetricsJson(const Metrics& metrics);

// Runs the registered benchmarks; each counter becomes a metric named
// BENCHMARK.COUNTER, its median if it was repeated. Then calls `derive`, which
// may add ratios, prints the metrics as a table, and writes them to the file of
// `--json FILE`; without FILE, or as "-", to stdout, and all else to stderr.
// Other flags are Google Benchmark's. Returns an exit code.
int RunBenchmarks(int argc, char** argv, void (*derive)(Metrics*));

}  // namespace bvhmill::bench
