#pragma once

// Where connections come in. That of gRPC takes any number of them, and never
// listens again once it was refused an open file.

#include <functional>
#include <memory>
#include <string>
#include <thread>
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

class Listener {
 public:
  // Listens on HOST:PORT, on each address that it stands for, or on unix:PATH,
  // where what is left of an earlier server is removed. UNAVAILABLE, and why,
  // if that cannot be done.
  static absl::Status Open(const std::string& address,
                           std::unique_ptr<Listener>* listener);
  // Stops.
  ~Listener();

  // As it was given, with the port that was picked if it was 0.
  const std::string& address() const { return address_; }

  // Gives each connection that comes to `take`, which owns the file, from a
  // thread of its own; with it the file that listens. Short of files or memory,
  // connections wait. Call once.
  using Take = std::function<void(int file, int listening_file)>;
  void Start(Take take);
  // No connection comes from here on. Other threads may call it, one at a time.
  void Stop();

 private:
  explicit Listener(const std::string& address) : address_(address) {}
  absl::Status ListenOnPath(std::string path);
  absl::Status ListenOnHost();
  absl::Status Fail(const std::string& why) const;
  void Run(const Take& take) const;

  std::string address_;
  // Of a socket that is a file.
  std::string path_;
  OpenFiles files_;
  // Readable once it must stop.
  OpenFiles stop_;
  std::jthread thread_;
};

}  // namespace bvhmill::server
