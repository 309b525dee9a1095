// Reading BVH text, against fast_float reading the same rows into the same
// array. Every value is compared before anything is timed.

#include <benchmark/benchmark.h>
#include <fast_float/fast_float.h>

#include <cstring>
#include <iostream>
#include <memory>

#include "bench/corpus.h"
#include "bench/metrics.h"
#include "bvhmill/bvh/reader.h"

namespace bvhmill::bench {
namespace {

constexpr size_t kBytes = 20 << 20;

ReadResult Read(const std::string& text) {
  IssueLog log({});
  return ReadBvh(text, {}, &log);
}

// The rows of MOTION by fast_float alone: no lines, no checks.
void ReadRowsByFastFloat(std::string_view rows, std::vector<float>* out) {
  const char* at = rows.data();
  const char* end = at + rows.size();
  size_t count = 0;
  while (true) {
    while (at < end &&
           (*at == ' ' || *at == '\n' || *at == '\r' || *at == '\t')) {
      ++at;
    }
    if (at == end || count == out->size()) return;
    double value = 0;
    at = fast_float::from_chars(at, end, value).ptr;
    (*out)[count++] = static_cast<float>(value);
  }
}

std::string_view RowsOf(const std::string& text) {
  return std::string_view(text).substr(
      text.find('\n', text.find("Frame Time:")) + 1);
}

bool AreEqual(const Take& take) {
  const ReadResult result = Read(take.text);
  std::vector<float> expected(result.clip.motion.values.size());
  ReadRowsByFastFloat(RowsOf(take.text), &expected);
  return result.motion_read && !expected.empty() &&
         std::memcmp(expected.data(), result.clip.motion.values.data(),
                     expected.size() * sizeof(float)) == 0;
}

void SetRate(benchmark::State& state, size_t bytes) {
  state.counters["mb_per_s"] =
      benchmark::Counter(static_cast<double>(bytes) * 1e-6,
                         benchmark::Counter::kIsIterationInvariantRate);
}

void Register(const std::shared_ptr<Take>& take) {
  const std::string name = "read." + take->name;
  benchmark::RegisterBenchmark((name + ".scalar").c_str(),
                               [take](benchmark::State& state) {
                                 for (auto _ : state) {
                                   benchmark::DoNotOptimize(Read(take->text));
                                 }
                                 SetRate(state, take->text.size());
                               });
  benchmark::RegisterBenchmark(
      (name + ".fast_float").c_str(), [take](benchmark::State& state) {
        std::vector<float> out(Read(take->text).clip.motion.values.size());
        const std::string_view rows = RowsOf(take->text);
        for (auto _ : state) {
          ReadRowsByFastFloat(rows, &out);
          benchmark::ClobberMemory();
        }
        SetRate(state, rows.size());
      });
}

void Derive(Metrics* metrics) {
  for (const char* take : {"fixed", "cmu"}) {
    const std::string name = std::string("read.") + take;
    const double base = metrics->Get(name + ".fast_float.mb_per_s");
    if (base == 0) continue;
    metrics->Set(name + ".scalar.ratio_to_fast_float",
                 metrics->Get(name + ".scalar.mb_per_s") / base);
  }
}

int Main(int argc, char** argv) {
  for (Take& take : Corpus(kBytes)) {
    if (!AreEqual(take)) {
      std::cerr << take.name << ": the reader and fast_float differ\n";
      return 1;
    }
    Register(std::make_shared<Take>(std::move(take)));
  }
  return RunBenchmarks(argc, argv, Derive);
}

}  // namespace
}  // namespace bvhmill::bench

int main(int argc, char** argv) { return bvhmill::bench::Main(argc, argv); }
