#include "server/auth/tls.h"

#include <grpcpp/security/tls_certificate_provider.h>
#include <grpcpp/security/tls_credentials_options.h>
#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

#include <algorithm>
#include <ctime>
#include <limits>

#include "bvhmill/base/status.h"

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

// The bytes of the files.
struct Pem {
  std::string certificate;
  std::string key;
  std::string client_ca;
};

// Seconds since 1970.
int64_t ExpiryOf(const X509* certificate) {
  std::tm parts = {};
  if (ASN1_TIME_to_tm(X509_get0_notAfter(certificate), &parts) != 1) return 0;
  return timegm(&parts);
}

Bio View(const std::string& bytes) {
  return Bio(BIO_new_mem_buf(bytes.data(), static_cast<int>(bytes.size())));
}

absl::Status NotPem(const std::string& path, const char* what) {
  ERR_clear_error();
  return MakeStatus(absl::StatusCode::kInvalidArgument,
                    path + " holds no PEM " + what);
}

absl::Status ReadCertificate(const std::string& path, PipeWait wait,
                             std::string* bytes, Certificate* out) {
  BVHMILL_RETURN_IF_ERROR(ReadWhole(path, wait, bytes));
  out->reset(PEM_read_bio_X509(View(*bytes).get(), nullptr, nullptr, nullptr));
  return *out != nullptr ? absl::OkStatus() : NotPem(path, "certificate");
}

// An encrypted key would ask the terminal for its password.
int NoPassword(char* /*buffer*/, int /*size*/, int /*writing*/,
               void* /*data*/) {
  return 0;
}

absl::Status ReadKey(const std::string& path, PipeWait wait, std::string* bytes,
                     Key* out) {
  BVHMILL_RETURN_IF_ERROR(ReadWhole(path, wait, bytes));
  out->reset(PEM_read_bio_PrivateKey(View(*bytes).get(), nullptr, NoPassword,
                                     nullptr));
  return *out != nullptr ? absl::OkStatus()
                         : NotPem(path, "key without a password");
}

// Reads the files and checks that they fit together.
absl::Status ReadTlsFiles(const ServerConfig& config, PipeWait wait, Pem* pem) {
  Certificate certificate;
  Key key;
  BVHMILL_RETURN_IF_ERROR(
      ReadCertificate(config.tls_cert, wait, &pem->certificate, &certificate));
  BVHMILL_RETURN_IF_ERROR(ReadKey(config.tls_key, wait, &pem->key, &key));
  if (X509_check_private_key(certificate.get(), key.get()) != 1) {
    ERR_clear_error();
    return MakeStatus(absl::StatusCode::kInvalidArgument,
                      config.tls_key + " is not the key of " + config.tls_cert);
  }
  if (config.tls_client_ca.empty()) return absl::OkStatus();
  Certificate authority;
  return ReadCertificate(config.tls_client_ca, wait, &pem->client_ca,
                         &authority);
}

// The time at which the first certificate of the chain expires. Clients refuse
// the chain from then on.
int64_t FirstExpiry(const std::string& chain) {
  const Bio bio = View(chain);
  int64_t first = std::numeric_limits<int64_t>::max();
  while (const Certificate next{
      PEM_read_bio_X509(bio.get(), nullptr, nullptr, nullptr)}) {
    first = std::min(first, ExpiryOf(next.get()));
  }
  ERR_clear_error();
  return first;
}

// Adds the authorities of `pem` to `store`.
void AddAuthorities(const std::string& pem, X509_STORE* store) {
  const Bio bio = View(pem);
  while (const Certificate next{
      PEM_read_bio_X509(bio.get(), nullptr, nullptr, nullptr)}) {
    X509_STORE_add_cert(store, next.get());
  }
  ERR_clear_error();
}

// Null if OpenSSL has no memory.
std::shared_ptr<SSL_CTX> MakeContext(const Pem& pem) {
  std::shared_ptr<SSL_CTX> context(SSL_CTX_new(TLS_server_method()),
                                   &SSL_CTX_free);
  if (context == nullptr) return nullptr;
  SSL_CTX_set_min_proto_version(context.get(), TLS1_2_VERSION);
  const Bio chain = View(pem.certificate);
  const Certificate own{
      PEM_read_bio_X509(chain.get(), nullptr, nullptr, nullptr)};
  if (SSL_CTX_use_certificate(context.get(), own.get()) != 1) return nullptr;
  while (Certificate next{
      PEM_read_bio_X509(chain.get(), nullptr, nullptr, nullptr)}) {
    // The context owns it from now on.
    SSL_CTX_add_extra_chain_cert(context.get(), next.release());
  }
  ERR_clear_error();
  const Key key{PEM_read_bio_PrivateKey(View(pem.key).get(), nullptr,
                                        NoPassword, nullptr)};
  if (SSL_CTX_use_PrivateKey(context.get(), key.get()) != 1) return nullptr;
  // Without it OpenSSL refuses a client that resumes a session and has shown a
  // certificate.
  constexpr unsigned char kContext[] = "bvhmill";
  SSL_CTX_set_session_id_context(context.get(), kContext, sizeof kContext - 1);
  if (!pem.client_ca.empty()) {
    AddAuthorities(pem.client_ca, SSL_CTX_get_cert_store(context.get()));
    SSL_CTX_set_verify(context.get(),
                       SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT,
                       nullptr);
  }
  return context;
}

}  // namespace

absl::Status CheckTlsFiles(const ServerConfig& config) {
  Pem pem;
  return config.tls_cert.empty()
             ? absl::OkStatus()
             : ReadTlsFiles(config, PipeWait::kUntilStop, &pem);
}

absl::Status TlsFiles::Open(const ServerConfig& config,
                            std::unique_ptr<TlsFiles>* files) {
  files->reset(new TlsFiles(config));
  return (*files)->Read(PipeWait::kUntilStop);
}

absl::Status TlsFiles::Reload() { return Read(PipeWait::kNone); }

absl::Status TlsFiles::Read(PipeWait wait) {
  if (config_.tls_cert.empty()) return absl::OkStatus();
  Pem pem;
  BVHMILL_RETURN_IF_ERROR(ReadTlsFiles(config_, wait, &pem));
  BVHMILL_RETURN_IF_ERROR(identity_.Put(pem.key + "\n" + pem.certificate));
  expiry_seconds_ = FirstExpiry(pem.certificate);
  {
    std::shared_ptr<SSL_CTX> context = MakeContext(pem);
    const std::lock_guard lock(mutex_);
    context_ = std::move(context);
  }
  return config_.tls_client_ca.empty() ? absl::OkStatus()
                                       : client_ca_.Put(pem.client_ca);
}

std::shared_ptr<SSL_CTX> TlsFiles::Context() const {
  const std::lock_guard lock(mutex_);
  return context_;
}

std::shared_ptr<grpc::ServerCredentials> TlsFiles::Credentials() const {
  if (config_.tls_cert.empty()) return grpc::InsecureServerCredentials();
  const bool asks_client = !config_.tls_client_ca.empty();
  namespace tls = grpc::experimental;
  tls::TlsServerCredentialsOptions options(
      std::make_shared<tls::FileWatcherCertificateProvider>(
          identity_.path(), identity_.path(),
          asks_client ? client_ca_.path() : "", kRefreshSeconds));
  options.watch_identity_key_cert_pairs();
  if (asks_client) options.watch_root_certs();
  options.set_cert_request_type(
      asks_client ? GRPC_SSL_REQUEST_AND_REQUIRE_CLIENT_CERTIFICATE_AND_VERIFY
                  : GRPC_SSL_DONT_REQUEST_CLIENT_CERTIFICATE);
  return tls::TlsServerCredentials(options);
}

}  // namespace bvhmill::server
