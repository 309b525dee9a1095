#pragma once

// The client library of bvhmill: clips go to a server, results come back as the
// same plain data that bvhmill::Convert returns in process.

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "bvhmill/base/cancel.h"
#include "bvhmill/pipeline/convert.h"
#include "bvhmill/pipeline/options.h"
#include "bvhmill/v1/clip_service.pb.h"
#include "bvhmill/v1/server_service.pb.h"

namespace bvhmill::client {

struct ConnectOptions {
  // HOST:PORT, or the PORT of this machine, resolved again whenever the
  // connection is lost; or several of them, split by commas and resolved once:
  // calls then take turns.
  std::string server = "127.0.0.1:7450";
  // TLS by the authorities that the system trusts. SSL_CERT_FILE can name
  // others.
  bool tls_system = false;
  // PEM files. Any of the first two makes the connection TLS. Without `tls_ca`
  // the authorities are those of the system. Of several servers, each must have
  // a certificate for the name of the first.
  std::string tls_ca;
  std::string tls_cert;
  std::string tls_key;
  // Its content, without blanks around it, goes with every call as
  // `authorization: Bearer TOKEN`.
  std::string token_file;
  std::chrono::milliseconds connect_timeout{5000};
  // How long a clip may be offered again and again to a server that is busy.
  std::chrono::milliseconds busy_timeout{60'000};
  // How long a call may wait for the server: for the answer of a unary call,
  // for the next message either way of a stream. 0 = for ever.
  std::chrono::milliseconds answer_timeout{900'000};
};

inline bool UsesTls(const ConnectOptions& options) {
  return options.tls_system || !options.tls_ca.empty() ||
         !options.tls_cert.empty();
}

// A clip as it is sent, only borrowed.
struct ClipData {
  // BVH text, or what it was compressed to.
  std::string_view bytes;
  // One that the server takes, see Client::Takes.
  v1::ContentEncoding encoding = v1::CONTENT_ENCODING_IDENTITY;
  // Is set to the bytes that were sent so far, if the clip goes in pieces; may
  // be null.
  std::atomic<int64_t>* sent = nullptr;
};

// One server, or several that take turns. Thread-safe: any number of calls at
// once share one connection per server.
//
// Every call returns within 100 ms once `cancel` (which may be null) is
// cancelled, with CANCELLED. A call that fails with UNAVAILABLE before anything
// was handed to its receiver is tried again, up to four times in all, with
// growing pauses of less than 2 s together; results depend on text and options
// alone, so that repeating is safe. One that the server refuses for now
// (RESOURCE_EXHAUSTED that says when to try again) is offered again after that
// time and a random part of it, until `busy_timeout` is over.
class Client {
 public:
  // Reads the files, connects and asks what the server is.
  // INVALID_ARGUMENT "field: why": an option cannot be, e.g. an unreadable
  // file. UNAVAILABLE "cannot reach HOST:PORT: why": refused, or no answer
  // within the timeout. Else what the server said, e.g. UNAUTHENTICATED.
  static absl::StatusOr<std::unique_ptr<Client>> Connect(
      const ConnectOptions& options, const CancelToken* cancel = nullptr);

  ~Client();
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  // What the server said when it was connected.
  const v1::GetServerInfoResponse& ServerInfo() const;

  // Whether the server takes clips that are packed so.
  bool Takes(v1::ContentEncoding encoding) const;

  // Checks one clip, and whether options.outputs can be made of it, by making
  // them: the report is that of Convert. options.limits are not used. The
  // outputs of a large clip come over the connection, and are dropped. `name`
  // is for messages only. A broken clip gets the same status, fault and report
  // as from Convert. UNAVAILABLE "cannot reach HOST:PORT: why": no server.
  ConvertResult Validate(std::string_view name, const ClipData& clip,
                         const ConvertOptions& options,
                         const CancelToken* cancel) const;

  // Converts one clip, as bvhmill::Convert does, with the limits of the server.
  // Small clips are one message each way, large ones a stream in both
  // directions at once; the caller sees no difference. `receiver` is called
  // from the calling thread; a status it returns ends the call and is returned.
  //
  // If a small clip fails by its own fault, a second call (ValidateClip) gets
  // its report, so that a report is there for every clip a server has read.
  // UNAVAILABLE as above: the server was lost. INTERNAL: it broke the protocol,
  // and what the receiver was handed is void. DEADLINE_EXCEEDED: it was silent
  // for longer than `answer_timeout`.
  ConvertResult Convert(std::string_view name, const ClipData& clip,
                        const ConvertOptions& options, OutputReceiver* receiver,
                        const CancelToken* cancel) const;

 private:
  struct Impl;

  explicit Client(std::unique_ptr<Impl> impl);

  std::unique_ptr<Impl> impl_;
};

}  // namespace bvhmill::client
