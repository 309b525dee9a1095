#pragma once

// The certificates of the server, which may change while it runs.
//
//   std::unique_ptr<TlsFiles> files;
//   BVHMILL_RETURN_IF_ERROR(TlsFiles::Open(config, &files));
//   ... listen with files->Credentials() ...
//   const absl::Status status = files->Reload();

#include <grpcpp/security/server_credentials.h>
#include <openssl/ssl.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>

#include "absl/status/status.h"
#include "server/app/config.h"
#include "server/app/file_watch.h"
#include "server/limits/memory.h"

namespace bvhmill::server {

// The certificates in use. gRPC drops the old certificates before it reads new
// ones. So it gets copies in memory of files that were checked. Thread-safe.
class TlsFiles {
 public:
  // Reads the files of `config`, which may name none. Fails as Reload does, but
  // waits for the bytes of a pipe.
  static absl::Status Open(const ServerConfig& config,
                           std::unique_ptr<TlsFiles>* files);

  // Reads the files again. New connections use the new certificates after a
  // second or two; open connections keep theirs. Fails as CheckTlsFiles does,
  // and RESOURCE_EXHAUSTED if the system has no memory for the copies: the old
  // certificates then stay in use. Does not wait for a pipe: CANCELLED.
  absl::Status Reload();

  // The time at which the first certificate of the chain in use expires, in
  // seconds since 1970; 0 without TLS. Any thread.
  int64_t expiry_seconds() const { return expiry_seconds_; }

  // The certificates for servers that use OpenSSL; null without TLS. Each call
  // returns those of the last Read.
  std::shared_ptr<SSL_CTX> Context() const;

  // The credentials of the listener; insecure ones without TLS. This object
  // must outlive them.
  std::shared_ptr<grpc::ServerCredentials> Credentials() const;

 private:
  explicit TlsFiles(const ServerConfig& config) : config_(config) {}
  absl::Status Read(PipeWait wait);

  const ServerConfig config_;
  // Certificate and key are one file, so that both change at once.
  MemoryFile identity_;
  MemoryFile client_ca_;
  std::atomic<int64_t> expiry_seconds_ = 0;
  mutable std::mutex mutex_;
  std::shared_ptr<SSL_CTX> context_;
};

// Checks the files of `config` without using them. INVALID_ARGUMENT if a file
// cannot be read or is no PEM, or if the key does not belong to the
// certificate. OK without TLS. Waits for the bytes of a pipe, see ReadWhole.
absl::Status CheckTlsFiles(const ServerConfig& config);

}  // namespace bvhmill::server
