#pragma once

// Certificates of the server.

#include <grpcpp/security/server_credentials.h>

#include <memory>
#include <string>

#include "absl/status/status.h"
#include "server/app/config.h"
#include "server/app/file_watch.h"
#include "server/limits/memory_file.h"

namespace bvhmill::server {

// INVALID_ARGUMENT if a file of `config` cannot be read or is no PEM, or if the
// key is not that of the certificate. OK without TLS. Waits for a pipe:
// CANCELLED, see ReadWhole.
absl::Status CheckTlsFiles(const ServerConfig& config);

// The certificates in use. gRPC drops the old certificates before it reads new
// ones. So it reads copies in memory, of files that were checked. Thread-safe.
class TlsFiles {
 public:
  // Reads the files of `config`, which may name none. Fails as Reload does, but
  // waits for a pipe.
  static absl::Status Open(const ServerConfig& config,
                           std::unique_ptr<TlsFiles>* files);

  // Reads the files again. New connections get the new certificates after a
  // second or two; open ones keep theirs. Fails as CheckTlsFiles does: the old
  // certificates then stay in use. RESOURCE_EXHAUSTED if the system has no
  // memory for the copies. Waits for nothing.
  absl::Status Reload();

  // Credentials for the listener; insecure ones without TLS. This object must
  // outlive them.
  std::shared_ptr<grpc::ServerCredentials> Credentials() const;

 private:
  explicit TlsFiles(const ServerConfig& config) : config_(config) {}
  absl::Status Read(PipeWait wait);

  const ServerConfig config_;
  // Certificate and key are one file, so that they change at once.
  MemoryFile identity_;
  MemoryFile client_ca_;
};

}  // namespace bvhmill::server
