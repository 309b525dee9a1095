#include "tests/attack/trial.h"

#include <algorithm>
#include <chrono>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>

namespace bvhmill::attack {
namespace {

using Clock = std::chrono::steady_clock;

// Bounds of a trial.
constexpr int64_t kMaxUncountedBytes = int64_t{200} << 20;
constexpr double kMaxMedianSeconds = 1;
constexpr double kMaxSecondsAfterDrain = 2;
// After that time, a server that still drains is killed.
constexpr double kPatienceAfterDrain = 15;

double SecondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

void SleepFor(double seconds) {
  std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
}

// A server that has served is idle when it holds what it holds for good.
void WarmUp(const ServerProcess& server) {
  HonestCaller caller(server.address());
  SleepFor(1);
  caller.Stop();
}

void Add(const std::string& word, std::string* list) {
  if (!list->empty()) *list += ", ";
  *list += word;
}

std::string FindMissed(const Attack& attack, const TrialOptions& options,
                       const Trial& trial) {
  std::string missed;
  if (!trial.survived) Add("ended (" + trial.ending.how + ")", &missed);
  if (trial.uncounted_bytes() > kMaxUncountedBytes) Add("memory", &missed);
  if (trial.survived && trial.honest.failed > 0) Add("calls failed", &missed);
  if (trial.survived && trial.honest.median > kMaxMedianSeconds) {
    Add("median latency", &missed);
  }
  if (trial.survived && trial.honest.worst > options.worst_seconds) {
    Add("worst latency", &missed);
  }
  const double most_drain = options.drain_seconds + kMaxSecondsAfterDrain;
  if (trial.survived && trial.ending.seconds > most_drain) {
    Add("drain", &missed);
  } else if (trial.survived && !trial.ending.is_clean) {
    Add("end: " + trial.ending.how, &missed);
  }
  if (attack.needs_metrics && !trial.metrics_answered) {
    Add("page of metrics", &missed);
  }
  return missed;
}

// Until the first call, before which the attack makes what it sends.
void WaitForFirstCall(const Target& target, const ServerProcess& server) {
  constexpr double kTimeout = 300;
  for (const auto start = Clock::now(); target.calls() == 0 &&
                                        server.is_running() &&
                                        SecondsSince(start) < kTimeout;) {
    SleepFor(0.01);
  }
}

// Looks at what the server counts until it ends: the most may come while it
// drains.
class CountedWatch {
 public:
  explicit CountedWatch(std::string metrics_address)
      : metrics_address_(std::move(metrics_address)),
        watcher_([this](const std::stop_token& stop) {
          for (; !stop.stop_requested(); SleepFor(0.5)) Look();
        }) {}

  // The most that was seen; -1 if the page never answered.
  int64_t Stop() {
    watcher_.request_stop();
    watcher_.join();
    return most_;
  }

 private:
  void Look() {
    const double counted =
        FetchMetric(metrics_address_, "bvhmill_inflight_bytes_peak");
    most_ = std::max(most_, static_cast<int64_t>(counted));
  }

  const std::string metrics_address_;
  int64_t most_ = -1;
  std::jthread watcher_;
};

void RunAttack(const Attack& attack, const TrialOptions& options,
               ServerProcess* server, Trial* trial) {
  Target target(server->address(), server->metrics_address());
  std::thread attacker([&] { attack.run(&target); });
  WaitForFirstCall(target, *server);
  HonestCaller honest(server->address());
  CountedWatch counted(server->metrics_address());
  const auto start = Clock::now();
  while (server->is_running() &&
         SecondsSince(start) < options.seconds * attack.times_longer) {
    SleepFor(0.05);
  }
  trial->survived = server->is_running();
  trial->metrics_answered = FetchMetric(server->metrics_address(),
                                        "bvhmill_inflight_bytes_peak") >= 0;
  trial->honest = honest.Stop();
  trial->ending = server->Stop(options.drain_seconds + kPatienceAfterDrain);
  trial->counted_bytes = std::max<int64_t>(counted.Stop(), 0);
  trial->growth_bytes += server->peak();
  trial->cpu_seconds = server->cpu_seconds();
  target.Stop();
  attacker.join();
  trial->calls = target.calls();
  trial->sent_bytes = target.sent();
}

}  // namespace

Trial RunTrial(const Attack& attack, const TrialOptions& options) {
  Trial trial;
  trial.name = attack.name;
  ServerProcess server(options.server, &trial.error);
  if (!trial.error.empty()) {
    trial.missed = trial.error;
    return trial;
  }
  WarmUp(server);
  server.Mark();
  trial.growth_bytes = -server.resident();
  RunAttack(attack, options, &server, &trial);
  trial.missed = FindMissed(attack, options, trial);
  return trial;
}

}  // namespace bvhmill::attack
