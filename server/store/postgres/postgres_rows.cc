// The rows of the database of several servers.

#include <optional>
#include <string>

#include "bvhmill/base/call_error.h"
#include "bvhmill/base/status.h"
#include "server/store/job_bytes_sql.h"
#include "server/store/job_rows.h"
#include "server/store/migrations.h"
#include "server/store/postgres/connections.h"
#include "server/store/postgres/open_postgres.h"
#include "server/store/postgres/postgres_faults.h"

namespace bvhmill::server {
namespace {

constexpr pqxx::oid kBytea = 17;
// The transaction waits while a check looks for blobs.
constexpr char kReadSettings[] =
    "SET idle_in_transaction_session_timeout = 0; SET jit = off;"
    "SET client_min_messages = warning; SET search_path = bvhmill";

// Every table, all columns of which may be stored apart from their rows: these
// are read, too.
constexpr const char* kReadAll[][2] = {
    {"job",
     "SELECT count(md5(options) || md5(annotations) || md5(display_name)) FROM "
     "job"},
    {"item",
     "SELECT count(md5(options) || md5(key) || md5(display_name) || "
     "md5(last_error)) FROM item"},
    {"result", "SELECT count(md5(bytes)) FROM result"},
    {"output", "SELECT count(md5(blob)) FROM output"},
    {"job_count", "SELECT count(leased) FROM job_count"},
};

class PostgresRows final : public JobRows {
 public:
  // Throws what libpqxx throws.
  explicit PostgresRows(const std::string& address)
      : connections_(address, 0), connection_(WithTimeouts(address)) {
    pqxx::nontransaction(connection_).exec(kReadSettings);
    StayLost(&connection_);
    rows_.emplace(connection_);
  }

  absl::Status CheckVersion(std::string* identity) {
    return Catch([&] {
      const auto found = rows_->exec(
          "SELECT to_regclass('bvhmill.schema_version') IS NOT NULL");
      if (!found[0][0].as<bool>()) {
        return MakeCallError({.code = absl::StatusCode::kNotFound,
                              .reason = "DATA_MISSING",
                              .message = "the database has no jobs of a "
                                         "server"});
      }
      const auto steps = rows_->exec("SELECT max(steps) FROM schema_version");
      if (steps[0][0].as<size_t>(0) != PostgresMigrations().size()) {
        return OtherVersion();
      }
      *identity = rows_->exec("SELECT id FROM identity")[0][0].c_str();
      return absl::OkStatus();
    });
  }

  absl::Status FindDamage(
      const std::function<void(const std::string& fault)>& add) override {
    for (const auto& [table, sql] : kReadAll) {
      const absl::Status read = Read(sql, [](const Row& /*row*/) {});
      if (absl::IsUnavailable(read)) return read;
      if (read.ok()) continue;
      add(std::string("the table ") + table +
          " is damaged: " + std::string(MessageOf(read)));
    }
    return absl::OkStatus();
  }

  // An error ends the part of the transaction that a savepoint has begun.
  absl::Status Read(const std::string& sql,
                    const std::function<void(const Row& row)>& take) override {
    return Catch([&] {
      pqxx::subtransaction part(*rows_);
      part.exec("DECLARE found NO SCROLL CURSOR FOR " + sql);
      Row row;
      while (true) {
        const pqxx::result some = part.exec("FETCH 1000 FROM found");
        if (some.empty()) break;
        for (const auto& from : some) {
          row.clear();
          for (const auto& field : from) row.push_back(TextOfField(field));
          take(row);
        }
      }
      part.exec("CLOSE found");
      part.commit();
      return absl::OkStatus();
    });
  }

  void EndReads() override { rows_.reset(); }

  const char* counts() const override {
    return "SELECT job, sum(ok) AS ok, sum(failed) AS failed, sum(leased) AS "
           "leased FROM job_count GROUP BY job";
  }

  const char* counted_bytes() const override {
    return "SELECT caller, number AS job, bytes + CASE WHEN state < 4 THEN "
           "(SELECT coalesce(sum(c.bytes), 0) FROM job_count c WHERE c.job = "
           "number) ELSE 0 END AS bytes FROM job WHERE caller <> '/gone'";
  }

  const char* row_bytes() const override {
    return BVHMILL_ROW_BYTES("length(", ")");
  }

  absl::Status IsNamed(const BlobName& blob, bool* is_named) override {
    return connections_.Run(Commit::kFast, [&](Work* work) {
      *is_named = !work->Run(kFindNameSql, blob.digest, blob.space).empty();
      return absl::OkStatus();
    });
  }

 private:
  static std::string TextOfField(const pqxx::field& field) {
    return field.type() == kBytea ? BytesOf(field) : field.c_str();
  }

  template <typename Callable>
  static absl::Status Catch(const Callable& work) {
    try {
      return work();
    } catch (const std::exception& fault) {
      return StatusOfFault(fault);
    }
  }

  // IsNamed sees what others commit; the rest sees one state.
  PostgresConnections connections_;
  pqxx::connection connection_;
  std::optional<pqxx::transaction<pqxx::repeatable_read, pqxx::read_only>>
      rows_;
};

}  // namespace

bool HasPostgres() { return true; }

absl::Status OpenPostgresRows(const std::string& address,
                              std::unique_ptr<JobRows>* rows,
                              std::string* identity) {
  std::unique_ptr<PostgresRows> out;
  try {
    out = std::make_unique<PostgresRows>(address);
  } catch (const std::exception& fault) {
    return CannotConnect(fault);
  }
  BVHMILL_RETURN_IF_ERROR(out->CheckVersion(identity));
  *rows = std::move(out);
  return absl::OkStatus();
}

}  // namespace bvhmill::server
