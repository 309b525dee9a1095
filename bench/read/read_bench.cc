// Reading BVH text: the rows of MOTION into an array, against fast_float doing
// the same; whole files; several threads; streams; and assimp. All values but
// those of assimp are compared before anything is timed.

#include <benchmark/benchmark.h>
#include <tbb/task_arena.h>

#include <functional>
#include <iostream>
#include <memory>
#include <string>

#include "bench/read/read_baselines.h"
#include "bench/read/read_runs.h"
#include "bench/support/corpus.h"
#include "bench/support/metrics.h"
#include "bvhmill/pipeline/internal/converter_state.h"
#include "bvhmill/text/rows.h"

namespace bvhmill::bench {
namespace {

constexpr size_t kBytes = 100'000'000;
// Whole files: in small ones the hierarchy counts for more.
struct Size {
  const char* name;
  size_t bytes;
};
constexpr Size kSizes[] = {{"read.10kb", 10'000},
                           {"read.small", 150'000},
                           {"read.1mb", 1'000'000},
                           {"read.10mb", 10'000'000}};
constexpr int kThreads = 2;

// `run` reads `bytes` once.
void Register(const std::string& name, size_t bytes,
              const std::function<void()>& run) {
  benchmark::RegisterBenchmark(name.c_str(), [bytes,
                                              run](benchmark::State& state) {
    for (auto _ : state) run();
    state.counters["mb_per_s"] =
        benchmark::Counter(static_cast<double>(bytes) * 1e-6,
                           benchmark::Counter::kIsIterationInvariantRate);
  })->UseRealTime();
}

// The rows alone, into the same array.
void RegisterRows(const std::string& name,
                  const std::shared_ptr<Subject>& subject) {
  const size_t bytes = subject->rows.size();
  Register(name + ".fast_float", bytes, [subject] {
    ReadRowsByFastFloat(subject->rows, subject->values);
    benchmark::ClobberMemory();
  });
  const auto workspace = std::make_shared<RowsWorkspace>();
  const auto scan = [&](const std::string& label, RowsTarget target) {
    if (!IsSupported(target)) return;
    Register(name + "." + label, bytes, [subject, workspace, target] {
      ScanRows(target, subject->rows, subject->width, subject->values,
               workspace.get());
      benchmark::ClobberMemory();
    });
  };
  scan("best", BestRowsTarget());
  scan("avx2", RowsTarget::kAvx2);
  scan("scalar", RowsTarget::kScalar);
}

void RegisterWhole(const std::string& name, RowsTarget target,
                   const std::shared_ptr<Subject>& subject) {
  const auto kept = std::make_shared<ParsedClip>();
  Register(name, subject->rows.size(), [subject, kept, target] {
    ReadWhole(subject->text, target, nullptr, kept.get());
  });
}

// Whole files against the rows alone by fast_float.
void RegisterSize(const std::string& name,
                  const std::shared_ptr<Subject>& subject) {
  Register(name + ".fast_float", subject->rows.size(), [subject] {
    ReadRowsByFastFloat(subject->rows, subject->values);
    benchmark::ClobberMemory();
  });
  RegisterWhole(name + ".best", BestRowsTarget(), subject);
  if (IsSupported(RowsTarget::kAvx2)) {
    RegisterWhole(name + ".avx2", RowsTarget::kAvx2, subject);
  }
}

void RegisterWays(const std::string& name,
                  const std::shared_ptr<Subject>& subject) {
  const size_t bytes = subject->rows.size();
  RegisterWhole(name + ".whole", BestRowsTarget(), subject);
  // A clip of its own: its memory must be got from the system.
  Register(name + ".fresh", bytes, [subject] {
    IssueLog log({});
    benchmark::DoNotOptimize(ReadBvh(subject->text, {}, &log));
  });
  const auto arena = std::make_shared<tbb::task_arena>(kThreads);
  const auto kept = std::make_shared<ParsedClip>();
  Register(name + ".threads2", bytes, [subject, arena, kept] {
    arena->execute([&] {
      ArenaParallel parallel;
      ReadWhole(subject->text, BestRowsTarget(), &parallel, kept.get());
    });
  });
  Register(name + ".incremental", bytes, [subject, kept] {
    benchmark::DoNotOptimize(ReadStream(subject->text, kept.get()));
  });
  if (!HasAssimp()) return;
  Register(name + ".assimp", bytes, [subject] {
    benchmark::DoNotOptimize(ReadByAssimp(subject->text));
  });
}

void DeriveRatio(const std::string& name, const std::string& of,
                 const std::string& to, Metrics* metrics) {
  const double base = metrics->Get(to + ".mb_per_s");
  const double value = metrics->Get(of + ".mb_per_s");
  if (base > 0 && value > 0) metrics->Set(name, value / base);
}

void Derive(Metrics* metrics) {
  for (const char* take : {"fixed", "cmu", "general", "daz", "long", "repr",
                           "10kb", "small", "1mb", "10mb"}) {
    const std::string name = std::string("read.") + take;
    for (const char* how : {".best", ".avx2", ".scalar", ".whole", ".fresh"}) {
      DeriveRatio(name + how + ".ratio_to_fast_float", name + how,
                  name + ".fast_float", metrics);
    }
    DeriveRatio(name + ".threads2.speedup", name + ".threads2", name + ".whole",
                metrics);
    DeriveRatio(name + ".incremental.ratio_to_whole", name + ".incremental",
                name + ".whole", metrics);
    DeriveRatio(name + ".ratio_to_assimp", name + ".whole", name + ".assimp",
                metrics);
  }
}

// Null if the readers differ.
std::shared_ptr<Subject> Prepare(const std::string& name, size_t bytes) {
  auto subject = std::make_shared<Subject>(MakeCorpus(name, bytes).text);
  ArenaParallel parallel;
  const std::string who = FindDifference(*subject, &parallel);
  if (who.empty()) return subject;
  std::cerr << name << ": " << who << " reads other values\n";
  return nullptr;
}

int Main(int argc, char** argv) {
  for (const std::string name : kTakes) {
    const auto subject = Prepare(name, kBytes);
    if (subject == nullptr) return 1;
    RegisterRows("read." + name, subject);
    if (name == "cmu" || name == "fixed") {
      RegisterWays("read." + name, subject);
    }
  }
  for (const auto& [name, bytes] : kSizes) {
    const auto subject = Prepare("cmu", bytes);
    if (subject == nullptr) return 1;
    RegisterSize(name, subject);
  }
  return RunBenchmarks(argc, argv, Derive);
}

}  // namespace
}  // namespace bvhmill::bench

int main(int argc, char** argv) { return bvhmill::bench::Main(argc, argv); }
