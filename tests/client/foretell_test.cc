// `validate` says what `convert` will: the same verdict, issues and refusals,
// for every format, from a server by calls and by streams, and in the process
// itself.

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "bvhmill/base/status.h"
#include "bvhmill/encode/encode.h"
#include "bvhmill/pipeline/convert.h"
#include "client/cli/engine.h"
#include "tests/server/fixture.h"

namespace bvhmill::client {
namespace {

using ::bvhmill::testing::SmallClip;

struct NamedClip {
  std::string name;
  std::string text;
};

std::string Replaced(std::string text, const std::string& from,
                     const std::string& to) {
  const size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

// A clip of one bone of the avatar that lasts `seconds` seconds.
std::string AvatarClip(int seconds) {
  std::string text =
      "HIERARCHY\nROOT mPelvis\n{\nOFFSET 0 0 0\nCHANNELS 6 Xposition "
      "Yposition Zposition Zrotation Xrotation Yrotation\nEnd Site\n{\nOFFSET "
      "0 1 0\n}\n}\nMOTION\nFrames: " +
      std::to_string(seconds * 10 + 1) + "\nFrame Time: 0.1\n";
  for (int i = 0; i <= seconds * 10; ++i) {
    text += "0 40 0 0 " + std::to_string(i % 50) + " 0\n";
  }
  return text;
}

// The client sends texts below about 1 MB by calls, and larger ones by streams.
std::vector<NamedClip> Clips() {
  constexpr int kFramesBelow = 20'000;
  constexpr int kFramesAbove = 60'000;
  const std::string small = SmallClip(3);
  return {{"small", small},
          {"without a frame time",
           Replaced(small, "Frame Time: 0.0333333", "Frame Time: 0")},
          {"cut", small.substr(0, small.size() - 4)},
          {"broken", Replaced(small, "OFFSET", "OFSET")},
          {"below the limit of calls", SmallClip(kFramesBelow)},
          {"above the limit of calls", SmallClip(kFramesAbove)},
          {"of the avatar", AvatarClip(5)},
          {"of the avatar, too long", AvatarClip(61)}};
}

std::vector<OutputRequest> EveryFormat() {
  std::vector<OutputRequest> outputs;
  for (const Format& format : Formats())
    outputs.push_back({"", format.defaults});
  NpzFormat velocities;
  velocities.velocities = true;
  outputs.push_back({"", velocities});
  AnimFormat viewer;
  viewer.profile = AnimProfile::kViewer;
  outputs.push_back({"", viewer});
  return outputs;
}

// Verdict, counts and issues, a line each.
std::string Said(const ConvertResult& result) {
  std::string said(VerdictName(result.report.verdict));
  for (const Issue& issue : result.report.issues) {
    said +=
        "\n" + RenderIssue(issue) + " x" + std::to_string(issue.occurrences);
  }
  return said;
}

// True if the command line fails the clip.
bool Fails(const ConvertResult& result) {
  return !result.status.ok() || result.report.counts.errors > 0;
}

class ForetellTest : public ::bvhmill::testing::ServerTest {
 protected:
  void SetUp() override {
    Start();
    ConnectOptions connect;
    connect.server = server_->address();
    auto client = Client::Connect(connect);
    ASSERT_TRUE(client.ok()) << client.status();
    engines_.push_back(std::make_unique<RemoteEngine>(*std::move(client)));
    engines_.push_back(std::make_unique<LocalEngine>(Limits()));
  }

  std::vector<std::unique_ptr<Engine>> engines_;
};

TEST_F(ForetellTest, ValidatePredictsConvertAndAllRoutesAgree) {
  int failures = 0;
  for (const NamedClip& clip : Clips()) {
    for (const OutputRequest& output : EveryFormat()) {
      SCOPED_TRACE(clip.name + ", " + std::string(OutputId(output)));
      ConvertOptions options;
      options.outputs = {output};
      std::vector<std::string> said;
      for (const auto& engine : engines_) {
        DiscardingReceiver receiver;
        const ConvertResult converted = engine->Convert(
            clip.name, {clip.text}, options, &receiver, nullptr);
        const ConvertResult validated =
            engine->Validate(clip.name, {clip.text}, options, nullptr);
        EXPECT_EQ(Fails(validated), Fails(converted))
            << validated.status << " / " << converted.status;
        EXPECT_EQ(Said(validated), Said(converted));
        failures += Fails(converted) ? 1 : 0;
        said.push_back(Said(converted));
      }
      EXPECT_EQ(said[0], said[1]);
    }
  }
  // Broken ones of each format, velocities without a rate, and .anim.
  EXPECT_GT(failures, 20);
}

}  // namespace
}  // namespace bvhmill::client
