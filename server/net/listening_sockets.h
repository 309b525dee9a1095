#pragma once

// Sockets that listen on an address.

#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"

namespace bvhmill::server {

// Closes the files it has.
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

// Listens from Open to the destructor.
class ListeningSockets {
 public:
  // Listens on all addresses of HOST:PORT, or on unix:PATH, where it removes
  // the socket of a server that has ended. UNAVAILABLE if it cannot.
  static absl::Status Open(const std::string& address,
                           std::unique_ptr<ListeningSockets>* sockets);
  ~ListeningSockets();

  // As it was given, with the port that was picked if it was 0.
  const std::string& address() const { return address_; }
  // The sockets, which do not block. Not empty.
  const std::vector<int>& files() const { return files_.all(); }

 private:
  explicit ListeningSockets(const std::string& address) : address_(address) {}
  absl::Status ListenOnPath(std::string path);
  absl::Status ListenOnHost();
  absl::Status Fail(const std::string& why) const;

  std::string address_;
  // The file of a Unix socket.
  std::string path_;
  OpenFiles files_;
};

}  // namespace bvhmill::server
