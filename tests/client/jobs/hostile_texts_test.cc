// Servers whose texts would command a terminal, and that give more than they
// state.

#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "bvhmill/base/text.h"
#include "bvhmill/digest/sha256.h"
#include "bvhmill/v1/blob_service.pb.h"
#include "bvhmill/v1/job_service.pb.h"
#include "bvhmill/v1/server_service.pb.h"
#include "client/cpp/job_client.h"
#include "tests/client/command.h"
#include "tests/client/fake_server.h"
#include "tests/support/files.h"
#include "tests/wire/coverage.h"

namespace bvhmill::testing {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;

// An escape sequence, a line end, DEL, CSI of one character, U+2028, U+200B,
// U+202E, U+FEFF and U+E0041.
constexpr char kText[] =
    "x\x1b[31m\n\x7f\xC2\x9B\xE2\x80\xA8\xE2\x80\x8B\xE2\x80\xAE\xEF\xBB\xBF"
    "\xF3\xA0\x81\x81";

// Sets every string of `message`, and of all messages within it, to kText.
void FillTexts(Message* message, int depth = 0) {
  constexpr int kMaxDepth = 6;
  const auto* from = message->GetReflection();
  for (int i = 0; i < message->GetDescriptor()->field_count(); ++i) {
    const FieldDescriptor* field = message->GetDescriptor()->field(i);
    if (field->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE) {
      if (depth == kMaxDepth) continue;
      FillTexts(field->is_repeated() ? from->AddMessage(message, field)
                                     : from->MutableMessage(message, field),
                depth + 1);
    } else if (field->cpp_type() == FieldDescriptor::CPPTYPE_STRING) {
      field->is_repeated() ? from->AddString(message, field, kText)
                           : from->SetString(message, field, kText);
    }
  }
}

// The response of `method` with such texts.
std::unique_ptr<Message> HostileResponse(const std::string& method) {
  const auto* type =
      google::protobuf::DescriptorPool::generated_pool()->FindMessageTypeByName(
          "bvhmill.v1." + method + "Response");
  EXPECT_NE(type, nullptr) << method;
  std::unique_ptr<Message> response(
      google::protobuf::MessageFactory::generated_factory()
          ->GetPrototype(type)
          ->New());
  FillTexts(response.get());
  return response;
}

void SetOver(v1::Job* job) {
  job->set_state(v1::JOB_STATE_SUCCEEDED);
  job->mutable_items()->set_total(1);
}

// Answers each method with hostile texts, or fails with one if `fails`. The
// only result of a job has the status `code`.
FakeServer::Handler Hostile(bool fails, int code) {
  return [=](FakeCall* call) -> grpc::Status {
    while (call->method() == "WriteBlob" && call->Read()) {
    }
    const auto response = HostileResponse(call->method());
    if (auto* job = dynamic_cast<v1::GetJobResponse*>(response.get())) {
      SetOver(job->mutable_job());
    } else if (auto* made =
                   dynamic_cast<v1::CreateJobResponse*>(response.get())) {
      SetOver(made->mutable_job());
    } else if (auto* list =
                   dynamic_cast<v1::ListJobsResponse*>(response.get())) {
      list->clear_next_page_token();
    } else if (auto* page =
                   dynamic_cast<v1::ListJobResultsResponse*>(response.get())) {
      page->mutable_results(0)->mutable_status()->set_code(code);
    } else if (auto* stored =
                   dynamic_cast<v1::WriteBlobResponse*>(response.get())) {
      stored->set_finished(true);
    }
    if (fails && call->method() != "GetServerInfo") {
      return {grpc::StatusCode::FAILED_PRECONDITION, kText};
    }
    call->Write(response->SerializeAsString());
    return grpc::Status::OK;
  };
}

// The lines of `text` that a terminal would not only show.
std::string ObeyedLines(const std::string& text) {
  std::string obeyed;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const std::string shown = Excerpt(line, line.size());
    if (shown != line) obeyed += shown + "\n";
  }
  return obeyed;
}

const std::vector<std::vector<std::string>> kCommands = {
    {"server", "info"},
    {"server", "info", "--json"},
    {"job", "list"},
    {"job", "list", "--json"},
    {"job", "show", "a"},
    {"job", "show", "a", "--json"},
    {"job", "wait", "a"},
    {"job", "cancel", "a"},
    {"job", "delete", "a"},
    {"job", "results", "a", "-o", "out"},
    {"job", "submit", "take.bvh", "--emit", "csv"},
    {"validate", "take.bvh"},
    {"validate", "take.bvh", "--format", "json"},
    {"convert", "take.bvh", "--emit", "csv", "-o", "out"},
    {"info", "take.bvh"},
};

TEST(HostileTexts, NoneReachesATerminal) {
  for (const bool fails : {false, true}) {
    for (const int code : {0, 3}) {
      FakeServer server(Hostile(fails, code));
      const TempDir dir;
      WriteFile(dir.File("take.bvh"), "HIERARCHY\n");
      for (std::vector<std::string> words : kCommands) {
        words.push_back("--server=" + server.address());
        const CommandResult result = RunCommand(words, dir.path());
        EXPECT_NE(result.exit, -1) << words[0] << " " << words[1];
        EXPECT_EQ(ObeyedLines(result.out + result.err), "")
            << words[0] << " " << words[1] << " " << fails << code;
      }
    }
  }
}

// A server that cannot be reached by its own words.
TEST(HostileTexts, AServerThatSaysThatItIsGoneIsQuotedSafely) {
  FakeServer server([](FakeCall*) -> grpc::Status {
    return {grpc::StatusCode::UNAVAILABLE, kText};
  });
  const TempDir dir;
  const CommandResult result = RunCommand(
      {"server", "info", "--server=" + server.address()}, dir.path());
  EXPECT_EQ(result.exit, 3);
  EXPECT_EQ(ObeyedLines(result.err), "");
  EXPECT_NE(result.err.find("x\\x1B[31m"), std::string::npos) << result.err;
}

TEST(PageBounds, AListHasAnEnd) {
  client::PageBounds again;
  EXPECT_TRUE(again.Take("1", 1).ok());
  EXPECT_TRUE(again.Take("2", 1).ok());
  EXPECT_TRUE(absl::IsInternal(again.Take("1", 1)));
  client::PageBounds last;
  EXPECT_TRUE(last.Take("1", 1).ok());
  EXPECT_TRUE(last.Take("", 1).ok());
  client::PageBounds pages;
  int taken = 0;
  while (pages.Take(std::to_string(taken), 0).ok()) ++taken;
  EXPECT_EQ(taken, 10'000);
  client::PageBounds bytes;
  EXPECT_TRUE(bytes.Take("1", size_t{200} << 20).ok());
  EXPECT_TRUE(absl::IsInternal(bytes.Take("2", size_t{200} << 20)));
}

// A page of one job, or of one result, and always another one after it.
FakeServer::Handler EndlessPages(bool repeats) {
  return [repeats, page = std::make_shared<std::atomic<int>>(0)](
             FakeCall* call) -> grpc::Status {
    call->Read();
    const std::string token = repeats ? "again" : std::to_string(++*page);
    std::string answer = InfoBytes("");
    if (call->method() == "GetJob") {
      v1::GetJobResponse response;
      response.mutable_job()->set_name("jobs/a");
      SetOver(response.mutable_job());
      answer = response.SerializeAsString();
    } else if (call->method() == "ListJobs") {
      v1::ListJobsResponse response;
      // Few pages reach the bound of bytes.
      response.add_jobs()->set_display_name(
          std::string(repeats ? 1 : size_t{60} << 20, 'x'));
      response.set_next_page_token(token);
      answer = response.SerializeAsString();
    } else if (call->method() == "ListJobResults") {
      v1::ListJobResultsResponse response;
      response.add_results()->set_key(token);
      response.mutable_results(0)->mutable_status()->set_code(3);
      response.set_next_page_token(token);
      answer = response.SerializeAsString();
    }
    call->Write(answer);
    return grpc::Status::OK;
  };
}

TEST(EndlessPages, EndACommandWithAnError) {
  for (const bool repeats : {true, false}) {
    for (const std::vector<std::string>& command :
         {std::vector<std::string>{"job", "list"},
          std::vector<std::string>{"job", "results", "a", "-o", "out"}}) {
      FakeServer server(EndlessPages(repeats));
      const TempDir dir;
      std::vector<std::string> words = command;
      words.push_back("--server=" + server.address());
      const CommandResult result = RunCommand(words, dir.path());
      EXPECT_EQ(result.exit, 4) << words[1];
      EXPECT_NE(result.err.find("the server's answer is broken: "),
                std::string::npos)
          << result.err;
      EXPECT_LE(server.calls("ListJobs") + server.calls("ListJobResults"), 6);
    }
  }
}

// A job of one clip with an output of a stated size, whose bytes never end.
FakeServer::Handler EndlessOutput(std::atomic<int64_t>* sent) {
  return [sent](FakeCall* call) -> grpc::Status {
    if (call->method() == "ReadBlob") {
      v1::ReadBlobResponse piece;
      piece.set_data(std::string(size_t{64} << 10, 'x'));
      while (call->Write(piece.SerializeAsString())) *sent += 64 << 10;
      return grpc::Status::OK;
    }
    return EndlessPages(true)(call);
  };
}

TEST(EndlessOutput, EndsADownloadAtItsStatedSize) {
  std::atomic<int64_t> sent = 0;
  FakeServer server(EndlessOutput(&sent));
  client::ConnectOptions options;
  options.server = server.address();
  const auto jobs = client::JobClient::Open(options);
  ASSERT_TRUE(jobs.ok()) << jobs.status();
  for (const int64_t size :
       {int64_t{-1}, int64_t{0}, int64_t{40}, int64_t{100'000}}) {
    int64_t taken = 0;
    const absl::Status status = (*jobs)->Download(
        "blobs/" + Sha256Of("x"), size,
        [&](std::string_view bytes) {
          taken += static_cast<int64_t>(bytes.size());
          return absl::OkStatus();
        },
        nullptr);
    EXPECT_TRUE(absl::IsInternal(status)) << status;
    EXPECT_LE(taken, std::max<int64_t>(size, 0));
  }
  EXPECT_TRUE(absl::IsInternal((*jobs)->Download(
      "b", 1, [](auto) { return absl::OkStatus(); }, nullptr)));
}

TEST(EndlessOutput, LeavesNoFile) {
  std::atomic<int64_t> sent = 0;
  const auto endless = EndlessOutput(&sent);
  FakeServer server([&](FakeCall* call) -> grpc::Status {
    if (call->method() != "ListJobResults") return endless(call);
    call->Read();
    v1::ListJobResultsResponse response;
    v1::ClipResult* result = response.add_results();
    result->set_key("a");
    result->mutable_report()->set_verdict(v1::VERDICT_VALID);
    v1::Output* output = result->add_outputs();
    output->set_id("csv");
    output->set_media_type("text/csv");
    output->set_blob("blobs/" + Sha256Of("x"));
    output->set_size_bytes(40);
    call->Write(response.SerializeAsString());
    return grpc::Status::OK;
  });
  const TempDir dir;
  const CommandResult result = RunCommand(
      {"job", "results", "a", "-o", "out", "--server=" + server.address()},
      dir.path());
  EXPECT_EQ(result.exit, 4) << result.err;
  EXPECT_NE(result.err.find("more than the stated 40 bytes"), std::string::npos)
      << result.err;
  EXPECT_TRUE(std::filesystem::is_empty(dir.File("out")));
}

}  // namespace
}  // namespace bvhmill::testing
