#include "server/http/http_server.h"

#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <exception>
#include <utility>

#include "bvhmill/base/status.h"

namespace bvhmill::server {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr size_t kBufferBytes = size_t{16} << 10;
constexpr size_t kMaxHeaderBytes = size_t{64} << 10;
constexpr int64_t kSlowestBytes = 1024;
constexpr int kMostRequests = 1000;
// The step of waits that watch for the end of the server.
constexpr milliseconds kStep(100);
// The time after which a new connection without a byte gives way to others.
constexpr milliseconds kIdle(500);
// The time that answers have at the end of the server.
constexpr milliseconds kToEnd(700);
// What is read and dropped after an answer, so that the peer gets the answer
// before the reset.
constexpr milliseconds kLinger(500);
constexpr size_t kLingerBytes = size_t{1} << 20;

struct FreeSsl {
  void operator()(SSL* ssl) const { SSL_free(ssl); }
};

void CloseSocket(int file) {
  shutdown(file, SHUT_RDWR);
  close(file);
}

// One connection as a stream of httplib, with the time limits of HttpServer.
class Connection final : public httplib::Stream {
 public:
  Connection(int file, const HttpOptions& options)
      : file_(file), options_(options) {
    SetPeer();
  }

  // False if the handshake fails.
  bool StartTls(SSL_CTX* context) {
    ssl_.reset(SSL_new(context));
    if (ssl_ == nullptr || SSL_set_fd(ssl_.get(), file_) != 1) return false;
    BeginRequest();
    return TlsCall([&] { return SSL_accept(ssl_.get()); }) == 1;
  }
  void EndTls() {
    if (ssl_ != nullptr) SSL_shutdown(ssl_.get());
    ERR_clear_error();
  }

  void BeginRequest() {
    began_ = Clock::now();
    bytes_ = 0;
    is_in_body_ = false;
    is_routed_ = false;
  }
  // The header is complete: from now on the rate counts.
  void BeginBody() {
    began_ = Clock::now();
    bytes_ = 0;
    is_in_body_ = true;
  }
  // The request has a valid header, and its handler begins.
  void BeginHandler() {
    is_routed_ = true;
    BeginBody();
  }
  bool is_routed() const { return is_routed_; }
  void CloseAfterAnswer() { closes_ = true; }
  bool closes() const { return closes_; }

  // True if a byte came within `time`; false also if the peer has closed.
  bool AwaitByte(milliseconds time) {
    return begin_ < end_ || (ssl_ != nullptr && SSL_pending(ssl_.get()) > 0) ||
           Poll(POLLIN, time);
  }

  // Drops what the peer still sends, for a moment.
  void Linger() {
    shutdown(file_, SHUT_WR);
    const auto end = Clock::now() + kLinger;
    size_t dropped = 0;
    char bytes[4096];
    while (dropped < kLingerBytes && Clock::now() < end &&
           Poll(POLLIN, kLinger)) {
      const ssize_t got = recv(file_, bytes, sizeof bytes, 0);
      if (got <= 0) return;
      dropped += static_cast<size_t>(got);
    }
  }

  bool is_readable() const override { return true; }
  bool is_writable() const override { return true; }

  ssize_t read(char* ptr, size_t size) override {
    if (begin_ == end_) {
      const ssize_t got = Fill();
      if (got <= 0) return got;
    }
    const size_t count = std::min(size, end_ - begin_);
    std::memcpy(ptr, buffer_ + begin_, count);
    begin_ += count;
    bytes_ += static_cast<int64_t>(count);
    return static_cast<ssize_t>(count);
  }

  ssize_t write(const char* ptr, size_t size) override {
    if (!is_answering_) {
      is_answering_ = true;
      BeginBody();
    }
    const ssize_t sent = ssl_ != nullptr ? TlsCall([&] {
      return SSL_write(ssl_.get(), ptr,
                       static_cast<int>(std::min<size_t>(size, kBufferBytes)));
    })
                                         : PlainCall(POLLOUT, [&] {
                                             return send(file_, ptr, size,
                                                         MSG_NOSIGNAL);
                                           });
    if (sent > 0) bytes_ += sent;
    return sent > 0 ? sent : -1;
  }
  void EndAnswer() { is_answering_ = false; }

  void get_remote_ip_and_port(std::string& ip, int& port) const override {
    ip = ip_;
    port = port_;
  }
  void get_local_ip_and_port(std::string& /*ip*/,
                             int& /*port*/) const override {}
  socket_t socket() const override { return file_; }

 private:
  void SetPeer() {
    sockaddr_storage address = {};
    socklen_t size = sizeof address;
    char text[INET6_ADDRSTRLEN] = {};
    auto* const any = reinterpret_cast<sockaddr*>(&address);
    if (getpeername(file_, any, &size) != 0) return;
    if (address.ss_family == AF_INET) {
      const auto* const four = reinterpret_cast<sockaddr_in*>(&address);
      inet_ntop(AF_INET, &four->sin_addr, text, sizeof text);
      port_ = ntohs(four->sin_port);
    } else if (address.ss_family == AF_INET6) {
      const auto* const six = reinterpret_cast<sockaddr_in6*>(&address);
      inet_ntop(AF_INET6, &six->sin6_addr, text, sizeof text);
      port_ = ntohs(six->sin6_port);
    }
    ip_ = text;
  }

  bool Poll(int16_t events, milliseconds time) const {
    pollfd polled = {file_, events, 0};
    return poll(&polled, 1, static_cast<int>(time.count())) > 0;
  }

  // The time that the peer has left; 0 = it is too slow.
  milliseconds TimeLeft() const {
    const auto taken = Clock::now() - began_;
    if (!is_in_body_) {
      const auto left = std::chrono::duration_cast<milliseconds>(
          options_.header_seconds - taken);
      return bytes_ > static_cast<int64_t>(kMaxHeaderBytes)
                 ? milliseconds(0)
                 : std::max(left, milliseconds(0));
    }
    const auto allowed =
        options_.idle_seconds + std::chrono::seconds(bytes_ / kSlowestBytes);
    return taken > allowed ? milliseconds(0)
                           : std::chrono::duration_cast<milliseconds>(
                                 options_.idle_seconds);
  }

  // Calls `transfer` until it has moved bytes; -1 after an error or when the
  // peer is too slow.
  template <typename Call>
  ssize_t PlainCall(int16_t events, const Call& transfer) const {
    while (true) {
      const ssize_t moved = transfer();
      if (moved >= 0) return moved;
      if (errno == EINTR) continue;
      if (errno != EAGAIN && errno != EWOULDBLOCK) return -1;
      const milliseconds left = TimeLeft();
      if (left.count() == 0 || !Poll(events, left)) return -1;
    }
  }
  template <typename Call>
  ssize_t TlsCall(const Call& call) const {
    while (true) {
      ERR_clear_error();
      const int moved = call();
      if (moved > 0) return moved;
      const int why = SSL_get_error(ssl_.get(), moved);
      if (why != SSL_ERROR_WANT_READ && why != SSL_ERROR_WANT_WRITE) {
        return why == SSL_ERROR_ZERO_RETURN ? 0 : -1;
      }
      const milliseconds left = TimeLeft();
      const int16_t events = why == SSL_ERROR_WANT_READ ? POLLIN : POLLOUT;
      if (left.count() == 0 || !Poll(events, left)) return -1;
    }
  }

  ssize_t Fill() {
    // A peer that sends all the time is checked, too.
    if (TimeLeft().count() == 0) return -1;
    const ssize_t got =
        ssl_ != nullptr ? TlsCall([&] {
          return SSL_read(ssl_.get(), buffer_, kBufferBytes);
        })
                        : PlainCall(POLLIN, [&] {
                            return recv(file_, buffer_, kBufferBytes, 0);
                          });
    if (got > 0) {
      begin_ = 0;
      end_ = static_cast<size_t>(got);
    }
    return got;
  }

  const int file_;
  const HttpOptions& options_;
  std::unique_ptr<SSL, FreeSsl> ssl_;
  std::string ip_;
  int port_ = 0;
  // The bytes that were received and not read.
  char buffer_[kBufferBytes];
  size_t begin_ = 0;
  size_t end_ = 0;
  // The begin of the header or the body, and the bytes since then.
  Clock::time_point began_;
  int64_t bytes_ = 0;
  bool is_in_body_ = false;
  bool is_answering_ = false;
  bool is_routed_ = false;
  bool closes_ = false;
};

// The connection that this thread serves.
thread_local Connection* current = nullptr;

}  // namespace

void CloseAfterAnswer() {
  if (current != nullptr) current->CloseAfterAnswer();
}

// httplib without its sockets and threads.
class HttpServer::Routes final : public httplib::Server {
 public:
  Routes() {
    // httplib ends answers early if it has no listening socket. It does not use
    // the number.
    svr_sock_ = 0;
    set_pre_routing_handler([](const httplib::Request& /*request*/,
                               httplib::Response& /*response*/) {
      if (current != nullptr) current->BeginHandler();
      return HandlerResponse::Unhandled;
    });
    set_exception_handler([](const httplib::Request& /*request*/,
                             httplib::Response& response,
                             const std::exception_ptr& /*why*/) {
      CloseAfterAnswer();
      response.status = 500;
    });
  }
  // Serves one request. False if the connection is to be closed.
  bool ServeOne(Connection* connection, bool is_last) {
    bool is_closed = false;
    const bool is_good = Process(this, connection, is_last, &is_closed);
    return is_good && !is_closed && !is_last && connection->is_routed() &&
           !connection->closes();
  }

 private:
  // Later versions of httplib ask for the addresses of both sides.
  template <typename Server>
  static bool Process(Server* server, Connection* connection, bool is_last,
                      bool* is_closed) {
    const auto as_it_is = [](httplib::Request& /*request*/) {};
    if constexpr (requires {
                    server->process_request(*connection, is_last, *is_closed,
                                            as_it_is);
                  }) {
      return server->process_request(*connection, is_last, *is_closed,
                                     as_it_is);
    } else {
      std::string ip;
      int port = 0;
      connection->get_remote_ip_and_port(ip, port);
      return server->process_request(*connection, ip, port, "", 0, is_last,
                                     *is_closed, as_it_is);
    }
  }
};

HttpServer::HttpServer(HttpOptions options)
    : options_(std::move(options)), routes_(std::make_unique<Routes>()) {}

absl::Status HttpServer::Start(
    HttpOptions options,
    const std::function<void(httplib::Server* routes)>& add_routes,
    std::unique_ptr<HttpServer>* server) {
  std::unique_ptr<HttpServer> out(new HttpServer(std::move(options)));
  BVHMILL_RETURN_IF_ERROR(
      Listener::Open(out->options_.address, &out->listener_));
  try {
    add_routes(out->routes_.get());
    for (int i = 0; i < out->options_.threads; ++i) {
      out->threads_.emplace_back([http = out.get()] { http->Run(); });
    }
    out->listener_->Start(
        [http = out.get()](int file, int /*listening*/) { http->Add(file); });
  } catch (const std::exception& error) {
    return MakeStatus(
        absl::StatusCode::kUnavailable,
        std::string("the system has no thread left: ") + error.what());
  }
  *server = std::move(out);
  return absl::OkStatus();
}

HttpServer::~HttpServer() {
  if (listener_ != nullptr) listener_->Stop();
  {
    std::unique_lock lock(mutex_);
    is_stopping_ = true;
    for (const int file : waiting_) CloseSocket(file);
    waiting_.clear();
    added_.notify_all();
    ended_.wait_for(lock, kToEnd, [this] { return served_.empty(); });
    for (const int file : served_) shutdown(file, SHUT_RDWR);
  }
  threads_.clear();
}

// Must not throw: the listener calls it.
void HttpServer::Add(int file) {
  constexpr char kBusy[] =
      "HTTP/1.1 503 Service Unavailable\r\nRetry-After: 1\r\n"
      "Content-Length: 0\r\nConnection: close\r\n\r\n";
  int refused = file;
  try {
    const std::lock_guard lock(mutex_);
    waiting_.push_back(file);
    refused = -1;
    if (is_stopping_ || waiting_.size() > options_.most_waiting) {
      refused = waiting_.front();
      waiting_.pop_front();
    }
    added_.notify_one();
  } catch (const std::exception&) {
    // No memory: the connection is refused below.
  }
  if (refused < 0) return;
  static_cast<void>(
      send(refused, kBusy, sizeof kBusy - 1, MSG_NOSIGNAL | MSG_DONTWAIT));
  CloseSocket(refused);
}

void HttpServer::Run() {
  while (true) {
    int file = -1;
    {
      std::unique_lock lock(mutex_);
      added_.wait(lock, [this] { return is_stopping_ || !waiting_.empty(); });
      if (is_stopping_) return;
      file = waiting_.front();
      waiting_.pop_front();
      served_.insert(file);
    }
    try {
      Serve(file);
    } catch (const std::exception&) {
      // No memory for the connection.
    }
    {
      const std::lock_guard lock(mutex_);
      served_.erase(file);
      ended_.notify_all();
    }
    CloseSocket(file);
  }
}

// True when the first byte of a request has come. Connections that wait for a
// thread come before one that is idle.
template <typename Peer>
bool HttpServer::AwaitRequest(Peer* peer, bool is_first) {
  const auto start = Clock::now();
  const auto end = start + (is_first ? options_.header_seconds
                                     : options_.keep_alive_seconds);
  while (Clock::now() < end) {
    if (peer->AwaitByte(kStep)) return true;
    const std::lock_guard lock(mutex_);
    const bool is_idle = !is_first || Clock::now() - start > kIdle;
    if (is_stopping_ || (is_idle && !waiting_.empty())) return false;
  }
  return false;
}

void HttpServer::Serve(int file) {
  const int on = 1;
  setsockopt(file, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  const auto connection = std::make_unique<Connection>(file, options_);
  std::shared_ptr<SSL_CTX> context;
  if (options_.tls) {
    context = options_.tls();
    if (context == nullptr || !connection->StartTls(context.get())) return;
  }
  current = connection.get();
  for (int served = 0;; ++served) {
    if (!AwaitRequest(connection.get(), served == 0)) break;
    connection->BeginRequest();
    const bool goes_on =
        routes_->ServeOne(connection.get(), served + 1 == kMostRequests);
    connection->EndAnswer();
    if (!goes_on) {
      connection->EndTls();
      connection->Linger();
      break;
    }
  }
  current = nullptr;
}

}  // namespace bvhmill::server
