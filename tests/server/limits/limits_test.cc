// Limits as clients meet them: each at what it allows, and one beyond.

#include "tests/server/limits.h"

#include <gmock/gmock.h>
#include <grpcpp/grpcpp.h>

#include <algorithm>
#include <cstdint>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "server/app/config.h"
#include "tests/server/fixture.h"
#include "tests/support/files.h"

namespace bvhmill::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string ClipOfALongRow() {
  std::string text = SmallClip(2);
  return text.insert(text.size() - 1, std::string(100, ' '));
}

int64_t LongestLine(const std::string& text) {
  size_t longest = 0;
  for (const std::string& line : Split(text, '\n')) {
    longest = std::max(longest, line.size());
  }
  return static_cast<int64_t>(longest);
}

int64_t EndOfFirstRow(const std::string& text) {
  const size_t header = text.find('\n', text.find("Frame Time"));
  return static_cast<int64_t>(text.find('\n', header + 1)) + 1;
}

struct ClipLimit {
  const char* name;
  int64_t Limits::*limit;
  const char* field;
  const char* reason;
  std::string text;
  // The amount that the text has of the limited quantity.
  int64_t has;
};

void PrintTo(const ClipLimit& limit, std::ostream* out) { *out << limit.name; }

std::vector<ClipLimit> ClipLimits() {
  const std::string text = SmallClip(5);
  return {
      {"Clip", &Limits::max_clip_bytes, "max_clip_bytes", "LIMIT_EXCEEDED",
       text, static_cast<int64_t>(text.size())},
      {"Header", &Limits::max_header_bytes, "max_header_bytes",
       "LIMIT_HEADER_BYTES", text, EndOfFirstRow(text)},
      {"LineOfHeader", &Limits::max_line_bytes, "max_line_bytes",
       "LIMIT_LINE_BYTES", text, LongestLine(text)},
      {"Row", &Limits::max_line_bytes, "max_line_bytes", "LIMIT_LINE_BYTES",
       ClipOfALongRow(), LongestLine(ClipOfALongRow())},
      {"Name", &Limits::max_name_bytes, "max_name_bytes", "LIMIT_NAME_BYTES",
       text, 5},
      {"Joints", &Limits::max_joints, "max_joints", "LIMIT_JOINTS", text, 3},
      {"Depth", &Limits::max_depth, "max_depth", "LIMIT_DEPTH", text, 2},
      {"Channels", &Limits::max_channels, "max_channels", "LIMIT_CHANNELS",
       text, 9},
      {"Frames", &Limits::max_frames, "max_frames", "LIMIT_FRAMES", text, 5},
  };
}

class ClipLimitTest : public LimitsTest,
                      public ::testing::WithParamInterface<ClipLimit> {
 protected:
  void StartAt(int64_t limit) {
    StartWith([limit](server::ServerConfig* config) {
      config->limits.*GetParam().limit = limit;
    });
  }

  static v1::ConvertClipRequest Clip() {
    return PositionsRequest(GetParam().text);
  }

  // Else it was never read.
  static bool IsInReport() { return GetParam().field != kUnread; }

  static void ExpectRefused(const v1::ErrorInfo& info) {
    EXPECT_EQ(info.reason(), GetParam().reason);
    EXPECT_EQ(info.domain(), "bvhmill.v1");
    EXPECT_EQ(ValueOf(info, "limit_name"), GetParam().field);
    EXPECT_EQ(ValueOf(info, "limit"), std::to_string(GetParam().has - 1));
    EXPECT_EQ(info.metadata().contains("line"), IsInReport());
  }

  static void ExpectRefused(const v1::ClipResult& result) {
    ExpectRefused(RefusalOf(result));
    ASSERT_EQ(result.report().issues_size(), IsInReport() ? 1 : 0);
    if (!IsInReport()) return;
    EXPECT_EQ(result.report().issues(0).code(), GetParam().reason);
  }

 private:
  static constexpr std::string_view kUnread = "max_clip_bytes";
};

INSTANTIATE_TEST_SUITE_P(Limits, ClipLimitTest,
                         ::testing::ValuesIn(ClipLimits()),
                         [](const auto& info) { return info.param.name; });

TEST_P(ClipLimitTest, ConvertClipNamesTheLimit) {
  StartAt(GetParam().has);
  EXPECT_TRUE(Convert(Clip()).ok());
  StartAt(GetParam().has - 1);
  const grpc::Status status = Convert(Clip());
  if (!IsInReport()) return ExpectRefused(RefusalOf(status));
  EXPECT_TRUE(status.ok()) << status.error_message();
  ExpectRefused(converted_.result());
}

TEST_P(ClipLimitTest, ConvertClipsNamesTheLimit) {
  std::vector<Request> requests = InPieces("pieces", Clip());
  requests.push_back(Whole("whole", Clip()));
  requests.push_back(Whole("tiny", PositionsRequest(TinyClip())));
  StartAt(GetParam().has);
  Results good;
  ASSERT_TRUE(Run(requests, &good).ok());
  ASSERT_EQ(good.size(), 3u);
  for (const auto& [key, result] : good) {
    EXPECT_EQ(result.status().code(), StatusCode::OK) << key;
  }
  StartAt(GetParam().has - 1);
  Results refused;
  ASSERT_TRUE(Run(requests, &refused).ok());
  ExpectRefused(refused["pieces"]);
  ExpectRefused(refused["whole"]);
  EXPECT_EQ(refused["tiny"].status().code(), StatusCode::OK);
}

// ValidateClip reports a limit inside the file as an issue, and the call is OK.
TEST_P(ClipLimitTest, ValidateClipNamesTheLimit) {
  StartAt(GetParam().has);
  ASSERT_TRUE(Validate(Clip()).ok());
  EXPECT_EQ(validated_.result().status().code(), StatusCode::OK);
  StartAt(GetParam().has - 1);
  const grpc::Status status = Validate(Clip());
  if (!IsInReport()) return ExpectRefused(RefusalOf(status));
  EXPECT_TRUE(status.ok()) << status.error_message();
  ExpectRefused(validated_.result());
}

// Each with the same warning for all joints but the first.
std::string ClipOfIssues() {
  std::string text = "HIERARCHY\n";
  for (const char* kind : {"ROOT", "JOINT", "JOINT", "JOINT"}) {
    text += std::string(kind) +
            " same\n{\nOFFSET 0 1 0\nCHANNELS 1 "
            "Xrotation\n";
  }
  return text +
         "End Site\n{\nOFFSET 0 1 0\n}\n}\n}\n}\n}\nMOTION\n"
         "Frames: 1\nFrame Time: 0.1\n1 2 3 4\n";
}

TEST_F(LimitsTest, ReportsAreCutAndSayIt) {
  v1::ConvertClipRequest clip = PositionsRequest(ClipOfIssues());
  // A larger number in the request does not raise the limit.
  clip.mutable_options()->mutable_validation()->set_max_issues(1'000);
  constexpr int kIssues = 3;
  for (const int limit : {kIssues, kIssues - 1}) {
    StartWith([limit](server::ServerConfig* config) {
      config->limits.max_issues_per_report = limit;
    });
    ASSERT_TRUE(Convert(clip).ok());
    ASSERT_TRUE(Validate(clip).ok());
    Results results;
    ASSERT_TRUE(Run({Whole("k", clip)}, &results).ok());
    for (const v1::ClipResult& result :
         {converted_.result(), validated_.result(), results["k"]}) {
      EXPECT_EQ(result.status().code(), StatusCode::OK);
      EXPECT_EQ(result.report().issues_size(), limit);
      EXPECT_EQ(result.report().truncated(), limit < kIssues);
      EXPECT_EQ(result.report().counts().warnings(), kIssues);
    }
  }
}

// Holds for arrays that leave in pieces, for texts, and for whole outputs.
TEST_F(LimitsTest, OutputBytesOfStreams) {
  for (const char* format : {"positions", "csv", "npz"}) {
    v1::ConvertClipRequest clip = PositionsRequest(SmallClip(20));
    v1::OutputRequest* output = clip.mutable_options()->mutable_outputs(0);
    if (std::string_view(format) == "csv") output->mutable_csv();
    if (std::string_view(format) == "npz") output->mutable_npz();
    v1::ConvertClipRequest small = clip;
    small.mutable_source()->set_data(TinyClip());
    const std::string made =
        LocalOutputs(clip.source().data(), clip.options())[0];
    for (const size_t limit : {made.size(), made.size() - 1}) {
      StartWith([limit](server::ServerConfig* config) {
        config->limits.max_output_bytes = static_cast<int64_t>(limit);
      });
      Results results;
      ASSERT_TRUE(
          Run({Whole("k", clip), Whole("small", small)}, &results).ok());
      EXPECT_EQ(results["small"].status().code(), StatusCode::OK) << format;
      EXPECT_EQ(results["k"].report().verdict(), v1::VERDICT_VALID);
      const bool fits = limit == made.size();
      EXPECT_EQ(results["k"].outputs_size(), fits ? 1 : 0) << format;
      if (fits) continue;
      const v1::ErrorInfo info = RefusalOf(results["k"]);
      EXPECT_EQ(info.reason(), "LIMIT_EXCEEDED");
      EXPECT_EQ(ValueOf(info, "limit_name"), "max_output_bytes");
    }
  }
}

class OutputCountTest : public LimitsTest {
 protected:
  static v1::ConvertClipRequest ClipOf(int outputs) {
    v1::ConvertClipRequest clip = PositionsRequest(SmallClip());
    for (int i = 1; i < outputs; ++i) {
      v1::OutputRequest* output = clip.mutable_options()->add_outputs();
      output->set_id(std::to_string(i));
      output->mutable_positions();
    }
    return clip;
  }

  void StartWithTwo() {
    StartWith([](server::ServerConfig* config) {
      config->limits.max_outputs_per_clip = 2;
    });
  }
};

TEST_F(OutputCountTest, ConversionsAreRefused) {
  StartWithTwo();
  EXPECT_TRUE(Convert(ClipOf(2)).ok());
  Results results;
  ASSERT_TRUE(
      Run({Whole("2", ClipOf(2)), Whole("3", ClipOf(3))}, &results).ok());
  EXPECT_EQ(results["2"].outputs_size(), 2);
  EXPECT_EQ(results["3"].report().verdict(), v1::VERDICT_UNSPECIFIED);
  for (const v1::ErrorInfo& info :
       {RefusalOf(Convert(ClipOf(3))), RefusalOf(results["3"])}) {
    EXPECT_EQ(info.reason(), "LIMIT_EXCEEDED");
    EXPECT_EQ(ValueOf(info, "limit_name"), "max_outputs_per_clip");
    EXPECT_EQ(ValueOf(info, "limit"), "2");
    EXPECT_EQ(ValueOf(info, "value"), "3");
  }
}

// It makes none, but says of each whether it could be made.
TEST_F(OutputCountTest, ValidateClipIsRefused) {
  StartWithTwo();
  EXPECT_TRUE(Validate(ClipOf(2)).ok());
  const grpc::Status status = Validate(ClipOf(3));
  EXPECT_EQ(status.error_code(), StatusCode::RESOURCE_EXHAUSTED);
  EXPECT_EQ(DetailsOf(status).quota.violations(0).subject(),
            "max_outputs_per_clip");
}

}  // namespace
}  // namespace bvhmill::testing
