#pragma once

// Received bytes of one connection that are not part of a complete message: the
// stray bytes. gRPC reports whole messages and the begin of most calls, but not
// the bytes that it has read; the kernel counts these, but does not know what
// they are. So stray bytes are computed:
//
//   bytes that came
//     - messages that calls have received, as they came (not decompressed), and
//       1/16 and 64 bytes of each, for the heads of its frames and TLS records
//     - for each call its metadata and 512 bytes: other fields, heads of
//       frames, updates of windows, pings
//     - 1/8 of the bytes that the peer has accepted: a peer that reads sends
//       updates of windows (26 bytes for a frame), acknowledgements and pings
//     - 64 bytes for each second: pings
//     - 4 KiB once, for the handshakes of TLS and HTTP/2.
//
// They never fall below 0: what was allowed for and did not come is no credit
// for bytes that come later. A call that is heard explains its own bytes only,
// so a peer gains nothing by small calls beside a message that never ends: it
// may hide some 500 bytes by each, and what its metadata took less by HPACK.
//
// Age. An honest peer may always have messages under way, so only bytes that
// came more than the patience ago count as late.
//
// Calls that are cancelled or refused within a message leave bytes that no
// message explains. These are forgiven at a look at which no open call can hold
// them: gRPC has no call that is not in the registry, and each running upload
// was heard since they came. Calls that receive whole messages give no such
// right: a peer could send what it likes, and be forgiven after each of them.

#include <chrono>
#include <cstdint>
#include <deque>

#include "server/net/socket_state.h"

namespace bvhmill::server {

// The use that a peer makes of its connection, as far as its calls are in the
// registry of calls.
struct PeerUse {
  using Time = std::chrono::steady_clock::time_point;

  // When it last sent a message or the server worked for it, and when its last
  // call ended (the epoch = unknown).
  Time heard_at;
  Time ended_at;
  // Running calls. `free_calls` are those without a ticket; `aside_calls` those
  // that do not use the connection, such as checks of health.
  int64_t calls = 0;
  int64_t free_calls = 0;
  int64_t aside_calls = 0;
  // The next counts are of all calls since this entry of the table of peers was
  // made. They begin again at 0 with another entry.
  int64_t entry = 0;
  // Bytes of messages and calls, with what is allowed for.
  int64_t explained = 0;
  int64_t begun = 0;
  // Ended calls that may have left bytes of a message that never ended.
  int64_t left = 0;
  // Running uploads; and those whose next messages may wait in the buffers of
  // gRPC for long, since the server does not read them now.
  int64_t uploads = 0;
  int64_t busy_uploads = 0;
  // The earliest time since which a running upload was not heard; the latest
  // time there is = there is no upload.
  Time silent_since = Time::max();
};

// The calls of a connection as gRPC counts them, in the registry or not.
struct CallCounts {
  int64_t begun = 0;
  int64_t ended = 0;
  // The ended calls that the server did not end.
  int64_t failed = 0;
};

// Not thread-safe.
class StrayBytes {
 public:
  using Time = PeerUse::Time;

  // `patience`: see old_bytes; 0 = for ever. The connection came at `now`.
  StrayBytes(std::chrono::seconds patience, Time now)
      : patience_(patience), looked_at_(now), credited_at_(now) {}

  // The connection at one time. `use` must be older than `socket`: else it
  // explains bytes that `socket` does not count. `is_settled`: every call that
  // gRPC has is in the registry. Call it about once a second or more often.
  void Look(Time now, const SocketState& socket, const PeerUse& use,
            const CallCounts& counts, bool is_settled);

  int64_t bytes() const { return bytes_; }
  // The stray bytes that came longer ago than the patience.
  int64_t old_bytes() const;
  // When a message was last heard: the stray bytes that the program had read.
  int64_t taken_when_heard() const { return taken_when_heard_; }
  // Calls that began more than the patience ago and are not in the registry,
  // at least.
  int64_t old_calls() const;

 private:
  // Bytes that came between two looks, or some more.
  struct Arrival {
    Time after;
    Time before;
    int64_t bytes = 0;
    // The calls that had begun then.
    int64_t begun = 0;
  };

  int64_t Explained(const SocketState& socket, const PeerUse& use);
  int64_t UsualBytes(Time now);
  void Arrive(Time now, int64_t bytes, int64_t begun);
  void Forget(Time now);
  void Forgive(Time now, const PeerUse& use, int64_t unread);

  const std::chrono::seconds patience_;
  Time looked_at_;
  // Up to when UsualBytes were allowed for.
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
  // What may have come within the patience, in order of time, and the sum of
  // what surely did.
  std::deque<Arrival> arrivals_;
  int64_t recent_ = 0;
  // Calls that had begun before that.
  int64_t begun_before_ = 0;
};

}  // namespace bvhmill::server
