// ClipData::on_issues of the client library, against servers that keep and that
// break the protocol.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "bvhmill/base/status.h"
#include "bvhmill/v1/clip_service.pb.h"
#include "client/cpp/client.h"
#include "tests/client/fake_server.h"
#include "tests/client/stream_cases.h"
#include "tests/client/timeout.h"

namespace bvhmill::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr char kResult[] =
    "result { key: '1' status {} report { verdict: VERDICT_VALID } }";

std::string Issues(const std::string& codes) {
  return Frame("issues_found { key: '1' " + codes + " }");
}

// The events that a client has received.
struct Seen {
  ConvertResult result;
  std::vector<std::string> codes;
  // The requests that the server got.
  std::vector<v1::ConvertClipsRequest> requests;
};

// A server that answers a clip with `frames`, and a client that asks for early
// issues unless `asks` is false.
Seen Converse(const std::vector<std::string>& frames, bool asks = true) {
  Seen seen;
  FakeServer server([&](FakeCall* call) {
    if (call->method() == "GetServerInfo") {
      call->Read();
      call->Write(InfoBytes("max_issues_per_report: 3"));
      return grpc::Status::OK;
    }
    while (const auto bytes = call->Read()) {
      EXPECT_TRUE(seen.requests.emplace_back().ParseFromString(*bytes));
    }
    return Send(frames)(call);
  });
  client::ConnectOptions options;
  options.server = server.address();
  const auto client = client::Client::Connect(options);
  EXPECT_TRUE(client.ok()) << client.status();
  if (!client.ok()) return seen;
  CancelToken cancel;
  const Watch watch(&cancel);
  client::ClipData clip = {"text"};
  if (asks) {
    clip.on_issues = [&](std::span<const Issue> issues) {
      for (const Issue& issue : issues) seen.codes.push_back(issue.code);
    };
  }
  seen.result = (*client)->Convert("clip", clip, {}, nullptr, &cancel);
  EXPECT_FALSE(cancel.IsCancelled()) << "it would have waited for ever";
  return seen;
}

TEST(EarlyIssues, ComeInTheOrderOfTheServer) {
  const Seen seen =
      Converse({Issues("issues { code: 'A' } issues { code: 'B' }"),
                Issues("issues { code: 'C' }"), Frame(kResult)});
  EXPECT_TRUE(seen.result.status.ok()) << seen.result.status;
  EXPECT_THAT(seen.codes, ElementsAre("A", "B", "C"));
  ASSERT_EQ(seen.requests.size(), 2U);
  EXPECT_TRUE(seen.requests[0].open().report_issues_early());
  EXPECT_TRUE(seen.requests[1].begin().complete());
}

TEST(EarlyIssues, AreMadePrintable) {
  const Seen seen =
      Converse({Issues("issues { code: 'A\\033[2J' }"), Frame(kResult)});
  EXPECT_THAT(seen.codes, ElementsAre("A\\x1B[2J"));
}

struct BrokenCase {
  const char* why;
  std::string frame;
};

TEST(EarlyIssues, ServersThatBreakTheProtocolAreFound) {
  const BrokenCase cases[] = {
      {"the clip '2'", Frame("issues_found { key: '2' issues {} }")},
      {"no early issues", Issues("")},
      {"max_issues_per_report",
       Issues("issues {} issues {} issues {} issues {}")},
  };
  for (const BrokenCase& c : cases) {
    const Seen seen = Converse({c.frame, Frame(kResult)});
    EXPECT_TRUE(absl::IsInternal(seen.result.status));
    EXPECT_THAT(std::string(MessageOf(seen.result.status)), HasSubstr(c.why));
    EXPECT_THAT(seen.codes, IsEmpty());
  }
}

}  // namespace
}  // namespace bvhmill::testing
