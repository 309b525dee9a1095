#include "server/net/listener.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <exception>
#include <system_error>
#include <utility>
#include <vector>

#include "bvhmill/base/status.h"

namespace bvhmill::server {
namespace {

bool IsShortage(int error) {
  return error == EMFILE || error == ENFILE || error == ENOBUFS ||
         error == ENOMEM;
}

// Accepts the connections that wait at `listening`. False if the process is
// short of files or memory.
bool AcceptSome(int listening, const Listener::Take& take) {
  // Other sockets have a turn.
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
