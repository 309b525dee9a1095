// The format and the other fields of a clip beside its options, as the client
// library sends them to a server of this build.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "client/cpp/client.h"
#include "tests/anim/anim_support.h"
#include "tests/server/fixture.h"

namespace bvhmill::testing {
namespace {

class RealServerTest : public ServerTest {
 protected:
  void SetUp() override {
    Start();
    client::ConnectOptions options;
    options.server = server_->address();
    auto client = client::Client::Connect(options);
    ASSERT_TRUE(client.ok()) << client.status();
    client_ = *std::move(client);
  }

  std::unique_ptr<client::Client> client_;
};

// In one message and in a stream.
TEST_F(RealServerTest, AnAnimGivesTheOutputsOfTheProcess) {
  const std::string bytes = BytesOf(SmallMotion());
  ConvertOptions options;
  options.outputs = {{"", PositionsFormat{}}, {"", BvhFormat{}}};
  client::ClipData clip = {bytes};
  clip.format = SourceFormat::kAnim;
  EXPECT_TRUE(client_->Reads(clip.format));
  options.source_format = SourceFormat::kAnim;
  StringReceiver expected;
  ASSERT_TRUE(Convert(bytes, options, &expected, nullptr).status.ok());
  // The format of the clip counts, not that of the options.
  options.source_format = SourceFormat::kBvh;
  for (const bool streams : {false, true}) {
    if (streams) clip.on_issues = [](std::span<const Issue> /*issues*/) {};
    StringReceiver outputs;
    const ConvertResult result =
        client_->Convert("clip", clip, options, &outputs, nullptr);
    EXPECT_TRUE(result.status.ok()) << result.status;
    EXPECT_TRUE(outputs.data() == expected.data());
    EXPECT_TRUE(client_->Validate("clip", clip, options, nullptr).status.ok());
  }
}

TEST_F(RealServerTest, IssuesComeEarlyAndInTheReport) {
  std::string text = SmallClip(20);
  text.insert(text.find("OFFSET"), "# a comment\n");
  std::vector<std::string> codes;
  client::ClipData clip = {text};
  clip.on_issues = [&](std::span<const Issue> issues) {
    for (const Issue& issue : issues) codes.push_back(issue.code);
  };
  const ConvertResult result =
      client_->Convert("clip", clip, {}, nullptr, nullptr);
  EXPECT_EQ(codes, std::vector<std::string>{"TEXT_COMMENT"});
  ASSERT_FALSE(result.report.issues.empty());
  EXPECT_EQ(result.report.issues[0].code, "TEXT_COMMENT");
}

}  // namespace
}  // namespace bvhmill::testing
