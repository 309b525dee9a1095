#include "tests/crash/crash_work.h"

#include <chrono>
#include <map>
#include <memory>
#include <thread>
#include <vector>

#include "bvhmill/base/status.h"
#include "bvhmill/digest/sha256.h"

namespace bvhmill::testing {
namespace {

using server::ClaimedItem;
using server::FinishedItem;

absl::Status ReadSource(server::DataFolder* folder, const ClaimedItem& item) {
  std::unique_ptr<server::BlobReader> reader;
  std::string bytes;
  BVHMILL_RETURN_IF_ERROR(folder->blobs().Open(
      {server::SpaceOf(item.caller), item.item.blob}, &reader));
  BVHMILL_RETURN_IF_ERROR(
      reader->Read(0, static_cast<size_t>(reader->size()), &bytes));
  return Sha256Of(bytes) == item.item.blob ? absl::OkStatus()
                                           : absl::DataLossError("a source");
}

absl::Status MakeOutput(server::DataFolder* folder, const ClaimedItem& item,
                        std::unique_ptr<server::NewBlob>* blob) {
  BVHMILL_RETURN_IF_ERROR(ReadSource(folder, item));
  BVHMILL_RETURN_IF_ERROR(
      folder->blobs().Create(server::SpaceOf(item.caller), blob));
  const std::string bytes = OutputOf(item.item.blob);
  BVHMILL_RETURN_IF_ERROR((*blob)->Append(bytes.substr(0, bytes.size() / 3)));
  BVHMILL_RETURN_IF_ERROR((*blob)->Append(bytes.substr(bytes.size() / 3)));
  (*blob)->Finish();
  return absl::OkStatus();
}

// Stores the outputs, then the results, as the runner of a server does.
absl::Status Finish(server::DataFolder* folder,
                    const std::vector<ClaimedItem>& items,
                    std::vector<bool>* accepted) {
  server::NamesHeld names;
  BVHMILL_RETURN_IF_ERROR(folder->HoldNames(&names));
  std::vector<std::unique_ptr<server::NewBlob>> blobs(items.size());
  std::vector<server::NewBlob*> pointers;
  std::vector<FinishedItem> finished;
  for (size_t i = 0; i < items.size(); ++i) {
    BVHMILL_RETURN_IF_ERROR(MakeOutput(folder, items[i], &blobs[i]));
    pointers.push_back(blobs[i].get());
    FinishedItem& done = finished.emplace_back();
    done.lease = items[i].lease;
    done.result.bytes = ResultOf(items[i].item.blob);
    done.result.outputs = {blobs[i]->name().digest};
  }
  BVHMILL_RETURN_IF_ERROR(folder->blobs().Commit(pointers));
  std::vector<int64_t> over;
  return folder->jobs().Complete(finished, NowMs(), accepted, &over);
}

// Ids of jobs by number.
std::map<int64_t, std::string> IdsOf(server::DataFolder* folder) {
  std::vector<server::JobInfo> jobs;
  std::map<int64_t, std::string> ids;
  server::JobPage page;
  page.caller = kCaller;
  page.limit = 1 << 30;
  bool has_more = false;
  static_cast<void>(folder->jobs().List(page, &jobs, &has_more));
  for (const server::JobInfo& job : jobs) ids[job.number] = job.id;
  return ids;
}

void Release(server::DataFolder* folder, const std::vector<ClaimedItem>& items,
             bool counts) {
  std::vector<server::FailedTry> tries;
  for (const ClaimedItem& item : items) {
    tries.push_back({item.lease, counts, 0, "released"});
  }
  std::vector<int64_t> over;
  static_cast<void>(folder->jobs().Release(tries, NowMs(), &over));
}

}  // namespace

absl::Status OpenPlace(const Place& place,
                       std::unique_ptr<server::DataFolder>* folder) {
  return place.database.empty()
             ? server::DataFolder::Open(place.folder, {}, folder)
             : server::DataFolder::OpenShared(place.folder, place.database, {},
                                              folder);
}

void Beat(const Place& place, server::DataFolder* folder) {
  const int beats = place.database.empty() ? 1 : 5;
  for (int i = 0; i < beats; ++i) {
    if (i > 0) {
      std::this_thread::sleep_for(std::chrono::milliseconds(kLeaseMs / 3));
    }
    const int64_t now = NowMs();
    static_cast<void>(folder->jobs().Heartbeat(now, now + kLeaseMs));
  }
}

int64_t NowMs() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

std::string SourceOf(const std::string& seed, int number) {
  const std::string name = number == 0 ? "shared" : seed;
  std::string out;
  for (int i = 0; i < 40 * (number + 1); ++i) {
    out += "source " + name + " " + std::to_string(number) + "\n";
  }
  return out;
}

server::BlobName SourceName(const std::string& bytes) {
  return {server::SpaceOf(kCaller), Sha256Of(bytes)};
}

absl::Status UploadSource(server::DataFolder* folder,
                          const std::string& bytes) {
  std::unique_ptr<server::BlobUpload> upload;
  BVHMILL_RETURN_IF_ERROR(
      folder->blobs().StartUpload(SourceName(bytes), &upload));
  BVHMILL_RETURN_IF_ERROR(upload->Append(bytes));
  return upload->Finish();
}

std::string OutputOf(const std::string& digest) {
  std::string out;
  for (int i = 0; i < 30; ++i) out += "output of " + digest + "\n";
  return out;
}

std::string ResultOf(const std::string& digest) {
  return "result of " + digest;
}

server::NewJob JobOf(const std::string& seed) {
  server::NewJob job;
  job.caller = kCaller;
  job.request_id = seed;
  job.request_digest = Sha256Of(seed);
  job.options = "options";
  for (int i = 0; i < kItems; ++i) {
    server::NewItem& item = job.items.emplace_back();
    item.key = std::to_string(i);
    item.blob = Sha256Of(SourceOf(seed, i));
  }
  return job;
}

void Work(server::DataFolder* folder, int limit,
          const std::function<void(const std::string&)>& done) {
  server::ClaimRules rules;
  rules.limit = limit;
  rules.now_ms = NowMs();
  rules.until_ms = rules.now_ms + kLeaseMs;
  std::vector<ClaimedItem> items;
  static_cast<void>(folder->jobs().Claim(rules, &items));
  if (items.empty()) {
    rules.alone = true;
    static_cast<void>(folder->jobs().Claim(rules, &items));
  }
  if (items.empty()) return;
  if (items.size() > 2) {
    Release(folder, {items.back()}, true);
    items.pop_back();
  }
  std::vector<bool> accepted;
  const absl::Status status = Finish(folder, items, &accepted);
  if (!status.ok()) return Release(folder, items, false);
  const std::map<int64_t, std::string> ids = IdsOf(folder);
  for (size_t i = 0; i < items.size(); ++i) {
    const auto id = ids.find(items[i].lease.job);
    if (accepted[i] && id != ids.end()) {
      done(id->second + " " + std::to_string(items[i].lease.item));
    }
  }
}

absl::Status RunWholeJob(server::DataFolder* folder, const std::string& seed,
                         std::string* id) {
  server::NamesHeld names;
  BVHMILL_RETURN_IF_ERROR(folder->HoldNames(&names));
  for (int i = 0; i < kItems; ++i) {
    const absl::Status uploaded = UploadSource(folder, SourceOf(seed, i));
    if (!absl::IsAlreadyExists(uploaded)) BVHMILL_RETURN_IF_ERROR(uploaded);
  }
  server::JobInfo info;
  bool is_new = false;
  BVHMILL_RETURN_IF_ERROR(
      folder->jobs().Create(JobOf(seed), NowMs(), &info, &is_new));
  *id = info.id;
  names = {};
  for (int i = 0; i < 10; ++i) Work(folder, 64, [](const auto&) {});
  return absl::OkStatus();
}

std::string ContentOf(server::DataFolder* folder, const std::string& digest) {
  std::unique_ptr<server::BlobReader> reader;
  std::string bytes;
  const bool is_read =
      folder->blobs().Open({server::SpaceOf(kCaller), digest}, &reader).ok() &&
      reader->Read(0, static_cast<size_t>(reader->size()), &bytes).ok();
  return is_read ? bytes : "?";
}

}  // namespace bvhmill::testing
