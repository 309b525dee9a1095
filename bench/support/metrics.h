#pragma once

// Shared parts of benchmark programs: a flat list of named numbers, and a main
// that runs Google Benchmark and writes them.

#include <map>
#include <string>
#include <vector>

namespace bvhmill::bench {

// A metric over the rounds of a run: its median, and its quartiles. All three
// are the value of a metric that was measured once.
struct Metric {
  double median = 0;
  double low = 0;
  double high = 0;
};

// Metrics of this run, by name, e.g. "read.cmu.scalar.mb_per_s".
class Metrics {
 public:
  // The list that RunBenchmarks prints and writes.
  static Metrics& Global();

  void Set(const std::string& name, double value) {
    values_[name] = {value, value, value};
  }
  // Sets the median and the quartiles of `values`, which must not be empty.
  void SetAll(const std::string& name, std::vector<double> values);
  // The median; 0 if there is none.
  double Get(const std::string& name) const;
  const std::map<std::string, Metric>& values() const { return values_; }

 private:
  std::map<std::string, Metric> values_;
};

// The larger one of two errors; NaN if one of them is NaN, which std::max would
// lose.
double Worse(double a, double b);

// {"machine": {...}, "metrics": {"name": [median, low, high], ...}}, one metric
// a line.
std::string MetricsJson(const Metrics& metrics);

// Runs all registered benchmarks in turns, `rounds` times or as often as
// `--rounds N` says. Each counter becomes a metric named BENCHMARK.COUNTER.
// `derive` is called with the metrics of each round and may add ratios, so that
// a ratio is one of values that were measured one after the other, and its
// spread is what the machine leaves. Prints the metrics as a table, and writes
// them to the file of `--json FILE`; without FILE, or as "-", to stdout, and
// all else to stderr. Other flags are Google Benchmark's. Returns an exit code.
int RunBenchmarks(int argc, char** argv, void (*derive)(Metrics*),
                  int rounds = 5);

}  // namespace bvhmill::bench
