#pragma once

// Clips that take minutes of work, and a check that the worker is free again.

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "tests/server/fixture.h"
#include "tests/server/http2.h"

namespace bvhmill::testing {

// A server with one worker and a page of metrics.
class AbandonTest : public ServerTest {
 protected:
  void StartOne() {
    Start([](server::ServerConfig* config) {
      config->threads = 1;
      config->metrics = "127.0.0.1:0";
      // The client is in this process: its memory looks like that of a peer
      // that sends what is no message, and the server would cut it.
      config->transport.max_transport_bytes = 0;
      config->limits.max_frames = 0;
      config->limits.max_clip_bytes = 0;
      config->limits.max_clip_work = 0;
      config->log = server::LogFormat::kOff;
    });
  }

  int64_t Value(const std::string& name) const {
    return FetchGauge(server_->metrics_address(), name);
  }

  bool Becomes(const std::string& name, int64_t value) const {
    return Eventually([&] { return Value(name) == value; });
  }

  // Fails the test unless abandoned calls hold no memory and no worker.
  void ExpectIdle() const {
    for (const char* name :
         {"bvhmill_inflight_calls", "bvhmill_inflight_clips",
          "bvhmill_inflight_bytes", "bvhmill_workers_busy"}) {
      EXPECT_TRUE(Becomes(name, 0)) << name << " " << Value(name);
    }
    EXPECT_EQ(Value("bvhmill_clips_total{result=\"good\"}"), 0);
  }
};

// Two rows from which a new rate makes `frames` frames without values: much
// work and little memory.
inline v1::ConvertClipRequest ManyFrames(double frames) {
  v1::ConvertClipRequest request = PositionsRequest(
      "HIERARCHY\nROOT r\n{\nOFFSET 0 0 0\nCHANNELS 0\nJOINT j\n{\nOFFSET 0 1 "
      "0\nCHANNELS 1 Xrotation\n}\n}\nMOTION\nFrames: 2\nFrame Time: "
      "1\n1\n2\n");
  request.mutable_options()->mutable_edits()->add_keep("r");
  request.mutable_options()->mutable_edits()->set_fps(frames / 2);
  return request;
}

// The head of a clip with rows of two bytes and many joints.
inline std::string ManyJoints() {
  return "HIERARCHY\nROOT r\n{\nOFFSET 0 0 0\nCHANNELS 1 Xrotation\n" +
         Repeat("JOINT j\n{\nOFFSET 0 1 0\nCHANNELS 0\n}\n", 15'000) +
         "}\nMOTION\nFrames: 100000\nFrame Time: 0.1\n";
}

inline v1::ConvertClipsRequest WholeClip(const v1::ConvertClipRequest& clip) {
  v1::ConvertClipsRequest request;
  *request.mutable_begin()->mutable_source() = clip.source();
  *request.mutable_begin()->mutable_options() = clip.options();
  request.mutable_begin()->set_complete(true);
  return request;
}

// A frame count that means minutes of work.
inline constexpr double kEndless = 8e9;

}  // namespace bvhmill::testing
