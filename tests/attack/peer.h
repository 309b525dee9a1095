#pragma once

// A client as a bare TCP socket, for clients that break rules or are silent.

#include <cstddef>
#include <string>
#include <string_view>

namespace bvhmill::attack {

// One connection to HOST:PORT of this machine, from an address of which no
// other client calls, so that limits on an address hit only peers. Not
// thread-safe. All its waits are bounded.
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
  size_t Send(std::string_view bytes, int timeout_ms);
  // Reads until the other side closes, at most for the given time.
  std::string ReadAll(int timeout_ms);
  // Discards the received bytes.
  void Discard();
  // Makes the receive buffer small, so that the other side is soon blocked.
  void ShrinkReceiveBuffer();

 private:
  void Close();

  int fd_ = -1;
};

// A port of this machine that was free when the function looked.
int FreePort();

}  // namespace bvhmill::attack
