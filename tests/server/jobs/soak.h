#pragma once

// Jobs that are submitted without a pause while something is killed again and
// again, and the count of what came out.

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <map>
#include <string>
#include <vector>

#include "server/store/check_data.h"
#include "tests/server/jobs/job_fixture.h"

namespace bvhmill::testing {

struct Soak {
  // BVHMILL_SOAK_SECONDS makes it longer.
  static int Seconds() {
    const char* const wanted = std::getenv("BVHMILL_SOAK_SECONDS");
    return wanted == nullptr ? 6 : std::atoi(wanted);
  }
  // Kills are 20 seconds apart, or less in a short soak.
  static int SecondsPerKill() { return std::min(20, Seconds() / 3); }

  // Makes a job, and repeats the request until it is acknowledged: its name.
  std::function<std::string(const v1::CreateJobRequest& request)> submit;
  // Kills something and starts it again. No call of `submit` is running.
  std::function<void(int round)> kill;
  // Waits until the job is over.
  std::function<v1::Job(const std::string& name)> await;
  std::function<std::map<std::string, v1::ClipResult>(const std::string& name)>
      results;
  // Checks the data, after all servers have ended.
  std::function<absl::Status(server::DataCheck* check)> check;

  int64_t kills = 0;
  int64_t acknowledged = 0;
  int64_t lost = 0;
  int64_t wrong = 0;
  std::vector<std::string> clips;
  std::vector<std::string> jobs;

  // Each job has each clip so often: a long soak stays below the limit on the
  // jobs of a caller.
  static constexpr size_t kRepeats = 10;
  // At most this many jobs are not over: the newest ones.
  static constexpr size_t kAhead = 10;

  void Run() {
    for (int i = 0; i < 20; ++i) clips.push_back(SmallClip(2'000 + i));
    const auto end =
        std::chrono::steady_clock::now() + std::chrono::seconds(Seconds());
    // A slow machine needs more time for two kills.
    while (kills < 2 || std::chrono::steady_clock::now() < end) {
      const auto next = std::chrono::steady_clock::now() +
                        std::chrono::seconds(SecondsPerKill());
      while (std::chrono::steady_clock::now() < next) SubmitOne();
      kill(static_cast<int>(kills++));
    }
    const std::vector<std::string> expected = ExpectedBlobs();
    for (const std::string& job : jobs) Check(job, expected);
  }

  // Blobs that should not be there, after all servers have ended.
  int64_t Leaked() const {
    server::DataCheck found;
    const absl::Status checked = check(&found);
    EXPECT_TRUE(checked.ok()) << checked;
    EXPECT_TRUE(found.faults.empty());
    EXPECT_EQ(found.results, acknowledged);
    return found.blobs - 2 * static_cast<int64_t>(clips.size());
  }

  void Print(const std::string& what, int64_t leaked) const {
    // Results of an item that come twice fail the test where they are read.
    std::cerr << what << ": " << kills << " kills, " << acknowledged
              << " items acknowledged, " << lost << " lost, " << wrong
              << " wrong, " << leaked << " leaked\n";
    EXPECT_GT(kills, 1);
    EXPECT_GT(acknowledged, 100);
    EXPECT_EQ(lost + wrong + leaked, 0);
  }

 private:
  void SubmitOne() {
    if (jobs.size() >= kAhead) await(jobs[jobs.size() - kAhead]);
    v1::CreateJobRequest request = JobOfClips(AllItems());
    request.set_request_id("soak " + std::to_string(jobs.size()));
    const std::string job = submit(request);
    // Only what was acknowledged can be lost; the refusal fails the test.
    if (job.empty()) return;
    jobs.push_back(job);
    acknowledged += request.items_size();
  }

  std::vector<std::string> AllItems() const {
    std::vector<std::string> items;
    for (size_t i = 0; i < kRepeats; ++i) {
      items.insert(items.end(), clips.begin(), clips.end());
    }
    return items;
  }

  std::vector<std::string> ExpectedBlobs() const {
    std::vector<std::string> blobs;
    for (const std::string& clip : clips) {
      blobs.push_back(
          BlobOf(LocalOutputs(clip, JobOfClips({clip}).options())[0]));
    }
    return blobs;
  }

  void Check(const std::string& job, const std::vector<std::string>& expected) {
    if (await(job).state() != v1::JOB_STATE_SUCCEEDED) ++wrong;
    const auto all = results(job);
    for (size_t i = 0; i < kRepeats * expected.size(); ++i) {
      const auto found = all.find(std::to_string(i));
      if (found == all.end()) {
        ++lost;
      } else if (found->second.outputs_size() != 1 ||
                 found->second.outputs(0).blob() !=
                     expected[i % expected.size()]) {
        ++wrong;
      }
    }
  }
};

}  // namespace bvhmill::testing
