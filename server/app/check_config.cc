#include "server/app/check_config.h"

#include <memory>
#include <string>

#include "bvhmill/base/status.h"
#include "server/auth/tls.h"
#include "server/auth/tokens.h"
#include "server/net/address.h"
#include "server/store/postgres/open_postgres.h"

namespace bvhmill::server {
namespace {

absl::Status BadAddress(const std::string& address, const char* why) {
  return MakeStatus(absl::StatusCode::kInvalidArgument, address + ": " + why);
}

absl::Status CheckAddress(const std::string& address) {
  if (address.empty() || address.starts_with("unix:")) return absl::OkStatus();
  if (!HasPort(address)) return BadAddress(address, "is not HOST:PORT");
  if (Resolve(address) == nullptr) {
    return BadAddress(address, "no such host is known here");
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status CheckConfig(const ServerConfig& config) {
  BVHMILL_RETURN_IF_ERROR(CheckAddress(config.listen));
  BVHMILL_RETURN_IF_ERROR(CheckAddress(config.metrics));
  BVHMILL_RETURN_IF_ERROR(CheckTlsFiles(config));
  if (!config.jobs_database.empty() && !HasPostgres()) return NoPostgres();
  std::unique_ptr<TokenStore> tokens;
  return TokenStore::Open(config.token_file, &tokens);
}

}  // namespace bvhmill::server
