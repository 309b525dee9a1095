// Every field of the messages of ClipService, by hand-written text protos: what
// a server answers to a request, message by message.

#include <gmock/gmock.h>
#include <google/protobuf/util/message_differencer.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "bvhmill/report/report.h"
#include "tests/server/fixture.h"
#include "tests/support/pack.h"
#include "tests/wire/coverage.h"

namespace bvhmill::testing {
namespace {

using ::testing::IsEmpty;

// One joint that is at 1 2 3, then at 4 5 6.
constexpr char kClip[] =
    "HIERARCHY\nROOT Hips\n{\nOFFSET 0 0 0\nCHANNELS 3 Xposition Yposition "
    "Zposition\n}\nMOTION\nFrames: 2\nFrame Time: 0.5\n1 2 3\n4 5 6\n";

// The expected info of the clip, its csv and its report.
constexpr char kInfo[] =
    "info { frames: 2 frames_per_second: 2 frame_time_seconds: 0.5 "
    "joint_count: 1 joints { name: 'Hips' parent: -1 channels: 'XYZ' "
    "offset: [0, 0, 0] } }";
const std::string& Report() {
  static const std::string report =
      "status {} report { verdict: VERDICT_VALID counts { hints: 1 } "
      "issues { code: 'DATA_FRAME_TIME_ODD' severity: SEVERITY_HINT "
      "location { line: 9 column: 13 } "
      "occurrences: 1 message: 'the frame time is 0.5; the rate of the clip is "
      "2 "
      "frames a second, too slow to show a motion' "
      "args { key: 'near' value: '10' } args { key: 'value' value: '0.5' } "
      "args { key: 'reading' value: '2 frames a second, too slow to show a "
      "motion' } } rules_version: '" +
      std::string(kRulesVersion) + "' }";
  return report;
}
constexpr char kCsv[] =
    "frame,time,Hips.x,Hips.y,Hips.z\n0,0,1,2,3\n1,0.5,4,5,6\n";

// An output of the csv, as it is when it is done.
std::string CsvOutput(const std::string& more) {
  return "outputs { id: 'csv' media_type: 'text/csv' size_bytes: " +
         std::to_string(sizeof kCsv - 1) + " " + more + " }";
}

std::string Quoted(const std::string& text) {
  std::string out = "'";
  for (const char c : text) out += c == '\n' ? "\\n" : std::string(1, c);
  return out + "'";
}

template <typename Message>
void ExpectText(const Message& actual, const std::string& text) {
  google::protobuf::util::MessageDifferencer differencer;
  std::string difference;
  differencer.ReportDifferencesToString(&difference);
  EXPECT_TRUE(differencer.Compare(ParseText<Message>(text), actual))
      << difference << "\n"
      << actual.ShortDebugString();
}

class ClipMessagesTest : public ServerTest {
 protected:
  std::string SourceOf(const std::string& more) {
    return "source { data: " + Quoted(kClip) + " " + more + " }";
  }

  // The answers of the stream, without times.
  std::vector<v1::ConvertClipsResponse> Talk(
      const std::vector<std::string>& requests, grpc::Status* status) {
    grpc::ClientContext context;
    const auto stream = clips_->ConvertClips(&context);
    for (const std::string& text : requests) {
      stream->Write(ParseText<v1::ConvertClipsRequest>(text));
    }
    stream->WritesDone();
    std::vector<v1::ConvertClipsResponse> responses;
    v1::ConvertClipsResponse response;
    while (stream->Read(&response)) {
      if (response.has_result()) response.mutable_result()->clear_times();
      responses.push_back(response);
    }
    *status = stream->Finish();
    return responses;
  }

  void ExpectTalk(const std::vector<std::string>& requests,
                  const std::vector<std::string>& responses) {
    grpc::Status status;
    const auto actual = Talk(requests, &status);
    EXPECT_TRUE(status.ok()) << status.error_message();
    ASSERT_EQ(actual.size(), responses.size());
    for (size_t i = 0; i < responses.size(); ++i) {
      ExpectText(actual[i], responses[i]);
    }
  }
};

TEST_F(ClipMessagesTest, ConvertClipAnswers) {
  Start();
  const auto request = ParseText<v1::ConvertClipRequest>(
      SourceOf("display_name: 'a.bvh'") + " options { outputs { csv {} } }");
  grpc::ClientContext context;
  v1::ConvertClipResponse response;
  ASSERT_TRUE(clips_->ConvertClip(&context, request, &response).ok());
  response.mutable_result()->clear_times();
  ExpectText(response, "result { " + Report() + kInfo +
                           CsvOutput("data: " + Quoted(kCsv)) + " }");
}

// Two outputs, one of them with an id of its own.
TEST_F(ClipMessagesTest, ConvertClipAnswersInTheOrderOfOutputs) {
  Start();
  const auto request = ParseText<v1::ConvertClipRequest>(
      SourceOf("") +
      " options { outputs { id: 'first' positions {} } outputs { csv {} } }");
  grpc::ClientContext context;
  v1::ConvertClipResponse response;
  ASSERT_TRUE(clips_->ConvertClip(&context, request, &response).ok());
  response.mutable_result()->clear_times();
  ExpectText(
      response,
      "result { " + Report() + kInfo +
          "outputs { id: 'first' media_type: 'application/vnd.bvhmill.tensor' "
          "size_bytes: 24 tensor { dtype: DATA_TYPE_FLOAT32 shape: [2, 1, 3] "
          "axes: ['frame', 'joint', 'xyz'] } "
          "data: '\\000\\000\\200\\077\\000\\000\\000\\100\\000\\000\\100\\100"
          "\\000\\000\\200\\100\\000\\000\\240\\100\\000\\000\\300\\100' } " +
          CsvOutput("data: " + Quoted(kCsv)) + " }");
}

TEST_F(ClipMessagesTest, ValidateClipAnswersWithoutOutputs) {
  Start();
  const auto request = ParseText<v1::ValidateClipRequest>(
      SourceOf("display_name: 'a.bvh'") + " options { outputs { csv {} } }");
  grpc::ClientContext context;
  v1::ValidateClipResponse response;
  ASSERT_TRUE(clips_->ValidateClip(&context, request, &response).ok());
  response.mutable_result()->clear_times();
  ExpectText(response, "result { " + Report() + kInfo + " }");
}

// Each value of the enum is the encoding of its name.
TEST_F(ClipMessagesTest, EncodingsAreThoseOfTheirNames) {
  Start();
  const std::string text = kClip;
  const std::pair<const char*, std::string> encodings[] = {
      {"CONTENT_ENCODING_UNSPECIFIED", text},
      {"CONTENT_ENCODING_IDENTITY", text},
      {"CONTENT_ENCODING_GZIP", Gzip(text)},
      {"CONTENT_ENCODING_ZSTD", Zstd(text)}};
  for (const auto& [name, bytes] : encodings) {
    auto request = ParseText<v1::ValidateClipRequest>(
        "source { encoding: " + std::string(name) + " }");
    request.mutable_source()->set_data(bytes);
    grpc::ClientContext context;
    v1::ValidateClipResponse response;
    ASSERT_TRUE(clips_->ValidateClip(&context, request, &response).ok());
    EXPECT_EQ(response.result().report().verdict(), v1::VERDICT_VALID) << name;
    EXPECT_EQ(response.result().info().frames(), 2) << name;
  }
  const auto unknown =
      ParseText<v1::ValidateClipRequest>("source { data: 'x' encoding: 4 }");
  grpc::ClientContext context;
  v1::ValidateClipResponse response;
  EXPECT_EQ(clips_->ValidateClip(&context, unknown, &response).error_code(),
            grpc::StatusCode::UNIMPLEMENTED);
}

std::vector<std::string> StreamRequests(const std::string& source) {
  return {
      "open { ordered: true report_issues_early: true options { outputs { csv "
      "{} } } }",
      // Whole, with the options of the stream.
      "begin { key: 'whole' complete: true " + source + " }",
      // In pieces, the first of them with the begin.
      "begin { key: 'pieces' source { data: " +
          Quoted(std::string(kClip).substr(0, 20)) + " } }",
      "chunk: " + Quoted(std::string(kClip).substr(20, 50)),
      "chunk: " + Quoted(std::string(kClip).substr(70)),
      "end {}",
      // With options of its own, which replace those of the stream.
      "begin { key: 'facts' complete: true options { read { strict: "
      "true } } " +
          source + " }",
      // Abandoned before it can have outputs.
      "begin { key: 'none' source { data: 'HIERARCHY' } }",
      "end { abandon: true }",
  };
}

TEST_F(ClipMessagesTest, ConvertClipsAnswersInOrder) {
  Start();
  std::vector<std::string> responses;
  for (const std::string key : {"whole", "pieces"}) {
    const std::string name = "key: '" + key + "' ";
    responses.push_back(
        "begin { " + name + kInfo +
        " outputs { id: 'csv' media_type: 'text/csv' size_bytes: -1 } }");
    responses.push_back("output_chunk { " + name + "data: " + Quoted(kCsv) +
                        " }");
    responses.push_back("result { " + name + Report() + kInfo + CsvOutput("") +
                        " }");
  }
  responses.push_back("result { key: 'facts' " + Report() + kInfo + " }");
  ExpectTalk(StreamRequests(SourceOf("format: SOURCE_FORMAT_BVH")), responses);
}

// Two outputs in pieces: their chunks say which one, and from where.
TEST_F(ClipMessagesTest, ChunksSayOutputAndOffset) {
  Start([](server::ServerConfig* config) {
    config->service.recommended_chunk_bytes = 1024;
  });
  std::string clip = kClip;
  clip.replace(clip.find("Frames: 2"), 9, "Frames: 200");
  std::string csv = kCsv;
  for (int i = 2; i < 200; ++i) {
    clip += "7 8 9\n";
    csv += std::to_string(i) + "," + std::to_string(i / 2) +
           (i % 2 == 1 ? ".5" : "") + ",7,8,9\n";
  }
  grpc::Status status;
  const auto responses =
      Talk({"begin { key: 'k' complete: true source { data: " + Quoted(clip) +
            " } options { outputs { id: 'a' csv {} } outputs { id: 'b' csv {} "
            "} } }"},
           &status);
  ASSERT_TRUE(status.ok()) << status.error_message();
  std::vector<std::string> outputs(2);
  int chunks = 0;
  for (const v1::ConvertClipsResponse& response : responses) {
    if (!response.has_output_chunk()) continue;
    const v1::OutputChunk& chunk = response.output_chunk();
    ++chunks;
    EXPECT_EQ(chunk.key(), "k");
    std::string& output = outputs.at(static_cast<size_t>(chunk.output_index()));
    EXPECT_EQ(chunk.offset(), static_cast<int64_t>(output.size()));
    output += chunk.data();
  }
  EXPECT_GT(chunks, 4);
  EXPECT_EQ(outputs[0], csv);
  EXPECT_EQ(outputs[1], csv);
}

// Not in order: results say the key of their clip.
TEST_F(ClipMessagesTest, WithoutOrderEachClipHasItsResult) {
  Start();
  std::vector<std::string> requests = {"open { ordered: false }"};
  std::vector<std::string> expected;
  for (int i = 0; i < 20; ++i) {
    expected.push_back("key " + std::to_string(i));
    requests.push_back("begin { key: '" + expected.back() +
                       "' complete: true " + SourceOf("") + " }");
  }
  grpc::Status status;
  std::vector<std::string> keys;
  for (const auto& response : Talk(requests, &status)) {
    keys.push_back(response.result().key());
  }
  EXPECT_TRUE(status.ok()) << status.error_message();
  EXPECT_THAT(keys, ::testing::UnorderedElementsAreArray(expected));
}

// If this fails, a new field of ClipService needs an exchange in this file.
TEST(ClipMessages, RequestsAreAllInACase) {
  FieldCoverage coverage;
  for (const std::string& text :
       StreamRequests("source { data: 'x' encoding: CONTENT_ENCODING_IDENTITY "
                      "format: SOURCE_FORMAT_BVH display_name: 'n' }")) {
    coverage.Add(ParseText<v1::ConvertClipsRequest>(text));
  }
  std::vector<std::string> missing;
  for (const std::string& name :
       coverage.Missing(v1::ConvertClipsRequest::descriptor())) {
    for (const char* message : {"ConvertClipsRequest.", "StreamOpen.",
                                "ClipBegin.", "ClipEnd.", "Source."}) {
      if (name.starts_with(message)) missing.push_back(name);
    }
  }
  // EncodingsAreThoseOfTheirNames and source_format_test.cc send them.
  EXPECT_THAT(Without({"Source.encoding: CONTENT_ENCODING_GZIP",
                       "Source.encoding: CONTENT_ENCODING_ZSTD",
                       "Source.format: SOURCE_FORMAT_ANIM", "Source.blob"},
                      missing),
              IsEmpty());
}

}  // namespace
}  // namespace bvhmill::testing
