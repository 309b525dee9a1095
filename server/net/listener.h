#pragma once

// Accepts connections. The listener of gRPC is not used: it accepts any number
// of connections, and stops for good when the process is out of files.

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

  // Starts a thread that passes each new connection, and the file that listens,
  // to `take`. `take` owns the file of the connection and must not throw. While
  // the process is short of files or memory, connections wait. Throws
  // std::system_error if the system has no thread. Call once.
  using Take = std::function<void(int file, int listening_file)>;
  void Start(Take take);
  // Stops accepting. Any thread may call it, one at a time.
  void Stop();

 private:
  Listener() = default;
  static void Run(const Take& take, std::vector<pollfd>* files);

  std::unique_ptr<ListeningSockets> sockets_;
  // Readable once it must stop.
  OpenFiles stop_;
  std::jthread thread_;
};

}  // namespace bvhmill::server
