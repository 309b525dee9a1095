// The client of jobs against servers that are busy, silent or broken.

#include <gmock/gmock.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bvhmill/base/status.h"
#include "bvhmill/digest/sha256.h"
#include "bvhmill/v1/blob_service.pb.h"
#include "bvhmill/v1/job_service.pb.h"
#include "bvhmill/wire/status.h"
#include "client/cpp/job_client.h"
#include "tests/client/fake_server.h"
#include "tests/client/timeout.h"

namespace bvhmill::testing {
namespace {

using std::chrono::milliseconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::unique_ptr<client::JobClient> Open(
    const FakeServer& server, milliseconds answer_timeout = milliseconds(0),
    milliseconds busy_timeout = milliseconds(10'000)) {
  client::ConnectOptions options;
  options.server = server.address();
  options.answer_timeout = answer_timeout;
  options.busy_timeout = busy_timeout;
  auto jobs = client::JobClient::Open(options);
  EXPECT_TRUE(jobs.ok()) << jobs.status();
  return *std::move(jobs);
}

grpc::Status Refusal(CallError error) {
  const absl::Status status = MakeCallError(std::move(error));
  return {static_cast<grpc::StatusCode>(status.code()),
          std::string(status.message()), wire::SerializeDetails(status)};
}

std::string BlobOf(const std::string& bytes) {
  return "blobs/" + Sha256Of(bytes);
}

struct RetryCase {
  absl::StatusCode code;
  const char* reason;
  const char* delay;
  int calls;
};

TEST(JobFaults, OnlyACallThatMaySucceedLaterIsMadeAgain) {
  using Code = absl::StatusCode;
  const RetryCase cases[] = {{Code::kUnavailable, "", "", 2},
                             {Code::kUnavailable, "SERVER_DRAINING", "", 2},
                             // It has to be repaired first.
                             {Code::kUnavailable, "DATA_UNUSABLE", "", 1},
                             {Code::kResourceExhausted, "SERVER_BUSY", "1", 2},
                             {Code::kResourceExhausted, "JOB_TOO_LARGE", "", 1},
                             {Code::kAborted, "JOB_BUSY", "1", 2},
                             {Code::kAborted, "JOB_BUSY", "", 1},
                             {Code::kNotFound, "JOB_UNKNOWN", "1", 1},
                             {Code::kInternal, "", "", 1}};
  for (const RetryCase& c : cases) {
    std::atomic<int> calls = 0;
    FakeServer server([&](FakeCall* call) -> grpc::Status {
      call->Read();
      if (calls++ == 0) {
        CallError error{.code = c.code, .reason = c.reason, .message = "no"};
        if (*c.delay != '\0') error.args = {{"retry_after_ms", c.delay}};
        return Refusal(std::move(error));
      }
      call->Write("");
      return grpc::Status::OK;
    });
    const absl::Status status = Open(server)->Get("jobs/a", nullptr).status();
    EXPECT_EQ(status.code(), c.calls > 1 ? Code::kOk : c.code) << c.reason;
    EXPECT_EQ(calls, c.calls) << c.code << " " << c.reason;
  }
}

// A server that states its reason was reached.
TEST(JobFaults, OnlyALostServerIsReportedAsUnreachable) {
  for (const char* reason : {"", "SERVER_DRAINING"}) {
    FakeServer server([&](FakeCall* call) {
      call->Read();
      return Refusal({.code = absl::StatusCode::kUnavailable,
                      .reason = reason,
                      .message = "gone"});
    });
    const auto jobs = Open(server, milliseconds(0), milliseconds(0));
    const absl::Status status = jobs->Get("jobs/a", nullptr).status();
    EXPECT_TRUE(absl::IsUnavailable(status)) << status;
    EXPECT_EQ(MessageOf(status),
              *reason == '\0' ? "cannot reach " + server.address() + ": gone"
                              : "gone");
    EXPECT_EQ(server.calls("GetJob"), 1);
  }
}

TEST(JobFaults, AWaitMayTakeItsTimeoutBesidesThatOfAnAnswer) {
  v1::WaitJobRequest request;
  FakeServer server([&](FakeCall* call) {
    EXPECT_TRUE(request.ParseFromString(call->Read().value_or("")));
    call->Sleep(milliseconds(50));
    call->Write("");
    return grpc::Status::OK;
  });
  const auto jobs = Open(server, milliseconds(20));
  const milliseconds timeout(31'500);
  EXPECT_EQ(jobs->Wait("jobs/a", timeout, nullptr).status(), absl::OkStatus());
  EXPECT_EQ(request.timeout().seconds(), 31);
  EXPECT_EQ(request.timeout().nanos(), 500'000'000);
}

// A server with a part of the uploads.
class Uploads {
 public:
  // Has `committed` bytes already, and says `finished` at the end.
  explicit Uploads(std::string committed = "0", bool finished = true)
      : server_([this, committed, finished](FakeCall* call) {
          return Take(call, committed, finished);
        }) {}

  absl::Status Upload(const std::string& bytes,
                      std::atomic<int64_t>* sent = nullptr) {
    const auto read = [&](int64_t offset, size_t size, std::string* piece) {
      EXPECT_GE(offset, 0);
      EXPECT_LT(offset, static_cast<int64_t>(bytes.size()));
      *piece = bytes.substr(static_cast<size_t>(offset), size);
      return absl::OkStatus();
    };
    return Upload(BlobOf(bytes), static_cast<int64_t>(bytes.size()), read,
                  sent);
  }
  absl::Status Upload(const std::string& name, int64_t size,
                      const client::JobClient::Read& read,
                      std::atomic<int64_t>* sent = nullptr) {
    CancelToken cancel;
    const Watch watch(&cancel);
    return Open(server_)->Upload(name, size, read, sent, &cancel);
  }

  // The messages of the call that was accepted.
  const std::vector<v1::WriteBlobRequest>& messages() const {
    return messages_;
  }

 private:
  grpc::Status Take(FakeCall* call, const std::string& committed,
                    bool finished) {
    std::vector<v1::WriteBlobRequest> messages;
    while (const auto bytes = call->Read()) {
      EXPECT_TRUE(messages.emplace_back().ParseFromString(*bytes));
      if (std::to_string(messages[0].offset()) != committed) {
        return Refusal({.code = absl::StatusCode::kOutOfRange,
                        .reason = "OFFSET_WRONG",
                        .args = {{"committed_bytes", committed}},
                        .message = "not here"});
      }
    }
    messages_ = std::move(messages);
    v1::WriteBlobResponse response;
    response.set_finished(finished);
    call->Write(response.SerializeAsString());
    return grpc::Status::OK;
  }

  std::vector<v1::WriteBlobRequest> messages_;
  FakeServer server_;
};

// The last message says so, also if it is full or the only one.
TEST(JobFaults, AnUploadIsSentOnceAndAsAWhole) {
  constexpr size_t kChunk = size_t{256} << 10;
  for (const size_t size :
       {size_t{0}, size_t{1}, kChunk - 1, kChunk, kChunk + 1, 2 * kChunk}) {
    Uploads server;
    std::string bytes(size, 'x');
    for (size_t i = 0; i < size; ++i) bytes[i] = static_cast<char>(i % 97);
    std::atomic<int64_t> sent = 0;
    EXPECT_EQ(server.Upload(bytes, &sent), absl::OkStatus());
    std::string all;
    for (const auto& message : server.messages()) {
      all += message.data();
      EXPECT_EQ(message.finish(), &message == &server.messages().back());
    }
    EXPECT_TRUE(all == bytes) << size;
    EXPECT_EQ(server.messages().size(),
              std::max<size_t>((size + kChunk - 1) / kChunk, 1));
    EXPECT_EQ(server.messages().at(0).blob(), BlobOf(bytes));
    EXPECT_EQ(sent, static_cast<int64_t>(size));
  }
}

TEST(JobFaults, AnUploadGoesOnWhereTheServerIs) {
  const std::string bytes = "0123456789";
  for (const size_t committed : {3, 10, 12}) {
    Uploads server(std::to_string(committed));
    EXPECT_EQ(server.Upload(bytes), absl::OkStatus());
    ASSERT_EQ(server.messages().size(), 1U);
    const v1::WriteBlobRequest& message = server.messages()[0];
    EXPECT_EQ(message.offset(), static_cast<int64_t>(committed));
    EXPECT_EQ(message.data(), bytes.substr(std::min<size_t>(committed, 10)));
    EXPECT_TRUE(message.finish());
  }
}

// The source was read before its beginning.
TEST(JobFaults, AServerWithFewerThanNoBytesIsBroken) {
  Uploads server("-5");
  const absl::Status status = server.Upload("0123456789");
  EXPECT_TRUE(absl::IsInternal(status)) << status;
  EXPECT_THAT(std::string(MessageOf(status)),
              HasSubstr("answer is broken: fewer than 0 bytes"));
}

TEST(JobFaults, AnUploadThatIsNotStoredFails) {
  Uploads server("0", /*finished=*/false);
  const absl::Status status = server.Upload("bytes");
  EXPECT_TRUE(absl::IsInternal(status)) << status;
  EXPECT_THAT(std::string(MessageOf(status)), HasSubstr("not stored"));
}

TEST(JobFaults, AFaultOfTheSourceEndsTheUpload) {
  const auto shorter = [](int64_t offset, size_t, std::string* bytes) {
    *bytes = offset == 0 ? "some" : "";
    return absl::OkStatus();
  };
  Uploads server;
  absl::Status status = server.Upload(BlobOf("x"), 10, shorter);
  EXPECT_TRUE(absl::IsFailedPrecondition(status)) << status;
  EXPECT_EQ(MessageOf(status), "the file has become shorter");
  const auto broken = [](int64_t offset, size_t, std::string* bytes) {
    *bytes = "some";
    return offset == 0 ? absl::OkStatus()
                       : MakeStatus(absl::StatusCode::kDataLoss, "no disk");
  };
  status = server.Upload(BlobOf("x"), 10, broken);
  EXPECT_TRUE(absl::IsDataLoss(status)) << status;
  EXPECT_EQ(MessageOf(status), "no disk");
}

// The stated size of downloads that end before.
constexpr int64_t kMuch = 1'000'000;

std::string Piece(const std::string& bytes) {
  v1::ReadBlobResponse response;
  response.set_data(bytes);
  return response.SerializeAsString();
}

// A download of a server that answers each call by `answer`.
absl::Status Download(const FakeServer::Handler& answer,
                      const std::string& name, std::string* bytes,
                      const absl::Status& taken = absl::OkStatus()) {
  FakeServer server(answer);
  CancelToken cancel;
  const Watch watch(&cancel);
  const auto take = [&](std::string_view piece) {
    bytes->append(piece);
    return taken;
  };
  const absl::Status status =
      Open(server)->Download(name, kMuch, take, &cancel);
  EXPECT_FALSE(cancel.IsCancelled()) << "it would have waited for ever";
  return status;
}

TEST(JobFaults, ADownloadGoesOnAfterTheServerWasLost) {
  const std::string whole = "0123456789";
  std::vector<int64_t> offsets;
  const auto answer = [&](FakeCall* call) -> grpc::Status {
    v1::ReadBlobRequest request;
    EXPECT_TRUE(request.ParseFromString(call->Read().value_or("")));
    offsets.push_back(request.offset());
    const auto at = static_cast<size_t>(request.offset());
    if (at > 5) {
      call->Write(Piece(whole.substr(at)));
      return grpc::Status::OK;
    }
    call->Write(Piece(whole.substr(at, 3)));
    return {grpc::StatusCode::UNAVAILABLE, "gone"};
  };
  std::string bytes;
  EXPECT_EQ(Download(answer, BlobOf(whole), &bytes), absl::OkStatus());
  EXPECT_EQ(bytes, whole);
  EXPECT_THAT(offsets, ElementsAre(0, 3, 6));
}

// The whole takes longer than busy_timeout.
TEST(JobFaults, AServerThatIsLostOftenIsNotGivenUpWhileBytesCome) {
  const std::string whole = "0123456789abcdef";
  FakeServer server([&](FakeCall* call) -> grpc::Status {
    v1::ReadBlobRequest request;
    EXPECT_TRUE(request.ParseFromString(call->Read().value_or("")));
    const auto at = static_cast<size_t>(request.offset());
    call->Write(Piece(whole.substr(at, 1)));
    if (at + 1 == whole.size()) return grpc::Status::OK;
    return {grpc::StatusCode::UNAVAILABLE, "gone"};
  });
  const auto jobs = Open(server, milliseconds(0), milliseconds(1000));
  std::string bytes;
  const auto take = [&](std::string_view piece) {
    bytes += piece;
    return absl::OkStatus();
  };
  EXPECT_EQ(jobs->Download(BlobOf(whole), kMuch, take, nullptr),
            absl::OkStatus());
  EXPECT_EQ(bytes, whole);
}

TEST(JobFaults, BytesOfAnotherDigestAreRefused) {
  for (const char* sent : {"righ", "wrong", ""}) {
    std::string bytes;
    const auto answer = [&](FakeCall* call) {
      call->Read();
      call->Write(Piece(sent));
      return grpc::Status::OK;
    };
    EXPECT_TRUE(absl::IsDataLoss(Download(answer, BlobOf("right"), &bytes)))
        << sent;
  }
}

TEST(JobFaults, AReceiverEndsAnEndlessDownload) {
  std::string bytes;
  const auto answer = [](FakeCall* call) {
    call->Read();
    while (call->Write(Piece("more"))) {
    }
    return grpc::Status::OK;
  };
  const absl::Status full =
      MakeStatus(absl::StatusCode::kResourceExhausted, "the disk is full");
  EXPECT_EQ(Download(answer, BlobOf("x"), &bytes, full), full);
  EXPECT_EQ(bytes, "more");
}

// With and without a token for cancelling.
TEST(JobFaults, ASilentServerEndsACall) {
  FakeServer server([](FakeCall* call) {
    call->BeSilent();
    return grpc::Status::OK;
  });
  const auto jobs = Open(server, milliseconds(300));
  const auto read = [](int64_t, size_t, std::string* bytes) {
    *bytes = "some";
    return absl::OkStatus();
  };
  const auto take = [](std::string_view) { return absl::OkStatus(); };
  CancelToken cancel;
  const Watch watch(&cancel);
  for (const CancelToken* token : {static_cast<const CancelToken*>(nullptr),
                                   static_cast<const CancelToken*>(&cancel)}) {
    for (const absl::Status& status :
         {jobs->Upload(BlobOf("some"), 4, read, nullptr, token),
          jobs->Download(BlobOf("some"), 4, take, token)}) {
      EXPECT_TRUE(absl::IsDeadlineExceeded(status)) << status;
      EXPECT_THAT(std::string(MessageOf(status)),
                  HasSubstr("silent for more than 300 ms"));
    }
    EXPECT_TRUE(absl::IsDeadlineExceeded(jobs->Get("jobs/a", token).status()));
  }
}

// A call that waits for an answer, and one that waits to be made again.
TEST(JobFaults, ACancelledCallEnds) {
  for (const bool is_busy : {false, true}) {
    CancelToken cancel;
    FakeServer server([&](FakeCall* call) -> grpc::Status {
      cancel.Cancel();
      if (!is_busy) call->BeSilent();
      return {grpc::StatusCode::UNAVAILABLE, "busy"};
    });
    const auto jobs = Open(server);
    const auto take = [](std::string_view) { return absl::OkStatus(); };
    EXPECT_TRUE(
        absl::IsCancelled(jobs->Download(BlobOf("x"), 1, take, &cancel)));
    EXPECT_TRUE(absl::IsCancelled(jobs->Get("jobs/a", &cancel).status()));
  }
}

}  // namespace
}  // namespace bvhmill::testing
