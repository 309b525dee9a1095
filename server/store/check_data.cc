// CheckData of data_folder.h.

#include <fcntl.h>

#include <memory>
#include <string>

#include "bvhmill/base/call_error.h"
#include "bvhmill/base/status.h"
#include "bvhmill/digest/sha256.h"
#include "server/store/data_folder.h"
#include "server/store/migrations.h"
#include "server/store/sqlite.h"

namespace bvhmill::server {
namespace {

constexpr size_t kMaxFaults = 1000;
constexpr size_t kReadPiece = size_t{1} << 20;

class DataChecker {
 public:
  DataChecker(std::string path, DataCheck* check)
      : path_(std::move(path)), check_(*check) {}

  absl::Status Run() {
    OwnedFile lock;
    BVHMILL_RETURN_IF_ERROR(LockData(path_, FolderUse::kAlone, &lock));
    BVHMILL_RETURN_IF_ERROR(Database::Open(path_ + "/jobs.db", &database_));
    BVHMILL_RETURN_IF_ERROR(CheckSchema());
    BVHMILL_RETURN_IF_ERROR(CheckRows());
    BVHMILL_RETURN_IF_ERROR(CountRows());
    BVHMILL_RETURN_IF_ERROR(
        FileBlobStore::Open(path_, FolderUse::kAlone, {}, &blobs_));
    BVHMILL_RETURN_IF_ERROR(CheckNames());
    return CheckBlobs();
  }

 private:
  void Add(const std::string& fault) {
    if (check_.faults.size() < kMaxFaults) check_.faults.push_back(fault);
  }

  absl::Status CheckSchema() {
    Statement version(database_.get(), "PRAGMA user_version");
    const bool has_row = version.Step();
    BVHMILL_RETURN_IF_ERROR(version.status());
    const auto steps = static_cast<int64_t>(Migrations().size());
    if (has_row && version.Int(0) == steps) return absl::OkStatus();
    return MakeCallError(
        {.code = absl::StatusCode::kFailedPrecondition,
         .reason = "DATA_OTHER_VERSION",
         .message = "the data have another version; start a server of this "
                    "version once, or use the one that made them"});
  }

  // Adds a fault for each row of `sql`: its first two columns name it.
  absl::Status AddRows(const char* sql, const std::string& what) {
    Statement find(database_.get(), sql);
    while (find.Step()) {
      Add("job " + find.Text(0) + ", item " + find.Text(1) + ": " + what);
    }
    return find.status();
  }

  absl::Status CheckRows() {
    Statement integrity(database_.get(), "PRAGMA integrity_check(100)");
    while (integrity.Step()) {
      const std::string said = integrity.Text(0);
      if (said != "ok") Add("the database is damaged: " + said);
    }
    BVHMILL_RETURN_IF_ERROR(integrity.status());
    BVHMILL_RETURN_IF_ERROR(AddRows(
        "SELECT i.job, i.number FROM item i LEFT JOIN result r ON r.job = "
        "i.job AND r.item = i.number WHERE i.state = 2 AND r.job IS NULL",
        "is done and has no result"));
    BVHMILL_RETURN_IF_ERROR(AddRows(
        "SELECT r.job, r.item FROM result r LEFT JOIN item i ON i.job = r.job "
        "AND i.number = r.item WHERE i.job IS NULL OR i.state <> 2",
        "has a result and is not done"));
    BVHMILL_RETURN_IF_ERROR(AddRows(
        "SELECT o.job, o.item FROM output o LEFT JOIN result r ON r.job = "
        "o.job AND r.item = o.item WHERE r.job IS NULL",
        "has an output and no result"));
    BVHMILL_RETURN_IF_ERROR(AddRows(
        "SELECT r.job, r.item FROM result r JOIN item i ON i.job = r.job AND "
        "i.number = r.item WHERE i.blob <> r.blob",
        "has the result of another source"));
    return AddRows(
        "SELECT j.number, 'counts' FROM job j WHERE j.total <> (SELECT "
        "count(*) FROM item WHERE job = j.number) OR j.ok + j.failed <> "
        "(SELECT "
        "count(*) FROM result WHERE job = j.number) OR j.failed <> (SELECT "
        "count(*) FROM result WHERE job = j.number AND code <> 0) OR (j.state "
        "= 4 AND j.total <> j.ok + j.failed)",
        "do not fit its items");
  }

  absl::Status CountRows() {
    Statement count(database_.get(),
                    "SELECT (SELECT count(*) FROM job), (SELECT count(*) FROM "
                    "item), (SELECT count(*) FROM result)");
    if (count.Step()) {
      check_.jobs = count.Int(0);
      check_.items = count.Int(1);
      check_.results = count.Int(2);
    }
    return count.status();
  }

  // All blobs that are named must exist.
  absl::Status CheckNames() {
    Statement find(
        database_.get(),
        "SELECT job.space, item.blob, item.job, item.number FROM "
        "item JOIN job ON job.number = item.job UNION ALL SELECT "
        "job.space, output.blob, output.job, output.item FROM output "
        "JOIN job ON job.number = output.job");
    while (find.Step()) {
      std::unique_ptr<BlobReader> reader;
      const absl::Status opened =
          blobs_->Open({find.Text(0), find.Text(1)}, &reader);
      if (opened.ok()) continue;
      Add("job " + find.Text(2) + ", item " + find.Text(3) + ": its blob " +
          find.Text(1) + " is missing");
    }
    return find.status();
  }

  absl::Status CheckBlobs() {
    absl::Status status;
    const absl::Status listed = blobs_->List([&](const BlobEntry& entry) {
      ++check_.blobs;
      check_.blob_bytes += entry.size;
      status = CheckBlob(entry);
      return status.ok();
    });
    return status.ok() ? listed : status;
  }

  absl::Status CheckBlob(const BlobEntry& entry) {
    std::string digest;
    BVHMILL_RETURN_IF_ERROR(DigestOf(entry, &digest));
    if (digest != entry.name.digest) {
      Add("the blob " + entry.name.digest + " of the space " +
          entry.name.space + " has other bytes");
    }
    Statement named(
        database_.get(),
        "SELECT 1 FROM item JOIN job ON job.number = item.job WHERE "
        "item.blob = ?1 AND job.space = ?2 UNION ALL SELECT 1 FROM "
        "output JOIN job ON job.number = output.job WHERE "
        "output.blob = ?1 AND job.space = ?2 LIMIT 1");
    const bool is_named =
        named.Bind(entry.name.digest).Bind(entry.name.space).Step();
    if (!is_named) ++check_.unnamed;
    return named.status();
  }

  absl::Status DigestOf(const BlobEntry& entry, std::string* digest) {
    std::unique_ptr<BlobReader> reader;
    BVHMILL_RETURN_IF_ERROR(blobs_->Open(entry.name, &reader));
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

  const std::string path_;
  DataCheck& check_;
  std::unique_ptr<Database> database_;
  std::unique_ptr<FileBlobStore> blobs_;
};

}  // namespace

absl::Status CheckData(const std::string& path, DataCheck* check) {
  if (!HasData(path)) {
    return MakeCallError({.code = absl::StatusCode::kNotFound,
                          .reason = "DATA_MISSING",
                          .args = {{"path", path}},
                          .message = "there is no data folder of a server"});
  }
  return DataChecker(path, check).Run();
}

}  // namespace bvhmill::server
