#pragma once

// One attack on one fresh server, with an honest caller beside it.

#include <string>

#include "tests/attack/attack.h"
#include "tests/attack/honest_caller.h"
#include "tests/attack/server_process.h"

namespace bvhmill::attack {

struct TrialOptions {
  ServerOptions server;
  // The time of the attack before the server is told to stop. The attack goes
  // on while the server drains.
  double seconds = 10;
  // Time that the server has to drain, and time that a trial waits after it.
  double drain_seconds = 30;
  // The bound on the time of an honest call.
  double worst_seconds = 5;
};

// The result of a trial. Bytes of memory count from what the idle server held.
struct Trial {
  std::string name;
  // Empty, or why the trial could not be made.
  std::string error;
  int64_t calls = 0;
  int64_t sent_bytes = 0;
  int64_t growth_bytes = 0;
  // The most that the server counted of clips in flight; -1 if its page of
  // metrics did not say.
  int64_t counted_bytes = 0;
  double cpu_seconds = 0;
  Latencies honest;
  // False: the server ended before it was told to.
  bool survived = false;
  Ending ending;
  bool metrics_answered = false;
  // The bound that was missed, in words; empty if all were held.
  std::string missed;

  int64_t uncounted_bytes() const {
    return growth_bytes - (counted_bytes > 0 ? counted_bytes : 0);
  }
};

Trial RunTrial(const Attack& attack, const TrialOptions& options);

}  // namespace bvhmill::attack
