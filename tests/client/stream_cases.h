#pragma once

// Answers to a clip of ConvertClips, most of which the protocol forbids.

#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "tests/client/fake_server.h"

namespace bvhmill::testing {

// The timeout that the clients of these cases use.
inline constexpr std::chrono::milliseconds kAnswerTimeout{1000};

// The frames that a server sends after it has read the whole clip, and the
// expected result.
struct StreamCase {
  const char* name;
  std::function<grpc::Status(FakeCall*)> answer;
  // The expected code of the result, whose message contains `why`.
  absl::StatusCode code;
  const char* why = "";
  // The bytes that the receiver holds if the result is OK.
  std::string data = "123456789012";
  std::chrono::milliseconds timeout = kAnswerTimeout;
};

// Answers that give the outputs, though some are odd.
std::vector<StreamCase> GoodCases();
// Messages in an order, or with offsets, that the protocol forbids.
std::vector<StreamCase> OrderCases();
// Messages that are not those of the clip, or no messages.
std::vector<StreamCase> ContentCases();
// Answers without an end.
std::vector<StreamCase> EndlessCases();
// Clips and calls that fail.
std::vector<StreamCase> StatusCases();

// The bytes of a message, by its text proto.
std::string Frame(const std::string& text);
// The message that begins the clip.
std::string Begin(const std::string& outputs = "outputs { id: 'positions' }");
// An answer that sends `frames`, and ends the stream with OK.
std::function<grpc::Status(FakeCall*)> Send(std::vector<std::string> frames);
// An answer that sends `frames`, and ends the stream with an error.
std::function<grpc::Status(FakeCall*)> SendAndFail(
    std::vector<std::string> frames, grpc::StatusCode code,
    const char* message);
// The whole of a good answer, as in StreamCase::data.
std::vector<std::string> GoodAnswer();
// Each chunk follows the one before, without an end.
grpc::Status SendChunksForEver(FakeCall* call);

}  // namespace bvhmill::testing
