#include "bench/server/open_load.h"

#include <grpcpp/grpcpp.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "bench/server/load_client.h"

namespace bvhmill::bench {
namespace {

using Clock = std::chrono::steady_clock;

constexpr size_t kConnections = 4;
// More calls would wait for the machine rather than for the server: they begin
// later.
constexpr int kMaxInFlight = 1000;

double MillisecondsSince(Clock::time_point begin) {
  return std::chrono::duration<double, std::milli>(Clock::now() - begin)
      .count();
}

double ServerMs(const v1::StageTimes& times) {
  double ms = 0;
  for (const auto* part : {&times.queued(), &times.read(), &times.validate(),
                           &times.edit(), &times.solve(), &times.encode()}) {
    ms += 1e3 * static_cast<double>(part->seconds()) +
          1e-6 * static_cast<double>(part->nanos());
  }
  return ms;
}

double Quantile(std::vector<double>* values, size_t percent) {
  if (values->empty()) return 0;
  std::sort(values->begin(), values->end());
  return (
      *values)[std::min(values->size() - 1, values->size() * percent / 100)];
}

// Begins calls and collects what becomes of them.
class Caller {
 public:
  Caller(const std::string& address, const v1::ConvertClipRequest& request)
      : request_(request) {
    for (auto& stub : stubs_) stub = Connect(address);
  }

  void Begin() {
    Call* call = new Call;
    {
      const std::lock_guard lock(mutex_);
      ++in_flight_;
    }
    call->begin = Clock::now();
    Stub* stub = stubs_[begun_++ % kConnections].get();
    stub->async()->ConvertClip(
        &call->context, &request_, &call->response,
        [this, call](const grpc::Status& status) { End(call, status); });
  }

  // Waits until fewer than `calls` are in flight.
  void WaitForLessThan(int calls) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return in_flight_ < calls; });
  }

  // Once all have ended.
  Load Sum(double seconds) {
    load_.good_per_s = static_cast<double>(times_.size()) / seconds;
    load_.begun_per_s = static_cast<double>(begun_) / seconds;
    load_.p50_ms = Quantile(&times_, 50);
    load_.p99_ms = Quantile(&times_, 99);
    load_.p99_server_ms = Quantile(&server_times_, 99);
    return load_;
  }

 private:
  struct Call {
    grpc::ClientContext context;
    v1::ConvertClipResponse response;
    Clock::time_point begin;
  };

  void End(Call* call, const grpc::Status& status) {
    const double time = MillisecondsSince(call->begin);
    const std::lock_guard lock(mutex_);
    if (status.ok()) {
      times_.push_back(time);
      server_times_.push_back(ServerMs(call->response.result().times()));
    } else {
      const bool is_refused =
          status.error_code() == grpc::StatusCode::RESOURCE_EXHAUSTED;
      ++(is_refused ? load_.refused : load_.lost);
    }
    delete call;
    --in_flight_;
    changed_.notify_all();
  }

  const v1::ConvertClipRequest& request_;
  std::array<std::unique_ptr<Stub>, kConnections> stubs_;
  size_t begun_ = 0;
  std::mutex mutex_;
  std::condition_variable changed_;
  int in_flight_ = 0;
  std::vector<double> times_;
  std::vector<double> server_times_;
  Load load_;
};

double SecondsSince(Clock::time_point begin) {
  return MillisecondsSince(begin) / 1000;
}

}  // namespace

Load CallAtRate(const std::string& address,
                const v1::ConvertClipRequest& request, double rate,
                double seconds) {
  if (!(rate > 0)) return {};
  Caller caller(address, request);
  const auto start = Clock::now();
  for (int64_t i = 0; SecondsSince(start) < seconds; ++i) {
    const std::chrono::duration<double> due(static_cast<double>(i) / rate);
    std::this_thread::sleep_until(
        start + std::chrono::duration_cast<Clock::duration>(due));
    caller.WaitForLessThan(kMaxInFlight);
    caller.Begin();
  }
  const double elapsed = SecondsSince(start);
  caller.WaitForLessThan(1);
  return caller.Sum(elapsed);
}

Load CallWithInFlight(const std::string& address,
                      const v1::ConvertClipRequest& request, int calls,
                      double seconds) {
  Caller caller(address, request);
  const auto start = Clock::now();
  while (SecondsSince(start) < seconds) {
    caller.WaitForLessThan(calls);
    caller.Begin();
  }
  const double elapsed = SecondsSince(start);
  caller.WaitForLessThan(1);
  return caller.Sum(elapsed);
}

}  // namespace bvhmill::bench
