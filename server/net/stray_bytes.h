#pragma once

// The stray bytes of a connection: received bytes that are not part of a
// complete message. A hostile peer can make the server hold such bytes in
// memory. gRPC reports whole messages and the begin of most calls, but not the
// bytes that it has read. The kernel counts these bytes, but does not know what
// they are. So StrayBytes computes them from both, and the functions at the end
// read the counts of the kernel:
//
//   StrayBytes stray(std::chrono::seconds(60), now);
//   // About once a second:
//   stray.Look(now, ReadSocketState(file), use, counts, is_settled);
//   if (stray.old_bytes() > limit) ResetSocket(file, cookie);
//
// The stray bytes are:
//
//   bytes that came
//     - messages that calls have received, before decompression, plus 1/16 and
//       64 bytes for each, for the heads of its frames and TLS records
//     - for each call its metadata, plus 512 bytes for other fields, heads of
//       frames, updates of windows and pings
//     - 1/8 of the bytes that the peer has accepted: a peer that reads sends
//       updates of windows (26 bytes for a frame), acknowledgements and pings
//     - 64 bytes for each second: pings
//     - 4 KiB once, for the handshakes of TLS and HTTP/2.
//
// The result never falls below 0: an allowance that was not used is no credit
// for later bytes. A call explains its own bytes only. So a peer gains little
// by small calls next to a message that never ends: each can hide about 500
// bytes, and the bytes of its metadata that HPACK saved.
//
// Age. An honest peer may always have incomplete messages, so only bytes that
// came longer ago than the patience count as old.
//
// Forgiveness. A call that is cancelled or refused within a message leaves
// bytes that no message explains. Look forgives them as soon as no open call
// can own them: every call of gRPC is in the registry, and each running upload
// has received a message since they came. Calls that receive whole messages
// leave nothing to forgive: otherwise a peer could send any bytes, and be
// forgiven after each such call.

#include <chrono>
#include <cstdint>
#include <deque>
#include <string>

namespace bvhmill::server {

// The kernel's view of a connected socket.
struct SocketState {
  // 0 if the file is closed or is no socket.
  uint64_t cookie = 0;
  // Bytes in the send queue that the peer's host has not accepted yet.
  int64_t unsent = 0;
  // Bytes that came and that the process has not read yet.
  int64_t unread = 0;
  // Bytes since the connection was opened: those that came, and those that were
  // sent and that the peer's host has accepted. 0 if `has_counts` is false.
  int64_t received = 0;
  int64_t accepted = 0;
  // The kernel counts bytes of TCP connections only.
  bool has_counts = false;
};

// The use that a peer makes of its connection, as far as its calls are in the
// registry of calls.
struct PeerUse {
  using Time = std::chrono::steady_clock::time_point;

  // When its last message came or the server last worked for it, and when its
  // last call ended (the epoch = unknown).
  Time heard_at;
  Time ended_at;
  // Running calls. `free_calls` are unary calls without a ticket; `aside_calls`
  // are all calls about the state of the server, such as checks of health.
  int64_t calls = 0;
  int64_t free_calls = 0;
  int64_t aside_calls = 0;
  // The number of the peer's entry in the table of peers. The next counts are
  // sums since that entry was made; another entry begins at 0.
  int64_t entry = 0;
  // Bytes of messages and calls, with the allowances for them.
  int64_t explained = 0;
  int64_t begun = 0;
  // Ended calls that may have left bytes of an incomplete message.
  int64_t left = 0;
  // Running uploads; and those that the server does not read now, whose next
  // messages may wait in the buffers of gRPC for long.
  int64_t uploads = 0;
  int64_t busy_uploads = 0;
  // The earliest of the times when each running upload received its last
  // message; Time::max() = there is no upload.
  Time silent_since = Time::max();
};

// The calls of a connection as gRPC counts them, in the registry or not.
struct CallCounts {
  int64_t begun = 0;
  int64_t ended = 0;
  // The ended calls that the server did not end.
  int64_t failed = 0;
};

// See the top of the file. Not thread-safe.
class StrayBytes {
 public:
  using Time = PeerUse::Time;

  // `patience`: the age at which bytes are old; 0 = never. The connection came
  // at `now`.
  StrayBytes(std::chrono::seconds patience, Time now)
      : patience_(patience), looked_at_(now), credited_at_(now) {}

  // Updates the bytes with the state of the connection at `now`. `use` must be
  // older than `socket`: otherwise it explains bytes that `socket` does not
  // count. `is_settled`: every call of gRPC is in the registry. Call it about
  // once a second or more often.
  void Look(Time now, const SocketState& socket, const PeerUse& use,
            const CallCounts& counts, bool is_settled);

  int64_t bytes() const { return bytes_; }
  // The stray bytes that came longer ago than the patience.
  int64_t old_bytes() const;
  // The stray bytes that the process had read when the last message came.
  int64_t taken_when_heard() const { return taken_when_heard_; }
  // A lower bound of the calls that began more than the patience ago and are
  // not in the registry.
  int64_t old_calls() const;

 private:
  // Bytes that came between two looks, or between several.
  struct Arrival {
    Time after;
    Time before;
    int64_t bytes = 0;
    // The calls that had begun by then.
    int64_t begun = 0;
  };

  int64_t Explained(const SocketState& socket, const PeerUse& use);
  int64_t UsualBytes(Time now);
  void Arrive(Time now, int64_t bytes, int64_t begun);
  void Forget(Time now);
  void Forgive(Time now, const PeerUse& use, int64_t unread);

  const std::chrono::seconds patience_;
  Time looked_at_;
  // The time up to which UsualBytes were granted.
  Time credited_at_;
  int64_t opening_ = int64_t{4} << 10;
  int64_t bytes_ = 0;
  int64_t taken_when_heard_ = 0;
  // As of the last look.
  int64_t received_ = 0;
  int64_t accepted_ = 0;
  PeerUse use_;
  CallCounts counts_;
  // A call has ended that may have left bytes.
  bool has_left_ = false;
  // The bytes that may have come within the patience, in order of time, and the
  // sum of those that surely did.
  std::deque<Arrival> arrivals_;
  int64_t recent_ = 0;
  // Calls that had begun before that.
  int64_t begun_before_ = 0;
};

// Sockets. Their owner is gRPC, which may close a socket at any time. The
// server knows each socket by its file number and its cookie, a number that the
// kernel never uses again.

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
