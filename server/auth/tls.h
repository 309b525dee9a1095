#pragma once

// Certificates of the server.

#include <grpcpp/security/server_credentials.h>

#include <memory>
#include <string>

#include "absl/status/status.h"
#include "server/app/config.h"
#include "server/limits/memory_file.h"

namespace bvhmill::server {

// INVALID_ARGUMENT or NOT_FOUND if a file of `config` cannot be read, is no
// PEM, or the key is not that of the certificate. OK without TLS.
absl::Status CheckTlsFiles(const ServerConfig& config);

// The certificates in use. gRPC forgets the old ones before it looks at new
// ones; so it is shown copies of files that were found good, and no others.
class TlsFiles {
 public:
  // Reads the files of `config`, which may name none; fails as CheckTlsFiles
  // does.
  static absl::Status Open(const ServerConfig& config,
                           std::unique_ptr<TlsFiles>* files);

  // Reads them again: connections that come within a second or two from now on
  // get what they hold, those that stand keep what they have. Fails as
  // CheckTlsFiles does, and those there were stay in use.
  absl::Status Reload();

  // What connections must show: nothing without TLS. To be outlived by this.
  std::shared_ptr<grpc::ServerCredentials> Credentials() const;

 private:
  explicit TlsFiles(const ServerConfig& config) : config_(config) {}

  const ServerConfig config_;
  // Certificate and key are one file, so that they change at once.
  MemoryFile identity_;
  MemoryFile client_ca_;
};

}  // namespace bvhmill::server
