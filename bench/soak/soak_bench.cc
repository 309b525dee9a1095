// bvhmilld under everything that callers do, for ten minutes or as long as
// `--seconds N` says. `--callers LIST` has it under some of them only, to find
// out which one it is. Every answer is compared with that of the library in
// this process; the memory of the server is watched. Fails if an answer was
// lost or wrong, or if the memory grows.

#include <benchmark/benchmark.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <thread>

#include "bench/server/server_process.h"
#include "bench/soak/soak_clips.h"
#include "bench/soak/soak_memory.h"
#include "bench/soak/soak_tally.h"
#include "bench/soak/soak_traffic.h"
#include "bench/support/metrics.h"

namespace bvhmill::bench {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double kSampleSeconds = 0.5;
constexpr double kSayEvery = 0.1;
// A low limit, so that callers are refused now and then.
constexpr int kMaxClips = 192;
constexpr int kMaxOfAConnection = 64;
// The most that memory may grow in the second half of the time.
constexpr double kMaxGrowthPart = 0.05;
constexpr double kMaxGrowthMb = 10;

struct Flags {
  double seconds = 600;
  unsigned seed = 1;
  std::string callers = kAllCallers;
};

void Say(double seconds, const ServerProcess& server, const SoakTally& tally) {
  std::fprintf(stderr,
               "%5.0f s %9ld calls %9ld clips %7.0f MB, %ld lost, %ld wrong, "
               "%ld refused, %ld given up, RSS %.0f MB\n",
               seconds, tally.calls.load(), tally.clips.load(),
               1e-6 * static_cast<double>(tally.sent_bytes), tally.lost(),
               tally.wrong(), tally.refused.load(), tally.given_up.load(),
               server.Mb());
}

// Traffic for that long, while the memory is watched.
void Drive(const Flags& flags, const ServerProcess& server,
           const SoakClips& clips, SoakTally* tally, SoakMemory* memory) {
  const SoakTraffic traffic(server.address(), flags.callers, &clips, tally);
  const auto start = Clock::now();
  double said = 0;
  double seconds = 0;
  while (seconds < flags.seconds) {
    std::this_thread::sleep_for(std::chrono::duration<double>(kSampleSeconds));
    seconds = std::chrono::duration<double>(Clock::now() - start).count();
    memory->Add(seconds, server.Mb());
    if (seconds < said + kSayEvery * flags.seconds) continue;
    said = seconds;
    Say(seconds, server, *tally);
  }
}

// Straight to the list: it must also be seen of a run that fails.
void PutMetrics(const SoakTally& tally, const SoakMemory& memory) {
  const auto put = [](const std::string& name, auto value) {
    Metrics::Global().Set("soak." + name, static_cast<double>(value));
  };
  put("calls", tally.calls.load());
  put("clips", tally.clips.load());
  put("sent_mb", 1e-6 * static_cast<double>(tally.sent_bytes));
  put("received_mb", 1e-6 * static_cast<double>(tally.received_bytes));
  put("lost", tally.lost());
  put("wrong", tally.wrong());
  put("refused", tally.refused.load());
  put("given_up", tally.given_up.load());
  put("rss_10_mb", memory.At(0.1));
  put("rss_50_mb", memory.At(0.5));
  put("rss_100_mb", memory.At(1));
  put("rss_growth_mb", memory.At(1) - memory.At(0.5));
  put("rss_mb_per_minute", memory.SlopePerMinute());
}

void Soak(const Flags& flags, const std::string& program,
          benchmark::State* state) {
  const SoakClips clips = MakeSoakClips(flags.seed);
  std::vector<std::string> args = BvhmilldArgs();
  args.insert(args.end(), {"--max-inflight-clips", std::to_string(kMaxClips),
                           "--max-inflight-clips-per-connection",
                           std::to_string(kMaxOfAConnection), "--log", "off"});
  const ServerProcess server(program, args);
  SoakTally tally;
  SoakMemory memory;
  for (auto _ : *state) Drive(flags, server, clips, &tally, &memory);
  if (!TakesAll(server.address(), clips, kMaxOfAConnection, &tally)) {
    state->SkipWithError("calls that have ended still count");
  }
  PutMetrics(tally, memory);
  if (tally.lost() + tally.wrong() > 0) {
    state->SkipWithError("answers were lost or wrong");
  }
  const double growth = memory.At(1) - memory.At(0.5);
  if (growth > kMaxGrowthPart * memory.At(0.5) + kMaxGrowthMb) {
    state->SkipWithError("the memory of the server grows");
  }
}

// Takes the flags of the soak out of the arguments.
Flags TakeFlags(int* argc, char** argv) {
  Flags flags;
  int kept = 0;
  for (int i = 0; i < *argc; ++i) {
    const std::string_view name = argv[i];
    if (name == "--seconds" && i + 1 < *argc) {
      flags.seconds = std::atof(argv[++i]);
    } else if (name == "--seed" && i + 1 < *argc) {
      flags.seed = static_cast<unsigned>(std::atoi(argv[++i]));
    } else if (name == "--callers" && i + 1 < *argc) {
      flags.callers = argv[++i];
    } else {
      argv[kept++] = argv[i];
    }
  }
  *argc = kept;
  return flags;
}

int Main(int argc, char** argv) {
  const Flags flags = TakeFlags(&argc, argv);
  if (!AreCallers(flags.callers)) {
    std::fprintf(stderr, "--callers takes some of %s\n", kAllCallers);
    return 2;
  }
  const std::string program = BvhmilldProgram(argv[0]);
  benchmark::RegisterBenchmark(
      "soak", [&](benchmark::State& state) { Soak(flags, program, &state); })
      ->Iterations(1)
      ->UseRealTime()
      ->Unit(benchmark::kSecond);
  return RunBenchmarks(
      argc, argv, [](Metrics*) {}, /*rounds=*/1);
}

}  // namespace
}  // namespace bvhmill::bench

int main(int argc, char** argv) { return bvhmill::bench::Main(argc, argv); }
