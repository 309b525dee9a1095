// Compares bvhmilld with an echo server, which has the same traffic and
// converts nothing.

#include <benchmark/benchmark.h>

#include <atomic>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "absl/synchronization/mutex.h"
#include "bench/server/load_client.h"
#include "bench/server/open_load.h"
#include "bench/server/server_process.h"
#include "bench/support/corpus.h"
#include "bench/support/gzip.h"
#include "bench/support/metrics.h"
#include "bvhmill/pipeline/convert.h"

namespace bvhmill::bench {
namespace {

constexpr size_t kLarge = 8'000'000;
constexpr size_t kSmall = 100'000;
constexpr size_t kHuge = 100'000'000;
constexpr int64_t kEndless = 1'000'000'000;
constexpr int kCallers = 4;
constexpr int kTrafficRuns = 7;
// Short runs, whose figures spread by a tenth and more.
constexpr int kShortRuns = 63;
constexpr int kOverloadRuns = 3;

// The clips, and the server program that is measured.
struct Setting {
  std::string program;
  std::string large;
  std::string small;
  // Bytes of positions for a byte of text.
  double part = 0;
};

double PositionsOf(const std::string& text) {
  ConvertOptions options;
  options.outputs = {{"", PositionsFormat{}}};
  StringReceiver receiver;
  if (!Convert(text, options, &receiver, nullptr).status.ok()) std::exit(1);
  return static_cast<double>(receiver.data()[0].size());
}

Setting MakeSetting(const char* argv0) {
  Setting setting;
  setting.program = BvhmilldProgram(argv0);
  setting.large = MakeCorpus("cmu", kLarge).text;
  setting.small = Resize(setting.large, kSmall);
  setting.part =
      PositionsOf(setting.large) / static_cast<double>(setting.large.size());
  return setting;
}

std::unique_ptr<ServerProcess> StartBvhmilld(const Setting& setting) {
  return std::make_unique<ServerProcess>(setting.program, BvhmilldArgs());
}

std::unique_ptr<ServerProcess> StartEchoServer(const char* argv0,
                                               const Setting& setting) {
  return std::make_unique<ServerProcess>(argv0, EchoServerArgs(setting.part));
}

void Check(bool ok, benchmark::State* state) {
  if (!ok) state->SkipWithError("a clip was lost or bad");
}

// Sends `clips` clips over one stream; counts clips and text per second.
void StreamClips(const std::string& address, const std::string& text,
                 int64_t clips, benchmark::State* state) {
  const auto stub = Connect(address);
  Check(ConvertOverStream(stub.get(), text, 2).ok, state);
  for (auto _ : *state) {
    Check(ConvertOverStream(stub.get(), text, clips).ok, state);
  }
  state->counters["mb_per_s"] = benchmark::Counter(
      1e-6 * static_cast<double>(text.size()) * static_cast<double>(clips),
      benchmark::Counter::kIsIterationInvariantRate);
  state->counters["clips_per_s"] =
      benchmark::Counter(static_cast<double>(clips),
                         benchmark::Counter::kIsIterationInvariantRate);
}

// Makes `calls` calls from kCallers threads; counts calls per second.
void UnaryCalls(const std::string& address, const std::string& text,
                int64_t calls, benchmark::State* state) {
  for (auto _ : *state) {
    std::atomic<int64_t> left = calls;
    std::atomic<bool> ok = true;
    std::vector<std::thread> callers;
    callers.reserve(kCallers);
    for (int i = 0; i < kCallers; ++i) {
      callers.emplace_back([&] {
        const auto stub = Connect(address);
        bool refused = false;
        while (left-- > 0) {
          if (!ConvertUnary(stub.get(), text, &refused)) ok = false;
        }
      });
    }
    for (std::thread& caller : callers) caller.join();
    Check(ok, state);
  }
  state->counters["calls_per_s"] =
      benchmark::Counter(static_cast<double>(calls),
                         benchmark::Counter::kIsIterationInvariantRate);
}

// The metric is the median of `repetitions` runs.
void Register(const std::string& name, int repetitions,
              const std::function<void(benchmark::State*)>& run) {
  benchmark::RegisterBenchmark(name.c_str(),
                               [run](benchmark::State& s) { run(&s); })
      ->UseRealTime()
      ->Repetitions(repetitions)
      ->Unit(benchmark::kMillisecond);
}

void RegisterTraffic(const std::string& server, const std::string& address,
                     const Setting& setting) {
  Register("server.stream8m." + server, kTrafficRuns,
           [&setting, address](auto* state) {
             StreamClips(address, setting.large, 20, state);
           });
  Register("server.stream100k." + server, kTrafficRuns,
           [&setting, address](auto* state) {
             StreamClips(address, setting.small, 500, state);
           });
  Register("server.unary100k." + server, kShortRuns,
           [&setting, address](auto* state) {
             UnaryCalls(address, setting.small, 2000, state);
           });
}

// Measures the time from the last byte of a clip of `bytes` to the last byte of
// its answer, also as a fraction of the whole transfer.
void Tail(const Setting& setting, size_t bytes, benchmark::State* state) {
  const auto server = StartBvhmilld(setting);
  const auto stub = Connect(server->address());
  const std::string text = Resize(setting.large, bytes);
  for (auto _ : *state) {
    const StreamRun run = ConvertOverStream(stub.get(), text, 1);
    Check(run.ok, state);
    state->counters["ratio"] = run.tail_seconds / run.seconds;
    state->counters["tail_ms"] = 1e3 * run.tail_seconds;
    state->counters["total_ms"] = 1e3 * run.seconds;
  }
}

void HugeClipMemory(const Setting& setting, benchmark::State* state) {
  const auto server = StartBvhmilld(setting);
  const auto stub = Connect(server->address());
  // `Frames: 0` states no count, so the rows may go on without end.
  std::string heads = setting.large;
  heads.resize(heads.find('\n', heads.find("Frame Time")) + 1);
  const std::string rows = setting.large.substr(heads.size());
  const size_t frames = heads.find("Frames:");
  heads.replace(frames, heads.find('\n', frames) - frames, "Frames: 0");
  for (auto _ : *state) {
    Check(ConvertEndless(stub.get(), heads, rows, kEndless).ok, state);
  }
  state->counters["rss_mb"] = server->PeakMb();
}

void ManyStreamsMemory(const Setting& setting, benchmark::State* state) {
  constexpr int kStreams = 200;
  const auto server = StartBvhmilld(setting);
  const std::string text = Resize(setting.large, 10'000'000);
  for (auto _ : *state) {
    std::atomic<int> good = 0;
    std::vector<std::thread> threads;
    threads.reserve(kStreams);
    const auto stub = Connect(server->address());
    for (int i = 0; i < kStreams; ++i) {
      threads.emplace_back(
          [&] { good += ConvertOverStream(stub.get(), text, 1).ok ? 1 : 0; });
    }
    for (std::thread& thread : threads) thread.join();
    Check(good == kStreams, state);
  }
  state->counters["rss_mb"] = server->PeakMb();
}

// Positions of a clip of 100 KB: most of its cost is the transfer.
v1::ConvertClipRequest LightRequest(const Setting& setting) {
  v1::ConvertClipRequest request;
  request.mutable_source()->set_data(setting.small);
  request.mutable_options()->add_outputs()->mutable_positions();
  return request;
}

// A clip of 3 MB with a constant pose, which compresses well: most of its cost
// is the work. That is so, too, where clients run on other machines.
v1::ConvertClipRequest HeavyRequest() {
  const std::string text = Resize(MakeTake(31, 1, 6), 3'000'000);
  v1::ConvertClipRequest request;
  request.mutable_source()->set_data(Gzip(text));
  request.mutable_source()->set_encoding(v1::CONTENT_ENCODING_GZIP);
  request.mutable_options()->mutable_edits()->mutable_frames()->set_end(10);
  request.mutable_options()->add_outputs()->mutable_positions();
  return request;
}

// Compares three loads: the peak rate that the server can answer, a tenth of it
// (calm), and four times the peak (overload).
void Overload(const Setting& setting, const v1::ConvertClipRequest& request,
              benchmark::State* state) {
  constexpr double kSeconds = 4;
  // A server that refuses instead of queuing: one call for each worker, and one
  // call that waits.
  std::vector<std::string> args = BvhmilldArgs();
  const unsigned most = std::thread::hardware_concurrency() + 1;
  args.insert(args.end(),
              {"--max-inflight-clips", std::to_string(most), "--log", "off"});
  const auto server = std::make_unique<ServerProcess>(setting.program, args);
  for (auto _ : *state) {
    const Load peak = CallWithInFlight(server->address(), request, 4, kSeconds);
    const Load calm =
        CallAtRate(server->address(), request, peak.good_per_s / 10, kSeconds);
    const Load over =
        CallAtRate(server->address(), request, 4 * peak.good_per_s, kSeconds);
    Check(peak.lost + calm.lost + over.lost == 0, state);
    auto& counters = state->counters;
    counters["goodput_ratio"] = over.good_per_s / peak.good_per_s;
    counters["p99_ratio"] = over.p99_ms / calm.p99_ms;
    counters["p99_server_ratio"] = over.p99_server_ms / calm.p99_server_ms;
    counters["p50_ratio"] = over.p50_ms / calm.p50_ms;
    counters["offered_ratio"] = over.begun_per_s / peak.good_per_s;
    counters["refused"] = static_cast<double>(over.refused);
    counters["peak_per_s"] = peak.good_per_s;
    counters["calm_p99_ms"] = calm.p99_ms;
    counters["calm_p99_server_ms"] = calm.p99_server_ms;
    counters["over_p99_ms"] = over.p99_ms;
    counters["over_p99_server_ms"] = over.p99_server_ms;
  }
}

void Derive(Metrics* metrics) {
  const auto ratio = [&](const std::string& name, const std::string& counter) {
    const double bvhmilld = metrics->Get(name + ".bvhmilld." + counter);
    const double echo = metrics->Get(name + ".echo." + counter);
    if (echo > 0) metrics->Set(name + ".ratio_to_echo", bvhmilld / echo);
  };
  ratio("server.stream8m", "mb_per_s");
  ratio("server.stream100k", "clips_per_s");
  ratio("server.unary100k", "calls_per_s");
  const auto rename = [&](const char* from, const char* to) {
    const double value = metrics->Get(from);
    if (value > 0) metrics->Set(to, value);
  };
  rename("server.huge.rss_mb", "server.rss_1g_mb");
  rename("server.many.rss_mb", "server.rss_200x10m_mb");
}

int Main(int argc, char** argv) {
  // As bvhmilld does, so that the echo server and the clients are equally fast.
  absl::SetMutexDeadlockDetectionMode(absl::OnDeadlockCycle::kIgnore);
  if (argc == 3 && std::string_view(argv[1]) == "--echo-server") {
    return RunEchoServer(std::atof(argv[2]));
  }
  const Setting setting = MakeSetting(argv[0]);
  const auto echo = StartEchoServer(argv[0], setting);
  const auto bvhmilld = StartBvhmilld(setting);
  RegisterTraffic("echo", echo->address(), setting);
  RegisterTraffic("bvhmilld", bvhmilld->address(), setting);
  Register("server.tail", kShortRuns,
           [&](auto* state) { Tail(setting, kHuge, state); });
  Register("server.tail8m", kShortRuns,
           [&](auto* state) { Tail(setting, kLarge, state); });
  Register("server.huge", 1,
           [&](auto* state) { HugeClipMemory(setting, state); });
  Register("server.many", 1,
           [&](auto* state) { ManyStreamsMemory(setting, state); });
  Register("server.flood", kOverloadRuns, [&](auto* state) {
    Overload(setting, LightRequest(setting), state);
  });
  Register("server.overload", kOverloadRuns,
           [&](auto* state) { Overload(setting, HeavyRequest(), state); });
  // The runs of both servers alternate, so that noise of the machine hits both.
  std::vector<char*> arguments(argv, argv + argc);
  std::string in_turns = "--benchmark_enable_random_interleaving=true";
  arguments.insert(arguments.begin() + 1, in_turns.data());
  return RunBenchmarks(argc + 1, arguments.data(), Derive, /*rounds=*/1);
}

}  // namespace
}  // namespace bvhmill::bench

int main(int argc, char** argv) { return bvhmill::bench::Main(argc, argv); }
