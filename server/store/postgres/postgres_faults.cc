#include "server/store/postgres/postgres_faults.h"

#include <pqxx/pqxx>
#include <string_view>

#include "bvhmill/base/call_error.h"

namespace bvhmill::server {
namespace {

// The code of an error of SQL; empty for other errors.
std::string CodeOf(const std::exception& fault) {
  const auto* const error = dynamic_cast<const pqxx::sql_error*>(&fault);
  return error == nullptr ? "" : error->sqlstate();
}

bool IsLost(const std::exception& fault) {
  if (dynamic_cast<const pqxx::broken_connection*>(&fault) != nullptr ||
      dynamic_cast<const pqxx::in_doubt_error*>(&fault) != nullptr) {
    return true;
  }
  const std::string code = CodeOf(fault);
  // Connection exceptions; the database starts, stops or recovers; it has too
  // many connections; a lock was waited for too long.
  for (const std::string_view lost : {"08", "57P", "53300", "55P03", "25P03"}) {
    if (code.starts_with(lost)) return true;
  }
  return false;
}

}  // namespace

absl::Status DatabaseUnavailable() {
  return MakeCallError({.code = absl::StatusCode::kUnavailable,
                        .reason = "DATABASE_UNAVAILABLE",
                        .args = {{"retry_after_ms", "1000"}},
                        .message = "the database of jobs does not answer"});
}

absl::Status CannotConnect(const std::exception& fault) {
  return MakeCallError(
      {.code = absl::StatusCode::kUnavailable,
       .reason = "DATABASE_UNAVAILABLE",
       .message = "the database of jobs cannot be used: " + FirstLine(fault)});
}

absl::Status StatusOfFault(const std::exception& fault) {
  if (IsLost(fault)) return DatabaseUnavailable();
  constexpr std::string_view kDiskFull = "53100";
  const bool is_full = CodeOf(fault) == kDiskFull;
  return MakeCallError(
      {.code = is_full ? absl::StatusCode::kResourceExhausted
                       : absl::StatusCode::kInternal,
       .reason = is_full ? "DISK_FULL" : "STORE_FAULT",
       .message = "the server cannot use its database: " + FirstLine(fault)});
}

void ThrowBefore(Fault fault) {
  if (fault == Fault::kNone || fault == Fault::kLostAnswer) return;
  // The codes of disk_full and io_error.
  const char* const code = fault == Fault::kNoSpace ? "53100" : "58030";
  throw pqxx::sql_error("a fault of a test", "", code);
}

void ThrowAfter(Fault fault) {
  if (fault != Fault::kLostAnswer) return;
  throw pqxx::broken_connection("a fault of a test");
}

bool MayRunAgain(const std::exception& fault) {
  return dynamic_cast<const pqxx::deadlock_detected*>(&fault) != nullptr ||
         dynamic_cast<const pqxx::serialization_failure*>(&fault) != nullptr ||
         dynamic_cast<const pqxx::unique_violation*>(&fault) != nullptr;
}

std::string FirstLine(const std::exception& fault) {
  const std::string_view all = fault.what();
  return std::string(all.substr(0, all.find('\n')));
}

}  // namespace bvhmill::server
