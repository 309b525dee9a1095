#pragma once

// What a server answers for one clip, checked and handed to the caller. Private
// to the client library.

#include <google/protobuf/repeated_ptr_field.h>
#include <grpcpp/support/status.h>

#include <chrono>
#include <cstdint>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "bvhmill/pipeline/convert.h"
#include "bvhmill/v1/result.pb.h"

namespace bvhmill::client {

// Collects one answer: Begin, Data, End, in the order of the protocol. What the
// protocol forbids is INTERNAL; what the receiver says is handed on.
class Answer {
 public:
  // `receiver` may be null if no outputs were asked for.
  Answer(int outputs_asked, OutputReceiver* receiver)
      : outputs_asked_(outputs_asked), receiver_(receiver) {}

  absl::Status Begin(
      const v1::ClipInfo& info,
      const google::protobuf::RepeatedPtrField<v1::Output>& outputs);
  absl::Status Data(int output, int64_t offset, std::string_view bytes);
  absl::Status End(const v1::ClipResult& result);

  bool ended() const { return ended_; }
  // Call once, when ended.
  ConvertResult TakeResult() { return std::move(result_); }

 private:
  absl::Status CheckSizes() const;

  int outputs_asked_;
  OutputReceiver* receiver_;
  bool begun_ = false;
  bool ended_ = false;
  // Bytes of each output so far.
  std::vector<int64_t> received_;
  ConvertResult result_;
};

// Results of calls that brought none.
ConvertResult FailedResult(const absl::Status& status);
ConvertResult CancelledResult();
// With the fault that the details of `status` name.
ConvertResult ResultOf(const grpc::Status& status);
// When the server would have a refused clip offered again; 0 if the result is
// no such refusal.
std::chrono::milliseconds RetryDelayOf(const ConvertResult& result);
// The status of a stream that ended well, but without a result.
grpc::Status EndedEarly();

}  // namespace bvhmill::client
