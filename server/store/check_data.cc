#include "server/store/check_data.h"

#include <unistd.h>

#include <array>
#include <cerrno>
#include <memory>
#include <system_error>
#include <utility>

#include "bvhmill/base/status.h"
#include "bvhmill/digest/sha256.h"
#include "server/store/data_folder.h"
#include "server/store/job_rows.h"
#include "server/store/postgres/open_postgres.h"
#include "server/store/s3/open_s3.h"
#include "server/store/sqlite/sqlite.h"

namespace bvhmill::server {
namespace {

constexpr size_t kMaxFaults = 1000;
constexpr size_t kReadPiece = size_t{1} << 20;

// Each row of a query is a fault. Its columns: a job; an item, or the part of
// the job; what is wrong.
constexpr const char* kRules[] = {
    "SELECT job, number, 'is done and has no result' FROM item WHERE state = 2 "
    "AND result IS NULL",
    "SELECT job, number, 'has a result and is not done' FROM item WHERE state "
    "<> 2 AND (result IS NOT NULL OR code <> 0)",
    "SELECT b.job, b.item, 'has an output and no result' FROM blob b LEFT JOIN "
    "item i ON i.job = b.job AND i.number = b.item WHERE i.job IS NULL OR "
    "i.state <> 2",
    "SELECT i.job, i.number, 'belongs to no job' FROM item i LEFT JOIN job j "
    "ON j.number = i.job WHERE j.number IS NULL",
    "SELECT job, number, 'has a state that does not exist' FROM item WHERE "
    "state NOT IN (0, 1, 2)",
    "SELECT job, number, 'has a negative count of tries' FROM item WHERE tries "
    "< 0 OR crashes < 0",
    "SELECT number, 'state', 'does not exist' FROM job WHERE state NOT BETWEEN "
    "1 AND 6",
    "SELECT number, 'times', 'do not fit its state' FROM job WHERE (state >= "
    "4) <> (end_ms > 0)",
    // A hidden job is about to be removed.
    "SELECT number, 'counts', 'do not fit its items' FROM job WHERE caller <> "
    "'/gone' AND (total <> (SELECT count(*) FROM item WHERE item.job = "
    "job.number) OR (state = 4 AND total <> ok + failed) OR (state >= 4 AND "
    "(ok <> (SELECT count(*) FROM item WHERE item.job = job.number AND "
    "item.state = 2 AND item.code = 0) OR failed <> (SELECT count(*) FROM item "
    "WHERE item.job = job.number AND item.code <> 0))))",
};

// A query for the messages of a kind: a job; an item, or the part of the job;
// the bytes.
struct MessageQuery {
  StoredMessage kind;
  const char* sql;
};
constexpr MessageQuery kMessages[] = {
    {StoredMessage::kOptions, "SELECT number, 'options', options FROM job"},
    {StoredMessage::kAnnotations,
     "SELECT number, 'annotations', annotations FROM job"},
    {StoredMessage::kOptions,
     "SELECT job, number, options FROM item WHERE length(options) > 0"},
    {StoredMessage::kResult,
     "SELECT job, number, result FROM item WHERE state = 2"},
};

// The named blobs, and the items that name them: space, digest, job, item.
constexpr char kNames[] =
    "SELECT job.space, item.blob, item.job, item.number FROM item JOIN job ON "
    "job.number = item.job WHERE job.caller <> '/gone' UNION ALL SELECT "
    "job.space, blob.digest, blob.job, blob.item FROM blob JOIN job ON "
    "job.number = blob.job WHERE job.caller <> '/gone'";

class DataChecker {
 public:
  DataChecker(JobRows* rows, BlobStore* blobs, DataCheck* check)
      : rows_(*rows), blobs_(*blobs), check_(*check) {}

  absl::Status Run() {
    BVHMILL_RETURN_IF_ERROR(
        rows_.FindDamage([this](const std::string& fault) { Add(fault); }));
    for (const char* const rule : kRules) {
      BVHMILL_RETURN_IF_ERROR(AddFaults(rule));
    }
    BVHMILL_RETURN_IF_ERROR(CheckMessages());
    BVHMILL_RETURN_IF_ERROR(CountRows());
    BVHMILL_RETURN_IF_ERROR(CheckNames());
    rows_.EndReads();
    return CheckBlobs();
  }

 private:
  void Add(const std::string& fault) {
    if (check_.faults.size() < kMaxFaults) check_.faults.push_back(fault);
  }

  // `what` is the number of an item, or a part of the job.
  void AddOf(const std::string& job, const std::string& what,
             const std::string& fault) {
    const bool is_item = what.find_first_not_of("0123456789") == what.npos;
    Add("job " + job + (is_item ? ", item " : ", ") + what + ": " + fault);
  }

  // Adds a fault if the rows are unreadable.
  absl::Status Read(const std::string& sql,
                    const std::function<void(const JobRows::Row& row)>& take) {
    const absl::Status read = rows_.Read(sql, take);
    if (!absl::IsInternal(read)) return read;
    Add(std::string(MessageOf(read)));
    return absl::OkStatus();
  }

  absl::Status AddFaults(const std::string& rule) {
    return Read(rule, [this](const JobRows::Row& row) {
      AddOf(row[0], row[1], row[2]);
    });
  }

  absl::Status CheckMessages() {
    if (!check_.is_message) return absl::OkStatus();
    for (const MessageQuery& query : kMessages) {
      const auto check = [&](const JobRows::Row& row) {
        if (check_.is_message(query.kind, row[2])) return;
        AddOf(row[0], row[1], "has bytes that are no message");
      };
      BVHMILL_RETURN_IF_ERROR(Read(query.sql, check));
    }
    return absl::OkStatus();
  }

  absl::Status CountRows() {
    return Read(
        "SELECT (SELECT count(*) FROM job), (SELECT count(*) FROM item), "
        "(SELECT count(*) FROM item WHERE state = 2)",
        [this](const JobRows::Row& row) {
          check_.jobs = std::stoll(row[0]);
          check_.items = std::stoll(row[1]);
          check_.results = std::stoll(row[2]);
        });
  }

  // All blobs that are named must exist.
  absl::Status CheckNames() {
    absl::Status status;
    BVHMILL_RETURN_IF_ERROR(Read(kNames, [&](const JobRows::Row& row) {
      if (!status.ok()) return;
      const BlobName blob = {row[0], row[1]};
      bool is_lost = false;
      status.Update(FindLost(blob, &is_lost));
      if (is_lost) {
        AddOf(row[2], row[3], "its blob " + blob.digest + " is missing");
      }
    }));
    return status;
  }

  // The job and its blobs may have been deleted since the rows were read. A
  // blob is lost if a job still names it, and it is missing after that.
  absl::Status FindLost(const BlobName& blob, bool* is_lost) {
    bool is_there = false;
    BVHMILL_RETURN_IF_ERROR(IsThere(blob, &is_there));
    if (is_there) return absl::OkStatus();
    bool is_named = false;
    BVHMILL_RETURN_IF_ERROR(IsNamed(blob, &is_named));
    if (!is_named) return absl::OkStatus();
    BVHMILL_RETURN_IF_ERROR(IsThere(blob, &is_there));
    *is_lost = !is_there;
    return absl::OkStatus();
  }

  // A blob counts as named if a table is damaged: FindDamage has said so.
  absl::Status IsNamed(const BlobName& blob, bool* is_named) {
    const absl::Status looked = rows_.IsNamed(blob, is_named);
    if (!absl::IsInternal(looked)) return looked;
    *is_named = true;
    return absl::OkStatus();
  }

  // A blob counts as missing after an error, except UNAVAILABLE. CheckBlobs
  // reads the bytes later.
  absl::Status IsThere(const BlobName& blob, bool* is_there) {
    constexpr int64_t kEver = 0;
    const absl::Status looked = blobs_.WasUsed(blob, kEver, is_there);
    return absl::IsUnavailable(looked) ? looked : absl::OkStatus();
  }

  absl::Status CheckBlobs() {
    absl::Status status;
    const absl::Status listed = blobs_.List([&](const BlobEntry& entry) {
      status = CheckBlob(entry);
      return status.ok();
    });
    return status.ok() ? listed : status;
  }

  absl::Status CheckBlob(const BlobEntry& entry) {
    std::string digest;
    const absl::Status read = DigestOf(entry, &digest);
    // The blob was removed since it was listed.
    if (absl::IsNotFound(read)) return absl::OkStatus();
    // The store does not answer, so the state of the blob is unknown.
    if (absl::IsUnavailable(read)) return read;
    ++check_.blobs;
    check_.blob_bytes += entry.size;
    const std::string name =
        "the blob " + entry.name.digest + " of the space " + entry.name.space;
    if (!read.ok()) {
      Add(name + " cannot be read: " + std::string(MessageOf(read)));
    } else if (digest != entry.name.digest) {
      Add(name + " has other bytes");
    }
    bool is_named = false;
    BVHMILL_RETURN_IF_ERROR(IsNamed(entry.name, &is_named));
    if (!is_named) ++check_.unnamed;
    return absl::OkStatus();
  }

  absl::Status DigestOf(const BlobEntry& entry, std::string* digest) {
    std::unique_ptr<BlobReader> reader;
    BVHMILL_RETURN_IF_ERROR(blobs_.Open(entry.name, &reader));
    Sha256 sha;
    std::string piece;
    for (int64_t at = 0; at < reader->size();) {
      BVHMILL_RETURN_IF_ERROR(reader->Read(at, kReadPiece, &piece));
      if (piece.empty()) break;
      sha.Add(piece);
      at += static_cast<int64_t>(piece.size());
    }
    *digest = sha.Finish();
    return absl::OkStatus();
  }

  JobRows& rows_;
  BlobStore& blobs_;
  DataCheck& check_;
};

// The error if there are no data, or if this user may not read them.
absl::Status NoData(const std::string& path) {
  const bool is_hidden =
      access((path + kJobsName).c_str(), F_OK) != 0 && errno != ENOENT;
  const std::string why =
      is_hidden ? " cannot be read: " +
                      std::error_code(errno, std::generic_category()).message()
                : " has no data of a server";
  return MakeCallError({.code = absl::StatusCode::kNotFound,
                        .reason = "DATA_MISSING",
                        .args = {{"path", path}},
                        .message = path + why});
}

absl::Status CheckAlone(const std::string& path, DataCheck* check) {
  OwnedFile lock;
  BVHMILL_RETURN_IF_ERROR(LockData(path, FolderUse::kAlone, &lock));
  BVHMILL_RETURN_IF_ERROR(CheckJobsThere(path + kJobsName, !HasBlobs(path)));
  std::unique_ptr<JobRows> rows;
  BVHMILL_RETURN_IF_ERROR(OpenSqliteRows(path + kJobsName, &rows));
  std::unique_ptr<FileBlobStore> blobs;
  BVHMILL_RETURN_IF_ERROR(
      FileBlobStore::Open(path, FolderUse::kReadOnly, {}, &blobs));
  return DataChecker(rows.get(), blobs.get(), check).Run();
}

absl::Status CheckShared(const std::string& path, const std::string& database,
                         DataCheck* check) {
  std::unique_ptr<JobRows> rows;
  std::string identity;
  BVHMILL_RETURN_IF_ERROR(OpenPostgresRows(database, &rows, &identity));
  BVHMILL_RETURN_IF_ERROR(CheckIdentity(path, identity));
  OwnedFile lock;
  BVHMILL_RETURN_IF_ERROR(LockData(path, FolderUse::kShared, &lock));
  check->is_live = HasServers(path);
  std::unique_ptr<FileBlobStore> blobs;
  BVHMILL_RETURN_IF_ERROR(
      FileBlobStore::Open(path, FolderUse::kReadOnly, {}, &blobs));
  BVHMILL_RETURN_IF_ERROR(DataChecker(rows.get(), blobs.get(), check).Run());
  check->is_live = check->is_live || HasServers(path);
  return absl::OkStatus();
}

}  // namespace

absl::Status CheckData(const std::string& path, const std::string& database,
                       DataCheck* check) {
  const bool is_shared = access((path + kDatabaseName).c_str(), F_OK) == 0;
  if (HasData(path)) {
    return database.empty() ? CheckAlone(path, check)
                            : OtherDatabase(path, "of one server alone");
  }
  if (is_shared) {
    return database.empty()
               ? OtherDatabase(path,
                               "of a database: name it by --jobs-database")
               : CheckShared(path, database, check);
  }
  BVHMILL_RETURN_IF_ERROR(CheckJobsThere(path + kJobsName, !HasBlobs(path)));
  return NoData(path);
}

absl::Status CheckDataInS3(const S3Options& s3, const std::string& database,
                           DataCheck* check) {
  if (database.empty()) {
    return MakeCallError(
        {.code = absl::StatusCode::kFailedPrecondition,
         .reason = "DATA_OF_ANOTHER_DATABASE",
         .message = s3.address + " has the blobs of jobs of a database: name "
                                 "it by --jobs-database"});
  }
  std::unique_ptr<JobRows> rows;
  std::string identity;
  BVHMILL_RETURN_IF_ERROR(OpenPostgresRows(database, &rows, &identity));
  std::unique_ptr<BlobStore> blobs;
  BVHMILL_RETURN_IF_ERROR(OpenS3BlobsForCheck(s3, identity, &blobs));
  // The store contains no locks of servers.
  check->is_live = true;
  return DataChecker(rows.get(), blobs.get(), check).Run();
}

}  // namespace bvhmill::server
