#pragma once

// Certificates of the server.

#include <grpcpp/security/server_credentials.h>

#include <memory>
#include <string>

#include "absl/status/status.h"
#include "server/config.h"

namespace bvhmill::server {

// INVALID_ARGUMENT or NOT_FOUND if a file of `config` cannot be read, is no
// PEM, or the key is not that of the certificate. OK without TLS.
absl::Status CheckTlsFiles(const ServerConfig& config);

// What connections must show: nothing without TLS. With TLS the files are read
// again when they change, within a second or two; connections that stand keep
// what they have.
absl::Status MakeCredentials(const ServerConfig& config,
                             std::shared_ptr<grpc::ServerCredentials>* out);

}  // namespace bvhmill::server
