#pragma once

// A stream without sockets that is open, and what it counts.

#include <cstdint>
#include <string>

#include "server/app/config.h"
#include "tests/server/simulated_stream.h"

namespace bvhmill::testing {

// The simulated conversion makes a frame of 72 bytes of 40 bytes of input, and
// a result of 8 bytes.
inline constexpr int kInput = 40;
inline constexpr int64_t kFrame = 72;
inline constexpr int64_t kResult = 8;

// A stream that is open, and what it counts without clips.
struct CountedStream {
  explicit CountedStream(
      const server::ServerConfig& config = SmallStreamConfig())
      : server(config), stream(&server) {
    stream.Start();
    stream.Open(/*ordered=*/false);
    stream.Settle();
    idle = server.admission.bytes();
  }

  // Reads begin at once.
  void Begin(int key, int bytes, bool complete = false) {
    stream.Begin(std::to_string(key), bytes, complete);
    StartReads();
  }
  void Chunk(int bytes) {
    stream.Chunk(bytes);
    StartReads();
  }
  void End(bool abandon = false) {
    stream.End(abandon);
    StartReads();
  }
  // Workers go on until they rest; nothing is written.
  void Work() {
    while (stream.running() > 0) stream.Step(0);
    StartReads();
  }
  void Write() {
    stream.WriteDone(true);
    StartReads();
  }
  // `seconds` pass, and then there is a tick.
  void Pass(int64_t seconds) {
    SimulatedServer::Pass(seconds);
    stream.Tick();
    StartReads();
  }
  void StartReads() {
    while (stream.CanStartRead()) stream.ReadStarted();
  }
  bool is_open() const { return !stream.finish(); }

  SimulatedServer server;
  SimulatedStream stream;
  int64_t idle = 0;
};

}  // namespace bvhmill::testing
