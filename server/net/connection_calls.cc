// The part of the table of connections that is about calls.

#include <algorithm>
#include <utility>

#include "bvhmill/base/limits.h"
#include "server/net/connection_table.h"

namespace bvhmill::server {
namespace {

// Memory of a call in gRPC before it is handed over.
constexpr int64_t kCallBytes = int64_t{20} << 10;

}  // namespace

// The counts change only if a call is open, or the program has read something:
// gRPC may need seconds for what it has read. They are worth nothing for the
// moment if calls begin or end meanwhile.
bool Connections::CountCalls(Clock::time_point now, const UseOf& use,
                             Connection* connection) const {
  constexpr std::chrono::seconds kToParse(10);
  if (counts_of_ == nullptr) return false;
  CallCounts& counts = connection->counts;
  if (connection->read > connection->read_at_count) {
    connection->read_at_count = connection->read;
    connection->read_at = now;
  }
  const Use& before = connection->use;
  if (counts.begun > counts.ended || now - connection->read_at < kToParse) {
    counts = counts_of_(connection->peer);
  }
  const int64_t beyond = counts.begun - counts.ended - before.calls;
  connection->unheard = std::max<int64_t>(beyond, 0);
  if (beyond > 0) return false;
  const Use after = use(connection->peer);
  return after.entry == before.entry && after.begun == before.begun &&
         after.calls == before.calls;
}

int64_t Connections::UncountedCalls(const Connection& connection) {
  return connection.is_cut ? 0 : connection.unheard + connection.use.free_calls;
}

int64_t Connections::HeldBytes(const Connection& connection) {
  return TakenBytes(connection) + UncountedCalls(connection) * kCallBytes;
}

std::vector<Connections::Ended> Connections::CutUncounted(Clock::time_point now,
                                                          const UseOf& use) {
  const std::lock_guard lock(mutex_);
  Refresh(now, use);
  std::vector<Ended> ended;
  CutUncounted(&ended);
  return ended;
}

void Connections::CutUncounted(std::vector<Ended>* ended) {
  int64_t total = 0;
  std::vector<std::pair<int64_t, int>> most;
  for (const auto& [file, connection] : all_) {
    const int64_t calls = UncountedCalls(connection);
    total += calls;
    if (calls > 0) most.emplace_back(calls, file);
  }
  if (!Exceeds(total, limits_.max_unheard_calls)) return;
  std::sort(most.rbegin(), most.rend());
  for (const auto& [calls, file] : most) {
    if (!Exceeds(total, limits_.max_unheard_calls)) return;
    Connection& connection = all_.at(file);
    if (!Reset(file, &connection)) continue;
    total -= calls;
    ended->push_back({connection.peer, "max_unheard_calls"});
  }
}

}  // namespace bvhmill::server
