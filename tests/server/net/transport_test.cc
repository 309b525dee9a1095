// Limits of connections, as peers meet them who keep them or do not.

#include <gmock/gmock.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <future>

#include "tests/server/http2.h"
#include "tests/server/limits.h"

namespace bvhmill::testing {
namespace {

class TransportTest : public LimitsTest {
 protected:
  grpc::Status Call(Stub* stub, const std::string& text = SmallClip()) {
    grpc::ClientContext context;
    SetDeadline(&context);
    v1::ConvertClipResponse response;
    return stub->ConvertClip(&context, PositionsRequest(text), &response);
  }
};

TEST_F(TransportTest, CallsBeyondTheStreamsOfAConnectionWait) {
  StartWith([](server::ServerConfig* config) {
    config->transport.max_streams_per_connection = 2;
  });
  grpc::ClientContext contexts[2];
  std::unique_ptr<Stream> streams[2];
  for (int i = 0; i < 2; ++i) {
    streams[i] = clips_->ConvertClips(&contexts[i]);
    streams[i]->WaitForInitialMetadata();
  }
  auto third =
      std::async(std::launch::async, [this] { return Call(clips_.get()); });
  const auto other = Connect();
  for (int i = 0; i < 20; ++i) EXPECT_TRUE(Call(other.get()).ok());
  EXPECT_EQ(third.wait_for(std::chrono::seconds(0)),
            std::future_status::timeout);
  streams[0]->WritesDone();
  EXPECT_TRUE(streams[0]->Finish().ok());
  const grpc::Status status = third.get();
  EXPECT_TRUE(status.ok()) << status.error_message();
  streams[1]->WritesDone();
  EXPECT_TRUE(streams[1]->Finish().ok());
}

TEST_F(TransportTest, RequestsWaitWithTheirClientsForTransportMemory) {
  StartWith([](server::ServerConfig* config) {
    config->transport.max_transport_bytes = int64_t{1} << 20;
  });
  const std::string text = SmallClip(150'000);
  std::future<grpc::Status> calls[8];
  for (auto& call : calls) {
    call = std::async(std::launch::async,
                      [this, &text] { return Call(Connect().get(), text); });
  }
  for (auto& call : calls) {
    const grpc::Status status = call.get();
    EXPECT_TRUE(status.ok()) << status.error_message();
  }
}

constexpr char kAck = 1;
constexpr char kNoError = 0;
constexpr char kEnhanceYourCalm = 11;

struct Frame {
  char type = 0;
  char flags = 0;
  std::string payload;

  bool Is(int wanted, char with_flags = 0) const {
    return type == wanted && flags == with_flags;
  }
};

// A client that does nothing by itself.
class RawPeer {
 public:
  explicit RawPeer(const std::string& address) : fd_(DialLoopback(address)) {
    const timeval wait = {kTimeout.count(), 0};
    setsockopt(fd_, SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof wait);
    SendBytes(kPreface);
    Send(kSettings, 0, "");
  }
  ~RawPeer() { close(fd_); }
  RawPeer(const RawPeer&) = delete;
  RawPeer& operator=(const RawPeer&) = delete;

  // Sends a frame of stream 0.
  void Send(int type, char flags, const std::string& payload) const {
    SendBytes(Http2Frame(type, flags, 0, payload));
  }

  // Reads the next frame. False if the server has closed the connection, or
  // sent no byte for a long time.
  bool Read(Frame* frame) {
    std::string head;
    if (!Take(9, &head)) return false;
    const auto byte = [&](size_t i) {
      return static_cast<size_t>(static_cast<uint8_t>(head[i]));
    };
    frame->type = head[3];
    frame->flags = head[4];
    return Take(byte(0) << 16 | byte(1) << 8 | byte(2), &frame->payload);
  }

  bool ReadUntil(int type, char flags, Frame* frame) {
    while (Read(frame)) {
      if (frame->Is(type, flags)) return true;
    }
    return false;
  }

  bool is_closed() const { return is_closed_; }

 private:
  void SendBytes(const std::string& bytes) const {
    send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
  }

  bool Take(size_t size, std::string* bytes) {
    bytes->resize(size);
    if (size == 0) return true;
    const ssize_t got = recv(fd_, bytes->data(), size, MSG_WAITALL);
    is_closed_ = got == 0 || (got < 0 && errno == ECONNRESET);
    return got == static_cast<ssize_t>(size);
  }

  const int fd_;
  bool is_closed_ = false;
};

TEST_F(TransportTest, SilentPeersAreDisconnected) {
  StartWith([](server::ServerConfig* config) {
    config->transport.keepalive_seconds = 1;
    config->transport.keepalive_timeout_seconds = 1;
  });
  RawPeer silent(server_->address());
  RawPeer answering(server_->address());
  Frame frame;
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(answering.ReadUntil(kPing, 0, &frame)) << i;
    answering.Send(kPing, kAck, frame.payload);
  }
  EXPECT_TRUE(silent.ReadUntil(kPing, 0, &frame));
  while (silent.Read(&frame)) {
  }
  EXPECT_TRUE(silent.is_closed());
}

TEST_F(TransportTest, PeersThatPingTooOftenAreCutOff) {
  constexpr int kPings = 20;
  for (const int64_t seconds : {0, 10}) {
    StartWith([seconds](server::ServerConfig* config) {
      config->transport.min_ping_seconds = seconds;
    });
    RawPeer peer(server_->address());
    for (int i = 0; i < kPings; ++i) peer.Send(kPing, 0, "12345678");
    Frame frame;
    if (seconds == 0) {
      for (int i = 0; i < kPings; ++i) {
        ASSERT_TRUE(peer.ReadUntil(kPing, kAck, &frame)) << i;
      }
      continue;
    }
    ASSERT_TRUE(peer.ReadUntil(kGoAway, 0, &frame));
    EXPECT_EQ(frame.payload.at(7), kEnhanceYourCalm);
    while (peer.Read(&frame)) {
    }
    EXPECT_TRUE(peer.is_closed());
  }
}

TEST_F(TransportTest, OldConnectionsAreAskedToGo) {
  StartWith([](server::ServerConfig* config) {
    config->transport.max_connection_age_seconds = 1;
  });
  RawPeer peer(server_->address());
  Frame frame;
  ASSERT_TRUE(peer.ReadUntil(kGoAway, 0, &frame));
  EXPECT_EQ(frame.payload.at(7), kNoError);
  // The server asks whether that has come.
  ASSERT_TRUE(peer.ReadUntil(kPing, 0, &frame));
  peer.Send(kPing, kAck, frame.payload);
  while (peer.Read(&frame)) {
  }
  EXPECT_TRUE(peer.is_closed());
}

TEST_F(TransportTest, CallsOfOldConnectionsEndWithTheGrace) {
  StartWith([](server::ServerConfig* config) {
    config->transport.max_connection_age_seconds = 1;
    config->transport.max_connection_age_grace_seconds = 1;
  });
  grpc::ClientContext context;
  SetDeadline(&context);
  const auto stream = clips_->ConvertClips(&context);
  Response response;
  EXPECT_FALSE(stream->Read(&response));
  EXPECT_EQ(stream->Finish().error_code(), StatusCode::UNAVAILABLE);
  EXPECT_TRUE(Call(clips_.get()).ok());
}

}  // namespace
}  // namespace bvhmill::testing
