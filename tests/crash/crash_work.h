#pragma once

// The jobs of the crash tests, and a worker whose results are functions of the
// sources, so that a check knows what must come out.

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "server/store/data_folder.h"

namespace bvhmill::testing {

inline constexpr std::string_view kCallerName = "caller";
inline const std::string kCaller(kCallerName);
inline constexpr int kItems = 4;

// Where jobs and blobs are: a data folder, and the address of the database that
// has its jobs. Without an address SQLite has them, in the folder.
struct Place {
  std::string folder;
  std::string database = {};
};

// Opens the place as a server does.
absl::Status OpenPlace(const Place& place,
                       std::unique_ptr<server::DataFolder>* folder);

// The time of a lease. In a shared database the leases of a process that was
// killed end after it; no other process waits for them.
inline constexpr int64_t kLeaseMs = 40;

// Beats for the time of a lease, so that leases of processes that are gone end.
// Where no other process has leases, beats once.
void Beat(const Place& place, server::DataFolder* folder);

int64_t NowMs();

// The source of item `number` of the job with this seed. The first items of
// all jobs are equal.
std::string SourceOf(const std::string& seed, int number);
// The name of the blob with these bytes.
server::BlobName SourceName(const std::string& bytes);
// Uploads a blob in one piece. ALREADY_EXISTS if it is there.
absl::Status UploadSource(server::DataFolder* folder, const std::string& bytes);
// Output and result of a source.
std::string OutputOf(const std::string& digest);
std::string ResultOf(const std::string& digest);

server::NewJob JobOf(const std::string& seed);

// Claims up to `limit` items and completes them; one in a few is released
// first. Calls `done` with "ID ITEM" for each result that was acknowledged.
// Errors are passed over: the items wait for the next process.
void Work(server::DataFolder* folder, int limit,
          const std::function<void(const std::string&)>& done);

// Uploads the sources of the job with this seed, makes it, and works on it
// until it is over: its id.
absl::Status RunWholeJob(server::DataFolder* folder, const std::string& seed,
                         std::string* id);

// The bytes of a blob; "?" if it cannot be read.
std::string ContentOf(server::DataFolder* folder, const std::string& digest);

}  // namespace bvhmill::testing
