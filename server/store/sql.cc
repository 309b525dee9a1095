#include "server/store/sql.h"

#include <cctype>
#include <string>

#include "bvhmill/base/status.h"

namespace bvhmill::server {
namespace {

constexpr char kSchema[] = R"sql(
-- Jobs, their items, the blobs that these name, and leases. Times are
-- milliseconds since 1970. Numbers of states are those of
-- server/store/job_store.h. Texts that callers choose are bytes of UTF-8: a
-- text of PostgreSQL has no NUL.

CREATE TABLE job (
  number {number},
  id TEXT NOT NULL UNIQUE,
  caller TEXT NOT NULL,
  -- The space of the caller, in which the blobs are.
  space TEXT NOT NULL,
  request_digest TEXT NOT NULL,
  state INTEGER NOT NULL,
  total BIGINT NOT NULL,
  -- The counts of a job that is over: items with a result, with an error as
  -- their result, and those that were set aside. The items of other jobs are
  -- counted.
  ok BIGINT NOT NULL DEFAULT 0,
  failed BIGINT NOT NULL DEFAULT 0,
  set_aside BIGINT NOT NULL DEFAULT 0,
  -- The expected bytes of the outputs of an item.
  asked BIGINT NOT NULL,
  -- Jobs are claimed in this order. A claim puts its job at the end.
  served BIGINT NOT NULL DEFAULT 0,
  create_ms BIGINT NOT NULL,
  start_ms BIGINT NOT NULL DEFAULT 0,
  end_ms BIGINT NOT NULL DEFAULT 0,
  -- NULL = the request has no repeats.
  request_id BYTEA,
  display_name BYTEA NOT NULL,
  -- Serialized messages. The last columns, since they may be large: SQLite
  -- reads a row up to the last column that it needs.
  annotations BYTEA NOT NULL,
  options BYTEA NOT NULL
);

CREATE UNIQUE INDEX job_request ON job (caller, request_id);
CREATE INDEX job_of_caller ON job (caller, number);
CREATE INDEX job_live ON job (served, number) WHERE state < 4;
CREATE INDEX job_over ON job (end_ms) WHERE state >= 4;

CREATE TABLE item (
  job BIGINT NOT NULL,
  number BIGINT NOT NULL,
  key BYTEA NOT NULL,
  -- The digest of its source.
  blob TEXT NOT NULL,
  encoding INTEGER NOT NULL,
  format INTEGER NOT NULL,
  display_name BYTEA NOT NULL,
  -- Serialized; empty = the options of the job.
  options BYTEA NOT NULL,
  -- 0 = waits, 1 = leased, 2 = done.
  state INTEGER NOT NULL DEFAULT 0,
  lease BIGINT NOT NULL DEFAULT 0,
  tries INTEGER NOT NULL DEFAULT 0,
  crashes INTEGER NOT NULL DEFAULT 0,
  not_before_ms BIGINT NOT NULL DEFAULT 0,
  last_error BYTEA NOT NULL DEFAULT '',
  -- The result: a code of gRPC, 0 = OK, and a serialized ClipResult.
  code INTEGER NOT NULL DEFAULT 0,
  set_aside INTEGER NOT NULL DEFAULT 0,
  result BYTEA,
  PRIMARY KEY (job, number)
) {item_storage};

CREATE INDEX item_waiting ON item (job, number) WHERE state = 0;
CREATE INDEX item_crashed ON item (crashes, job, number)
  WHERE state = 0 AND crashes >= 2;
CREATE INDEX item_leased ON item (job, lease) WHERE state = 1;
CREATE INDEX item_failed ON item (job, number) WHERE code <> 0;
CREATE INDEX item_blob ON item (blob);

-- The outputs of items.
CREATE TABLE blob (
  job BIGINT NOT NULL,
  item BIGINT NOT NULL,
  position INTEGER NOT NULL,
  digest TEXT NOT NULL,
  PRIMARY KEY (job, item, position)
);

CREATE INDEX blob_digest ON blob (digest);

-- A claim of items by a server, and the time until which it holds, by the clock
-- of the database. Its server renews it.
CREATE TABLE lease (
  number {number},
  until_ms BIGINT NOT NULL
);
)sql";

bool IsWordLetter(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

void Replace(std::string_view name, std::string_view with, std::string* text) {
  for (size_t at = text->find(name); at != text->npos;
       at = text->find(name, at + with.size())) {
    text->replace(at, name.size(), with);
  }
}

}  // namespace

std::string ParameterRows(size_t count,
                          std::initializer_list<const char*> types) {
  std::string text;
  size_t parameter = 1;
  for (size_t row = 0; row < count; ++row) {
    text += row == 0 ? "(" : ", (";
    const char* between = "";
    for (const char* const type : types) {
      text += between + ("$" + std::to_string(parameter++)) + "::" + type;
      between = ", ";
    }
    text += ")";
  }
  return text;
}

std::string ForSqlite(std::string_view sql) {
  std::string text;
  for (size_t i = 0; i < sql.size(); ++i) {
    if (sql[i] == '[') {
      i = sql.find(']', i);
    } else if (sql.substr(i).starts_with("::")) {
      for (i += 2; i < sql.size() && IsWordLetter(sql[i]);) ++i;
      --i;
    } else if (sql[i] != '{' && sql[i] != '}') {
      // SQLite numbers its parameters so: ?1.
      text += sql[i] == '$' ? '?' : sql[i];
    }
  }
  return text;
}

std::string ForPostgres(std::string_view sql) {
  std::string text;
  for (size_t i = 0; i < sql.size(); ++i) {
    if (sql[i] == '{') {
      i = sql.find('}', i);
    } else if (sql[i] != '[' && sql[i] != ']') {
      text += sql[i];
    }
  }
  return text;
}

std::string SchemaSql(std::string_view number, std::string_view item_storage) {
  std::string text = kSchema;
  Replace("{number}", number, &text);
  Replace("{item_storage}", item_storage, &text);
  return text;
}

absl::Status CheckSchemaVersion(int64_t version) {
  if (version == kSchemaVersion) return absl::OkStatus();
  const bool is_old = version < kSchemaVersion;
  return MakeCallError(
      {.code = absl::StatusCode::kFailedPrecondition,
       .reason = is_old ? "DATA_TOO_OLD" : "DATA_TOO_NEW",
       .message = is_old
                      ? "an older bvhmilld has made the data, and this one "
                        "does not convert them: name a new folder or database"
                      : "a newer bvhmilld has made the data"});
}

}  // namespace bvhmill::server
