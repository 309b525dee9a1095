// Fields that this version does not know: reports name them.

#include <google/protobuf/message.h>
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/server/convert/unary.h"
#include "tests/server/fixture.h"
#include "tests/server/limits.h"

namespace bvhmill::testing {
namespace {

// Sets field 99 of `message`, which no version has.
void SetUnknownField(google::protobuf::Message* message) {
  message->GetReflection()->MutableUnknownFields(message)->AddVarint(99, 1);
}

// The fields that a report names as not known.
std::string UnknownFieldsIn(const v1::ValidationReport& report) {
  std::string named;
  for (const v1::Issue& issue : report.issues()) {
    if (issue.code() != "REQUEST_FIELD_UNKNOWN") continue;
    EXPECT_EQ(issue.severity(), v1::SEVERITY_WARNING);
    named += issue.args().at("fields");
  }
  return named;
}

TEST_F(UnaryTest, FieldsThatAreNotKnownAreNamedInTheReport) {
  Start();
  v1::ConvertClipRequest request = PositionsRequest(SmallClip());
  SetUnknownField(&request);
  SetUnknownField(request.mutable_source());
  SetUnknownField(request.mutable_options()->mutable_read());
  SetUnknownField(
      request.mutable_options()->mutable_outputs(0)->mutable_positions());
  ASSERT_TRUE(Convert(request).ok());
  EXPECT_EQ(UnknownFieldsIn(converted_.result().report()),
            "options.read: field 99, options.outputs[0].positions: field 99, "
            "field 99, source: field 99");
}

TEST_F(UnaryTest, StreamsNameFieldsThatAreNotKnown) {
  Start();
  grpc::ClientContext context;
  const auto stream = clips_->ConvertClips(&context);
  v1::ConvertClipsRequest frame;
  v1::ClipBegin* begin = frame.mutable_begin();
  begin->set_key("a");
  begin->set_complete(true);
  begin->mutable_source()->set_data(SmallClip());
  SetUnknownField(begin);
  SetUnknownField(begin->mutable_options()->mutable_validation());
  ASSERT_TRUE(stream->Write(frame));
  stream->WritesDone();
  v1::ConvertClipsResponse response;
  std::string named;
  while (stream->Read(&response)) {
    if (response.has_result()) {
      named += UnknownFieldsIn(response.result().report());
    }
  }
  EXPECT_TRUE(stream->Finish().ok());
  EXPECT_EQ(named, "options.validation: field 99, begin: field 99");
}

// A clip with such a field has a copy of the options of the stream.
TEST_F(UnaryTest, OptionsThatAClipCopiesForUnknownFieldsCount) {
  Start([](server::ServerConfig* config) { config->metrics = "127.0.0.1:0"; });
  grpc::ClientContext context;
  const auto stream = clips_->ConvertClips(&context);
  v1::ConvertClipsRequest open;
  v1::ConvertOptions* options = open.mutable_open()->mutable_options();
  options->add_outputs()->mutable_positions();
  for (int i = 0; i < 1000; ++i) {
    options->mutable_edits()->add_drop(std::string(200, 'n'));
  }
  ASSERT_TRUE(stream->Write(open));
  const auto bytes = [this] {
    return FetchGauge(server_->metrics_address(), "bvhmill_inflight_bytes");
  };
  ASSERT_TRUE(Eventually([&] { return bytes() > 200'000; }));
  const int64_t before = bytes();
  v1::ConvertClipsRequest frame;
  frame.mutable_begin()->set_key("a");
  SetUnknownField(frame.mutable_begin());
  ASSERT_TRUE(stream->Write(frame));
  EXPECT_TRUE(Eventually([&] { return bytes() > before + 200'000; }));
  context.TryCancel();
  stream->Finish();
}

}  // namespace
}  // namespace bvhmill::testing
