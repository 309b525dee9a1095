#pragma once

// A load on a data folder in a process of its own, which is killed or whose
// effects fail; and the check of what is left. The process states each promise
// that the stores have made; the check holds the folder against them.

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "server/store/fault_points.h"
#include "tests/crash/crash_work.h"

namespace bvhmill::testing {

// The promises that processes on one folder were given.
struct Promises {
  // By id: the keys of the items, and whether the job may be gone.
  struct Job {
    std::string seed;
    int items = 0;
    bool may_be_gone = false;
    bool is_cancelled = false;
    std::set<int> results;
  };
  std::map<std::string, Job> jobs;
  // Digests of uploads that no job names yet.
  std::set<std::string> uploads;

  int64_t acknowledged = 0;
};

// The damage that all checks found.
struct Damage {
  int64_t lost = 0;
  int64_t duplicated = 0;
  int64_t leaked = 0;
  int64_t wrong = 0;
  std::vector<std::string> why;

  bool any() const { return lost + duplicated + leaked + wrong > 0; }
};

struct LoadRun {
  bool was_killed = false;
  // Effects that the process reached, if it was not killed.
  int64_t effects = 0;
};

// Runs the load in a child process, with the faults of `plan`. The child kills
// itself if the plan says so, or is killed after `kill_after_us`, if that is
// positive. `seed` makes the names of jobs and bytes of blobs differ; `rounds`
// is the length of the load.
LoadRun RunLoad(const Place& place, const std::string& seed, int rounds,
                const server::FaultPlan& plan, int64_t kill_after_us,
                Promises* promises);

// Opens the place, checks it, finishes all items, collects blobs that no job
// names, and checks it again.
void CheckPlace(const Place& place, Promises* promises, Damage* damage);

// A campaign on one place.
struct Campaign {
  Place place;
  // Removes all jobs and blobs of the place.
  std::function<void()> empty;
  // Called after each kill at a random moment; may be empty.
  std::function<void(int64_t rounds)> on_round = {};

  int64_t kills = 0;
  int64_t faults = 0;
  int64_t acknowledged = 0;
  Damage damage;
};

// Runs the load once for each of its effects, which fails by `fault`. Every
// `stride`-th effect, from `first`.
void FailAtEachPoint(server::Fault fault, int64_t first, int64_t stride,
                     Campaign* campaign);

// Kills processes at random moments, `rounds` times. The place is emptied after
// every fifty kills only, so most processes find what others left.
void KillAtRandom(int64_t rounds, uint32_t seed, Campaign* campaign);

}  // namespace bvhmill::testing
