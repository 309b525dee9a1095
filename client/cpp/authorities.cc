#include "client/cpp/authorities.h"

#include <unistd.h>

#include <cstdlib>

namespace bvhmill::client {
namespace {

// Debian, Fedora, openSUSE, RHEL, Alpine.
constexpr const char* kFiles[] = {
    "/etc/ssl/certs/ca-certificates.crt",
    "/etc/pki/tls/certs/ca-bundle.crt",
    "/etc/ssl/ca-bundle.pem",
    "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",
    "/etc/ssl/cert.pem",
};

}  // namespace

std::string SystemAuthorities() {
  const char* named = std::getenv("SSL_CERT_FILE");
  if (named != nullptr && *named != '\0') return named;
  for (const char* file : kFiles) {
    if (access(file, R_OK) == 0) return file;
  }
  return {};
}

}  // namespace bvhmill::client
