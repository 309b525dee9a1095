#include "client/cpp/response.h"

#include <algorithm>
#include <charconv>
#include <string>
#include <utility>

#include "bvhmill/base/call_error.h"
#include "bvhmill/base/limits.h"
#include "bvhmill/base/status.h"
#include "bvhmill/base/utf8.h"
#include "bvhmill/wire/result.h"
#include "bvhmill/wire/status.h"

namespace bvhmill::client {
namespace {

// The id that the server gives an output.
std::string IdOf(const v1::OutputRequest& request) {
  if (!request.id().empty()) return request.id();
  const auto* format = request.GetReflection()->GetOneofFieldDescriptor(
      request, request.GetDescriptor()->FindOneofByName("format"));
  return format == nullptr ? "" : format->name();
}

// True if the sizes of `tensor` make `bytes` bytes.
bool IsOfBytes(const TensorInfo& tensor, int64_t bytes) {
  int64_t left = bytes / static_cast<int64_t>(sizeof(float));
  if (bytes % static_cast<int64_t>(sizeof(float)) != 0) return false;
  const bool is_empty = std::find(tensor.shape.begin(), tensor.shape.end(),
                                  0) != tensor.shape.end();
  for (const int64_t size : tensor.shape) {
    if (size < 0) return false;
    if (is_empty) continue;
    if (left % size != 0) return false;
    left /= size;
  }
  return is_empty ? bytes == 0 : left == 1;
}

// The text as one line that is safe to show on a terminal.
std::string SafeText(const std::string& text) {
  return Excerpt(text, text.size());
}

void MakePrintable(std::string* text) { *text = SafeText(*text); }

absl::Status WithPrintableTexts(const absl::Status& status) {
  if (status.ok()) return status;
  CallError error = CallErrorOf(status);
  MakePrintable(&error.field);
  MakePrintable(&error.message);
  for (auto& [name, value] : error.args) {
    MakePrintable(&name);
    MakePrintable(&value);
  }
  return MakeCallError(std::move(error));
}

void MakePrintable(Issue* issue) {
  MakePrintable(&issue->code);
  MakePrintable(&issue->message);
}

void MakePrintable(ClipInfo* info) {
  const auto is_odd = [](const JointInfo& joint) {
    return SafeText(joint.channels) != joint.channels;
  };
  if (std::none_of(info->joints.begin(), info->joints.end(), is_odd)) return;
  std::vector<JointInfo> joints(info->joints.begin(), info->joints.end());
  for (JointInfo& joint : joints) MakePrintable(&joint.channels);
  info->joints = JointList(std::move(joints));
}

}  // namespace

Answer::Answer(
    const google::protobuf::RepeatedPtrField<v1::OutputRequest>& outputs,
    int64_t max_output_bytes, OutputReceiver* receiver)
    : max_output_bytes_(max_output_bytes), receiver_(receiver) {
  for (const v1::OutputRequest& output : outputs) ids_.push_back(IdOf(output));
}

absl::Status Answer::CheckOutputs(std::span<const OutputInfo> outputs) const {
  if (outputs.size() != ids_.size()) {
    return BrokenAnswer(std::to_string(outputs.size()) +
                        " outputs, asked for " + std::to_string(ids_.size()));
  }
  for (size_t i = 0; i < ids_.size(); ++i) {
    if (outputs[i].id != ids_[i]) {
      return BrokenAnswer("output " + std::to_string(i) + " is " +
                          Quote(outputs[i].id) + ", not " + Quote(ids_[i]));
    }
  }
  return absl::OkStatus();
}

absl::Status Answer::Begin(
    const v1::ClipInfo& info,
    const google::protobuf::RepeatedPtrField<v1::Output>& outputs) {
  if (begun_) return BrokenAnswer("the clip begins twice");
  std::vector<OutputInfo> infos;
  infos.reserve(static_cast<size_t>(outputs.size()));
  for (const v1::Output& output : outputs) {
    infos.push_back(wire::FromProto(output));
  }
  BVHMILL_RETURN_IF_ERROR(CheckOutputs(infos));
  begun_ = true;
  received_.assign(ids_.size(), 0);
  if (ids_.empty()) return absl::OkStatus();
  return receiver_->Begin(wire::FromProto(info), infos);
}

absl::Status Answer::Data(int output, int64_t offset, std::string_view bytes) {
  if (!begun_) return BrokenAnswer("bytes before the begin of the clip");
  if (output < 0 || static_cast<size_t>(output) >= ids_.size()) {
    return BrokenAnswer("bytes of output " + std::to_string(output));
  }
  const auto index = static_cast<size_t>(output);
  if (offset != received_[index]) {
    return BrokenAnswer("a gap between its bytes");
  }
  received_[index] += static_cast<int64_t>(bytes.size());
  received_in_all_ += static_cast<int64_t>(bytes.size());
  if (Exceeds(received_in_all_, max_output_bytes_)) {
    return BrokenAnswer("more bytes than its max_output_bytes");
  }
  return receiver_->Data(index, bytes);
}

absl::Status Answer::End(const v1::ClipResult& result) {
  result_ = ResultFromServer(result);
  if (result_.status.ok()) {
    if (!result.has_report()) return BrokenAnswer("a result without a report");
    BVHMILL_RETURN_IF_ERROR(CheckSizes());
  }
  ended_ = true;
  return absl::OkStatus();
}

absl::Status Answer::CheckSizes() const {
  if (!begun_ && !ids_.empty()) return BrokenAnswer("a result without outputs");
  BVHMILL_RETURN_IF_ERROR(CheckOutputs(result_.outputs));
  for (size_t i = 0; i < received_.size(); ++i) {
    const OutputInfo& output = result_.outputs[i];
    if (output.size_bytes != received_[i]) {
      return BrokenAnswer("an output has " + std::to_string(received_[i]) +
                          " bytes, not " + std::to_string(output.size_bytes));
    }
    if (output.tensor && !IsOfBytes(*output.tensor, received_[i])) {
      return BrokenAnswer("the shape of an array is not that of its bytes");
    }
  }
  return absl::OkStatus();
}

ConvertResult ResultFromServer(const v1::ClipResult& message) {
  ConvertResult result = wire::FromProto(message);
  result.status = WithPrintableTexts(result.status);
  for (OutputInfo& output : result.outputs) {
    output.status = WithPrintableTexts(output.status);
  }
  for (Issue& issue : result.report.issues) MakePrintable(&issue);
  MakePrintable(&result.info);
  return result;
}

std::vector<Issue> IssuesFromServer(
    const google::protobuf::RepeatedPtrField<v1::Issue>& messages) {
  std::vector<Issue> issues;
  for (const v1::Issue& message : messages) {
    issues.push_back(wire::FromProto(message));
    MakePrintable(&issues.back());
  }
  return issues;
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
  result.status = WithPrintableTexts(
      wire::FromDetails(static_cast<absl::StatusCode>(status.error_code()),
                        status.error_message(), status.error_details()));
  return result;
}

std::chrono::milliseconds RetryDelayOf(const ConvertResult& result) {
  if (!absl::IsResourceExhausted(result.status)) return {};
  const CallError error = CallErrorOf(result.status);
  const std::string_view value = FindArg(error, "retry_after_ms");
  int64_t delay = 0;
  std::from_chars(value.data(), value.data() + value.size(), delay);
  return std::chrono::milliseconds(std::clamp<int64_t>(delay, 0, 60'000));
}

absl::Status BrokenAnswer(std::string_view what) {
  return MakeStatus(absl::StatusCode::kInternal,
                    "the server's answer is broken: " + std::string(what));
}

absl::Status SilentServer(std::chrono::milliseconds time) {
  return MakeStatus(absl::StatusCode::kDeadlineExceeded,
                    "the server has been silent for more than " +
                        std::to_string(time.count()) + " ms");
}

}  // namespace bvhmill::client
