#pragma once

// The callers of the soak.

#include <string>
#include <thread>
#include <vector>

#include "bench/soak/soak_clips.h"
#include "bench/soak/soak_tally.h"

namespace bvhmill::bench {

inline constexpr char kAllCallers[] =
    "unary,burst,small,big,slow,cancel,break,garbage";

// Callers of every kind, polite and rude, each with connections of its own,
// until it goes.
class SoakTraffic {
 public:
  // `callers` names the kinds of them, of kAllCallers. `clips` and `tally` must
  // outlive it.
  SoakTraffic(const std::string& address, const std::string& callers,
              const SoakClips* clips, SoakTally* tally);
  // Lets every caller end what it has begun.
  ~SoakTraffic();

 private:
  std::vector<std::jthread> callers_;
};

// Whether a server that has nothing else to do takes `calls` calls at once
// again and again: it would not if it counted calls that have ended.
bool TakesAll(const std::string& address, const SoakClips& clips, int calls,
              SoakTally* tally);

}  // namespace bvhmill::bench
