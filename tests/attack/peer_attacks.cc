// Connections that do not read, do not speak, or do not end.

#include <string>
#include <vector>

#include "tests/attack/attack.h"
#include "tests/attack/peer.h"
#include "tests/attack/texts.h"
#include "tests/server/http2.h"

namespace bvhmill::attack {
namespace {

using testing::BigEndian;
using testing::CallHeaders;
using testing::HeadersOf;
using testing::Hello;
using testing::Http2Frame;
using testing::Http2Header;
using testing::kContinuation;
using testing::kData;
using testing::kEndHeaders;
using testing::kEndStream;
using testing::kHeaders;
using testing::kPing;
using testing::kPreface;
using testing::kReflectionPath;
using testing::kReset;
using testing::kSettings;
using testing::Prefixed;

// A frame of settings, in which the peer states a window: none of each stream.
std::string NoWindow() {
  return kPreface +
         Http2Frame(kSettings, 0, 0, BigEndian(4, 2) + BigEndian(0, 4));
}

std::string Call(uint32_t stream, const std::string& headers,
                 const std::string& message) {
  return Http2Frame(kHeaders, kEndHeaders, stream, headers) +
         Http2Frame(kData, kEndStream, stream, Prefixed(message));
}

std::string ConvertMessage(int64_t frames) {
  v1::ConvertClipRequest request;
  request.mutable_source()->set_data(WideSkeleton(100, "a") +
                                     Motion(frames, "", 0));
  request.mutable_options()->add_outputs()->mutable_positions();
  return request.SerializeAsString();
}

std::string StreamMessage(int64_t frames) {
  v1::ConvertClipsRequest request;
  v1::ClipBegin* begin = request.mutable_begin();
  begin->mutable_source()->set_data(WideSkeleton(100, "a") +
                                    Motion(frames, "", 0));
  begin->mutable_options()->add_outputs()->mutable_positions();
  begin->set_complete(true);
  return request.SerializeAsString();
}

void SendCounted(const std::string& bytes, int timeout_ms, Target* target,
                 Peer* peer) {
  target->AddSent(peer->Send(bytes, timeout_ms));
}

// Sends `first` and then `more` again and again, and reads nothing. Connects
// again when it is cut.
void SendWithoutReading(Target* target, int connections,
                        const std::string& first, const std::string& more) {
  Repeat(connections, target, [&](int) {
    Peer peer(target->address());
    target->AddCall();
    peer.ShrinkReceiveBuffer();
    SendCounted(first, 1'000, target, &peer);
    while (peer.is_open() && !target->stopped()) {
      if (more.empty()) {
        target->Sleep(100);
      } else {
        SendCounted(more, 100, target, &peer);
      }
    }
    target->Sleep(50);
  });
}

void UnreadSettings(Target* target) {
  SendWithoutReading(target, 1, Hello(),
                     Times(Http2Frame(kSettings, 0, 0, ""), 10'000));
}

void UnreadReflection(Target* target) {
  std::string calls = NoWindow();
  for (uint32_t stream = 1; stream < 400; stream += 2) {
    // A list of services, asked for again and again.
    calls +=
        Http2Frame(kHeaders, kEndHeaders, stream, HeadersOf(kReflectionPath)) +
        Http2Frame(kData, 0, stream,
                   Times(Prefixed(std::string("\x3A\x01*", 3)), 500));
  }
  SendWithoutReading(target, 1, calls, "");
}

void UnreadCalls(Target* target) {
  std::string calls = NoWindow();
  const std::string message = ConvertMessage(3'000);
  for (uint32_t stream = 1; stream < 500; stream += 2) {
    calls += Call(stream, CallHeaders("ConvertClip"), message);
  }
  SendWithoutReading(target, 4, calls, "");
}

void UnreadStreams(Target* target) {
  std::string calls = NoWindow();
  const std::string message = StreamMessage(100'000);
  for (uint32_t stream = 1; stream < 500; stream += 2) {
    calls += Call(stream, CallHeaders("ConvertClips"), message);
  }
  SendWithoutReading(target, 4, calls, "");
}

void UnreadAll(Target* target) {
  std::string calls = NoWindow();
  const std::string message = ConvertMessage(3'000);
  const std::string stream_message = StreamMessage(100'000);
  for (uint32_t stream = 1; stream < 300; stream += 6) {
    calls += Call(stream, CallHeaders("ConvertClip"), message) +
             Call(stream + 2, CallHeaders("ConvertClips"), stream_message) +
             Call(stream + 4, HeadersOf(kReflectionPath),
                  std::string("\x3A\x01*", 3));
  }
  SendWithoutReading(target, 1, calls,
                     Times(Http2Frame(kSettings, 0, 0, ""), 10'000));
}

void SilentReflection(Target* target) {
  std::string calls = Hello();
  for (uint32_t stream = 1; stream < 512; stream += 2) {
    calls +=
        Http2Frame(kHeaders, kEndHeaders, stream, HeadersOf(kReflectionPath));
  }
  SendWithoutReading(target, 16, calls, "");
}

// A string of HPACK that says it has 1 GB, of which one byte comes at a time.
void EndlessString(Target* target) {
  const std::string length("\x7F\x81\xFF\xFF\xFF\x03", 6);
  const std::string start =
      Hello() + Http2Frame(kHeaders, 0, 1,
                           CallHeaders("ConvertClip") + BigEndian(0, 1) +
                               BigEndian(1, 1) + "a" + length);
  SendWithoutReading(target, 3, start,
                     Times(Http2Frame(kContinuation, 0, 1, "x"), 10'000));
}

void EndlessFields(Target* target) {
  const std::string start =
      Hello() + Http2Frame(kHeaders, 0, 1, CallHeaders("ConvertClip"));
  SendWithoutReading(
      target, 3, start,
      Http2Frame(kContinuation, 0, 1, Times(Http2Header("a", ""), 4'000)));
}

void EmptyFrames(Target* target) {
  const std::string start = Hello() + Http2Frame(kHeaders, kEndHeaders, 1,
                                                 CallHeaders("ConvertClips"));
  SendWithoutReading(target, 3, start,
                     Times(Http2Frame(kData, 0, 1, ""), 10'000));
}

void Pings(Target* target) {
  SendWithoutReading(target, 3, Hello(),
                     Times(Http2Frame(kPing, 0, 0, "12345678"), 10'000));
}

void RapidResets(Target* target) {
  Repeat(3, target, [&](int) {
    Peer peer(target->address());
    target->AddCall();
    SendCounted(Hello(), 1'000, target, &peer);
    const std::string headers = CallHeaders("ConvertClips");
    for (uint32_t stream = 1; peer.is_open() && !target->stopped();) {
      std::string calls;
      for (int i = 0; i < 30; ++i, stream += 2) {
        calls += Http2Frame(kHeaders, kEndHeaders, stream, headers) +
                 Http2Frame(kReset, 0, stream, BigEndian(8, 4));
      }
      SendCounted(calls, 100, target, &peer);
      peer.Discard();
    }
    target->Sleep(50);
  });
}

// Connections that stay open and say `words`.
void HoldConnections(Target* target, const std::string& address, int count,
                     const std::string& words) {
  std::vector<Peer> peers;
  while (!target->stopped()) {
    std::erase_if(peers, [](const Peer& peer) { return !peer.is_open(); });
    while (static_cast<int>(peers.size()) < count && !target->stopped()) {
      peers.emplace_back(address);
      target->AddCall();
      if (!peers.back().is_open()) break;
      SendCounted(words, 100, target, &peers.back());
    }
    for (Peer& peer : peers) peer.Discard();
    target->Sleep(100);
  }
}

void HalfOpen(Target* target) {
  HoldConnections(target, target->address(), 3'000, "");
}

void HalfPreface(Target* target) {
  HoldConnections(target, target->address(), 3'000, "PRI * HTTP/2.0\r\n\r\nS");
}

void IdleConnections(Target* target) {
  HoldConnections(target, target->address(), 3'000, Hello());
}

void SilentAtMetrics(Target* target) {
  HoldConnections(target, target->metrics_address(), 230, "");
}

void HalfRequestsAtMetrics(Target* target) {
  HoldConnections(target, target->metrics_address(), 230,
                  "GET /metrics HTTP/1.1\r\nHost: ");
}

// Connections whose calls wait for ever: `message` is the rest of each call.
void HoldCalls(Target* target, const std::string& path,
               const std::string& message) {
  constexpr int kConnections = 4'000;
  // As many of each connection as a proxy may let pass.
  constexpr uint32_t kCalls = 32;
  std::string calls = NoWindow();
  for (uint32_t stream = 1; stream < 2 * kCalls; stream += 2) {
    calls += Http2Frame(kHeaders, kEndHeaders, stream, HeadersOf(path));
    if (!message.empty()) {
      calls += Http2Frame(kData, kEndStream, stream, message);
    }
  }
  HoldConnections(target, target->address(), kConnections, calls);
}

void CallsWithoutMessage(Target* target) {
  HoldCalls(target, "/bvhmill.v1.ClipService/ConvertClip", "");
}

void UnreadHealth(Target* target) {
  HoldCalls(target, "/grpc.health.v1.Health/Check", Prefixed(""));
}

void UnreadWatches(Target* target) {
  HoldCalls(target, "/grpc.health.v1.Health/Watch", Prefixed(""));
}

void UnreadInfo(Target* target) {
  HoldCalls(target, "/bvhmill.v1.ServerService/GetServerInfo", Prefixed(""));
}

// Calls whose messages do not end: 15 of 16 MB of each.
void HalfMessages(Target* target) {
  constexpr uint32_t kCalls = 32;
  std::string window_is_enough = Hello();
  Repeat(8, target, [&](int) {
    Peer peer(target->address());
    target->AddCall();
    SendCounted(Hello(), 1'000, target, &peer);
    const std::string head = BigEndian(0, 1) + BigEndian(16'000'000, 4);
    for (uint32_t i = 0; i < kCalls; ++i) {
      const uint32_t stream = 1 + 2 * i;
      SendCounted(Http2Frame(kHeaders, kEndHeaders, stream,
                             CallHeaders("ConvertClip")) +
                      Http2Frame(kData, 0, stream, head),
                  1'000, target, &peer);
    }
    for (uint32_t i = 0; peer.is_open() && !target->stopped(); ++i) {
      SendCounted(
          Http2Frame(kData, 0, 1 + 2 * (i % kCalls), std::string(16'000, 'x')),
          1'000, target, &peer);
      peer.Discard();
    }
    target->Sleep(50);
  });
}

// Frames, connections, and calls that only their number makes an attack.
std::vector<Attack> FrameAttacks() {
  std::vector<Attack> out = {
      {"unread-settings", "a peer that sends SETTINGS and never reads",
       UnreadSettings},
      {"unread-reflection", "a peer that asks reflection and never reads",
       UnreadReflection},
      {"unread-all", "SETTINGS, calls, streams and reflection, none of it read",
       UnreadAll},
      {"silent-reflection", "4,096 reflection streams that say nothing",
       SilentReflection},
      {"hpack-string", "a header string of 1 GB in frames of one byte",
       EndlessString},
      {"hpack-fields", "headers without end", EndlessFields},
      {"empty-frames", "frames of data without any", EmptyFrames},
      {"pings", "PING frames without end", Pings},
      {"rapid-resets", "calls that are reset as soon as they are made",
       RapidResets},
      {"half-open", "3,000 connections that say nothing", HalfOpen},
      {"half-preface", "3,000 connections that say half a preface",
       HalfPreface},
      {"idle-connections", "3,000 connections without a call", IdleConnections},
      {"calls-without-message", "128,000 calls whose messages do not come",
       CallsWithoutMessage},
      {"unread-health", "128,000 health checks whose answers are not read",
       UnreadHealth},
      {"unread-watches", "128,000 watches of health that are not read",
       UnreadWatches},
      {"unread-info", "128,000 GetServerInfo whose answers are not read",
       UnreadInfo}};
  for (Attack& attack : out) attack.kind = Kind::kFrame;
  return out;
}

}  // namespace

std::vector<Attack> PeerAttacks() {
  std::vector<Attack> out = FrameAttacks();
  out.insert(
      out.end(),
      {{"unread-calls", "a peer that makes calls and never reads", UnreadCalls},
       {"unread-streams", "a peer that opens streams and never reads",
        UnreadStreams},
       {"half-messages", "256 calls whose 16 MB do not end", HalfMessages},
       {"metrics-silent", "230 silent connections to the page of metrics",
        SilentAtMetrics},
       {"metrics-half", "230 half requests to the page of metrics",
        HalfRequestsAtMetrics}});
  for (Attack& attack : out) {
    attack.needs_metrics = attack.name.starts_with("metrics-");
  }
  return out;
}

}  // namespace bvhmill::attack
