#pragma once

// Accepts connections. It replaces the listener of gRPC, which has no limit on
// connections, and stops for good when the process is out of files.

#include <poll.h>

#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/status/status.h"
#include "server/net/listening_sockets.h"

namespace bvhmill::server {

class Listener {
 public:
  // Listens as ListeningSockets::Open does, with the same errors.
  static absl::Status Open(const std::string& address,
                           std::unique_ptr<Listener>* listener);
  // Stops.
  ~Listener();

  // As it was given, with the port that was picked if it was 0.
  const std::string& address() const { return sockets_->address(); }

  // Starts a thread that calls `take` with the descriptor of each new
  // connection and that of the listening socket. `take` owns the first, and
  // must not throw. While the process is short of files or memory, new
  // connections wait. Throws std::system_error if no thread can be started.
  // Call once.
  using Take = std::function<void(int file, int listening_file)>;
  void Start(Take take);
  // Stops accepting, and waits until `take` has returned. The sockets stay open
  // until the destructor. One thread at a time may call it, but not `take`.
  void Stop();

 private:
  Listener() = default;
  static void Run(const Take& take, std::vector<pollfd>* files);

  std::unique_ptr<ListeningSockets> sockets_;
  // An eventfd that becomes readable when the thread must stop.
  OpenFiles stop_;
  std::jthread thread_;
};

}  // namespace bvhmill::server
