#include "client/cli/ui/tls_advice.h"

#include "bvhmill/base/text.h"

namespace bvhmill::client {

std::string TlsAdvice(const TlsCheck& check) {
  switch (check.fault) {
    case TlsFault::kNone:
      break;
    case TlsFault::kServerWithoutTls:
      return "the server does not use TLS; leave out --tls-ca, --tls-system "
             "and --tls-cert";
    case TlsFault::kServerNeedsTls:
      return "the server requires TLS; use --tls-ca FILE or --tls-system";
    case TlsFault::kWrongName:
      return "the server's certificate is not for '" + check.host +
             "'; use a name in the certificate with --server";
    case TlsFault::kUntrusted:
      return "the server's certificate is not trusted: " +
             Excerpt(check.detail) +
             "; use --tls-ca with the certificate of its authority";
    case TlsFault::kCertificateMissing:
      return "the server requires a certificate of the client; use --tls-cert "
             "and --tls-key";
    case TlsFault::kCertificateRefused:
      return "the server does not accept the certificate of --tls-cert";
  }
  return {};
}

}  // namespace bvhmill::client
