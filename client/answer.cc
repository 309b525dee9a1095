#include "client/answer.h"

#include <algorithm>
#include <charconv>
#include <string>
#include <utility>

#include "bvhmill/base/status.h"
#include "bvhmill/wire/result.h"
#include "bvhmill/wire/status.h"

namespace bvhmill::client {
namespace {

absl::Status Broken(std::string_view what) {
  return MakeStatus(absl::StatusCode::kInternal,
                    "the server's answer is broken: " + std::string(what));
}

}  // namespace

absl::Status Answer::Begin(
    const v1::ClipInfo& info,
    const google::protobuf::RepeatedPtrField<v1::Output>& outputs) {
  if (begun_) return Broken("the clip begins twice");
  if (outputs.size() != outputs_asked_) {
    return Broken(std::to_string(outputs.size()) + " outputs, asked for " +
                  std::to_string(outputs_asked_));
  }
  begun_ = true;
  received_.assign(static_cast<size_t>(outputs_asked_), 0);
  if (outputs_asked_ == 0) return absl::OkStatus();
  std::vector<OutputInfo> infos;
  infos.reserve(received_.size());
  for (const v1::Output& output : outputs) {
    infos.push_back(wire::FromProto(output));
  }
  return receiver_->Begin(wire::FromProto(info), infos);
}

absl::Status Answer::Data(int output, int64_t offset, std::string_view bytes) {
  if (!begun_) return Broken("bytes before the begin of the clip");
  if (output < 0 || output >= outputs_asked_) {
    return Broken("bytes of output " + std::to_string(output));
  }
  const auto index = static_cast<size_t>(output);
  if (offset != received_[index]) return Broken("a gap between its bytes");
  received_[index] += static_cast<int64_t>(bytes.size());
  return receiver_->Data(index, bytes);
}

absl::Status Answer::End(const v1::ClipResult& result) {
  result_ = wire::FromProto(result);
  if (result_.status.ok()) BVHMILL_RETURN_IF_ERROR(CheckSizes());
  ended_ = true;
  return absl::OkStatus();
}

absl::Status Answer::CheckSizes() const {
  if (!begun_ && outputs_asked_ > 0) return Broken("a result without outputs");
  if (result_.outputs.size() != received_.size()) {
    return Broken("a result without all of its outputs");
  }
  for (size_t i = 0; i < received_.size(); ++i) {
    if (result_.outputs[i].size_bytes != received_[i]) {
      return Broken("an output is shorter than it says");
    }
  }
  return absl::OkStatus();
}

ConvertResult FailedResult(const absl::Status& status) {
  ConvertResult result;
  result.status = status;
  return result;
}

ConvertResult CancelledResult() {
  return FailedResult(
      MakeStatus(absl::StatusCode::kCancelled, "the call was cancelled"));
}

ConvertResult ResultOf(const grpc::Status& status) {
  ConvertResult result;
  result.status = MakeStatus(static_cast<absl::StatusCode>(status.error_code()),
                             status.error_message());
  result.fault = wire::ParseFault(status.error_details());
  return result;
}

std::chrono::milliseconds RetryDelayOf(const ConvertResult& result) {
  if (!absl::IsResourceExhausted(result.status)) return {};
  int64_t delay = 0;
  for (const auto& [name, value] : result.fault.metadata) {
    if (name != "retry_after_ms") continue;
    std::from_chars(value.data(), value.data() + value.size(), delay);
  }
  return std::chrono::milliseconds(std::clamp<int64_t>(delay, 0, 60'000));
}

grpc::Status EndedEarly() {
  return {grpc::StatusCode::INTERNAL,
          "the server ended the call without a result"};
}

}  // namespace bvhmill::client
