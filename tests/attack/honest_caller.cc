#include "tests/attack/honest_caller.h"

#include <grpcpp/grpcpp.h>

#include <algorithm>
#include <chrono>

#include "bvhmill/v1/clip_service.grpc.pb.h"
#include "tests/attack/texts.h"

namespace bvhmill::attack {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr milliseconds kInterval(100);
constexpr std::chrono::seconds kTimeout(60);

bool IsToComeBack(const grpc::Status& status) {
  return status.error_code() == grpc::StatusCode::RESOURCE_EXHAUSTED ||
         status.error_code() == grpc::StatusCode::UNAVAILABLE;
}

}  // namespace

HonestCaller::HonestCaller(std::string address)
    : address_(std::move(address)),
      text_(HonestText()),
      thread_([this] { Run(); }) {}

void HonestCaller::Run() {
  Clock::time_point due = Clock::now();
  while (!stopped_) {
    std::this_thread::sleep_until(due);
    failed_ += CallOnce() ? 0 : 1;
    // Calls that were due while this one ran would have waited for it.
    for (const Clock::time_point end = Clock::now(); due < end;
         due += kInterval) {
      seconds_.push_back(std::chrono::duration<double>(end - due).count());
    }
  }
}

bool HonestCaller::CallOnce() const {
  // One connection for all its calls, as clients have; gRPC opens it again.
  thread_local const auto stub = v1::ClipService::NewStub(
      grpc::CreateChannel(address_, grpc::InsecureChannelCredentials()));
  v1::ConvertClipRequest request;
  request.mutable_source()->set_data(text_);
  request.mutable_options()->add_outputs()->mutable_positions();
  const Clock::time_point start = Clock::now();
  while (!stopped_ && Clock::now() - start < kTimeout) {
    grpc::ClientContext context;
    context.set_wait_for_ready(true);
    context.set_deadline(std::chrono::system_clock::now() + kTimeout);
    v1::ConvertClipResponse response;
    const grpc::Status status = stub->ConvertClip(&context, request, &response);
    if (status.ok()) return response.result().outputs(0).data().size() > 0;
    if (!IsToComeBack(status)) return false;
    std::this_thread::sleep_for(milliseconds(50));
  }
  return stopped_;
}

Latencies HonestCaller::Stop() {
  stopped_ = true;
  thread_.join();
  Latencies out;
  out.calls = static_cast<int64_t>(seconds_.size());
  out.failed = failed_;
  if (seconds_.empty()) return out;
  std::sort(seconds_.begin(), seconds_.end());
  out.median = seconds_[seconds_.size() / 2];
  out.worst = seconds_.back();
  return out;
}

}  // namespace bvhmill::attack
