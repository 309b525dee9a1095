// From text to positions and to whole files of other formats, against reading
// alone. The positions are compared with those of a whole clip before anything
// is timed.

#include <benchmark/benchmark.h>
#include <tbb/task_arena.h>

#include <functional>
#include <iostream>
#include <memory>
#include <string>

#include "bench/read/read_runs.h"
#include "bench/support/corpus.h"
#include "bench/support/metrics.h"
#include "bvhmill/kinematics/fk_job.h"
#include "bvhmill/pipeline/convert.h"

namespace bvhmill::bench {
namespace {

constexpr size_t kBytes = 100'000'000;
constexpr size_t kFormatBytes = 10'000'000;
constexpr int kThreads = 2;

struct FormatCase {
  const char* name;
  FormatOptions settings;
};
const FormatCase kFormats[] = {{"npz", NpzFormat{}},
                               {"csv", CsvFormat{}},
                               {"bvh", BvhFormat{}},
                               {"glb", GlbFormat{}}};

// Takes positions while they are in the cache, and drops them.
class DroppingReceiver final : public OutputReceiver {
 public:
  absl::Status Begin(const ClipInfo& /*info*/,
                     std::span<const OutputInfo> /*outputs*/) override {
    return absl::OkStatus();
  }
  absl::Status Data(size_t /*output*/, std::string_view bytes) override {
    benchmark::DoNotOptimize(bytes.data());
    bytes_ += bytes.size();
    return absl::OkStatus();
  }
  size_t bytes() const { return bytes_; }

 private:
  size_t bytes_ = 0;
};

// With or without the rules about data.
ConvertOptions ToPositions(bool has_rules) {
  ConvertOptions options;
  options.outputs = {{"", PositionsFormat{}}};
  if (!has_rules) options.report.ignore = {"DATA_*"};
  return options;
}

// Returns the bytes of the outputs; 0 if it went wrong.
size_t Convert(std::string_view text, const ConvertOptions& options) {
  DroppingReceiver receiver;
  static Converter converter(Parallelism::CallersPool());
  const ConvertResult result =
      converter.Convert(text, options, &receiver, nullptr);
  return result.status.ok() ? receiver.bytes() : 0;
}

// The positions of the clip, read as a whole and solved in one job by the best
// target. solve_bench compares the targets with the reference.
std::string ExpectedPositions(std::string_view text) {
  IssueLog log({});
  const Clip clip = ReadBvh(text, {}, &log).clip;
  const Plan plan = MakePlan(clip.skeleton, {});
  FkJob job;
  job.plan = &plan;
  job.frames = clip.motion.frames;
  job.values = clip.motion.values;
  std::string bytes(static_cast<size_t>(job.frames * plan.joints) * 12, '\0');
  job.positions = {reinterpret_cast<float*>(bytes.data()), bytes.size() / 4};
  job.Run();
  return bytes;
}

bool IsRight(std::string_view text) {
  tbb::task_arena arena(kThreads);
  const std::string expected = ExpectedPositions(text);
  StringReceiver receiver;
  Converter converter(Parallelism::CallersPool());
  arena.execute(
      [&] { converter.Convert(text, ToPositions(true), &receiver, nullptr); });
  return !expected.empty() && receiver.data().size() == 1 &&
         receiver.data()[0] == expected;
}

void Register(const std::string& name, size_t bytes, int threads,
              const std::function<void()>& run) {
  const auto arena = std::make_shared<tbb::task_arena>(threads);
  benchmark::RegisterBenchmark(name.c_str(), [bytes, run,
                                              arena](benchmark::State& state) {
    for (auto _ : state) arena->execute(run);
    state.counters["mb_per_s"] =
        benchmark::Counter(static_cast<double>(bytes) * 1e-6,
                           benchmark::Counter::kIsIterationInvariantRate);
  })->UseRealTime();
}

void RegisterTake(const std::string& name,
                  const std::shared_ptr<Subject>& subject) {
  const size_t bytes = subject->rows.size();
  const auto kept = std::make_shared<ParsedClip>();
  Register(name + ".read", bytes, 1, [subject, kept] {
    ReadWhole(subject->text, BestRowsTarget(), nullptr, kept.get());
  });
  for (const bool has_rules : {true, false}) {
    const std::string part = has_rules ? "" : ".no_rules";
    const auto convert = [subject, has_rules] {
      benchmark::DoNotOptimize(Convert(subject->text, ToPositions(has_rules)));
    };
    Register(name + part + ".positions", bytes, 1, convert);
    Register(name + part + ".threads2", bytes, kThreads, convert);
  }
}

// Each format, by one thread. False if one of them cannot be written.
bool RegisterFormats(const std::string& name,
                     const std::shared_ptr<Subject>& subject) {
  const size_t bytes = subject->rows.size();
  const auto kept = std::make_shared<ParsedClip>();
  Register(name + ".read", bytes, 1, [subject, kept] {
    ReadWhole(subject->text, BestRowsTarget(), nullptr, kept.get());
  });
  for (const auto& [format, settings] : kFormats) {
    ConvertOptions options;
    options.outputs = {{"", settings}};
    if (Convert(subject->text, options) == 0) {
      std::cerr << format << " is not written\n";
      return false;
    }
    Register(name + "." + format, bytes, 1, [subject, options] {
      benchmark::DoNotOptimize(Convert(subject->text, options));
    });
  }
  return true;
}

void Derive(Metrics* metrics) {
  const double read = metrics->Get("pipeline.to.read.mb_per_s");
  for (const auto& [format, settings] : kFormats) {
    const std::string name = std::string("pipeline.to.") + format;
    const double value = metrics->Get(name + ".mb_per_s");
    if (read > 0) metrics->Set(name + ".ratio_to_read", value / read);
  }
  for (const char* take : {"fixed", "cmu"}) {
    const std::string name = std::string("pipeline.") + take;
    const double read = metrics->Get(name + ".read.mb_per_s");
    for (const char* part : {"", ".no_rules"}) {
      const double one = metrics->Get(name + part + ".positions.mb_per_s");
      const double two = metrics->Get(name + part + ".threads2.mb_per_s");
      if (read > 0) metrics->Set(name + part + ".ratio_to_read", one / read);
      if (one > 0) metrics->Set(name + part + ".threads2.speedup", two / one);
    }
  }
}

int Main(int argc, char** argv) {
  for (const std::string take : {"cmu", "fixed"}) {
    const auto subject =
        std::make_shared<Subject>(MakeCorpus(take, kBytes).text);
    if (!IsRight(subject->text)) {
      std::cerr << take << ": the positions differ\n";
      return 1;
    }
    RegisterTake("pipeline." + take, subject);
  }
  if (!RegisterFormats(
          "pipeline.to",
          std::make_shared<Subject>(MakeCorpus("cmu", kFormatBytes).text))) {
    return 1;
  }
  return RunBenchmarks(argc, argv, Derive);
}

}  // namespace
}  // namespace bvhmill::bench

int main(int argc, char** argv) { return bvhmill::bench::Main(argc, argv); }
