// Work whose caller has gone stops, and its memory is freed.

#include "tests/server/abandon.h"

#include <gmock/gmock.h>
#include <sys/socket.h>
#include <unistd.h>

#include <thread>

#include "tests/server/bomb.h"
#include "tests/server/http2.h"

namespace bvhmill::testing {
namespace {

struct AbandonCase {
  const char* name;
  bool validates;
  bool by_deadline;
  grpc::StatusCode code;
};

TEST_F(AbandonTest, TheWorkOfACallStops) {
  const AbandonCase cases[] = {
      {"cancel", false, false, grpc::StatusCode::CANCELLED},
      {"deadline", false, true, grpc::StatusCode::DEADLINE_EXCEEDED},
      {"cancel of checks", true, false, grpc::StatusCode::CANCELLED},
      {"deadline of checks", true, true, grpc::StatusCode::DEADLINE_EXCEEDED}};
  StartOne();
  int64_t stopped = 0;
  for (const AbandonCase& c : cases) {
    SCOPED_TRACE(c.name);
    grpc::ClientContext context;
    if (c.by_deadline) {
      context.set_deadline(std::chrono::system_clock::now() +
                           std::chrono::seconds(2));
    }
    grpc::Status status;
    std::thread client([&] {
      const v1::ConvertClipRequest clip = ManyFrames(kEndless);
      v1::ValidateClipRequest checks;
      *checks.mutable_source() = clip.source();
      *checks.mutable_options()->mutable_edits() = clip.options().edits();
      v1::ConvertClipResponse converted;
      v1::ValidateClipResponse checked;
      status = c.validates ? clips_->ValidateClip(&context, checks, &checked)
                           : clips_->ConvertClip(&context, clip, &converted);
    });
    if (!c.by_deadline) {
      EXPECT_TRUE(Becomes("bvhmill_workers_busy", 1));
      context.TryCancel();
    }
    client.join();
    EXPECT_EQ(status.error_code(), c.code) << status.error_message();
    ExpectIdle();
    EXPECT_EQ(
        Value("bvhmill_clips_total{result=\"failed\",reason=\"CANCELLED\"}"),
        ++stopped);
    EXPECT_LT(Value("bvhmill_frames_total"), 100);
  }
}

// A client that gives up its clip while a long table is made of it.
TEST_F(AbandonTest, TheWorkOfAStreamStops) {
  v1::ConvertClipRequest clip =
      PositionsRequest(Bomb(PackZstd, Head("9000000"), "1 1 1\n"));
  clip.mutable_source()->set_encoding(v1::CONTENT_ENCODING_ZSTD);
  clip.mutable_options()->clear_outputs();
  clip.mutable_options()->add_outputs()->mutable_csv();
  StartOne();
  for (const bool by_deadline : {false, true}) {
    SCOPED_TRACE(by_deadline);
    grpc::ClientContext context;
    if (by_deadline) {
      context.set_deadline(std::chrono::system_clock::now() +
                           std::chrono::milliseconds(700));
    }
    const auto stream = clips_->ConvertClips(&context);
    ASSERT_TRUE(stream->Write(WholeClip(clip)));
    for (v1::ConvertClipsResponse response; stream->Read(&response);) {
      if (!by_deadline && response.has_begin()) context.TryCancel();
    }
    EXPECT_EQ(stream->Finish().error_code(),
              by_deadline ? grpc::StatusCode::DEADLINE_EXCEEDED
                          : grpc::StatusCode::CANCELLED);
    ExpectIdle();
  }
}

// Outputs that wait to be sent count as memory, which is freed with the call.
TEST_F(AbandonTest, LittleTextWithLargeOutputsThatAreNotRead) {
  const v1::ConvertClipRequest clips[] = {
      ManyFrames(4e6), PositionsRequest(ManyJoints() + Repeat("1\n", 200))};
  for (const v1::ConvertClipRequest& clip : clips) {
    SCOPED_TRACE(clip.source().data().size());
    StartOne();
    grpc::ClientContext context;
    const auto stream = clips_->ConvertClips(&context);
    ASSERT_TRUE(stream->Write(WholeClip(clip)));
    v1::ConvertClipsResponse response;
    ASSERT_TRUE(stream->Read(&response) && response.has_begin());
    EXPECT_TRUE(Becomes("bvhmill_workers_busy", 0));
    EXPECT_GT(Value("bvhmill_inflight_bytes"), 8 << 20);
    context.TryCancel();
    EXPECT_FALSE(stream->Finish().ok());
    EXPECT_TRUE(Becomes("bvhmill_inflight_clips", 0));
    EXPECT_LT(Value("bvhmill_inflight_bytes"), 1 << 20);
  }
}

// As when its process is killed, with and without a last word of the kernel.
TEST_F(AbandonTest, AConnectionThatClosesWithinAClip) {
  StartOne();
  v1::ConvertClipsRequest begin;
  begin.mutable_begin()->mutable_source()->set_data(SmallClip(100));
  const std::string message = begin.SerializeAsString();
  for (const bool resets : {false, true}) {
    SCOPED_TRACE(resets);
    const int fd = DialLoopback(server_->address());
    SendAll(fd, HalfCall("ConvertClips", Prefixed(message)));
    EXPECT_TRUE(Becomes("bvhmill_inflight_clips", 1));
    const linger at_once = {resets ? 1 : 0, 0};
    setsockopt(fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once));
    close(fd);
    ExpectIdle();
  }
}

}  // namespace
}  // namespace bvhmill::testing
