// CheckPlace of crash_load.h.

#include <filesystem>
#include <memory>
#include <string>

#include "bvhmill/base/status.h"
#include "bvhmill/digest/sha256.h"
#include "server/store/check_data.h"
#include "server/store/data_folder.h"
#include "tests/crash/crash_load.h"
#include "tests/crash/crash_work.h"

namespace bvhmill::testing {
namespace {

using server::DataFolder;
using server::JobInfo;
using server::JobState;
using server::StoredResult;

class Checker {
 public:
  Checker(Place place, Promises* promises, Damage* damage)
      : place_(std::move(place)), promises_(*promises), damage_(*damage) {}

  void Run() {
    CheckOffline(false);
    std::unique_ptr<DataFolder> data;
    const absl::Status opened = OpenPlace(place_, &data);
    if (!opened.ok()) {
      return Add(&damage_.lost, "it does not open: " + opened.ToString());
    }
    folder_ = data.get();
    for (auto& [id, job] : promises_.jobs) CheckResults(id, &job, false);
    CheckUploads();
    for (int i = 0; i < 1000 && IsOpen(); ++i) FinishSome();
    for (auto& [id, job] : promises_.jobs) CheckResults(id, &job, true);
    int64_t count = 0;
    const absl::Status collected = folder_->Collect(NowMs() + 1000, &count);
    if (!collected.ok()) Add(&damage_.wrong, collected.ToString());
    promises_.uploads.clear();
    folder_ = nullptr;
    data.reset();
    CheckOffline(true);
  }

 private:
  void Add(int64_t* kind, const std::string& why) {
    ++*kind;
    if (damage_.why.size() < 20) damage_.why.push_back(why);
  }

  bool IsOpen() {
    server::JobStats stats;
    return folder_->jobs().Stats(&stats).ok() && stats.jobs > 0;
  }

  // Works on all that waits; then items that a process had which was killed
  // wait again, and jobs that it has not ended are over.
  void FinishSome() {
    for (int i = 0; i < 3; ++i) Work(folder_, 64, [](auto&) {});
    if (IsOpen()) Beat(place_, folder_);
  }

  // `is_final`: nothing may be left that nobody names.
  void CheckOffline(bool is_final) {
    server::DataCheck check;
    const absl::Status status =
        server::CheckData(place_.folder, place_.database, &check);
    // A process that was killed before the first schema leaves none.
    const bool is_new =
        (absl::IsFailedPrecondition(status) || absl::IsNotFound(status)) &&
        promises_.acknowledged == 0 && !is_final;
    if (!status.ok() && !is_new) Add(&damage_.wrong, status.ToString());
    for (const std::string& fault : check.faults) Add(&damage_.wrong, fault);
    if (is_final && check.unnamed > 0) {
      damage_.leaked += check.unnamed;
      damage_.why.push_back("blobs that nobody names");
    }
    if (is_final) CheckLeftovers();
  }

  // Files of blobs that were being made, by servers that are gone.
  void CheckLeftovers() {
    for (const char* const name : {"/new", "/uploads"}) {
      for (const auto& file : std::filesystem::recursive_directory_iterator(
               place_.folder + name)) {
        if (!file.is_regular_file() || file.path().filename() == "lock") {
          continue;
        }
        Add(&damage_.leaked, "the file " + file.path().native());
      }
    }
  }

  void CheckUploads() {
    for (const std::string& digest : promises_.uploads) {
      // The load collects; a blob that is there must be right.
      const std::string bytes = ContentOf(folder_, digest);
      if (bytes != "?" && Sha256Of(bytes) != digest) {
        Add(&damage_.wrong, "an upload has other bytes");
      }
    }
  }

  void CheckResults(const std::string& id, Promises::Job* job, bool is_final) {
    JobInfo info;
    const absl::Status found = folder_->jobs().Get(kCaller, id, &info);
    if (absl::IsNotFound(found) && job->may_be_gone) return;
    if (!found.ok()) return Add(&damage_.lost, "job " + id);
    if (info.total != job->items) Add(&damage_.lost, "items of " + id);
    std::vector<StoredResult> results;
    server::ResultPage page;
    page.limit = 1 << 20;
    page.max_bytes = int64_t{1} << 40;
    if (!folder_->jobs().Results(kCaller, id, page, &results).ok()) {
      return Add(&damage_.lost, "results of " + id);
    }
    std::set<int> seen;
    for (const StoredResult& result : results) {
      const auto item = static_cast<int>(result.item);
      if (!seen.insert(item).second) Add(&damage_.duplicated, "in " + id);
      CheckResult(*job, item, result.bytes);
    }
    for (const int item : job->results) {
      if (!seen.contains(item)) Add(&damage_.lost, "a result of " + id);
    }
    job->results = seen;
    if (is_final) CheckEnd(info, static_cast<int>(seen.size()), *job);
  }

  void CheckResult(const Promises::Job& job, int item,
                   const std::string& bytes) {
    const std::string digest = Sha256Of(SourceOf(job.seed, item));
    if (bytes != ResultOf(digest)) Add(&damage_.wrong, "a result");
    const std::string output = OutputOf(digest);
    if (ContentOf(folder_, Sha256Of(output)) != output) {
      Add(&damage_.lost, "an output");
    }
    if (ContentOf(folder_, digest) != SourceOf(job.seed, item)) {
      Add(&damage_.lost, "a source");
    }
  }

  void CheckEnd(const JobInfo& info, int results, const Promises::Job& job) {
    const bool is_whole =
        info.state == JobState::kSucceeded && results == job.items;
    const bool is_cancelled =
        info.state == JobState::kCancelled && job.is_cancelled;
    if (!is_whole && !is_cancelled) {
      Add(&damage_.lost, "an end of " + info.id + ": state " +
                             std::to_string(static_cast<int>(info.state)));
    }
    if (info.ok + info.failed != results || info.running != 0) {
      Add(&damage_.wrong, "the counts of " + info.id);
    }
  }

  const Place place_;
  Promises& promises_;
  Damage& damage_;
  DataFolder* folder_ = nullptr;
};

}  // namespace

void CheckPlace(const Place& place, Promises* promises, Damage* damage) {
  Checker(place, promises, damage).Run();
}

}  // namespace bvhmill::testing
