#include "server/tls.h"

#include <grpcpp/security/tls_certificate_provider.h>
#include <grpcpp/security/tls_credentials_options.h>
#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

#include "bvhmill/base/status.h"
#include "server/files.h"

namespace bvhmill::server {
namespace {

constexpr int kRefreshSeconds = 1;

struct FreeBio {
  void operator()(BIO* bio) const { BIO_free(bio); }
};
struct FreeCertificate {
  void operator()(X509* certificate) const { X509_free(certificate); }
};
struct FreeKey {
  void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
};
using Bio = std::unique_ptr<BIO, FreeBio>;
using Certificate = std::unique_ptr<X509, FreeCertificate>;
using Key = std::unique_ptr<EVP_PKEY, FreeKey>;

absl::Status OpenPem(const std::string& path, std::string* bytes, Bio* bio) {
  BVHMILL_RETURN_IF_ERROR(ReadWhole(path, bytes));
  bio->reset(BIO_new_mem_buf(bytes->data(), static_cast<int>(bytes->size())));
  return absl::OkStatus();
}

absl::Status NotPem(const std::string& path, const char* what) {
  ERR_clear_error();
  return MakeStatus(absl::StatusCode::kInvalidArgument,
                    path + " holds no PEM " + what);
}

absl::Status ReadCertificate(const std::string& path, Certificate* out) {
  std::string bytes;
  Bio bio;
  BVHMILL_RETURN_IF_ERROR(OpenPem(path, &bytes, &bio));
  out->reset(PEM_read_bio_X509(bio.get(), nullptr, nullptr, nullptr));
  return *out != nullptr ? absl::OkStatus() : NotPem(path, "certificate");
}

// An encrypted key would ask the terminal for its password.
int NoPassword(char* /*buffer*/, int /*size*/, int /*writing*/,
               void* /*data*/) {
  return 0;
}

absl::Status ReadKey(const std::string& path, Key* out) {
  std::string bytes;
  Bio bio;
  BVHMILL_RETURN_IF_ERROR(OpenPem(path, &bytes, &bio));
  out->reset(PEM_read_bio_PrivateKey(bio.get(), nullptr, NoPassword, nullptr));
  return *out != nullptr ? absl::OkStatus()
                         : NotPem(path, "key without a password");
}

}  // namespace

absl::Status CheckTlsFiles(const ServerConfig& config) {
  if (config.tls_cert.empty()) return absl::OkStatus();
  Certificate certificate;
  Key key;
  BVHMILL_RETURN_IF_ERROR(ReadCertificate(config.tls_cert, &certificate));
  BVHMILL_RETURN_IF_ERROR(ReadKey(config.tls_key, &key));
  if (X509_check_private_key(certificate.get(), key.get()) != 1) {
    ERR_clear_error();
    return MakeStatus(absl::StatusCode::kInvalidArgument,
                      config.tls_key + " is not the key of " + config.tls_cert);
  }
  if (config.tls_client_ca.empty()) return absl::OkStatus();
  Certificate authority;
  return ReadCertificate(config.tls_client_ca, &authority);
}

absl::Status MakeCredentials(const ServerConfig& config,
                             std::shared_ptr<grpc::ServerCredentials>* out) {
  if (config.tls_cert.empty()) {
    *out = grpc::InsecureServerCredentials();
    return absl::OkStatus();
  }
  // The provider itself would only log what is wrong.
  BVHMILL_RETURN_IF_ERROR(CheckTlsFiles(config));
  namespace tls = grpc::experimental;
  tls::TlsServerCredentialsOptions options(
      std::make_shared<tls::FileWatcherCertificateProvider>(
          config.tls_key, config.tls_cert, config.tls_client_ca,
          kRefreshSeconds));
  options.watch_identity_key_cert_pairs();
  const bool asks_client = !config.tls_client_ca.empty();
  if (asks_client) options.watch_root_certs();
  options.set_cert_request_type(
      asks_client ? GRPC_SSL_REQUEST_AND_REQUIRE_CLIENT_CERTIFICATE_AND_VERIFY
                  : GRPC_SSL_DONT_REQUEST_CLIENT_CERTIFICATE);
  *out = tls::TlsServerCredentials(options);
  return absl::OkStatus();
}

}  // namespace bvhmill::server
