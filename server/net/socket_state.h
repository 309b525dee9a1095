#pragma once

// The kernel's view of a connected socket that another owner may close at any
// time. The server owns no connection: gRPC does. It knows each by its file
// number and its cookie, a number that the kernel never uses again.

#include <cstdint>
#include <string>

namespace bvhmill::server {

struct SocketState {
  // 0 if the file is closed, or is no socket.
  uint64_t cookie = 0;
  // Bytes in the send queue that the peer's host has not accepted yet.
  int64_t unsent = 0;
  // Bytes that came and the program has not read yet.
  int64_t unread = 0;
  // Bytes since the connection was opened: those that came, and those of the
  // send queue that the peer's host has accepted. 0 if `has_counts` is false.
  int64_t received = 0;
  int64_t accepted = 0;
  // The kernel counts bytes of TCP connections only.
  bool has_counts = false;
};

// All is zero for a file that is closed. Cost: up to four system calls.
SocketState ReadSocketState(int file);

// The peer's address in the words of gRPC: ipv4:ADDRESS:PORT or
// ipv6:%5BADDRESS%5D:PORT. Empty for peers without an address of their own, as
// those of a Unix socket.
std::string PeerName(int file);

// Ends the connection of the socket that has this cookie, in both directions
// and at once, and discards what waits in its queues. The file stays open.
// False if the file is another one by now, or the system has no file to spare.
bool ResetSocket(int file, uint64_t cookie);

// Has the kernel end a TCP connection whose peer accepts nothing of what was
// sent for `seconds`: a peer that is gone, or whose receive window stays
// closed. 0 = the kernel's own patience. No effect on other sockets.
void SetSendTimeout(int file, int64_t seconds);

}  // namespace bvhmill::server
