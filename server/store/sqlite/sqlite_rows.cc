// The rows of the database of one server.

#include "bvhmill/base/call_error.h"
#include "bvhmill/base/status.h"
#include "server/store/job_bytes_sql.h"
#include "server/store/job_rows.h"
#include "server/store/migrations.h"
#include "server/store/sqlite/open_mark.h"
#include "server/store/sqlite/sqlite.h"

namespace bvhmill::server {
namespace {

class SqliteRows final : public JobRows {
 public:
  explicit SqliteRows(std::unique_ptr<Database> database)
      : database_(std::move(database)) {}

  absl::Status CheckVersion() {
    int64_t version = 0;
    BVHMILL_RETURN_IF_ERROR(FindVersion(database_.get(), &version));
    if (version == 0) return JobsLost();
    const auto steps = static_cast<int64_t>(SqliteMigrations().size());
    return version == steps ? absl::OkStatus() : OtherVersion();
  }

  absl::Status FindDamage(
      const std::function<void(const std::string& fault)>& add) override {
    Statement integrity(database_.get(), "PRAGMA integrity_check(100)");
    while (integrity.Step()) {
      const std::string said = integrity.Text(0);
      if (said != "ok") add("the database is damaged: " + said);
    }
    return integrity.status();
  }

  // No other process changes the database while it is checked.
  absl::Status Read(const std::string& sql,
                    const std::function<void(const Row& row)>& take) override {
    Statement find(database_.get(), sql.c_str());
    Row row;
    while (find.Step()) {
      row.clear();
      for (int i = 0; i < find.columns(); ++i) row.push_back(find.Text(i));
      take(row);
    }
    return find.status();
  }

  const char* counts() const override {
    return "SELECT number AS job, ok, failed, leased FROM job";
  }

  const char* counted_bytes() const override {
    return "SELECT caller, job, bytes FROM job_bytes";
  }

  const char* wrong_sums() const override {
    return "SELECT caller FROM (SELECT caller, jobs, bytes FROM caller_jobs "
           "UNION ALL SELECT caller, -count(*), -sum(bytes) FROM job_bytes "
           "GROUP BY caller) GROUP BY caller HAVING sum(jobs) <> 0 OR "
           "sum(bytes) <> 0";
  }

  // The length of a text would be the number of its characters.
  const char* row_bytes() const override {
    return BVHMILL_ROW_BYTES("length(CAST(", " AS BLOB))");
  }

  absl::Status IsNamed(const BlobName& blob, bool* is_named) override {
    Statement find(database_.get(), kFindNameSql);
    *is_named = find.Bind(blob.digest).Bind(blob.space).Step();
    return find.status();
  }

 private:
  const std::unique_ptr<Database> database_;
};

}  // namespace

absl::Status OpenSqliteRows(const std::string& path,
                            std::unique_ptr<JobRows>* rows) {
  std::unique_ptr<Database> database;
  BVHMILL_RETURN_IF_ERROR(Database::Open(path, &database));
  auto out = std::make_unique<SqliteRows>(std::move(database));
  BVHMILL_RETURN_IF_ERROR(out->CheckVersion());
  *rows = std::move(out);
  return absl::OkStatus();
}

}  // namespace bvhmill::server
