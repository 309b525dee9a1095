#include "server/observe/http_page.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <exception>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "bvhmill/base/status.h"
#include "server/net/listening_sockets.h"

namespace bvhmill::server {
namespace {

using Clock = std::chrono::steady_clock;

constexpr size_t kMaxConnections = 64;
constexpr size_t kMaxRequestBytes = 8192;
constexpr std::chrono::seconds kMaxAge(10);

absl::Status Unavailable(const std::string& why) {
  return MakeStatus(absl::StatusCode::kUnavailable, why);
}

std::string Response(std::string_view status, std::string_view more_headers,
                     std::string_view body) {
  return "HTTP/1.0 " + std::string(status) + "\r\n" +
         std::string(more_headers) +
         "Content-Length: " + std::to_string(body.size()) +
         "\r\nConnection: close\r\n\r\n" + std::string(body);
}

// One connection. The destructor closes it.
struct Client {
  explicit Client(int f) : file(f) {}
  Client(Client&& other) noexcept { *this = std::move(other); }
  Client& operator=(Client&& other) noexcept {
    std::swap(file, other.file);
    std::swap(since, other.since);
    std::swap(request, other.request);
    std::swap(response, other.response);
    std::swap(sent, other.sent);
    return *this;
  }
  ~Client() {
    if (file >= 0) close(file);
  }

  int file = -1;
  Clock::time_point since = Clock::now();
  std::string request;
  // Empty until the request is complete.
  std::string response;
  size_t sent = 0;
};

// The request ends with an empty line; a line may end without a carriage
// return.
bool IsWhole(std::string_view request) {
  return request.find("\r\n\r\n") != std::string_view::npos ||
         request.find("\n\n") != std::string_view::npos;
}

// False if the connection has ended, or sends something that is no request.
bool ReadSome(Client* client) {
  char buffer[2048];
  const ssize_t got = recv(client->file, buffer, sizeof buffer, 0);
  if (got < 0) return errno == EAGAIN || errno == EINTR;
  client->request.append(buffer, static_cast<size_t>(got));
  return got > 0 && client->request.size() <= kMaxRequestBytes;
}

// False once everything is sent or the connection failed.
bool WriteSome(Client* client) {
  const size_t left = client->response.size() - client->sent;
  const ssize_t put = send(client->file, client->response.data() + client->sent,
                           left, MSG_NOSIGNAL);
  if (put < 0) return errno == EAGAIN || errno == EINTR;
  client->sent += static_cast<size_t>(put);
  if (static_cast<size_t>(put) < left) return true;
  shutdown(client->file, SHUT_WR);
  return false;
}

}  // namespace

class HttpPage::Loop {
 public:
  Loop(std::string path, Render render)
      : path_(std::move(path)), render_(std::move(render)) {}
  ~Loop() {
    if (!thread_.joinable()) return;
    eventfd_write(stop_.all().front(), 1);
    thread_.join();
  }

  absl::Status Start(const std::string& address) {
    BVHMILL_RETURN_IF_ERROR(ListeningSockets::Open(address, &sockets_));
    const int stop = eventfd(0, EFD_CLOEXEC);
    if (stop < 0) return Unavailable("no file is left");
    stop_.Add(stop);
    thread_ = std::jthread([this] { Run(); });
    return absl::OkStatus();
  }

  const std::string& address() const { return sockets_->address(); }

 private:
  void Run() {
    while (true) {
      // Without memory for a connection or a page, all connections are closed.
      try {
        while (Step()) {
        }
        return;
      } catch (const std::exception&) {
        clients_.clear();
      }
    }
  }

  // Waits for something to do and does it. False once it must stop.
  bool Step() {
    polled_.assign(1, {stop_.all().front(), POLLIN, 0});
    for (const int file : sockets_->files()) {
      polled_.push_back({file, POLLIN, 0});
    }
    const size_t first = polled_.size();
    for (const Client& client : clients_) {
      const bool reads = client.response.empty();
      polled_.push_back(
          {client.file, static_cast<int16_t>(reads ? POLLIN : POLLOUT), 0});
    }
    constexpr int kSecondMs = 1000;
    poll(polled_.data(), polled_.size(), clients_.empty() ? -1 : kSecondMs);
    if (polled_.front().revents != 0) return false;
    ServeClients(first);
    for (size_t i = 1; i < first; ++i) {
      if (polled_[i].revents != 0) AcceptSome(polled_[i].fd);
    }
    return true;
  }

  // `first`: where the clients begin in polled_.
  void ServeClients(size_t first) {
    const auto oldest = Clock::now() - kMaxAge;
    size_t i = first;
    std::erase_if(clients_, [&](Client& client) {
      const bool is_ready = polled_[i++].revents != 0;
      return client.since < oldest || (is_ready && !Serve(&client));
    });
  }

  // False once the connection is to be closed.
  bool Serve(Client* client) {
    if (client->response.empty()) {
      if (!ReadSome(client)) return false;
      if (!IsWhole(client->request)) return true;
      client->response = Answer(client->request);
    }
    return WriteSome(client);
  }

  std::string Answer(std::string_view request) const {
    const std::string_view line = request.substr(0, request.find('\n'));
    const size_t method_end = line.find(' ');
    if (line.substr(0, method_end) != "GET") {
      return Response("405 Method Not Allowed", "Allow: GET\r\n", "");
    }
    const std::string_view target = line.substr(method_end + 1);
    if (target.substr(0, target.find_first_of(" ?\r")) != path_) {
      return Response("404 Not Found", "", "");
    }
    return Response("200 OK",
                    "Content-Type: text/plain; version=0.0.4; "
                    "charset=utf-8\r\n",
                    render_());
  }

  // A request usually follows its connection at once, so it is looked for
  // before the next connection may take its place.
  void AcceptSome(int listening) {
    for (size_t i = 0; i < kMaxConnections; ++i) {
      const int file =
          accept4(listening, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
      if (file < 0) return PauseIfShort(errno);
      Client client(file);
      if (!Serve(&client)) continue;
      if (clients_.size() >= kMaxConnections) clients_.erase(clients_.begin());
      clients_.push_back(std::move(client));
    }
  }

  // Short of files, the connection waits and its socket stays readable: without
  // a pause the thread would take a core. The oldest connection goes, if any.
  void PauseIfShort(int error) {
    constexpr std::chrono::milliseconds kPause(100);
    if (error == EAGAIN || error == EINTR || error == ECONNABORTED) return;
    if (!clients_.empty()) clients_.erase(clients_.begin());
    std::this_thread::sleep_for(kPause);
  }

  const std::string path_;
  const Render render_;
  std::unique_ptr<ListeningSockets> sockets_;
  // Readable once it must stop.
  OpenFiles stop_;
  // In the order in which they came.
  std::vector<Client> clients_;
  std::vector<pollfd> polled_;
  std::jthread thread_;
};

HttpPage::HttpPage(std::unique_ptr<Loop> loop) : loop_(std::move(loop)) {}

HttpPage::~HttpPage() = default;

const std::string& HttpPage::address() const { return loop_->address(); }

absl::Status HttpPage::Start(const std::string& address,
                             const std::string& path, Render render,
                             std::unique_ptr<HttpPage>* page) {
  auto loop = std::make_unique<Loop>(path, std::move(render));
  try {
    BVHMILL_RETURN_IF_ERROR(loop->Start(address));
  } catch (const std::system_error&) {
    return Unavailable("the system has no thread for it");
  }
  page->reset(new HttpPage(std::move(loop)));
  return absl::OkStatus();
}

}  // namespace bvhmill::server
