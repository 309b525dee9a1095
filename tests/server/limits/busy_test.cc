// Tests the limits on clips in flight and on memory of streams: of all callers
// and of each.

#include <gmock/gmock.h>

#include <atomic>
#include <list>
#include <ostream>
#include <thread>

#include "server/auth/tokens.h"
#include "tests/server/limits.h"
#include "tests/support/files.h"

namespace bvhmill::testing {
namespace {

constexpr int kPumpedClips = 60;

// Writes clips as fast as they are taken, and reads when it is told to.
class Pump {
 public:
  explicit Pump(std::unique_ptr<Stub> stub)
      : stub_(std::move(stub)),
        stream_(stub_->ConvertClips(&context_)),
        writer_([this] { Write(); }) {}

  ~Pump() {
    context_.TryCancel();
    writer_.join();
  }

  int sent() const { return sent_; }

  // Clips that were sent when no more is taken.
  int SentAtStall() const {
    return AwaitStall([this] { return sent(); });
  }

  // Good results of the whole stream.
  int ReadAll() {
    int good = 0;
    Response response;
    while (stream_->Read(&response)) {
      good += response.has_result() && response.result().status().code() == 0;
    }
    const grpc::Status status = stream_->Finish();
    EXPECT_TRUE(status.ok()) << status.error_message();
    return good;
  }

 private:
  void Write() {
    const std::string text = SmallClip(20'000);
    for (; sent_ < kPumpedClips; ++sent_) {
      Request request = Whole(std::to_string(sent_), PositionsRequest(text));
      if (!stream_->Write(request)) return;
    }
    stream_->WritesDone();
  }

  const std::unique_ptr<Stub> stub_;
  grpc::ClientContext context_;
  const std::unique_ptr<Stream> stream_;
  std::atomic<int> sent_ = 0;
  std::thread writer_;
};

TEST_F(LimitsTest, StreamsShareWhatTheyMayHold) {
  constexpr int64_t kShared = 8'000'000;
  StartWith([](server::ServerConfig* config) {
    config->metrics = "127.0.0.1:0";
    config->service.max_total_stream_bytes = kShared;
    // Nothing else holds them back.
    config->service.max_unfinished_clips_per_stream = 0;
    config->service.max_unfinished_bytes_per_stream = 0;
    config->service.max_unsent_bytes_per_stream = 0;
  });
  Pump first(Connect());
  EXPECT_TRUE(Eventually([&] {
    return FetchGauge(server_->metrics_address(), "bvhmill_stream_bytes") >=
           kShared;
  }));
  EXPECT_LT(first.SentAtStall(), kPumpedClips);
  // Little is left for the second.
  Pump second(Connect());
  const int stalled = second.SentAtStall();
  EXPECT_LT(stalled, kPumpedClips);
  EXPECT_EQ(first.ReadAll(), kPumpedClips);
  // The first stream holds nothing now, so the second may send, though its
  // outputs are not read. The transport asks for more only after much of what
  // it holds was taken.
  EXPECT_TRUE(Eventually([&] { return second.sent() > stalled; }));
  EXPECT_EQ(second.ReadAll(), kPumpedClips);
}

// Forty joints, and frames without text: 48 MB of positions in 1 KB.
std::string LittleText() {
  std::string out = "HIERARCHY\nROOT r\n{\nOFFSET 0 1 0\nCHANNELS 0\n";
  for (int i = 1; i < 40; ++i) {
    out += "JOINT j\n{\nOFFSET 0 1 0\nCHANNELS 0\n}\n";
  }
  return out + "}\nMOTION\nFrames: 100000\nFrame Time: 0.01\n";
}

// Outputs that no client reads count as memory of their clips.
TEST_F(LimitsTest, OutputsThatWaitCountAsMemory) {
  constexpr int kStreams = 4;
  StartWith([](server::ServerConfig* config) {
    config->metrics = "127.0.0.1:0";
    config->service.idle_seconds = 3600;
  });
  std::list<grpc::ClientContext> contexts;
  std::vector<std::unique_ptr<Stream>> streams;
  for (int i = 0; i < kStreams; ++i) {
    streams.push_back(clips_->ConvertClips(&contexts.emplace_back()));
    streams.back()->Write(Whole("k", PositionsRequest(LittleText())));
    streams.back()->WritesDone();
  }
  const auto held = [this](const char* gauge) {
    return FetchGauge(server_->metrics_address(), gauge);
  };
  // Half of the 48 MB of each, at least: gRPC has taken some.
  constexpr int64_t kLeast = kStreams * (int64_t{24} << 20);
  EXPECT_TRUE(
      Eventually([&] { return held("bvhmill_stream_bytes") > kLeast; }));
  EXPECT_GE(held("bvhmill_inflight_bytes"), held("bvhmill_stream_bytes"));
  for (const auto& stream : streams) {
    Response response;
    while (stream->Read(&response)) {
    }
    EXPECT_TRUE(stream->Finish().ok());
    EXPECT_EQ(response.result().status().code(), StatusCode::OK);
  }
  EXPECT_TRUE(Eventually([&] { return held("bvhmill_inflight_bytes") == 0; }));
}

// A clip that is refused before its end had kept its memory until then.
TEST_F(LimitsTest, ARefusedClipHoldsNothing) {
  StartWith([](server::ServerConfig* config) {
    config->limits.max_clip_bytes = 400'000;
    config->metrics = "127.0.0.1:0";
  });
  grpc::ClientContext context;
  SetDeadline(&context);
  const auto stream = clips_->ConvertClips(&context);
  Request request;
  request.mutable_begin()->mutable_options()->add_outputs()->mutable_npz();
  request.mutable_begin()->mutable_source()->set_data(SmallClip(3'000));
  stream->Write(request);
  const auto in_flight = [this] {
    return FetchGauge(server_->metrics_address(), "bvhmill_inflight_bytes");
  };
  EXPECT_TRUE(Eventually([&] { return in_flight() > 30'000; }));
  request.set_chunk(std::string(400'000, ' '));
  stream->Write(request);
  // The stream keeps its options.
  EXPECT_TRUE(Eventually([&] { return in_flight() < 10'000; }));
  request.mutable_end();
  stream->Write(request);
  stream->WritesDone();
  Response response;
  while (stream->Read(&response)) {
  }
  const grpc::Status status = stream->Finish();
  EXPECT_TRUE(status.ok()) << status.error_message();
  EXPECT_EQ(ValueOf(RefusalOf(response.result()), "limit_name"),
            "max_clip_bytes");
}

void Show(const std::string& token, grpc::ClientContext* context) {
  SetDeadline(context);
  context->AddMetadata("authorization", "Bearer " + token);
}

std::string Line(const std::string& token, const std::string& quotas) {
  std::string line;
  EXPECT_TRUE(server::HashToken(token, token, &line).ok());
  return line + quotas + "\n";
}

// Options of 12 kB, which take 33 kB as long as the clip is in flight, and 40
// kB more while they are read.
v1::ConvertOptions LargeOptions() {
  v1::ConvertOptions options = PositionsRequest("").options();
  for (int i = 0; i < 1'000; ++i) {
    options.mutable_validation()->add_ignore("TEXT_EMPTY");
  }
  return options;
}

// A clip that is in flight until it ends.
class HeldClip {
 public:
  HeldClip(const std::string& token, Stub* stub) {
    Show(token, &context_);
    stream_ = stub->ConvertClips(&context_);
    Request request;
    request.mutable_open()->set_report_issues_early(true);
    stream_->Write(request);
    *request.mutable_begin()->mutable_options() = LargeOptions();
    stream_->Write(request);
    // The comment is an issue, which comes at once. The last line does not end,
    // and is kept until it does.
    request.set_chunk("# a comment\n" + SmallClip() + std::string(20'000, ' '));
    stream_->Write(request);
    EXPECT_TRUE(stream_->Read(&response_) && response_.has_issues_found());
  }

  void End() {
    Request request;
    request.mutable_end();
    stream_->Write(request);
    stream_->WritesDone();
    while (stream_->Read(&response_)) {
    }
    EXPECT_EQ(response_.result().status().code(), StatusCode::OK);
    EXPECT_TRUE(stream_->Finish().ok());
  }

 private:
  grpc::ClientContext context_;
  std::unique_ptr<Stream> stream_;
  Response response_;
};

// A clip of a stream takes 128 KiB, its options, and 64 KiB for frames.
constexpr int64_t kBusyBytes = 300'000;

struct Busy {
  const char* name;
  // Where it is set: of the server, or of each token.
  int64_t server::AdmissionLimits::*limit;
  int64_t value;
  const char* quotas;
  const char* reason;
  const char* field;
};

void PrintTo(const Busy& busy, std::ostream* out) { *out << busy.name; }

using server::AdmissionLimits;
const Busy kBusy[] = {
    {"ConnectionClips", &AdmissionLimits::max_inflight_clips_per_connection, 1,
     "", "CONNECTION_BUSY", "max_inflight_clips_per_connection"},
    {"ConnectionBytes", &AdmissionLimits::max_inflight_bytes_per_connection,
     kBusyBytes, "", "CONNECTION_BUSY", "max_inflight_bytes_per_connection"},
    {"CallerClips", &AdmissionLimits::max_inflight_clips_per_caller, 1, "",
     "CALLER_BUSY", "max_inflight_clips_per_caller"},
    {"CallerBytes", &AdmissionLimits::max_inflight_bytes_per_caller, kBusyBytes,
     "", "CALLER_BUSY", "max_inflight_bytes_per_caller"},
    {"QuotaOfClips", nullptr, 1, ":clips=1", "CALLER_BUSY",
     "max_inflight_clips_per_caller"},
    {"QuotaOfBytes", nullptr, kBusyBytes, ":bytes=300000", "CALLER_BUSY",
     "max_inflight_bytes_per_caller"}};

class BusyTest : public LimitsTest, public ::testing::WithParamInterface<Busy> {
 protected:
  void SetUp() override {
    WriteFile(dir_.File("tokens"),
              Line("one", GetParam().quotas) + Line("two", GetParam().quotas));
    StartWith([this](server::ServerConfig* config) {
      config->token_file = dir_.File("tokens");
      if (GetParam().limit == nullptr) return;
      config->admission.*GetParam().limit = GetParam().value;
    });
    other_ = Connect();
  }

  // Fits by itself, but not beside the clip that is held.
  static grpc::Status Convert(const std::string& token, Stub* stub) {
    grpc::ClientContext context;
    Show(token, &context);
    v1::ConvertClipResponse response;
    return stub->ConvertClip(&context, PositionsRequest(SmallClip(3'000)),
                             &response);
  }

  static v1::ClipResult ConvertInStream(const std::string& token, Stub* stub) {
    grpc::ClientContext context;
    Show(token, &context);
    const auto stream = stub->ConvertClips(&context);
    v1::ConvertClipRequest clip = PositionsRequest(SmallClip());
    *clip.mutable_options() = LargeOptions();
    stream->Write(Whole("k", clip));
    stream->WritesDone();
    Response response;
    while (stream->Read(&response)) {
    }
    EXPECT_TRUE(stream->Finish().ok());
    return response.result();
  }

  static bool IsOfConnection() {
    return std::string_view(GetParam().reason) == "CONNECTION_BUSY";
  }

  static void ExpectBusy(const v1::ErrorInfo& info) {
    EXPECT_EQ(info.reason(), GetParam().reason);
    EXPECT_EQ(ValueOf(info, "limit_name"), GetParam().field);
    EXPECT_EQ(ValueOf(info, "limit"), std::to_string(GetParam().value));
    EXPECT_TRUE(info.metadata().contains("retry_after_ms"));
  }

  // A call's memory is freed soon after its end.
  static bool IsServed(const std::string& token, Stub* stub) {
    return Eventually([&] { return Convert(token, stub).ok(); });
  }

  static void ExpectBusyIf(bool is_busy, const std::string& token, Stub* stub) {
    if (!is_busy) {
      EXPECT_TRUE(IsServed(token, stub)) << token;
      return;
    }
    const grpc::Status status = Convert(token, stub);
    ExpectBusy(RefusalOf(status));
    EXPECT_GT(DetailsOf(status).retry.retry_delay().seconds(), 0);
  }

  TempDir dir_;
  std::unique_ptr<Stub> other_;
};

INSTANTIATE_TEST_SUITE_P(Limits, BusyTest, ::testing::ValuesIn(kBusy),
                         [](const auto& info) { return info.param.name; });

TEST_P(BusyTest, OthersAreServed) {
  HeldClip held("one", clips_.get());
  ExpectBusyIf(true, "one", clips_.get());
  ExpectBusyIf(IsOfConnection(), "two", clips_.get());
  ExpectBusyIf(!IsOfConnection(), "one", other_.get());
  ExpectBusyIf(false, "two", other_.get());
  ExpectBusy(RefusalOf(ConvertInStream("one", clips_.get())));
  held.End();
  ExpectBusyIf(false, "one", clips_.get());
  EXPECT_TRUE(Eventually([this] {
    return ConvertInStream("one", clips_.get()).status().code() == 0;
  }));
}

TEST_F(LimitsTest, ACallWaitsASecondForItsTurn) {
  StartWith([](server::ServerConfig* config) {
    config->admission.max_inflight_clips = 1;
  });
  grpc::ClientContext context;
  const auto stream = clips_->ConvertClips(&context);
  Request request = Whole("k", PositionsRequest(SmallClip()));
  request.mutable_begin()->set_complete(false);
  stream->Write(request);
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  const auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(
      ValueOf(RefusalOf(Convert(PositionsRequest(SmallClip()))), "limit_name"),
      "max_inflight_clips_per_connection");
  EXPECT_GE(std::chrono::steady_clock::now() - start, std::chrono::seconds(1));
  grpc::Status status;
  std::thread call([&] { status = Convert(PositionsRequest(SmallClip())); });
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  request.mutable_end();
  stream->Write(request);
  stream->WritesDone();
  Response response;
  while (stream->Read(&response)) continue;
  EXPECT_TRUE(stream->Finish().ok());
  call.join();
  EXPECT_TRUE(status.ok()) << status.error_message();
}

}  // namespace
}  // namespace bvhmill::testing
