#include "server/net/listener.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <exception>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "bvhmill/base/status.h"

namespace bvhmill::server {
namespace {

bool IsPort(std::string_view text) {
  constexpr int kMax = 65535;
  int port = -1;
  const char* end = text.data() + text.size();
  const auto [stop, fault] = std::from_chars(text.data(), end, port);
  return fault == std::errc() && stop == end && port >= 0 && port <= kMax;
}

}  // namespace

bool HasPort(const std::string& address) {
  const size_t colon = address.rfind(':');
  return colon != std::string::npos && colon > 0 &&
         IsPort(address.substr(colon + 1));
}

std::string WithHost(const std::string& address) {
  return IsPort(address) ? "127.0.0.1:" + address : address;
}

Addresses Resolve(const std::string& address) {
  if (!HasPort(address)) return nullptr;
  const size_t colon = address.rfind(':');
  std::string host = address.substr(0, colon);
  if (host.size() > 1 && host.front() == '[' && host.back() == ']') {
    host = host.substr(1, host.size() - 2);
  }
  addrinfo hints = {};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  const int fault =
      getaddrinfo(host.c_str(), address.c_str() + colon + 1, &hints, &found);
  return Addresses(fault == 0 ? found : nullptr);
}

namespace {

std::string WhyNot(int error) {
  if (error == EADDRINUSE) return "the address is taken";
  if (error == EADDRNOTAVAIL) return "the address is not of this machine";
  return std::generic_category().message(error);
}

void TurnOn(int file, int level, int option) {
  const int on = 1;
  setsockopt(file, level, option, &on, sizeof on);
}

in_port_t* PortOf(sockaddr* address) {
  return address->sa_family == AF_INET6
             ? &reinterpret_cast<sockaddr_in6*>(address)->sin6_port
             : &reinterpret_cast<sockaddr_in*>(address)->sin_port;
}

// The port of the socket, in network byte order.
in_port_t BoundPort(int file) {
  sockaddr_storage bound = {};
  socklen_t size = sizeof bound;
  auto* const address = reinterpret_cast<sockaddr*>(&bound);
  return getsockname(file, address, &size) == 0 ? *PortOf(address) : 0;
}

int BindAndListen(int file, const sockaddr* address, socklen_t size,
                  bool is_only_v6) {
  if (address->sa_family != AF_UNIX) {
    TurnOn(file, SOL_SOCKET, SO_REUSEADDR);
    // Connections inherit the option: frames must not wait for each other.
    TurnOn(file, IPPROTO_TCP, TCP_NODELAY);
  }
  if (address->sa_family == AF_INET6) {
    const int only = is_only_v6 ? 1 : 0;
    setsockopt(file, IPPROTO_IPV6, IPV6_V6ONLY, &only, sizeof only);
  }
  if (bind(file, address, size) != 0) return errno;
  return listen(file, SOMAXCONN) == 0 ? 0 : errno;
}

// Adds a socket that listens on `address`. Returns 0, or errno.
int AddListening(const sockaddr* address, socklen_t size, bool is_only_v6,
                 OpenFiles* files) {
  const int file =
      socket(address->sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (file < 0) return errno;
  const int error = BindAndListen(file, address, size, is_only_v6);
  if (error != 0) {
    close(file);
  } else {
    files->Add(file);
  }
  return error;
}

bool IsAny(const sockaddr& address) {
  return address.sa_family == AF_INET6 &&
         IN6_IS_ADDR_UNSPECIFIED(
             &reinterpret_cast<const sockaddr_in6&>(address).sin6_addr);
}

// True if the path is a socket file without a server.
bool IsLeftOver(const sockaddr_un& address) {
  struct stat info = {};
  if (lstat(address.sun_path, &info) != 0 || !S_ISSOCK(info.st_mode)) {
    return false;
  }
  OpenFiles files;
  const int file = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (file < 0) return false;
  files.Add(file);
  return connect(file, reinterpret_cast<const sockaddr*>(&address),
                 sizeof address) != 0 &&
         errno == ECONNREFUSED;
}

}  // namespace

OpenFiles::~OpenFiles() {
  for (const int file : files_) close(file);
}

ListeningSockets::~ListeningSockets() {
  if (!path_.empty()) unlink(path_.c_str());
}

absl::Status ListeningSockets::Fail(const std::string& why) const {
  return MakeStatus(absl::StatusCode::kUnavailable,
                    "cannot listen on " + address_ + ": " + why);
}

absl::Status ListeningSockets::Open(
    const std::string& address, std::unique_ptr<ListeningSockets>* sockets) {
  std::unique_ptr<ListeningSockets> out(new ListeningSockets(address));
  constexpr std::string_view kUnix = "unix:";
  BVHMILL_RETURN_IF_ERROR(address.starts_with(kUnix)
                              ? out->ListenOnPath(address.substr(kUnix.size()))
                              : out->ListenOnHost());
  *sockets = std::move(out);
  return absl::OkStatus();
}

absl::Status ListeningSockets::ListenOnPath(std::string path) {
  // unix://PATH, as in a URL.
  if (path.starts_with("//")) path = path.substr(2);
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  if (path.empty() || path.size() >= sizeof address.sun_path) {
    return Fail("the path is empty or too long");
  }
  std::memcpy(address.sun_path, path.data(), path.size());
  if (IsLeftOver(address)) unlink(address.sun_path);
  const int error = AddListening(reinterpret_cast<sockaddr*>(&address),
                                 sizeof address, false, &files_);
  if (error != 0) return Fail(WhyNot(error));
  path_ = path;
  return absl::OkStatus();
}

// Skips addresses of a family that this machine does not support.
absl::Status ListeningSockets::ListenOnHost() {
  if (!HasPort(address_)) return Fail("it is not HOST:PORT");
  const Addresses found = Resolve(address_);
  if (found == nullptr) return Fail("no such host is known here");
  in_port_t port = 0;
  int missing = 0;
  for (addrinfo* it = found.get(); it != nullptr; it = it->ai_next) {
    if (port != 0) *PortOf(it->ai_addr) = port;
    const int error = AddListening(
        it->ai_addr, it->ai_addrlen,
        it->ai_family == AF_INET6 && !IsAny(*it->ai_addr), &files_);
    if (error == EADDRNOTAVAIL || error == EAFNOSUPPORT) {
      missing = error;
    } else if (error != 0) {
      return Fail(WhyNot(error));
    } else if (port == 0) {
      port = BoundPort(files_.all().back());
    }
  }
  if (port == 0) return Fail(WhyNot(missing));
  address_ =
      address_.substr(0, address_.rfind(':') + 1) + std::to_string(ntohs(port));
  return absl::OkStatus();
}

namespace {

bool IsShortage(int error) {
  return error == EMFILE || error == ENFILE || error == ENOBUFS ||
         error == ENOMEM;
}

// Accepts the connections that wait at `listening`. False if the process is
// short of files or memory.
bool AcceptSome(int listening, const Listener::Take& take) {
  // Then other sockets get a turn.
  constexpr int kMax = 64;
  for (int i = 0; i < kMax; ++i) {
    const int file =
        accept4(listening, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (file >= 0) {
      take(file, listening);
    } else if (errno != ECONNABORTED && errno != EINTR) {
      return !IsShortage(errno);
    }
  }
  return true;
}

}  // namespace

absl::Status Listener::Open(const std::string& address,
                            std::unique_ptr<Listener>* listener) {
  std::unique_ptr<Listener> out(new Listener());
  BVHMILL_RETURN_IF_ERROR(ListeningSockets::Open(address, &out->sockets_));
  const int stop = eventfd(0, EFD_CLOEXEC);
  if (stop < 0) {
    return MakeStatus(absl::StatusCode::kUnavailable,
                      "cannot listen on " + address + ": " +
                          std::generic_category().message(errno));
  }
  out->stop_.Add(stop);
  *listener = std::move(out);
  return absl::OkStatus();
}

void Listener::Start(Take take) {
  std::vector<pollfd> files = {{stop_.all().front(), POLLIN, 0}};
  for (const int file : sockets_->files()) files.push_back({file, POLLIN, 0});
  thread_ =
      std::jthread([take = std::move(take),
                    files = std::move(files)]() mutable { Run(take, &files); });
}

void Listener::Run(const Take& take, std::vector<pollfd>* files) {
  constexpr int kPauseMs = 100;
  bool has_room = true;
  while (true) {
    const size_t waited_for = has_room ? files->size() : 1;
    poll(files->data(), waited_for, has_room ? -1 : kPauseMs);
    if (files->front().revents != 0) return;
    has_room = true;
    for (size_t i = 1; i < files->size(); ++i) {
      has_room = AcceptSome((*files)[i].fd, take) && has_room;
    }
  }
}

void Listener::Stop() {
  if (!thread_.joinable()) return;
  eventfd_write(stop_.all().front(), 1);
  thread_.join();
}

Listener::~Listener() { Stop(); }

}  // namespace bvhmill::server
