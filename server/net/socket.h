#pragma once

// The sockets of connections. Their owner is gRPC, which may close a socket at
// any time. The server knows each socket by its file number and its cookie, a
// number that the kernel never uses again.

#include <cstdint>
#include <string>

namespace bvhmill::server {

// The kernel's view of a connected socket.
struct SocketState {
  // 0 if the file is closed or is no socket.
  uint64_t cookie = 0;
  // Bytes in the send queue that the peer's host has not accepted yet.
  int64_t unsent = 0;
  // Bytes since the connection was opened: those that came, and those that were
  // sent and that the peer's host has accepted. 0 if `has_counts` is false.
  int64_t received = 0;
  int64_t accepted = 0;
  // The kernel counts bytes of TCP connections only.
  bool has_counts = false;
};

// Reads the state of the socket; all zero if the file is closed. Cost: up to
// four system calls.
SocketState ReadSocketState(int file);

// The peer's address in the format of gRPC: ipv4:ADDRESS:PORT or
// ipv6:%5BADDRESS%5D:PORT. Empty for peers without an address of their own,
// such as those of a Unix socket.
std::string PeerName(int file);

// Ends the connection of the socket with this cookie, in both directions and at
// once, and discards the bytes in its queues. The file stays open. False if the
// file is another one by now, or the system has no free file.
bool ResetSocket(int file, uint64_t cookie);

// Makes the kernel end a TCP connection whose peer accepts nothing for
// `seconds` of the bytes that were sent: the peer is gone, or its receive
// window stays closed. 0 = the default of the kernel. No effect on other
// sockets.
void SetSendTimeout(int file, int64_t seconds);

}  // namespace bvhmill::server
