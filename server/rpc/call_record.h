#pragma once

// One call from its beginning to its end: who calls, under which id, what it
// came to. Feeds the metrics and the log.

#include <grpcpp/server_context.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>

#include "bvhmill/pipeline/convert.h"
#include "server/auth/caller.h"
#include "server/observe/log.h"
#include "server/observe/metrics.h"
#include "server/rpc/call_parts.h"

namespace bvhmill::server {

// Make it first of all, Enter, and tell it what happens: AddClip for each clip
// that was worked on, Finishing right before the call is finished, Done when
// gRPC is done with it. Thread-safe from Enter on.
class CallRecord {
 public:
  // Gives the call its id: that of its metadata x-request-id if it is sane,
  // else a new one. Puts it and a valid traceparent into the initial metadata,
  // which must not have been sent.
  CallRecord(const RecordParts& parts, Method method,
             grpc::CallbackServerContext* call);
  CallRecord(const CallRecord&) = delete;
  CallRecord& operator=(const CallRecord&) = delete;

  // Knows the caller from here on. UNAUTHENTICATED without a known token,
  // PERMISSION_DENIED with one that lacks `scope`.
  absl::Status Enter(Scope scope);
  // The same for calls that any known token may make.
  absl::Status Enter();
  // Whether it may still do what it entered for, if the tokens have changed.
  // One thread at a time; quotas stay as they were when the call began.
  absl::Status Recheck(Scope scope);

  // Never null.
  const std::shared_ptr<const Caller>& caller() const { return caller_; }
  // Address of the other side; the same for all calls of a connection.
  const std::string& peer() const { return line_.peer; }

  // Whose turn the work of the call takes: the caller's, or without a token
  // that of the connection.
  const std::string& turn() const {
    return caller_->name.empty() ? line_.peer : caller_->name;
  }

  // Bytes of a source as they come, and of outputs as they go.
  void AddBytes(int64_t received, int64_t sent);
  // A clip that was worked on, whatever came of it.
  void AddClip(const ConvertResult& result);
  // A clip of a stream that was turned away; a call says so by its status.
  void AddRefusedClip(const std::string& reason);
  // A stage that no result knows of: kWrite, kTotal.
  void AddStage(Stage stage, std::chrono::nanoseconds time);

  void Finishing(const absl::Status& status) noexcept;
  // Counts and logs the call; `cancelled`: it was gone before it finished.
  void Done(bool cancelled) noexcept;

 private:
  using Clock = std::chrono::steady_clock;

  void Finish(bool cancelled);
  bool IsLate() const;
  void Forget();

  absl::Status Identify(std::shared_ptr<const Caller>* caller) const;

  const RecordParts parts_;
  const Method method_;
  const grpc::CallbackServerContext& call_;
  const Clock::time_point begun_ = Clock::now();
  std::shared_ptr<const Caller> caller_ = Nobody();
  // Of the tokens that know the caller.
  int64_t tokens_version_ = 0;
  std::mutex mutex_;
  Clock::time_point finishing_at_;
  CallLine line_;
};

}  // namespace bvhmill::server
