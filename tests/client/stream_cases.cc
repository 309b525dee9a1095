#include "tests/client/stream_cases.h"

#include <utility>

#include "bvhmill/v1/clip_service.pb.h"
#include "tests/wire/coverage.h"

namespace bvhmill::testing {
namespace {

std::string Chunk(const std::string& fields) {
  return Frame("output_chunk { key: '1' " + fields + " }");
}

// The result with the fields of one output, or with others.
std::string Result(const std::string& output) {
  return Frame(
      "result { key: '1' status {} report { verdict: VERDICT_VALID } " +
      output + " }");
}

std::string GoodChunk() { return Chunk("data: '123456789012'"); }

std::string GoodResult() {
  return Result("outputs { id: 'positions' size_bytes: 12 }");
}

// Sends the frames, and then nothing.
auto SendAndBeSilent(std::vector<std::string> frames) {
  return [frames = std::move(frames)](FakeCall* call) {
    for (const std::string& frame : frames) call->Write(frame);
    call->BeSilent();
    return grpc::Status::OK;
  };
}

// One frame, larger than a client takes. It is made when it is sent: tables of
// cases are made in every process.
grpc::Status SendMuchAndBeSilent(FakeCall* call) {
  return SendAndBeSilent(
      {Chunk("data: '" + std::string(140 << 20, 'x') + "'")})(call);
}

// Sends the frames, then repeats the last one until the client closes the
// stream.
auto SendForEver(std::vector<std::string> frames) {
  return [frames = std::move(frames)](FakeCall* call) {
    for (const std::string& frame : frames) call->Write(frame);
    while (call->Write(frames.back())) {
    }
    return grpc::Status::OK;
  };
}

// Longer than kSlowTimeout in all.
constexpr std::chrono::milliseconds kSlowTimeout(500);
grpc::Status SendSlowly(FakeCall* call) {
  std::vector<std::string> frames = {Begin()};
  const std::string data = "123456789012";
  for (size_t i = 0; i < data.size(); ++i) {
    frames.push_back(Chunk("offset: " + std::to_string(i) + " data: '" +
                           data.substr(i, 1) + "'"));
  }
  frames.push_back(GoodResult());
  for (const std::string& frame : frames) {
    call->Sleep(kSlowTimeout / 10);
    call->Write(frame);
  }
  return grpc::Status::OK;
}

}  // namespace

std::string Frame(const std::string& text) {
  return ParseText<v1::ConvertClipsResponse>(text).SerializeAsString();
}

std::string Begin(const std::string& outputs) {
  return Frame("begin { key: '1' " + outputs + " }");
}

std::function<grpc::Status(FakeCall*)> Send(std::vector<std::string> frames) {
  return [frames = std::move(frames)](FakeCall* call) {
    for (const std::string& frame : frames) call->Write(frame);
    return grpc::Status::OK;
  };
}

std::function<grpc::Status(FakeCall*)> SendAndFail(
    std::vector<std::string> frames, grpc::StatusCode code,
    const char* message) {
  return [=](FakeCall* call) {
    for (const std::string& frame : frames) call->Write(frame);
    return grpc::Status(code, message);
  };
}

grpc::Status SendChunksForEver(FakeCall* call) {
  const std::string data(1000, 'x');
  call->Write(Begin());
  int64_t offset = 0;
  while (call->Write(
      Chunk("offset: " + std::to_string(offset) + " data: '" + data + "'"))) {
    offset += static_cast<int64_t>(data.size());
  }
  return grpc::Status::OK;
}

std::vector<std::string> GoodAnswer() {
  return {Begin(), GoodChunk(), GoodResult()};
}

std::vector<StreamCase> GoodCases() {
  return {
      {"Good", Send({Begin(), GoodChunk(), GoodResult()}), kOk},
      {"InPieces",
       Send({Begin(), Chunk("data: '12345'"),
             Chunk("offset: 5 data: '6789012'"), GoodResult()}),
       kOk},
      {"WithItsShape",
       Send({Begin(), GoodChunk(),
             Result("outputs { id: 'positions' size_bytes: 12 tensor { "
                    "shape: [1, 1, 3] axes: ['frame', 'joint', 'xyz'] } }")}),
       kOk},
      {"WithoutAnyFrame",
       Send({Begin(),
             Result("outputs { id: 'positions' tensor { shape: [0, 1, 3] } "
                    "}")}),
       kOk, "", ""},
      {"WithMessagesOfANewerServer",
       Send({"", Begin(), "", GoodChunk(), "", GoodResult()}), kOk},
      {"SlowButGoingOn", &SendSlowly, kOk, "", "123456789012", kSlowTimeout},
      {"ResultTwice", Send({Begin(), GoodChunk(), GoodResult(), GoodResult()}),
       kOk},
      {"ChunkAfterTheResult",
       Send({Begin(), GoodChunk(), GoodResult(), GoodChunk()}), kOk},
      {"ResultForEver", SendForEver({Begin(), GoodChunk(), GoodResult()}), kOk},
      {"NoEndAfterTheResult",
       SendAndBeSilent({Begin(), GoodChunk(), GoodResult()}), kOk},
      {"ErrorAfterTheResult",
       SendAndFail({Begin(), GoodChunk(), GoodResult()},
                   grpc::StatusCode::INTERNAL, "too late"),
       kOk},
  };
}

std::vector<StreamCase> OrderCases() {
  return {
      {"Nothing", Send({}), kBroken, "without a result"},
      {"OnlyABegin", Send({Begin()}), kBroken, "without a result"},
      {"NoResult", Send({Begin(), GoodChunk()}), kBroken, "without a result"},
      {"ChunkBeforeTheBegin", Send({GoodChunk(), Begin(), GoodResult()}),
       kBroken, "before the begin"},
      {"BeginTwice", Send({Begin(), Begin(), GoodChunk(), GoodResult()}),
       kBroken, "begins twice"},
      {"ResultBeforeTheBegin", Send({GoodResult()}), kBroken,
       "without outputs"},
      {"ResultBeforeTheChunk", Send({Begin(), GoodResult(), GoodChunk()}),
       kBroken, "has 0 bytes, not 12"},
      {"ChunkTwice", Send({Begin(), GoodChunk(), GoodChunk(), GoodResult()}),
       kBroken, "a gap"},
      {"ChunksReordered",
       Send({Begin(), Chunk("offset: 5 data: '6789012'"),
             Chunk("data: '12345'"), GoodResult()}),
       kBroken, "a gap"},
      {"ChunksWithAGap",
       Send({Begin(), Chunk("data: '12345'"), Chunk("offset: 6 data: '789012'"),
             GoodResult()}),
       kBroken, "a gap"},
      {"ChunksThatOverlap",
       Send({Begin(), Chunk("data: '12345'"),
             Chunk("offset: 4 data: '56789012'"), GoodResult()}),
       kBroken, "a gap"},
      {"NegativeOffset",
       Send({Begin(), Chunk("offset: -1 data: '1'"), GoodResult()}), kBroken,
       "a gap"},
      {"LargestOffset",
       Send({Begin(), Chunk("offset: 9223372036854775807 data: '12'")}),
       kBroken, "a gap"},
      {"NegativeOutput", Send({Begin(), Chunk("output_index: -1 data: '1'")}),
       kBroken, "output -1"},
      {"OutputTooFar", Send({Begin(), Chunk("output_index: 1 data: '1'")}),
       kBroken, "output 1"},
      {"LargestOutput",
       Send({Begin(), Chunk("output_index: 2147483647 data: '1'")}), kBroken,
       "output 2147483647"},
  };
}

namespace {

// Messages of other clips or outputs, or no messages.
std::vector<StreamCase> MessageCases() {
  return {
      {"NoOutputs", Send({Begin(""), GoodResult()}), kBroken,
       "0 outputs, asked for 1"},
      {"TooManyOutputs",
       Send({Begin("outputs { id: 'positions' } outputs { id: 'b' }")}),
       kBroken, "2 outputs, asked for 1"},
      {"AnotherOutput", Send({Begin("outputs { id: 'csv' }"), GoodChunk()}),
       kBroken, "output 0 is 'csv', not 'positions'"},
      {"ResultWithoutOutputs", Send({Begin(), GoodChunk(), Result("")}),
       kBroken, "0 outputs, asked for 1"},
      {"ResultWithAnotherOutput",
       Send({Begin(), GoodChunk(),
             Result("outputs { id: 'npz' size_bytes: 12 }")}),
       kBroken, "output 0 is 'npz', not 'positions'"},
      {"ResultWithoutAReport",
       Send({Begin(), GoodChunk(),
             Frame("result { key: '1' "
                   "outputs { id: 'positions' size_bytes: 12 } }")}),
       kBroken, "without a report"},
      {"BeginOfAnUnknownClip",
       Send({Frame("begin { key: '2' outputs { id: 'positions' } }")}), kBroken,
       "the clip '2'"},
      {"ChunkOfAnUnknownClip",
       Send({Begin(), Frame("output_chunk { key: '2' data: '1' }")}), kBroken,
       "the clip '2'"},
      {"ResultOfAnUnknownClip",
       Send({Begin(), GoodChunk(), Frame("result { key: 'x' status {} }")}),
       kBroken, "the clip 'x'"},
      {"EarlyIssuesThatWereNotAskedFor",
       Send({Frame("issues_found { key: '1' issues { code: 'A' } }"), Begin(),
             GoodChunk(), GoodResult()}),
       kBroken, "not asked for"},
      {"Garbage", Send({"\xff\xff\xff\xff garbage"}), kBroken, ""},
      {"GarbageAndSilence", SendAndBeSilent({Begin(), "\xff\xff garbage"}),
       kBroken, "cannot be read"},
      {"TruncatedMessage", SendAndBeSilent({Begin(), GoodChunk().substr(0, 9)}),
       kBroken, "cannot be read"},
      // The field of a result as that of a chunk.
      {"MessageOfAnotherType", SendAndBeSilent({Begin(), "\x12\x02\x0a\x7f"}),
       kBroken, "cannot be read"},
      {"TextThatIsNotUtf8", SendAndBeSilent({"\x0a\x04\x0a\x02\xff\xfe"}),
       kBroken, "cannot be read"},
  };
}

// Outputs whose bytes do not match their size or shape.
std::vector<StreamCase> SizeCases() {
  const std::string shape = "outputs { id: 'positions' size_bytes: 12 tensor ";
  return {
      {"SizeTooSmall",
       Send({Begin(), GoodChunk(),
             Result("outputs { id: 'positions' size_bytes: 11 }")}),
       kBroken, "has 12 bytes, not 11"},
      {"SizeTooLarge",
       Send({Begin(), GoodChunk(),
             Result("outputs { id: 'positions' size_bytes: 13 }")}),
       kBroken, "has 12 bytes, not 13"},
      {"SizeNotKnown",
       Send({Begin(), GoodChunk(),
             Result("outputs { id: 'positions' size_bytes: -1 }")}),
       kBroken, "has 12 bytes, not -1"},
      {"ShapeTooSmall",
       Send({Begin(), GoodChunk(), Result(shape + "{ shape: [1, 1] } }")}),
       kBroken, "shape"},
      {"ShapeTooLarge",
       Send({Begin(), GoodChunk(), Result(shape + "{ shape: [2, 3] } }")}),
       kBroken, "shape"},
      {"NegativeShape",
       Send({Begin(), GoodChunk(), Result(shape + "{ shape: [-1, -3] } }")}),
       kBroken, "shape"},
      {"EmptyShapeOfSomeBytes",
       Send({Begin(), GoodChunk(), Result(shape + "{ shape: [0, 3] } }")}),
       kBroken, "shape"},
      // Their product is 3 in 64 bits.
      {"ShapeThatOverflows",
       Send({Begin(), GoodChunk(),
             Result(shape + "{ shape: [3, 4294967296, 4294967296, 1] } }")}),
       kBroken, "shape"},
  };
}

}  // namespace

std::vector<StreamCase> ContentCases() {
  std::vector<StreamCase> cases = MessageCases();
  const std::vector<StreamCase> sizes = SizeCases();
  cases.insert(cases.end(), sizes.begin(), sizes.end());
  return cases;
}

std::vector<StreamCase> EndlessCases() {
  return {
      {"Silence", SendAndBeSilent({}), kSilent, "silent"},
      {"SilenceAfterTheBegin", SendAndBeSilent({Begin()}), kSilent, "silent"},
      {"SilenceWithinAnOutput", SendAndBeSilent({Begin(), GoodChunk()}),
       kSilent, "silent"},
      {"UnknownMessagesForEver", SendForEver({""}), kBroken, "too many"},
      {"EmptyChunksForEver", SendForEver({Begin(), Chunk("")}), kBroken,
       "without bytes"},
      {"ChunksForEver", &SendChunksForEver, kBroken, "max_output_bytes"},
      {"MessageThatIsTooLarge", &SendMuchAndBeSilent,
       absl::StatusCode::kResourceExhausted, "larger than max", "",
       std::chrono::seconds(30)},
  };
}

std::vector<StreamCase> StatusCases() {
  return {
      {"FailedResult",
       Send({Frame("result { key: '1' status { code: 3 message: 'no' } }")}),
       absl::StatusCode::kInvalidArgument, "no"},
      {"FailedResultAfterBytes",
       Send({Begin(), GoodChunk(),
             Frame("result { key: '1' status { code: 8 message: 'no' } }")}),
       absl::StatusCode::kResourceExhausted, "no"},
      {"CodeThatNobodyKnows",
       Send({Frame("result { key: '1' status { code: 99 message: 'no' } }")}),
       absl::StatusCode::kUnknown, ""},
      {"CallFails",
       SendAndFail({Begin()}, grpc::StatusCode::PERMISSION_DENIED, "no"),
       absl::StatusCode::kPermissionDenied, "no"},
      {"ServerIsLostWithinTheClip",
       SendAndFail({Begin(), GoodChunk()}, grpc::StatusCode::UNAVAILABLE,
                   "gone"),
       absl::StatusCode::kUnavailable, "gone"},
      {"MessageThatWouldMoveACursor",
       SendAndFail({}, grpc::StatusCode::DATA_LOSS, "a\x1b[2J\nb"),
       absl::StatusCode::kDataLoss, "a\\x1B[2J\\x0Ab"},
      {"ResultThatWouldMoveACursor",
       Send({Frame("result { key: '1' status { code: 15 "
                   "message: 'a\\033[2J' } }")}),
       absl::StatusCode::kDataLoss, "a\\x1B[2J"},
  };
}

}  // namespace bvhmill::testing
