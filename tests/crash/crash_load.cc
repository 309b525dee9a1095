#include "tests/crash/crash_load.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <random>
#include <sstream>

#include "bvhmill/base/status.h"
#include "bvhmill/digest/sha256.h"
#include "server/store/data_folder.h"
#include "tests/crash/crash_work.h"

namespace bvhmill::testing {
namespace {

using server::DataFolder;
using server::JobInfo;

// States promises in lines of text: "J id seed items", "R id item", "U digest",
// "C id" and "D id" before a job is cancelled or deleted.
class Witness {
 public:
  explicit Witness(int pipe) : pipe_(pipe) {}
  void Say(const std::string& line) const {
    const std::string text = line + "\n";
    if (write(pipe_, text.data(), text.size()) < 0) _exit(3);
  }

 private:
  const int pipe_;
};

// One process: every function may fail, and the load goes on.
class Load {
 public:
  Load(const Place& place, DataFolder* folder, std::string seed,
       Witness witness)
      : place_(place),
        folder_(*folder),
        seed_(std::move(seed)),
        witness_(witness) {}

  void Run(int rounds) {
    for (int round = 0; round < rounds; ++round) {
      const std::string seed = seed_ + "-" + std::to_string(round);
      std::string id;
      for (int i = 0; i < kItems; ++i) Upload(SourceOf(seed, i));
      if (!Create(seed, &id)) continue;
      Work(&folder_, 2, [&](const auto& done) { SayDone(done); });
      if (round % 3 == 1) Cancel(id);
      Work(&folder_, 64, [&](const auto& done) { SayDone(done); });
      if (round % 3 == 2) Delete(id);
      if (round % 3 == 0) Beat(place_, &folder_);
      int64_t count = 0;
      static_cast<void>(folder_.Collect(NowMs() + 1000, &count));
    }
  }

 private:
  void SayDone(const std::string& line) { witness_.Say("R " + line); }

  // In two pieces; the second by an upload that is resumed.
  void Upload(const std::string& bytes) {
    const server::BlobName name = {server::SpaceOf(kCaller), Sha256Of(bytes)};
    std::unique_ptr<server::BlobUpload> upload;
    if (!folder_.blobs().StartUpload(name, &upload).ok()) return;
    const auto at = static_cast<size_t>(upload->committed_bytes());
    const size_t half = std::max(at, bytes.size() / 2);
    if (!upload->Append(bytes.substr(at, half - at)).ok()) return;
    upload.reset();
    if (!folder_.blobs().StartUpload(name, &upload).ok()) return;
    const auto rest = static_cast<size_t>(upload->committed_bytes());
    if (!upload->Append(bytes.substr(rest)).ok()) return;
    if (upload->Finish().ok()) witness_.Say("U " + name.digest);
  }

  bool Create(const std::string& seed, std::string* id) {
    for (int i = 0; i < kItems; ++i) {
      bool exists = false;
      const server::BlobName name = {server::SpaceOf(kCaller),
                                     Sha256Of(SourceOf(seed, i))};
      if (!folder_.blobs().Find(name, &exists).ok() || !exists) return false;
    }
    JobInfo info;
    bool is_new = false;
    absl::Status made = absl::UnavailableError("");
    // A request whose answer was lost may have made the job: a caller repeats
    // it.
    for (int i = 0; i < 3 && absl::IsUnavailable(made); ++i) {
      made = folder_.jobs().Create(JobOf(seed), NowMs(), &info, &is_new);
    }
    if (!made.ok()) return false;
    *id = info.id;
    witness_.Say("J " + info.id + " " + seed + " " + std::to_string(kItems));
    return true;
  }

  void Cancel(const std::string& id) {
    witness_.Say("C " + id);
    JobInfo info;
    static_cast<void>(folder_.jobs().Cancel(kCaller, id, NowMs(), &info));
  }

  void Delete(const std::string& id) {
    witness_.Say("D " + id);
    static_cast<void>(folder_.jobs().Delete(kCaller, id));
  }

  const Place& place_;
  DataFolder& folder_;
  const std::string seed_;
  const Witness witness_;
};

[[noreturn]] void RunChild(const Place& place, const std::string& seed,
                           int rounds, const server::FaultPlan& plan,
                           int pipe) {
  const Witness witness(pipe);
  server::FaultPoints::Arm(plan);
  std::unique_ptr<DataFolder> data;
  if (OpenPlace(place, &data).ok()) {
    Load(place, data.get(), seed, witness).Run(rounds);
  }
  data.reset();
  witness.Say("E " + std::to_string(server::FaultPoints::Disarm()));
  _exit(0);
}

void Take(const std::string& line, Promises* promises, LoadRun* run) {
  std::istringstream words(line);
  std::string kind;
  std::string id;
  words >> kind >> id;
  Promises::Job& job = promises->jobs[id];
  if (kind == "J") {
    words >> job.seed >> job.items;
    for (int i = 0; i < job.items; ++i) {
      promises->uploads.erase(Sha256Of(SourceOf(job.seed, i)));
    }
    promises->acknowledged += job.items;
    return;
  }
  if (kind == "C") job.is_cancelled = true;
  if (kind == "D") job.may_be_gone = true;
  if (kind == "R") {
    int item = -1;
    words >> item;
    job.results.insert(item);
  }
  if (kind == "U" || kind == "E") promises->jobs.erase(id);
  if (kind == "U") promises->uploads.insert(id);
  if (kind == "E") run->effects = std::stoll(id);
}

void ReadPromises(int pipe, Promises* promises, LoadRun* run) {
  std::string text;
  char buffer[4096];
  for (ssize_t got = 0; (got = read(pipe, buffer, sizeof buffer)) > 0;) {
    text.append(buffer, static_cast<size_t>(got));
  }
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) Take(line, promises, run);
}

}  // namespace

LoadRun RunLoad(const Place& place, const std::string& seed, int rounds,
                const server::FaultPlan& plan, int64_t kill_after_us,
                Promises* promises) {
  LoadRun run;
  int ends[2] = {};
  if (pipe(ends) != 0) return run;
  const pid_t child = fork();
  if (child == 0) {
    close(ends[0]);
    RunChild(place, seed, rounds, plan, ends[1]);
  }
  close(ends[1]);
  if (kill_after_us > 0) {
    usleep(static_cast<useconds_t>(kill_after_us));
    kill(child, SIGKILL);
  }
  ReadPromises(ends[0], promises, &run);
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  run.was_killed = WIFSIGNALED(status);
  return run;
}

void FailAtEachPoint(server::Fault fault, int64_t first, int64_t stride,
                     Campaign* campaign) {
  constexpr int kRounds = 3;
  for (int64_t at = first;; at += stride) {
    campaign->empty();
    Promises promises;
    const LoadRun run = RunLoad(campaign->place, "s", kRounds,
                                {at, fault, false}, 0, &promises);
    CheckPlace(campaign->place, &promises, &campaign->damage);
    campaign->acknowledged += promises.acknowledged;
    ++(run.was_killed ? campaign->kills : campaign->faults);
    // The load ended before it reached the point.
    if (!run.was_killed && run.effects < at) break;
    if (campaign->damage.any()) {
      campaign->damage.why.push_back("at point " + std::to_string(at));
      break;
    }
  }
}

void KillAtRandom(int64_t rounds, uint32_t seed, Campaign* campaign) {
  constexpr int kRounds = 1000;
  // Each check looks at all that the place has, so a place without end would
  // take time that grows with the square of the kills.
  constexpr int64_t kKillsOfAPlace = 50;
  std::minstd_rand random(seed);
  // A slow machine still opens its store then, so a round in which nothing was
  // acknowledged doubles the time.
  int64_t longest_us = 120'000;
  Promises promises;
  for (int64_t round = 0; round < rounds; ++round) {
    if (round % kKillsOfAPlace == 0) {
      campaign->acknowledged += promises.acknowledged;
      promises = {};
      campaign->empty();
    }
    const int64_t before = promises.acknowledged;
    std::uniform_int_distribution<int64_t> time_us(500, longest_us);
    const LoadRun run = RunLoad(campaign->place, "k" + std::to_string(round),
                                kRounds, {}, time_us(random), &promises);
    campaign->kills += run.was_killed ? 1 : 0;
    if (promises.acknowledged == before) {
      longest_us = std::min<int64_t>(2 * longest_us, 5'000'000);
    }
    CheckPlace(campaign->place, &promises, &campaign->damage);
    if (campaign->damage.any()) {
      campaign->damage.why.push_back("in round " + std::to_string(round));
      break;
    }
    if (campaign->on_round) campaign->on_round(round + 1);
  }
  campaign->acknowledged += promises.acknowledged;
}

}  // namespace bvhmill::testing
