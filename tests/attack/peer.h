#pragma once

// A client as a bare TCP socket, for those that break rules or keep silent.

#include <cstddef>
#include <string>
#include <string_view>

namespace bvhmill::attack {

// One connection to HOST:PORT of this machine; not thread-safe. All its waits
// are bounded.
class Peer {
 public:
  explicit Peer(const std::string& address);
  ~Peer();
  Peer(Peer&& other) noexcept;
  Peer& operator=(Peer&& other) noexcept;

  // False: it could not connect, or the other side has closed it.
  bool is_open() const { return fd_ >= 0; }
  // Sends what the other side takes of `bytes` within the time after which it
  // takes none; how many those were. Closes itself if the other side has.
  size_t Send(std::string_view bytes, int patience_ms);
  // All that comes until the other side closes, at most for the time.
  std::string ReadAll(int patience_ms);
  // Drops what has come.
  void Discard();
  // Keeps little of what comes and is not read: the other side soon cannot
  // send.
  void ShrinkReceiveBuffer();

 private:
  void Close();

  int fd_ = -1;
};

// A port of this machine that was free when the function looked.
int FreePort();

}  // namespace bvhmill::attack
