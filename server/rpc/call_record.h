#pragma once

// The record of one call: its caller, its id and its status, for the metrics
// and the log.
//
//   CallRecord record(parts, Method::kConvertClip, call);  // The call begins.
//   absl::Status status = record.Enter(Scope::kConvert);   // Who calls?
//   record.AddClip(result);                                // For each clip.
//   record.LogClip(key, result);                           // If returned.
//   record.Finishing(status);                              // Before Finish.
//   record.Done(is_cancelled);                             // In OnDone.

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

// Thread-safe after Enter. The parts and the call of gRPC must outlive it.
// The metadata with the address of the peer of HTTP, for calls within the
// process.
inline constexpr char kHttpPeer[] = "x-bvhmill-http-peer";

class CallRecord final : public ClipObserver {
 public:
  // Sets the id of the call: its metadata x-request-id if that is 1 to 64
  // letters, digits, ".", "_" and "-", else a new id. Adds the id and a valid
  // traceparent to the initial metadata, which must not have been sent.
  CallRecord(const RecordParts& parts, Method method,
             grpc::CallbackServerContext* call);
  ~CallRecord() override;
  CallRecord(const CallRecord&) = delete;
  CallRecord& operator=(const CallRecord&) = delete;

  // Identifies the caller. UNAUTHENTICATED without a known token,
  // PERMISSION_DENIED if the token lacks `scope`.
  absl::Status Enter(Scope scope);
  // The same for calls that need no scope.
  absl::Status Enter();
  // Checks the token again if the tokens have changed: OK if the caller still
  // has `scope`; else the errors of Enter. Quotas stay as they were when the
  // call began. One thread at a time.
  absl::Status Recheck(Scope scope);

  // Never null.
  const std::shared_ptr<const Caller>& caller() const { return caller_; }
  // The address of the peer; equal for all calls of a connection.
  const std::string& peer() const { return line_.peer; }

  // The name by which the call takes turns at the workers: the caller, or the
  // connection if there is no token.
  const std::string& turn() const {
    return caller_->name.empty() ? line_.peer : caller_->name;
  }

  // See ClipObserver.
  void AddBytes(int64_t received, int64_t sent) override;
  void AddClip(const ConvertResult& result) override;
  void AddRefusedClip(const std::string& key,
                      const absl::Status& status) override;
  void AddStage(Stage stage, std::chrono::nanoseconds time) override;

  // Writes the log lines of the clip `key`, whose result the call returns: see
  // server::LogClip.
  void LogClip(const std::string& key, const ConvertResult& result) noexcept;

  // Notes the status of the call and the time.
  void Finishing(const absl::Status& status) noexcept;
  // Counts and logs the call. `cancelled`: the peer was gone before the call
  // finished.
  void Done(bool cancelled) noexcept;

 private:
  using Clock = std::chrono::steady_clock;

  void Finish(bool cancelled);
  bool IsLate() const;
  void Forget();

  ClipLine LineOf(const std::string& key) const;
  absl::Status Identify(std::shared_ptr<const Caller>* caller) const;

  const RecordParts parts_;
  const Method method_;
  const grpc::CallbackServerContext& call_;
  const Clock::time_point begun_ = Clock::now();
  std::shared_ptr<const Caller> caller_ = AnonymousCaller();
  // The version of the tokens that identified the caller.
  int64_t tokens_version_ = 0;
  // The counters of the caller.
  CallerCounters* counters_;
  std::mutex mutex_;
  Clock::time_point finishing_at_;
  CallLine line_;
};

}  // namespace bvhmill::server
