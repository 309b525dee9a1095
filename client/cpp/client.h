#pragma once

// The client library of bvhmill. It sends clips to a server and returns the
// same plain data that bvhmill::Convert returns in the process.
//
//   auto client = Client::Connect({.server = "127.0.0.1:7450"});
//   if (!client.ok()) return client.status();
//   StringReceiver outputs;
//   const ConvertResult result = (*client)->Convert(
//       "take.bvh", {.bytes = text}, options, &outputs, /*cancel=*/nullptr);

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "bvhmill/base/cancel.h"
#include "bvhmill/pipeline/convert.h"
#include "bvhmill/pipeline/options.h"
#include "bvhmill/report/report.h"
#include "bvhmill/v1/clip_service.pb.h"
#include "bvhmill/v1/server_service.pb.h"

namespace bvhmill::client {

// The reason of every UNAVAILABLE "cannot reach HOST:PORT: why".
inline constexpr std::string_view kServerUnreachable = "SERVER_UNREACHABLE";

// How to reach a server.
struct ConnectOptions {
  // HOST:PORT, or PORT for this machine. The name is resolved again after the
  // connection is lost. With several servers, separated by commas, calls take
  // turns; their names are resolved once.
  std::string server = "127.0.0.1:7450";
  // Use TLS and trust the authorities of the system. The environment variable
  // SSL_CERT_FILE can name other authorities.
  bool tls_system = false;
  // PEM files. `tls_ca` or `tls_cert` turns TLS on. Without `tls_ca` the
  // authorities are those of the system. Each of several servers needs a
  // certificate for the name of the first.
  std::string tls_ca;
  std::string tls_cert;
  std::string tls_key;
  // A file with a token. Blanks around the token are removed. Every call sends
  // it as `authorization: Bearer TOKEN`.
  std::string token_file;
  std::chrono::milliseconds connect_timeout{5000};
  // The time for which a clip is sent again to a server that is busy.
  std::chrono::milliseconds busy_timeout{60'000};
  // The longest time that a call waits for the server: for the answer of a
  // unary call, or for the next message of a stream in either direction. 0: no
  // limit.
  std::chrono::milliseconds answer_timeout{900'000};
};

inline bool UsesTls(const ConnectOptions& options) {
  return options.tls_system || !options.tls_ca.empty() ||
         !options.tls_cert.empty();
}

// The reason why a TLS connection fails. gRPC reports only that it fails.
enum class TlsFault {
  // TLS is not the reason, or the server does not answer.
  kNone,
  // The options ask for TLS, but the server does not use it.
  kServerWithoutTls,
  // The server uses TLS, but the options do not ask for it.
  kServerNeedsTls,
  // The certificate of the server is for other names.
  kWrongName,
  // The certificate of the server is not trusted; `detail` says why.
  kUntrusted,
  // The server asks for a certificate, but the options name none.
  kCertificateMissing,
  // The server refuses the certificate of the options.
  kCertificateRefused,
};

// The result of CheckTls.
struct TlsCheck {
  TlsFault fault = TlsFault::kNone;
  // The name or address of the server, without its port.
  std::string host;
  // The text of OpenSSL; only for kUntrusted.
  std::string detail;
};

// Connects to the first server of `options` once more, and finds the reason why
// TLS fails. Call it after Connect has failed. Blocks for some seconds at most.
TlsCheck CheckTls(const ConnectOptions& options);

// A clip to send. The bytes are borrowed.
struct ClipData {
  // The bytes of a file, plain or compressed.
  std::string_view bytes;
  // How `bytes` is compressed. Requires that Client::Takes this.
  v1::ContentEncoding encoding = v1::CONTENT_ENCODING_IDENTITY;
  // The file format. Requires that Client::Reads this.
  SourceFormat format = SourceFormat::kBvh;
  // If set, the clip is sent in pieces, and this is called from the calling
  // thread with the issues that the server finds meanwhile, each once, before
  // the call returns. The report of the result has them all. A call that is
  // tried again may pass them again.
  std::function<void(std::span<const Issue> issues)> on_issues = {};
  // If set, a clip that is converted in this process is read in pieces. This is
  // called with the bytes that were read, or sent to a server in pieces, so
  // far; from any thread.
  std::function<void(int64_t bytes)> on_read = {};
};

// One server, or several that take turns. Thread-safe: any number of calls at
// once share one connection per server.
//
// Every call returns within 100 ms once `cancel` (which may be null) is
// cancelled, with CANCELLED.
//
// A call that fails with UNAVAILABLE before its receiver got data is tried
// again: up to four times in all, with growing pauses of less than 2 s
// together. This is safe, since results depend only on text and options. A call
// that the server refuses for now (RESOURCE_EXHAUSTED with a retry delay) is
// tried again after the delay and a random part of it, until `busy_timeout` is
// over.
class Client {
 public:
  // Reads the files, connects and calls GetServerInfo.
  // INVALID_ARGUMENT "field: why": an option is wrong, e.g. an unreadable
  // file. UNAVAILABLE, kServerUnreachable "cannot reach HOST:PORT: why":
  // refused, or no answer within the timeout. Otherwise the status of the
  // server, e.g. UNAUTHENTICATED.
  static absl::StatusOr<std::unique_ptr<Client>> Connect(
      const ConnectOptions& options, const CancelToken* cancel = nullptr);

  ~Client();
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  // The answer to GetServerInfo at the time of Connect.
  const v1::GetServerInfoResponse& ServerInfo() const;

  // True if the server accepts clips with this compression.
  bool Takes(v1::ContentEncoding encoding) const;

  // True if the server reads clips of this format.
  bool Reads(SourceFormat format) const;

  // Checks one clip, and whether options.outputs can be made of it. The server
  // makes them, so the report is that of Convert; the outputs of a large clip
  // are sent over the connection, and dropped. Ignores options.limits and
  // options.source_format, since the server has limits and `clip` has a format.
  // `name` is for messages only. A broken clip gets the same status and report
  // as from Convert. UNAVAILABLE, kServerUnreachable: no server.
  ConvertResult Validate(std::string_view name, const ClipData& clip,
                         const ConvertOptions& options,
                         const CancelToken* cancel) const;

  // Converts one clip, as bvhmill::Convert does, with the limits of the server.
  // Small clips are one message each way, large ones a stream in both
  // directions at once; the caller sees no difference. `receiver` is called
  // from the calling thread; a status it returns ends the call and is returned.
  //
  // The result has a report if the server has read the clip, also if it refuses
  // the clip. A clip whose outputs do not fit one message is sent a second
  // time, by a stream. UNAVAILABLE as above: the server was lost. INTERNAL: the
  // server broke the protocol; data that the receiver got are void.
  // DEADLINE_EXCEEDED: the server was silent for longer than `answer_timeout`.
  ConvertResult Convert(std::string_view name, const ClipData& clip,
                        const ConvertOptions& options, OutputReceiver* receiver,
                        const CancelToken* cancel) const;

 private:
  struct Impl;

  explicit Client(std::unique_ptr<Impl> impl);

  std::unique_ptr<Impl> impl_;
};

}  // namespace bvhmill::client
