// Every output, edit and way to read over every odd clip, through a server: its
// calls and its streams give what the library gives.

#include <google/protobuf/util/message_differencer.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "bvhmill/encode/report_json.h"
#include "bvhmill/wire/options.h"
#include "bvhmill/wire/result.h"
#include "bvhmill/wire/status.h"
#include "tests/server/fixture.h"
#include "tests/support/converted.h"
#include "tests/support/odd_clips.h"
#include "tests/support/option_choices.h"

namespace bvhmill::testing {
namespace {

using google::protobuf::util::MessageDifferencer;

constexpr size_t kParts = 8;
constexpr size_t kPieces[] = {50, 1000, 1 << 20};

ConvertOptions WithOutputs(std::vector<OutputRequest> outputs) {
  ConvertOptions options;
  options.limits = MatrixLimits();
  options.outputs = std::move(outputs);
  return options;
}

// Args of issues are a map in messages.
std::string JsonOf(const ConvertResult& result) {
  Report report = result.report;
  for (Issue& issue : report.issues) {
    std::sort(issue.args.begin(), issue.args.end());
  }
  return ReportJson("", report, result.info);
}

std::string JsonOf(const v1::ClipResult& result) {
  ConvertResult read;
  read.report = wire::FromProto(result.report());
  read.info = wire::FromProto(result.info());
  return JsonOf(read);
}

void ExpectStatus(const v1::Status& actual, const ConvertResult& expected) {
  v1::Status status = wire::ToProto(expected.status);
  EXPECT_TRUE(MessageDifferencer::Equals(actual, status))
      << actual.ShortDebugString() << "\nis not\n"
      << status.ShortDebugString();
}

void ExpectResult(const v1::ClipResult& actual, const ConvertResult& expected) {
  ExpectStatus(actual.status(), expected);
  EXPECT_EQ(JsonOf(actual), JsonOf(expected));
  if (!expected.status.ok()) return;
  ASSERT_EQ(actual.outputs_size(), static_cast<int>(expected.outputs.size()));
  for (int i = 0; i < actual.outputs_size(); ++i) {
    v1::Output output;
    wire::ToProto(expected.outputs[static_cast<size_t>(i)], &output);
    output.set_data(actual.outputs(i).data());
    EXPECT_TRUE(MessageDifferencer::Equals(actual.outputs(i), output))
        << "output " << output.id();
  }
}

class RouteMatrixTest : public ServerTest,
                        public ::testing::WithParamInterface<size_t> {
 protected:
  void SetUp() override {
    Start([](server::ServerConfig* config) {
      config->limits = MatrixLimits();
      config->service.max_unary_response_bytes = 0;
      config->log = server::LogFormat::kOff;
    });
    OpenStream();
    const std::vector<OddClip> all = OddClips();
    const size_t made = all.size() - MadeOddClips().size();
    for (size_t i = GetParam(); i < all.size(); i += kParts) {
      odd_.push_back(all[i]);
      is_made_.push_back(i >= made);
    }
    ASSERT_GT(odd_.size(), 50U);
  }

  void TearDown() override {
    stream_->WritesDone();
    const grpc::Status status = stream_->Finish();
    EXPECT_TRUE(status.ok()) << status.error_message();
  }

  // The routes agree on this clip.
  void Check(const OddClip& clip, const ConvertOptions& options) {
    const Converted local = ConvertWhole(clip.text, options);
    const v1::ConvertOptions message = wire::ToProto(options);
    CheckCall(clip, message, local);
    CheckStream(clip, options, message, local);
  }

  void CheckCall(const OddClip& clip, const v1::ConvertOptions& options,
                 const Converted& local) {
    v1::ConvertClipRequest request;
    request.mutable_source()->set_data(clip.text);
    *request.mutable_options() = options;
    v1::ConvertClipResponse response;
    grpc::ClientContext context;
    const grpc::Status status =
        clips_->ConvertClip(&context, request, &response);
    if (!status.ok()) {
      ExpectStatus(OutcomeOf(status, {}), local.result);
      return;
    }
    ExpectResult(response.result(), local.result);
    if (!local.result.status.ok()) {
      EXPECT_EQ(response.result().outputs_size(), 0);
      return;
    }
    for (int i = 0; i < response.result().outputs_size(); ++i) {
      EXPECT_TRUE(response.result().outputs(i).data() ==
                  local.outputs.at(static_cast<size_t>(i)))
          << "output " << i << " of the call differs";
    }
  }

  void CheckStream(const OddClip& clip, const ConvertOptions& asked,
                   const v1::ConvertOptions& options, const Converted& local) {
    Send(clip, options);
    std::vector<std::string> data(static_cast<size_t>(options.outputs_size()));
    v1::ConvertClipsResponse response;
    while (stream_->Read(&response) && !response.has_result()) {
      if (!response.has_output_chunk()) continue;
      const v1::OutputChunk& chunk = response.output_chunk();
      std::string& output = data.at(static_cast<size_t>(chunk.output_index()));
      EXPECT_EQ(chunk.offset(), static_cast<int64_t>(output.size()));
      output += chunk.data();
    }
    ASSERT_TRUE(response.has_result()) << "the stream has ended";
    // A clip that is refused for its options is not read: it has no report.
    if (!response.result().has_report()) {
      EXPECT_TRUE(local.result.report.issues.empty());
      ExpectStatus(response.result().status(), local.result);
      EXPECT_FALSE(CheckOptions(asked).ok());
      return;
    }
    ExpectResult(response.result(), local.result);
    if (!local.result.status.ok()) return;
    for (size_t i = 0; i < data.size(); ++i) {
      EXPECT_TRUE(data[i] == local.outputs.at(i))
          << "output " << i << " of the stream differs";
    }
  }

  // Whole, or in pieces of one size, another way each time.
  void Send(const OddClip& clip, const v1::ConvertOptions& options) {
    const size_t way = sent_++ % (1 + std::size(kPieces));
    v1::ConvertClipsRequest begin;
    begin.mutable_begin()->set_key(std::to_string(sent_));
    *begin.mutable_begin()->mutable_options() = options;
    begin.mutable_begin()->set_complete(way == 0);
    if (way == 0) begin.mutable_begin()->mutable_source()->set_data(clip.text);
    EXPECT_TRUE(stream_->Write(begin));
    if (way == 0) return;
    v1::ConvertClipsRequest request;
    const size_t size = kPieces[way - 1];
    for (size_t at = 0; at < clip.text.size(); at += size) {
      request.set_chunk(clip.text.substr(at, size));
      EXPECT_TRUE(stream_->Write(request));
    }
    request.mutable_end();
    EXPECT_TRUE(stream_->Write(request));
  }

  // ValidateClip says what the library finds.
  void CheckValidation(const OddClip& clip, ConvertOptions options) {
    v1::ValidateClipRequest request;
    request.mutable_source()->set_data(clip.text);
    *request.mutable_options() = wire::ToProto(options);
    v1::ValidateClipResponse response;
    grpc::ClientContext context;
    const grpc::Status status =
        clips_->ValidateClip(&context, request, &response);
    options.checks_only = true;
    const ConvertResult local = ConvertWhole(clip.text, options).result;
    if (!status.ok()) {
      ExpectStatus(OutcomeOf(status, {}), local);
      return;
    }
    ExpectStatus(response.result().status(), local);
    EXPECT_EQ(JsonOf(response.result()), JsonOf(local));
  }

  JointList JointsOf(const OddClip& clip) {
    return ConvertWhole(clip.text, WithOutputs({})).result.info.joints;
  }

  std::vector<OddClip> odd_;
  // True for clips that are made in code, each of which gets every output.
  std::vector<bool> is_made_;

 private:
  void OpenStream() {
    stream_ = clips_->ConvertClips(&context_);
    v1::ConvertClipsRequest open;
    open.mutable_open()->set_ordered(true);
    ASSERT_TRUE(stream_->Write(open));
  }

  size_t sent_ = 0;
  grpc::ClientContext context_;
  std::unique_ptr<grpc::ClientReaderWriter<v1::ConvertClipsRequest,
                                           v1::ConvertClipsResponse>>
      stream_;
};

TEST_P(RouteMatrixTest, EachOutputAloneIsTheSame) {
  const std::vector<OutputRequest> outputs = OutputChoices();
  for (size_t i = 0; i < odd_.size(); ++i) {
    const size_t step = is_made_[i] ? 1 : 6;
    for (size_t k = i % step; k < outputs.size(); k += step) {
      SCOPED_TRACE(odd_[i].name + ", " + outputs[k].id);
      Check(odd_[i], WithOutputs({outputs[k]}));
      if (HasFailure()) return;
    }
  }
}

TEST_P(RouteMatrixTest, AllOutputsTogetherAreTheSame) {
  for (const OddClip& clip : odd_) {
    for (const auto& outputs : {ArrayAndTextChoices(), OutputChoices()}) {
      SCOPED_TRACE(clip.name);
      Check(clip, WithOutputs(outputs));
      CheckValidation(clip, WithOutputs(outputs));
      if (HasFailure()) return;
    }
  }
}

TEST_P(RouteMatrixTest, EachEditIsTheSame) {
  const std::vector<EditChoice> edits = EditChoices();
  for (size_t i = 0; i < odd_.size(); ++i) {
    const size_t step = is_made_[i] ? 1 : 6;
    const JointList joints = JointsOf(odd_[i]);
    for (size_t k = i % step; k < edits.size(); k += step) {
      SCOPED_TRACE(odd_[i].name + ", " + edits[k].name);
      ConvertOptions options = WithOutputs(OneOfEachFormat());
      edits[k].apply(joints, &options.edits);
      Check(odd_[i], options);
      CheckValidation(odd_[i], options);
      if (HasFailure()) return;
    }
  }
}

TEST_P(RouteMatrixTest, EachWayToReadIsTheSame) {
  for (const OddClip& clip : odd_) {
    for (const ReadChoice& read : ReadChoices()) {
      SCOPED_TRACE(clip.name + ", " + read.name);
      ConvertOptions options = WithOutputs({{"npz", NpzFormat{}}});
      read.apply(&options);
      Check(clip, options);
      CheckValidation(clip, options);
      if (HasFailure()) return;
    }
  }
}

TEST_P(RouteMatrixTest, SamplesOfAllCombinationsAreTheSame) {
  std::mt19937 random(static_cast<uint32_t>(100 + GetParam()));
  for (const OddClip& clip : odd_) {
    const JointList joints = JointsOf(clip);
    for (int sample = 0; sample < 5; ++sample) {
      SCOPED_TRACE(clip.name + ", sample " + std::to_string(sample));
      Check(clip, RandomOptions(joints, &random));
      if (HasFailure()) return;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Part, RouteMatrixTest,
                         ::testing::Range(size_t{0}, kParts));

}  // namespace
}  // namespace bvhmill::testing
