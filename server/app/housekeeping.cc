#include "server/app/housekeeping.h"

#include <condition_variable>
#include <mutex>
#include <string>

#include "server/limits/memory.h"
#include "server/rpc/catch_as_status.h"

namespace bvhmill::server {

Housekeeping::Housekeeping(const Parts& parts)
    : parts_(parts),
      thread_([this](const std::stop_token& stop) { Run(stop); }) {}

void Housekeeping::CutConnectionsAfter(std::chrono::milliseconds patience) {
  cut_at_ = Clock::now() + patience;
}

// A part that fails for want of memory is tried again in the next round.
void Housekeeping::Run(const std::stop_token& stop) {
  constexpr std::chrono::milliseconds kRound(20);
  constexpr int64_t kRoundsOfASecond = 50;
  constexpr const char* kWhere = "the housekeeping";
  std::mutex mutex;
  std::condition_variable_any stopped;
  std::unique_lock lock(mutex);
  for (int64_t round = 1; !stopped.wait_for(
           lock, stop, kRound, [&stop] { return stop.stop_requested(); });
       ++round) {
    CatchAndLog(parts_.log, kWhere, [this] { CutIfDue(); });
    CatchAndLog(parts_.log, kWhere,
                [this] { parts_.memory_guard.Check(Clock::now()); });
    if (round % kRoundsOfASecond != 0) continue;
    CatchAndLog(parts_.log, kWhere, [this] { EverySecond(); });
  }
}

void Housekeeping::CutIfDue() {
  if (Clock::now() >= cut_at_.load()) parts_.connections.CutAll();
}

void Housekeeping::EverySecond() {
  const auto now = Clock::now();
  parts_.calls.Tick(now);
  LookAtConnections(Clock::now());
  parts_.peers.ForgetIdle();
  parts_.admission.ForgetIdle();
  parts_.log.Tick(now);
}

void Housekeeping::LookAtConnections(Clock::time_point now) {
  const auto use_of = [this](const std::string& peer) {
    return parts_.peers.UseOf(peer);
  };
  LogCuts(parts_.connections.Sweep(now, use_of, ResidentBytes()), parts_.log);
  const int64_t idle = parts_.connections.EvictIdle(now, use_of);
  if (idle == 0) return;
  parts_.log.Event("cut", "cut " + std::to_string(idle) +
                              " connections without calls: max_connections");
}

void LogCuts(const std::vector<Connections::Ended>& cuts, const Log& log) {
  for (const Connections::Ended& cut : cuts) {
    const std::string peer =
        cut.peer.empty() ? "a peer without an address" : cut.peer;
    log.Event("cut", "cut the connection of " + peer + ": " + cut.why);
  }
}

}  // namespace bvhmill::server
