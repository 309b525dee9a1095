#pragma once

// Accepts the connections of an address. Listener replaces the listener of
// gRPC, which has no limit on connections and stops for good when the process
// is out of files. ListeningSockets are its sockets alone; the functions at the
// end parse addresses.
//
//   std::unique_ptr<Listener> listener;
//   BVHMILL_RETURN_IF_ERROR(Listener::Open("0.0.0.0:7450", &listener));
//   listener->Start([](int file, int listening_file) { ... });
//   listener->Stop();

#include <netdb.h>
#include <poll.h>

#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/status/status.h"

namespace bvhmill::server {

// Owns open files; the destructor closes them.
class OpenFiles {
 public:
  OpenFiles() = default;
  OpenFiles(const OpenFiles&) = delete;
  OpenFiles& operator=(const OpenFiles&) = delete;
  ~OpenFiles();

  void Add(int file) { files_.push_back(file); }
  const std::vector<int>& all() const { return files_; }

 private:
  std::vector<int> files_;
};

// Sockets that listen on an address, from Open to the destructor.
class ListeningSockets {
 public:
  // Listens on all addresses of HOST:PORT, or on unix:PATH. Removes the socket
  // file of a server that has ended. UNAVAILABLE if it cannot listen.
  static absl::Status Open(const std::string& address,
                           std::unique_ptr<ListeningSockets>* sockets);
  ~ListeningSockets();

  // The address of Open, with the port that was picked if it was 0.
  const std::string& address() const { return address_; }
  // The sockets, which do not block. Not empty.
  const std::vector<int>& files() const { return files_.all(); }

 private:
  explicit ListeningSockets(const std::string& address) : address_(address) {}
  absl::Status ListenOnPath(std::string path);
  absl::Status ListenOnHost();
  absl::Status Fail(const std::string& why) const;

  std::string address_;
  // The socket file of unix:PATH; empty for HOST:PORT.
  std::string path_;
  OpenFiles files_;
};

// Accepts connections in a thread of its own. See the top of the file.
class Listener {
 public:
  // Listens as ListeningSockets::Open does, with the same errors.
  static absl::Status Open(const std::string& address,
                           std::unique_ptr<Listener>* listener);
  // Stops.
  ~Listener();

  // The address of Open, with the port that was picked if it was 0.
  const std::string& address() const { return sockets_->address(); }

  // Starts a thread that calls `take` with the descriptor of each new
  // connection and that of the listening socket. `take` owns the first, and
  // must not throw. While the process is short of files or memory, new
  // connections wait. Throws std::system_error if the system has no thread.
  // Call it once.
  using Take = std::function<void(int file, int listening_file)>;
  void Start(Take take);
  // Stops accepting, and waits until `take` has returned. The sockets stay open
  // until the destructor. One thread at a time may call this; `take` must not.
  void Stop();

 private:
  Listener() = default;
  static void Run(const Take& take, std::vector<pollfd>* files);

  std::unique_ptr<ListeningSockets> sockets_;
  // An eventfd that becomes readable when the thread must stop.
  OpenFiles stop_;
  std::jthread thread_;
};

// Addresses.

struct FreeAddresses {
  void operator()(addrinfo* list) const { freeaddrinfo(list); }
};
using Addresses = std::unique_ptr<addrinfo, FreeAddresses>;

// The TCP addresses of HOST:PORT or [HOST]:PORT, to listen on or to connect to.
// Null if PORT is no port number or HOST is unknown. May wait for name servers.
Addresses Resolve(const std::string& address);

// True if `address` has the form HOST:PORT.
bool HasPort(const std::string& address);

// Turns a PORT alone into 127.0.0.1:PORT. Returns other addresses as they are.
std::string WithHost(const std::string& address);

}  // namespace bvhmill::server
