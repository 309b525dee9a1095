// The rules about motion: the share of faults that they find, and their cost.
//
//   rules.CODE.recall.STRENGTH     share of the files whose fault is found
//   rules.CODE.placed.STRENGTH     of those, at the right joint and frame
//   rules.recall.STRENGTH, rules.placed.STRENGTH      over all codes
//   rules.false_alarms_per_100     clean clips with a warning
//   pipeline.validate.overhead     time of the rules, relative to reading and
//                                  solving the poses
//   pipeline.validate.overhead_to_read                relative to reading
//   pipeline.validate.overhead_without_positions      of a figure without feet
//
// Faults are put into generated clips, and into real ones if BVHMILL_DATA names
// a folder of them (rules.real...).

#include <benchmark/benchmark.h>

#include <cstdlib>
#include <functional>
#include <initializer_list>
#include <iostream>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "bench/support/metrics.h"
#include "bvhmill/bvh/reader.h"
#include "bvhmill/kinematics/fk_job.h"
#include "bvhmill/pipeline/convert.h"
#include "tests/faults/corpus.h"
#include "tests/faults/score.h"

namespace bvhmill::bench {
namespace {

constexpr size_t kBytes = 20'000'000;
constexpr int kCopies = 8;

std::string Joined(std::initializer_list<std::string_view> parts) {
  std::string out;
  for (const std::string_view part : parts) out += part;
  return out;
}

void PutTallies(const std::string& name,
                const std::map<faults::Strength, faults::Tally>& tallies) {
  Metrics& metrics = Metrics::Global();
  for (const auto& [strength, tally] : tallies) {
    const std::string_view end = faults::StrengthName(strength);
    metrics.Set(Joined({name, ".recall.", end}), tally.Recall());
    if (tally.found == 0) continue;
    metrics.Set(Joined({name, ".placed.", end}), tally.Placed());
  }
}

void PutScores(const std::string& name,
               const std::vector<faults::CleanClip>& clips) {
  const faults::Scores scores =
      faults::Score(faults::MakeFaultyFiles(clips, kCopies));
  std::cerr << faults::ScoreTable(scores.by_rule) << "\n"
            << faults::ScoreTable(scores.by_kind) << "\n";
  for (const auto& [code, tallies] : scores.by_rule) {
    PutTallies(Joined({name, ".", code}), tallies);
  }
  PutTallies(name, scores.all);
  const double alarms =
      100.0 * static_cast<double>(faults::FalseAlarms(clips).size());
  Metrics::Global().Set(name + ".false_alarms_per_100",
                        alarms / static_cast<double>(clips.size()));
}

// Reads, without rules.
Clip Read(const std::string& text) {
  IssueLog log({});
  return ReadBvh(text, {}, &log).clip;
}

// The same motion of joints that are not known as feet.
std::string WithoutFeet(std::string text) {
  for (const std::string name : {"Foot", "Toe"}) {
    for (size_t at = text.find(name); at != std::string::npos;
         at = text.find(name)) {
      text.replace(at, name.size(), "Part");
    }
  }
  return text;
}

void RegisterRun(const std::string& name, const std::function<void()>& run) {
  benchmark::RegisterBenchmark(name.c_str(), [run](benchmark::State& state) {
    for (auto _ : state) run();
    state.counters["seconds"] =
        benchmark::Counter(1, benchmark::Counter::kIsIterationInvariantRate |
                                  benchmark::Counter::kInvert);
  });
}

void RegisterTake(const std::string& text) {
  const auto converter = std::make_shared<Converter>(Parallelism::None());
  RegisterRun("validate.read", [text] {
    const Clip clip = Read(text);
    benchmark::DoNotOptimize(clip.motion.values.data());
  });
  const auto clip = std::make_shared<Clip>(Read(text));
  const auto plan = std::make_shared<Plan>(MakePlan(clip->skeleton, {}));
  const auto positions = std::make_shared<std::vector<float>>(
      static_cast<size_t>(3 * clip->motion.frames * plan->joints));
  RegisterRun("validate.solve", [clip, plan, positions] {
    FkJob job;
    job.plan = plan.get();
    job.frames = clip->motion.frames;
    job.values = clip->motion.values;
    job.positions = *positions;
    job.Run();
  });
  const auto register_rules = [converter](const std::string& name,
                                          const std::string& take) {
    RegisterRun(name, [take, converter] {
      const ConvertResult result =
          converter->Convert(take, {}, nullptr, nullptr);
      benchmark::DoNotOptimize(result.report.counts.errors);
    });
  };
  // Read, and all rules applied; with and without feet, which need positions.
  register_rules("validate.rules", text);
  register_rules("validate.no_feet", WithoutFeet(text));
}

void Derive(Metrics* metrics) {
  const double read = metrics->Get("validate.read.seconds");
  const double solve = metrics->Get("validate.solve.seconds");
  const double rules = metrics->Get("validate.rules.seconds");
  const double no_feet = metrics->Get("validate.no_feet.seconds");
  if (read <= 0 || solve <= 0 || rules <= 0 || no_feet <= 0) return;
  metrics->Set("pipeline.validate.overhead", (rules - read) / (read + solve));
  metrics->Set("pipeline.validate.overhead_to_read", (rules - read) / read);
  metrics->Set("pipeline.validate.overhead_without_positions",
               (no_feet - read) / (read + solve));
}

int Main(int argc, char** argv) {
  PutScores("rules", faults::GeneratedClips());
  const char* data = std::getenv("BVHMILL_DATA");
  if (data != nullptr) {
    PutScores("rules.real", faults::RealClips(std::string(data) + "/bvh"));
  }
  const std::string take = faults::LongCleanClip(kBytes);
  if (Convert(take, {}, nullptr, nullptr).report.verdict != Verdict::kValid) {
    std::cerr << "rules_bench: the clean take has a fault\n";
    return 1;
  }
  RegisterTake(take);
  return RunBenchmarks(argc, argv, Derive);
}

}  // namespace
}  // namespace bvhmill::bench

int main(int argc, char** argv) { return bvhmill::bench::Main(argc, argv); }
