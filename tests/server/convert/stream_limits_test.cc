// Clips of a stream that ask for much: memory, long keys, many options.

#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "bvhmill/base/limits.h"
#include "bvhmill/base/text.h"
#include "server/app/config.h"
#include "server/observe/log.h"
#include "tests/server/convert/clip_stream.h"
#include "tests/server/fixture.h"

namespace bvhmill::testing {
namespace {

// Two bytes of text are a frame of many joints, and arrays are made whole.
TEST_F(StreamTest, MemoryForWholeOutputsIsAskedFor) {
  Start([](server::ServerConfig* config) {
    LimitBytes(config, 50'000'000);
    config->log = server::LogFormat::kOff;
  });
  std::string text =
      "HIERARCHY\nROOT r\n{\nOFFSET 0 0 0\nCHANNELS 1 Xrotation\n";
  for (int i = 0; i < 1'000; ++i) {
    text += "JOINT j\n{\nOFFSET 0 1 0\nCHANNELS 0\n}\n";
  }
  text += "}\nMOTION\nFrames: 3000\nFrame Time: 0.1\n";
  for (int i = 0; i < 3'000; ++i) text += "1\n";
  Request bomb = Whole("bomb", text);
  bomb.mutable_begin()->mutable_options()->add_outputs()->mutable_npz();
  ASSERT_TRUE(Run({Open(), bomb, Whole("good", SmallClip())}).ok());
  const v1::ClipResult& refused = answers_["bomb"].result;
  EXPECT_EQ(refused.status().code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
  EXPECT_EQ(refused.status().info().reason(), "SERVER_BUSY");
  EXPECT_EQ(refused.status().info().metadata().at("limit_name"),
            "max_inflight_bytes");
  EXPECT_NE(refused.report().verdict(), v1::VERDICT_UNREADABLE);
  EXPECT_EQ(answers_["good"].result.status().code(), 0);
}

// Every frame of a clip holds its key.
TEST_F(StreamTest, LongKeysRefuseOnlyTheirClip) {
  Start();
  const std::string longest(kMaxClipKeyBytes, 'k');
  const std::string huge(size_t{8} << 20, 'k');
  // In characters of three bytes, none of which may be cut in two.
  std::string wide;
  while (wide.size() <= kMaxClipKeyBytes) wide += "\xE3\x81\x82";
  const grpc::Status status =
      Run({Open(), Whole(longest, SmallClip()), Whole(huge, SmallClip()),
           Whole(wide, SmallClip()), Whole("", SmallClip())});
  ASSERT_TRUE(status.ok()) << status.error_message();
  ASSERT_EQ(answers_.size(), 4);
  EXPECT_EQ(answers_[longest].result.status().code(), 0);
  EXPECT_EQ(answers_[""].result.status().code(), 0);
  EXPECT_EQ(answers_[Excerpt(huge)].result.status().code(),
            grpc::StatusCode::INVALID_ARGUMENT);
  const v1::Status& refused = answers_[Excerpt(wide)].result.status();
  EXPECT_EQ(refused.code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(refused.message(), "begin.key: has 1026 bytes, more than 1024");
}

// Two bytes each on the wire, and a string for each in every clip.
TEST_F(StreamTest, OptionsAboveTheirSizeEndTheStream) {
  Start([](server::ServerConfig* config) {
    config->log = server::LogFormat::kOff;
  });
  v1::ConvertOptions options = Positions();
  for (int i = 0; i < 2'000'000; ++i) {
    options.mutable_edits()->add_drop();
  }
  Request open;
  *open.mutable_open()->mutable_options() = options;
  Request begin = Whole("many", SmallClip());
  *begin.mutable_begin()->mutable_options() = options;
  const std::vector<Request> cases[] = {{open}, {Open(), begin}};
  for (const std::vector<Request>& frames : cases) {
    const grpc::Status status = Run(frames);
    EXPECT_EQ(status.error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
    EXPECT_EQ(DetailsOf(status).quota.violations(0).subject(),
              "max_option_bytes");
  }
}

TEST_F(StreamTest, TooManyNamesAreRefused) {
  Start([](server::ServerConfig* config) {
    config->log = server::LogFormat::kOff;
  });
  const std::string field = "options.edits.drop";
  v1::ConvertOptions options = Positions();
  for (int i = 0; i < 200'000; ++i) {
    options.mutable_edits()->add_drop();
  }
  Request open;
  *open.mutable_open()->mutable_options() = options;
  const grpc::Status status = Run({open, Whole("clip", SmallClip())});
  EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  const v1::BadRequest bad = DetailsOf(status).bad_request;
  ASSERT_EQ(bad.field_violations_size(), 1);
  EXPECT_EQ(bad.field_violations(0).field(), field);

  Request begin = Whole("many", SmallClip());
  *begin.mutable_begin()->mutable_options() = options;
  ASSERT_TRUE(Run({Open(), begin, Whole("good", SmallClip())}).ok());
  EXPECT_EQ(answers_["many"].result.status().message(),
            field + ": has 200000 entries, more than 20000");
  EXPECT_EQ(answers_["good"].result.status().code(), 0);
}

TEST_F(StreamTest, OptionsOfAClipCount) {
  Start([](server::ServerConfig* config) {
    // For a clip with few options, and its frames.
    LimitBytes(config, 250'000);
    config->log = server::LogFormat::kOff;
  });
  Request begin = Begin("options");
  v1::ConvertOptions* options = begin.mutable_begin()->mutable_options();
  *options = Positions();
  for (int i = 0; i < 9'000; ++i) options->mutable_edits()->add_drop("");
  const grpc::Status status =
      Run({Open(), begin, End(), Whole("good", SmallClip())});
  ASSERT_TRUE(status.ok()) << status.error_message();
  const v1::Status& refused = answers_["options"].result.status();
  EXPECT_EQ(refused.code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
  EXPECT_EQ(refused.info().reason(), "SERVER_BUSY");
  EXPECT_EQ(refused.info().metadata().at("limit_name"), "max_inflight_bytes");
  EXPECT_EQ(answers_["good"].result.status().code(), 0);
}

}  // namespace
}  // namespace bvhmill::testing
