// StreamOpen.report_issues_early over a real socket.

#include <gmock/gmock.h>

#include <chrono>
#include <string>
#include <vector>

#include "tests/server/convert/clip_stream.h"

namespace bvhmill::testing {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;

// A clip with a comment in its hierarchy, and `value` in row 2 of many.
std::string FaultyClip(int rows, const std::string& value = "nan") {
  std::string text =
      "HIERARCHY\nROOT Hips\n{\n# a comment\nOFFSET 0 0 0\n"
      "CHANNELS 3 Zrotation Xrotation Yrotation\nEnd Site\n{\nOFFSET 0 1 0\n"
      "}\n}\nMOTION\nFrames: " +
      std::to_string(rows) + "\nFrame Time: 0.1\n";
  for (int row = 0; row < rows; ++row) {
    text += "1 2 " + (row == 2 ? value : "3") + "\n";
  }
  return text;
}

// More text than twice what the server looks ahead after a row that is no row.
constexpr int kManyRows = 500'000;

Request EarlyOpen(bool early) {
  Request request;
  request.mutable_open()->set_report_issues_early(early);
  return request;
}

// A stream that fails instead of waiting for ever.
class EarlyIssuesTest : public ServerTest {
 protected:
  void OpenStream(bool early) {
    context_ = std::make_unique<grpc::ClientContext>();
    context_->set_deadline(std::chrono::system_clock::now() +
                           std::chrono::minutes(1));
    stream_ = clips_->ConvertClips(context_.get());
    ASSERT_TRUE(stream_->Write(EarlyOpen(early)));
  }

  // Reads issues until there is one with this code.
  void ReadUntil(const std::string& code) {
    Response response;
    while (early_.empty() || early_.back().code() != code) {
      ASSERT_TRUE(stream_->Read(&response)) << "no " << code << " came";
      ASSERT_TRUE(response.has_issues_found());
      Keep(response.issues_found());
    }
  }

  // Reads the rest, with one result.
  void ReadResult() {
    stream_->WritesDone();
    for (Response response; stream_->Read(&response);) {
      if (response.has_issues_found()) {
        EXPECT_FALSE(result_.has_report()) << "issues after the result";
        Keep(response.issues_found());
      }
      if (response.has_result()) result_ = response.result();
    }
    const grpc::Status status = stream_->Finish();
    EXPECT_TRUE(status.ok()) << status.error_message();
  }

  void Keep(const v1::IssuesFound& found) {
    EXPECT_EQ(found.key(), "a");
    EXPECT_GT(found.issues_size(), 0);
    early_.insert(early_.end(), found.issues().begin(), found.issues().end());
  }

  std::vector<std::string> EarlyCodes() const {
    std::vector<std::string> codes;
    for (const v1::Issue& issue : early_) codes.push_back(issue.code());
    return codes;
  }

  std::unique_ptr<grpc::ClientContext> context_;
  std::unique_ptr<grpc::ClientReaderWriter<Request, Response>> stream_;
  std::vector<v1::Issue> early_;
  v1::ClipResult result_;
};

TEST_F(EarlyIssuesTest, AFaultIsToldBeforeTheRestIsSent) {
  Start();
  const std::string text = FaultyClip(400);
  OpenStream(/*early=*/true);
  ASSERT_TRUE(stream_->Write(Begin("a")));
  ASSERT_TRUE(stream_->Write(Chunk(text.substr(0, text.size() / 2))));
  ReadUntil("DATA_NOT_FINITE");
  ASSERT_TRUE(stream_->Write(Chunk(text.substr(text.size() / 2))));
  ASSERT_TRUE(stream_->Write(End()));
  ReadResult();
  EXPECT_THAT(EarlyCodes(), ElementsAre("TEXT_COMMENT", "DATA_NOT_FINITE"));
  EXPECT_EQ(early_[1].message(), "the value is 'nan'");
  EXPECT_EQ(result_.report().verdict(), v1::VERDICT_ACCEPTED);
}

// A word that is no number may be a fault of the layout: the server looks
// ahead.
TEST_F(EarlyIssuesTest, ARefusedClipIsToldBeforeTheRestIsSent) {
  Start();
  const std::string text = FaultyClip(kManyRows, "x3");
  OpenStream(/*early=*/true);
  ASSERT_TRUE(stream_->Write(Begin("a")));
  ASSERT_TRUE(stream_->Write(Chunk(text.substr(0, text.size() / 2))));
  ReadUntil("MOTION_NUMBER_INVALID");
  ASSERT_TRUE(stream_->Write(Chunk(text.substr(text.size() / 2))));
  ASSERT_TRUE(stream_->Write(End()));
  ReadResult();
  EXPECT_EQ(result_.status().info().reason(), "MOTION_NUMBER_INVALID");
}

// Code and place are those of the report.
TEST_F(EarlyIssuesTest, TheReportListsThemToo) {
  Start();
  OpenStream(/*early=*/true);
  ASSERT_TRUE(stream_->Write(Whole("a", FaultyClip(10))));
  ReadResult();
  ASSERT_EQ(early_.size(), 2U);
  for (const v1::Issue& early : early_) {
    std::vector<std::string> places;
    for (const v1::Issue& issue : result_.report().issues()) {
      places.push_back(issue.code() + issue.location().SerializeAsString());
    }
    EXPECT_THAT(places,
                Contains(early.code() + early.location().SerializeAsString()));
  }
}

TEST_F(EarlyIssuesTest, TheResultIsTheSameWithoutThem) {
  Start();
  v1::ClipResult results[2];
  for (const bool early : {false, true}) {
    early_.clear();
    result_.Clear();
    OpenStream(early);
    ASSERT_TRUE(stream_->Write(Whole("a", FaultyClip(10))));
    ReadResult();
    EXPECT_EQ(early_.empty(), !early);
    result_.clear_times();
    results[early ? 1 : 0] = result_;
  }
  EXPECT_EQ(results[0].ShortDebugString(), results[1].ShortDebugString());
}

TEST_F(EarlyIssuesTest, AreBoundedByTheIssuesOfAReport) {
  Start([](server::ServerConfig* config) {
    config->limits.max_issues_per_report = 1;
  });
  OpenStream(/*early=*/true);
  ASSERT_TRUE(stream_->Write(Whole("a", FaultyClip(kManyRows, "x3"))));
  ReadResult();
  EXPECT_THAT(EarlyCodes(), ElementsAre("MOTION_NUMBER_INVALID"));
}

TEST_F(EarlyIssuesTest, AGoodClipHasNone) {
  Start();
  OpenStream(/*early=*/true);
  ASSERT_TRUE(stream_->Write(Whole("a", SmallClip())));
  ReadResult();
  EXPECT_EQ(result_.status().code(), 0);
  EXPECT_TRUE(early_.empty());
}

// Nothing stays counted once the stream is over.
TEST_F(EarlyIssuesTest, TheirMemoryIsGivenBack) {
  Start([](server::ServerConfig* config) { config->metrics = "127.0.0.1:0"; });
  OpenStream(/*early=*/true);
  ASSERT_TRUE(stream_->Write(Whole("a", FaultyClip(10))));
  ReadResult();
  EXPECT_TRUE(Eventually([&] {
    return FetchGauge(server_->metrics_address(), "bvhmill_inflight_bytes") ==
           0;
  }));
}

}  // namespace
}  // namespace bvhmill::testing
