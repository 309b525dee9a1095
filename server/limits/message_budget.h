#pragma once

// The memory of the requests that arrive, or have arrived and wait for a
// worker. A call enters when its headers have come, and gRPC reads its request
// only when the call has a place. Until then the request waits with the client,
// so a call that waits costs next to nothing, and none is refused.
//
//   MessageBudget budget(max_transport_bytes, max_request_message_bytes);
//   MessageBudget::Place place;
//   budget.Enter(caller, [this] { StartRead(&request_); }, &place);
//   budget.Arrived(&place, bytes);  // In OnReadDone.
//   budget.Release(&place);         // When a worker begins, or the call ends.
//
// Callers take turns. A caller may hold the whole budget but an eighth, which
// stays free for others, and its equal part in any case: see MayHold.

#include <cstdint>
#include <deque>
#include <functional>
#include <list>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

namespace bvhmill::server {

// True if one of `holders` may hold `wanted` of a common budget of `most`:
// `wanted` includes what it holds now, and `total` is what all would then hold.
// A holder may always have its equal part, if that is free; beyond it, an
// eighth of the budget stays free for others.
constexpr bool MayHold(int64_t most, int64_t holders, int64_t wanted,
                       int64_t total) {
  if (total > most) return false;
  const bool is_equal_part = wanted <= most / (holders > 0 ? holders : 1);
  return (is_equal_part && holders > 1) || total <= most - most / 8;
}

// Thread-safe.
class MessageBudget {
  struct Line;

 public:
  // The place of one call, from Enter to Release. The budget must outlive it.
  // The call must not move it, nor destroy it between Enter and Release.
  class Place {
   public:
    Place() = default;
    Place(const Place&) = delete;
    Place& operator=(const Place&) = delete;

   private:
    friend class MessageBudget;

    std::function<void()> start_;
    // Null = not in the budget.
    Line* line_ = nullptr;
    int64_t held_ = 0;
    bool is_waiting_ = false;
  };

  // All requests together get `most` bytes; 0 = no limit. One that has not
  // arrived counts as `largest` bytes. One request always fits.
  MessageBudget(int64_t most, int64_t largest)
      : most_(most), largest_(most > 0 && largest > most ? most : largest) {}

  // Calls `start` once when `caller` may receive a request: before this
  // returns, or later in the thread of Arrived or Release. `start` must not
  // throw.
  void Enter(const std::string& caller, std::function<void()> start,
             Place* place);
  // Leaves the budget if `start` was not called; it never will be. False if it
  // was called, or is being called.
  bool Leave(Place* place);
  // The request has come and has `bytes`; or it is being received, and has at
  // most these. Does nothing without a place.
  void Arrived(Place* place, int64_t bytes);
  // The request counts no more. Does nothing without a place, or again.
  void Release(Place* place);

  // Bytes that a request counts until it has come.
  int64_t largest() const { return largest_; }
  // Bytes that are held now, and calls that wait for their turn.
  int64_t bytes() const;
  int64_t waiting() const;

 private:
  // A caller with calls in the budget.
  struct Line {
    std::string caller;
    int64_t held = 0;
    std::deque<Place*> waiting;
    // Calls that hold bytes.
    int64_t holding = 0;
  };
  using Starts = std::vector<std::function<void()>>;

  // All of these with the mutex held. The caller runs the starts without it.
  Starts GiveTurns();
  bool MayStart(const Line& line) const;
  void Hold(Place* place, int64_t bytes);
  void ForgetIfIdle(Line* line);

  const int64_t most_;
  const int64_t largest_;
  mutable std::mutex mutex_;
  int64_t held_ = 0;
  int64_t waiting_ = 0;
  // By caller. Places point at the lines.
  std::unordered_map<std::string, Line> lines_;
  // Lines with waiting calls; the first one has the next turn.
  std::list<Line*> turns_;
};

}  // namespace bvhmill::server
