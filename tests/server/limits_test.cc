// Limits as clients meet them: each at what it allows, and one beyond.

#include <gmock/gmock.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <future>
#include <map>
#include <ostream>
#include <thread>

#include "bvhmill/base/bounds.h"
#include "server/tokens.h"
#include "tests/server/fixture.h"
#include "tests/support/files.h"

namespace bvhmill::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;
using Request = v1::ConvertClipsRequest;
using Response = v1::ConvertClipsResponse;
using Stub = v1::ClipService::Stub;
using Stream = grpc::ClientReaderWriter<Request, Response>;
using Results = std::map<std::string, v1::ClipResult>;
using grpc::StatusCode;

// What no test waits for longer.
constexpr std::chrono::seconds kPatience(30);

// True as soon as it is so once.
bool Await(const std::function<bool()>& is_so) {
  const auto end = std::chrono::steady_clock::now() + kPatience;
  while (!is_so()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return true;
}

void SetDeadline(grpc::ClientContext* context) {
  context->set_deadline(std::chrono::system_clock::now() + kPatience);
}

std::string ValueOf(const v1::ErrorInfo& info, const char* name) {
  const auto at = info.metadata().find(name);
  return at == info.metadata().end() ? "none" : at->second;
}

// Why a limit refused a call, or a clip of a stream. The quota of a call must
// name the same limit.
v1::ErrorInfo RefusalOf(const grpc::Status& status) {
  EXPECT_EQ(status.error_code(), StatusCode::RESOURCE_EXHAUSTED);
  const Details details = DetailsOf(status);
  EXPECT_EQ(details.quota.violations_size(), 1);
  if (details.quota.violations_size() != 1) return details.info;
  EXPECT_EQ(details.quota.violations(0).subject(),
            ValueOf(details.info, "limit_name"));
  return details.info;
}

v1::ErrorInfo RefusalOf(const v1::ClipResult& result) {
  EXPECT_EQ(result.status().code(), StatusCode::RESOURCE_EXHAUSTED);
  return result.status().info();
}

Request Whole(const std::string& key, const v1::ConvertClipRequest& clip) {
  Request request;
  request.mutable_begin()->set_key(key);
  *request.mutable_begin()->mutable_source() = clip.source();
  *request.mutable_begin()->mutable_options() = clip.options();
  request.mutable_begin()->set_complete(true);
  return request;
}

// The same in pieces of a few bytes.
std::vector<Request> InPieces(const std::string& key,
                              const v1::ConvertClipRequest& clip) {
  std::vector<Request> requests = {Whole(key, clip)};
  requests[0].mutable_begin()->clear_source();
  requests[0].mutable_begin()->set_complete(false);
  constexpr size_t kPiece = 16;
  const std::string& text = clip.source().data();
  for (size_t at = 0; at < text.size(); at += kPiece) {
    requests.emplace_back().set_chunk(text.substr(at, kPiece));
  }
  requests.emplace_back().mutable_end();
  return requests;
}

class LimitsTest : public ServerTest {
 protected:
  void StartWith(const std::function<void(server::ServerConfig*)>& configure) {
    Start([&](server::ServerConfig* config) {
      config->log = server::LogFormat::kOff;
      configure(config);
    });
  }

  // A connection of its own.
  std::unique_ptr<Stub> Connect() const {
    grpc::ChannelArguments arguments;
    arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
    return v1::ClipService::NewStub(grpc::CreateCustomChannel(
        server_->address(), grpc::InsecureChannelCredentials(), arguments));
  }

  grpc::Status Convert(const v1::ConvertClipRequest& request) {
    grpc::ClientContext context;
    SetDeadline(&context);
    return clips_->ConvertClip(&context, request, &converted_);
  }

  grpc::Status Validate(const v1::ConvertClipRequest& clip) {
    grpc::ClientContext context;
    SetDeadline(&context);
    v1::ValidateClipRequest request;
    *request.mutable_source() = clip.source();
    *request.mutable_options() = clip.options();
    return clips_->ValidateClip(&context, request, &validated_);
  }

  // The results of a stream of a few small clips, by key.
  grpc::Status Run(const std::vector<Request>& requests, Results* results) {
    grpc::ClientContext context;
    SetDeadline(&context);
    const auto stream = clips_->ConvertClips(&context);
    for (const Request& request : requests) stream->Write(request);
    stream->WritesDone();
    Response response;
    while (stream->Read(&response)) {
      if (!response.has_result()) continue;
      const bool is_new =
          results->emplace(response.result().key(), response.result()).second;
      EXPECT_TRUE(is_new) << response.result().key();
    }
    return stream->Finish();
  }

  v1::ConvertClipResponse converted_;
  v1::ValidateClipResponse validated_;
};

// Within every limit that the cases below set.
std::string TinyClip() {
  return "HIERARCHY\nROOT r\n{\nOFFSET 0 0 0\nCHANNELS 1 Xrotation\n}\nMOTION\n"
         "Frames: 1\nFrame Time: 0.1\n1\n";
}

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
  // What the text has of it.
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

TEST_P(ClipLimitTest, OfConvertClip) {
  StartAt(GetParam().has);
  EXPECT_TRUE(Convert(Clip()).ok());
  StartAt(GetParam().has - 1);
  ExpectRefused(RefusalOf(Convert(Clip())));
}

TEST_P(ClipLimitTest, OfConvertClips) {
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

// What is wrong within a file is what was asked for.
TEST_P(ClipLimitTest, OfValidateClip) {
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
  // What the caller asks for does not lift the limit.
  clip.mutable_options()->mutable_validation()->set_max_issues(1'000);
  constexpr int kIssues = 3;
  for (const int limit : {kIssues, kIssues - 1}) {
    StartWith([limit](server::ServerConfig* config) {
      config->limits.max_issues = limit;
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

// Of arrays in pieces, of texts, and of what is made whole.
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
    StartWith(
        [](server::ServerConfig* config) { config->limits.max_outputs = 2; });
  }
};

TEST_F(OutputCountTest, OfConversions) {
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
TEST_F(OutputCountTest, OfValidateClip) {
  StartWithTwo();
  EXPECT_TRUE(Validate(ClipOf(2)).ok());
  const grpc::Status status = Validate(ClipOf(3));
  EXPECT_EQ(status.error_code(), StatusCode::RESOURCE_EXHAUSTED);
  EXPECT_EQ(DetailsOf(status).quota.violations(0).subject(),
            "max_outputs_per_clip");
}

struct Bound {
  const char* name;
  const char* field;
  size_t most;
  // Puts `count` of them, or one of so many bytes.
  void (*put)(size_t count, v1::ConvertOptions* options);
  // What becomes of as many as there may be: some fit no clip.
  StatusCode at_most = StatusCode::OK;
};

void PrintTo(const Bound& bound, std::ostream* out) { *out << bound.name; }

using Options = v1::ConvertOptions;

v1::AnimFormat* AnimOf(Options* options) {
  return options->mutable_outputs(0)->mutable_anim();
}

void AddRow(const std::string& from, const std::string& to, Options* options) {
  v1::JointMapRow* row = options->mutable_edits()->add_joint_map_rows();
  row->set_source(from);
  row->set_target(to);
}

void Rename(const std::string& from, const std::string& to, Options* options) {
  (*options->mutable_edits()->mutable_rename_joints())[from] = to;
}

void SetSeverity(const std::string& code, Options* options) {
  auto* all = options->mutable_validation()->mutable_severity_overrides();
  (*all)[code] = v1::SEVERITY_INFO;
}

std::string Long(size_t bytes) { return std::string(bytes, 'n'); }

const Bound kBounds[] = {
    {"IgnoreCodes", "options.validation.ignore_codes", kMaxCodes,
     [](size_t n, Options* o) {
       while (n-- > 0) o->mutable_validation()->add_ignore_codes("TEXT_EMPTY");
     }},
    {"OnlyCodes", "options.validation.only_codes", kMaxCodes,
     [](size_t n, Options* o) {
       while (n-- > 0) o->mutable_validation()->add_only_codes("TEXT_EMPTY");
     }},
    // There are not so many codes.
    {"Severities", "options.validation.severity_overrides", kMaxCodes,
     [](size_t n, Options* o) {
       while (n-- > 0) SetSeverity(std::to_string(n), o);
     },
     StatusCode::INVALID_ARGUMENT},
    {"DropJoints", "options.edits.drop_joints", kMaxJointNames,
     [](size_t n, Options* o) {
       while (n-- > 0) o->mutable_edits()->add_drop_joints("Spine");
     }},
    {"KeepJoints", "options.edits.keep_joints", kMaxJointNames,
     [](size_t n, Options* o) {
       while (n-- > 0) o->mutable_edits()->add_keep_joints("Hips");
     }},
    {"RenameJoints", "options.edits.rename_joints", kMaxJointNames,
     [](size_t n, Options* o) {
       while (n-- > 0) Rename(std::to_string(n), "a", o);
     },
     StatusCode::INVALID_ARGUMENT},
    {"MapRows", "options.edits.joint_map_rows", kMaxJointNames,
     [](size_t n, Options* o) {
       while (n-- > 0) AddRow(n == 0 ? "Hips" : std::to_string(n), "a", o);
     }},
    {"DroppedName", "options.edits.drop_joints", kMaxJointNameBytes,
     [](size_t n, Options* o) { o->mutable_edits()->add_drop_joints(Long(n)); },
     StatusCode::INVALID_ARGUMENT},
    {"KeptName", "options.edits.keep_joints", kMaxJointNameBytes,
     [](size_t n, Options* o) { o->mutable_edits()->add_keep_joints(Long(n)); },
     StatusCode::INVALID_ARGUMENT},
    {"NewName", "options.edits.rename_joints", kMaxJointNameBytes,
     [](size_t n, Options* o) { Rename("Hips", Long(n), o); }},
    {"MapTarget", "options.edits.joint_map_rows", kMaxJointNameBytes,
     [](size_t n, Options* o) { AddRow("Hips", Long(n), o); }},
    {"OutputId", "options.outputs[0].id", kMaxOutputIdBytes,
     [](size_t n, Options* o) { o->mutable_outputs(0)->set_id(Long(n)); }},
    // The clip has none of the avatar's joints.
    {"Priorities", "options.outputs[0].anim.joint_priorities",
     kMaxJointPriorities,
     [](size_t n, Options* o) {
       while (n-- > 0) AnimOf(o)->add_joint_priorities()->set_joint("mPelvis");
     },
     StatusCode::FAILED_PRECONDITION},
};

class BoundTest : public LimitsTest,
                  public ::testing::WithParamInterface<Bound> {
 protected:
  static v1::ConvertClipRequest Ask(size_t count) {
    v1::ConvertClipRequest request = PositionsRequest(SmallClip());
    GetParam().put(count, request.mutable_options());
    return request;
  }

  static std::string MoreThanMost() {
    return ", more than " + std::to_string(GetParam().most);
  }
};

INSTANTIATE_TEST_SUITE_P(Limits, BoundTest, ::testing::ValuesIn(kBounds),
                         [](const auto& info) { return info.param.name; });

TEST_P(BoundTest, NamesTheField) {
  StartWith([](server::ServerConfig*) {});
  const grpc::Status most = Convert(Ask(GetParam().most));
  EXPECT_EQ(most.error_code(), GetParam().at_most) << most.error_message();
  EXPECT_THAT(most.error_message(), Not(HasSubstr(MoreThanMost())));
  const grpc::Status more = Convert(Ask(GetParam().most + 1));
  EXPECT_EQ(more.error_code(), StatusCode::INVALID_ARGUMENT);
  const v1::BadRequest bad = DetailsOf(more).bad_request;
  ASSERT_EQ(bad.field_violations_size(), 1);
  EXPECT_EQ(bad.field_violations(0).field(), GetParam().field);
  EXPECT_THAT(bad.field_violations(0).description(), HasSubstr(MoreThanMost()));
}

TEST_P(BoundTest, NamesTheFieldOfOneClip) {
  StartWith([](server::ServerConfig*) {});
  const Request most = Whole("most", Ask(GetParam().most));
  const Request more = Whole("more", Ask(GetParam().most + 1));
  Results results;
  ASSERT_TRUE(Run({more, most}, &results).ok());
  EXPECT_EQ(results["most"].status().code(), GetParam().at_most);
  const v1::ClipResult& refused = results["more"];
  EXPECT_EQ(refused.status().code(), StatusCode::INVALID_ARGUMENT);
  EXPECT_THAT(refused.status().message(), StartsWith(GetParam().field));
  EXPECT_THAT(refused.status().message(), HasSubstr(MoreThanMost()));
  EXPECT_EQ(refused.report().verdict(), v1::VERDICT_UNSPECIFIED);
}

// Where the codes that would say why are not wanted.
TEST_F(LimitsTest, OutputsThatAreImpossibleForNoReasonThatCounts) {
  StartWith([](server::ServerConfig*) {});
  const std::pair<v1::AnimProfile, std::vector<const char*>> cases[] = {
      {v1::ANIM_PROFILE_BEST, {"TARGET_ANIM_NO_JOINTS", "ANIM_NO_JOINTS"}},
      {v1::ANIM_PROFILE_VIEWER, {"TARGET_ANIM_VIEWER", "ANIM_IMPORT_REFUSED"}}};
  for (const auto& [profile, codes] : cases) {
    v1::ConvertClipRequest clip = PositionsRequest(TinyClip());
    AnimOf(clip.mutable_options())->set_profile(profile);
    for (const char* code : codes) {
      clip.mutable_options()->mutable_validation()->add_ignore_codes(code);
    }
    const grpc::Status status = Convert(clip);
    EXPECT_EQ(status.error_code(), StatusCode::FAILED_PRECONDITION);
    EXPECT_EQ(DetailsOf(status).info.reason(), "OUTPUT_IMPOSSIBLE") << profile;
    EXPECT_NE(status.error_message(), "");
    Results results;
    ASSERT_TRUE(Run({Whole("k", clip)}, &results).ok());
    const v1::Status& result = results["k"].status();
    EXPECT_EQ(result.code(), StatusCode::FAILED_PRECONDITION);
    EXPECT_EQ(result.info().reason(), "OUTPUT_IMPOSSIBLE") << profile;
  }
}

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

  // Clips that were sent when no more is taken for a second.
  int AwaitStall() const {
    int last = -1;
    while (last != sent_) {
      last = sent_;
      std::this_thread::sleep_for(std::chrono::seconds(1));
    }
    return last;
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
  StartWith([](server::ServerConfig* config) {
    config->service.max_stream_bytes = 4'000'000;
    // Nothing else holds them back.
    config->service.max_unfinished_clips_per_stream = 0;
    config->service.max_unfinished_bytes_per_stream = 0;
    config->service.max_unsent_bytes_per_stream = 0;
  });
  Pump first(Connect());
  EXPECT_LT(first.AwaitStall(), kPumpedClips);
  Pump second(Connect());
  const int stalled = second.AwaitStall();
  EXPECT_LT(stalled, kPumpedClips);
  EXPECT_EQ(first.ReadAll(), kPumpedClips);
  // As the first one holds nothing now, though nobody reads the second one.
  EXPECT_TRUE(Await([&] { return second.sent() > stalled; }));
  EXPECT_EQ(second.ReadAll(), kPumpedClips);
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

// Options of some 12 kB, which count as long as the clip is in flight.
v1::ConvertOptions LargeOptions() {
  v1::ConvertOptions options = PositionsRequest("").options();
  for (int i = 0; i < 1'000; ++i) {
    options.mutable_validation()->add_ignore_codes("TEXT_EMPTY");
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
    *request.mutable_begin()->mutable_options() = LargeOptions();
    stream_->Write(request);
    request.set_chunk(SmallClip());
    stream_->Write(request);
    EXPECT_TRUE(stream_->Read(&response_) && response_.has_begin());
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

constexpr int64_t kBusyBytes = 20'000;

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

using Admission = server::AdmissionLimits;
const Busy kBusy[] = {
    {"ConnectionClips", &Admission::max_inflight_clips_per_connection, 1, "",
     "CONNECTION_BUSY", "max_inflight_clips_per_connection"},
    {"ConnectionBytes", &Admission::max_inflight_bytes_per_connection,
     kBusyBytes, "", "CONNECTION_BUSY", "max_inflight_bytes_per_connection"},
    {"CallerClips", &Admission::max_inflight_clips_per_caller, 1, "",
     "CALLER_BUSY", "max_inflight_clips_per_caller"},
    {"CallerBytes", &Admission::max_inflight_bytes_per_caller, kBusyBytes, "",
     "CALLER_BUSY", "max_inflight_bytes_per_caller"},
    {"QuotaOfClips", nullptr, 1, ":clips=1", "CALLER_BUSY",
     "max_inflight_clips_per_caller"},
    {"QuotaOfBytes", nullptr, kBusyBytes, ":bytes=20000", "CALLER_BUSY",
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
    return stub->ConvertClip(&context, PositionsRequest(SmallClip(300)),
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

  // What a call held is let go soon after its end.
  static bool IsServed(const std::string& token, Stub* stub) {
    return Await([&] { return Convert(token, stub).ok(); });
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
  EXPECT_TRUE(Await([this] {
    return ConvertInStream("one", clips_.get()).status().code() == 0;
  }));
}

class TransportTest : public LimitsTest {
 protected:
  grpc::Status Call(Stub* stub, const std::string& text = SmallClip()) {
    grpc::ClientContext context;
    SetDeadline(&context);
    v1::ConvertClipResponse response;
    return stub->ConvertClip(&context, PositionsRequest(text), &response);
  }
};

TEST_F(TransportTest, CallsBeyondTheStreamsOfAConnectionWait) {
  StartWith([](server::ServerConfig* config) {
    config->transport.max_streams_per_connection = 2;
  });
  grpc::ClientContext contexts[2];
  std::unique_ptr<Stream> streams[2];
  for (int i = 0; i < 2; ++i) {
    streams[i] = clips_->ConvertClips(&contexts[i]);
    streams[i]->WaitForInitialMetadata();
  }
  auto third =
      std::async(std::launch::async, [this] { return Call(clips_.get()); });
  const auto other = Connect();
  for (int i = 0; i < 20; ++i) EXPECT_TRUE(Call(other.get()).ok());
  EXPECT_EQ(third.wait_for(std::chrono::seconds(0)),
            std::future_status::timeout);
  streams[0]->WritesDone();
  EXPECT_TRUE(streams[0]->Finish().ok());
  const grpc::Status status = third.get();
  EXPECT_TRUE(status.ok()) << status.error_message();
  streams[1]->WritesDone();
  EXPECT_TRUE(streams[1]->Finish().ok());
}

TEST_F(TransportTest, LittleMemoryIsSurvived) {
  StartWith([](server::ServerConfig* config) {
    config->transport.max_transport_bytes = int64_t{1} << 20;
  });
  const std::string text = SmallClip(150'000);
  std::future<grpc::Status> calls[8];
  for (auto& call : calls) {
    call = std::async(std::launch::async,
                      [this, &text] { return Call(Connect().get(), text); });
  }
  int cut_off = 0;
  for (auto& call : calls) cut_off += call.get().ok() ? 0 : 1;
  EXPECT_GT(cut_off, 0);
  EXPECT_TRUE(Await([this] { return Call(Connect().get()).ok(); }));
}

// Of HTTP/2.
enum FrameType : char { kSettings = 4, kPing = 6, kGoAway = 7 };
constexpr char kAck = 1;
constexpr char kNoError = 0;
constexpr char kEnhanceYourCalm = 11;

struct Frame {
  char type = 0;
  char flags = 0;
  std::string payload;

  bool Is(FrameType wanted, char with_flags = 0) const {
    return type == wanted && flags == with_flags;
  }
};

// A client that does nothing by itself.
class RawPeer {
 public:
  explicit RawPeer(const std::string& address) : fd_(DialLoopback(address)) {
    const timeval wait = {kPatience.count(), 0};
    setsockopt(fd_, SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof wait);
    SendBytes("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
    Send(kSettings, 0, "");
  }
  ~RawPeer() { close(fd_); }
  RawPeer(const RawPeer&) = delete;
  RawPeer& operator=(const RawPeer&) = delete;

  // Of the connection, of at most 255 bytes.
  void Send(FrameType type, char flags, const std::string& payload) const {
    const char size = static_cast<char>(payload.size());
    SendBytes(std::string{0, 0, size, type, flags, 0, 0, 0, 0} + payload);
  }

  // False if there is none: the server has closed the connection, or nothing
  // came for long.
  bool Read(Frame* frame) {
    std::string head;
    if (!Take(9, &head)) return false;
    const auto byte = [&](size_t i) {
      return static_cast<size_t>(static_cast<uint8_t>(head[i]));
    };
    frame->type = head[3];
    frame->flags = head[4];
    return Take(byte(0) << 16 | byte(1) << 8 | byte(2), &frame->payload);
  }

  bool ReadUntil(FrameType type, char flags, Frame* frame) {
    while (Read(frame)) {
      if (frame->Is(type, flags)) return true;
    }
    return false;
  }

  bool is_closed() const { return is_closed_; }

 private:
  void SendBytes(const std::string& bytes) const {
    send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
  }

  bool Take(size_t size, std::string* bytes) {
    bytes->resize(size);
    if (size == 0) return true;
    const ssize_t got = recv(fd_, bytes->data(), size, MSG_WAITALL);
    is_closed_ = got == 0 || (got < 0 && errno == ECONNRESET);
    return got == static_cast<ssize_t>(size);
  }

  const int fd_;
  bool is_closed_ = false;
};

TEST_F(TransportTest, SilentPeersAreGivenUp) {
  StartWith([](server::ServerConfig* config) {
    config->transport.keepalive_seconds = 1;
    config->transport.keepalive_timeout_seconds = 1;
  });
  RawPeer silent(server_->address());
  RawPeer answering(server_->address());
  Frame frame;
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(answering.ReadUntil(kPing, 0, &frame)) << i;
    answering.Send(kPing, kAck, frame.payload);
  }
  EXPECT_TRUE(silent.ReadUntil(kPing, 0, &frame));
  while (silent.Read(&frame)) {
  }
  EXPECT_TRUE(silent.is_closed());
}

TEST_F(TransportTest, PeersThatPingTooOftenAreCutOff) {
  constexpr int kPings = 20;
  for (const int64_t seconds : {0, 10}) {
    StartWith([seconds](server::ServerConfig* config) {
      config->transport.min_ping_seconds = seconds;
    });
    RawPeer peer(server_->address());
    for (int i = 0; i < kPings; ++i) peer.Send(kPing, 0, "12345678");
    Frame frame;
    if (seconds == 0) {
      for (int i = 0; i < kPings; ++i) {
        ASSERT_TRUE(peer.ReadUntil(kPing, kAck, &frame)) << i;
      }
      continue;
    }
    ASSERT_TRUE(peer.ReadUntil(kGoAway, 0, &frame));
    EXPECT_EQ(frame.payload.at(7), kEnhanceYourCalm);
    while (peer.Read(&frame)) {
    }
    EXPECT_TRUE(peer.is_closed());
  }
}

TEST_F(TransportTest, OldConnectionsAreAskedToGo) {
  StartWith([](server::ServerConfig* config) {
    config->transport.max_connection_age_seconds = 1;
  });
  RawPeer peer(server_->address());
  Frame frame;
  ASSERT_TRUE(peer.ReadUntil(kGoAway, 0, &frame));
  EXPECT_EQ(frame.payload.at(7), kNoError);
  // The server asks whether that has come.
  ASSERT_TRUE(peer.ReadUntil(kPing, 0, &frame));
  peer.Send(kPing, kAck, frame.payload);
  while (peer.Read(&frame)) {
  }
  EXPECT_TRUE(peer.is_closed());
}

TEST_F(TransportTest, CallsOfOldConnectionsEndWithTheGrace) {
  StartWith([](server::ServerConfig* config) {
    config->transport.max_connection_age_seconds = 1;
    config->transport.max_connection_age_grace_seconds = 1;
  });
  grpc::ClientContext context;
  SetDeadline(&context);
  const auto stream = clips_->ConvertClips(&context);
  Response response;
  EXPECT_FALSE(stream->Read(&response));
  EXPECT_EQ(stream->Finish().error_code(), StatusCode::UNAVAILABLE);
  EXPECT_TRUE(Call(clips_.get()).ok());
}

}  // namespace
}  // namespace bvhmill::testing
