#include "tests/support/fault_proxy.h"

#include <arpa/inet.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>

namespace bvhmill::testing {
namespace {

using Kind = ProxyFault::Kind;

constexpr int kTickMs = 50;

sockaddr_in Local(int port) {
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<uint16_t>(port));
  return address;
}

bool SendAll(int fd, const std::string& bytes) {
  for (size_t done = 0; done < bytes.size();) {
    const ssize_t sent =
        send(fd, bytes.data() + done, bytes.size() - done, MSG_NOSIGNAL);
    if (sent <= 0) return false;
    done += static_cast<size_t>(sent);
  }
  return true;
}

// Empty if the other end is gone.
std::string Receive(int fd) {
  std::array<char, 65536> buffer;
  const ssize_t got = recv(fd, buffer.data(), buffer.size(), 0);
  return {buffer.data(), static_cast<size_t>(std::max<ssize_t>(got, 0))};
}

std::string Answer(const std::string& status, const std::string& code) {
  const std::string body = "<Error><Code>" + code + "</Code></Error>";
  return "HTTP/1.1 " + status +
         "\r\nContent-Length: " + std::to_string(body.size()) +
         "\r\nConnection: close\r\n\r\n" + body;
}

// One connection, and the request that passes it now.
class Passage {
 public:
  Passage(int client, int server) : client_(client), server_(server) {}

  // A request begins with the first bytes after those of an answer.
  bool begins() const { return !is_asking_; }
  void Begin(const ProxyFault& fault) {
    fault_ = fault;
    is_asking_ = true;
    passed_ = 0;
  }
  // False: the connection is cut.
  bool PassRequest(const std::string& bytes) {
    switch (fault_.kind) {
      case Kind::kRefuse:
        return false;
      case Kind::kSlowDown:
        return AnswerItself(Answer("503 Slow Down", "SlowDown"));
      case Kind::kFull:
        return AnswerItself(Answer("507 Full", "InsufficientStorage"));
      default:
        return Pass(server_, Kind::kCutRequest, bytes);
    }
  }
  bool PassAnswer(const std::string& bytes) {
    // The server only asks for the body.
    const bool is_over = !bytes.starts_with("HTTP/1.1 100");
    if (is_over && is_asking_) passed_ = 0;
    if (is_over) is_asking_ = false;
    return Pass(client_, is_over ? Kind::kCutAnswer : Kind::kNone, bytes);
  }

 private:
  // Reads what the client still sends: else it may lose the answer.
  bool AnswerItself(const std::string& answer) const {
    SendAll(client_, answer);
    shutdown(client_, SHUT_WR);
    while (!Receive(client_).empty()) {
    }
    return false;
  }
  bool Pass(int to, Kind cut, const std::string& bytes) {
    if (fault_.kind != cut || cut == Kind::kNone) return SendAll(to, bytes);
    const size_t room = fault_.bytes - std::min(passed_, fault_.bytes);
    passed_ += bytes.size();
    return SendAll(to, bytes.substr(0, room)) && bytes.size() < room;
  }

  const int client_;
  const int server_;
  ProxyFault fault_;
  bool is_asking_ = false;
  size_t passed_ = 0;
};

}  // namespace

FaultProxy::FaultProxy(int server_port) : server_port_(server_port) {
  listener_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address = Local(0);
  socklen_t size = sizeof(address);
  auto* const any = reinterpret_cast<sockaddr*>(&address);
  bind(listener_, any, size);
  getsockname(listener_, any, &size);
  port_ = ntohs(address.sin_port);
  listen(listener_, 64);
  accepts_ = std::jthread([this] { Accept(); });
}

FaultProxy::~FaultProxy() {
  ends_ = true;
  accepts_.join();
  connections_.clear();
  close(listener_);
}

std::string FaultProxy::endpoint() const {
  return "http://127.0.0.1:" + std::to_string(port_);
}

void FaultProxy::Set(const ProxyFault& fault) {
  const std::lock_guard lock(mutex_);
  fault_ = fault;
  failed_ = 0;
}

ProxyFault FaultProxy::Next(const std::string& head) {
  const std::lock_guard lock(mutex_);
  if (fault_.count == 0 || !head.starts_with(fault_.of)) return {};
  if (fault_.kind == Kind::kNone) return {};
  if (fault_.count > 0) --fault_.count;
  ++failed_;
  return fault_;
}

void FaultProxy::Accept() {
  while (!ends_) {
    pollfd ready = {listener_, POLLIN, 0};
    if (poll(&ready, 1, kTickMs) <= 0) continue;
    const int client = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    if (client >= 0)
      connections_.emplace_back([this, client] { Serve(client); });
  }
}

void FaultProxy::Serve(int client) {
  const int server = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const sockaddr_in address = Local(server_port_);
  bool is_open = connect(server, reinterpret_cast<const sockaddr*>(&address),
                         sizeof(address)) == 0;
  Passage passage(client, server);
  while (is_open && !ends_) {
    std::array<pollfd, 2> ready = {{{client, POLLIN, 0}, {server, POLLIN, 0}}};
    if (poll(ready.data(), ready.size(), kTickMs) <= 0) continue;
    if (ready[0].revents != 0) {
      const std::string bytes = Receive(client);
      if (passage.begins() && !bytes.empty()) passage.Begin(Next(bytes));
      is_open = !bytes.empty() && passage.PassRequest(bytes);
    }
    if (is_open && ready[1].revents != 0) {
      const std::string bytes = Receive(server);
      is_open = !bytes.empty() && passage.PassAnswer(bytes);
    }
  }
  close(client);
  close(server);
}

}  // namespace bvhmill::testing
