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

// True if `callers` is a list of names from kAllCallers, separated by commas.
bool AreCallers(const std::string& callers);

// Runs callers of every kind, honest and hostile, each with its own
// connections. The destructor stops them.
class SoakTraffic {
 public:
  // `callers` is a list of names from kAllCallers, separated by commas.
  // Requires AreCallers(callers). `clips` and `tally` must outlive it.
  SoakTraffic(const std::string& address, const std::string& callers,
              const SoakClips* clips, SoakTally* tally);
  // Waits until every caller has finished its calls.
  ~SoakTraffic();

 private:
  std::vector<std::jthread> callers_;
};

// True if an idle server admits `calls` calls at once, repeatedly. It would not
// if it still counted calls that have ended.
bool TakesAll(const std::string& address, const SoakClips& clips, int calls,
              SoakTally* tally);

}  // namespace bvhmill::bench
