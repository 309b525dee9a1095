// Jobs against the stream ConvertClips, for the same clips; and interactive
// calls while the queue of jobs is full.

#include <benchmark/benchmark.h>
#include <grpcpp/grpcpp.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/synchronization/mutex.h"
#include "bench/jobs/postgres_claims.h"
#include "bench/server/load_client.h"
#include "bench/server/open_load.h"
#include "bench/server/server_process.h"
#include "bench/support/corpus.h"
#include "bench/support/metrics.h"
#include "bvhmill/digest/sha256.h"
#include "bvhmill/v1/blob_service.grpc.pb.h"
#include "bvhmill/v1/job_service.grpc.pb.h"

namespace bvhmill::bench {
namespace {

using Clock = std::chrono::steady_clock;

constexpr size_t kClipBytes = 100'000;
constexpr int kClips = 1000;
constexpr int kRepetitions = 5;
// The usual size of the result of a clip: its report and its joints.
constexpr size_t kResultBytes = 1500;

double SecondsSince(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

// Clips that all differ, also from those of other rounds, so that each has
// outputs of its own.
std::vector<std::string> MakeClips(int round) {
  const std::string text =
      Resize(MakeCorpus("cmu", 8'000'000).text, kClipBytes);
  const size_t rows = text.find('\n', text.find("Frame Time")) + 1;
  std::vector<std::string> clips;
  for (int i = 0; i < kClips; ++i) {
    std::string clip = text;
    // The first number of the first row.
    const size_t end = clip.find(' ', rows);
    clip.replace(rows, end - rows, std::to_string(round * kClips + i) + ".5");
    clips.push_back(std::move(clip));
  }
  return clips;
}

class Setting {
 public:
  explicit Setting(const char* argv0)
      : folder_(std::filesystem::temp_directory_path().native() +
                "/bvhmill-jobs-bench-" + std::to_string(getpid())),
        clips_(MakeClips(0)) {
    std::vector<std::string> args = BvhmilldArgs();
    args.insert(args.end(), {"--data-dir", folder_, "--log", "errors"});
    server_ = std::make_unique<ServerProcess>(BvhmilldProgram(argv0), args);
    const auto channel = grpc::CreateChannel(
        server_->address(), grpc::InsecureChannelCredentials());
    jobs_ = v1::JobService::NewStub(channel);
    blobs_ = v1::BlobService::NewStub(channel);
  }
  ~Setting() {
    server_ = nullptr;
    std::filesystem::remove_all(folder_);
  }
  Setting(const Setting&) = delete;
  Setting& operator=(const Setting&) = delete;

  const std::string& address() const { return server_->address(); }
  const std::vector<std::string>& clips() const { return clips_; }

  // Replaces the clips by others, and stores them.
  bool Renew(int round) {
    clips_ = MakeClips(round);
    return Upload();
  }

  bool Upload() {
    for (const std::string& clip : clips_) {
      grpc::ClientContext context;
      v1::WriteBlobResponse response;
      const auto stream = blobs_->WriteBlob(&context, &response);
      v1::WriteBlobRequest request;
      request.set_blob("blobs/" + Sha256Of(clip));
      request.set_data(clip);
      request.set_finish(true);
      stream->Write(request);
      stream->WritesDone();
      if (!stream->Finish().ok()) return false;
    }
    return true;
  }

  // A job of all clips, `times` times.
  std::string Create(int times) {
    v1::CreateJobRequest request;
    request.mutable_options()->add_outputs()->mutable_positions();
    for (int i = 0; i < times; ++i) {
      for (const std::string& clip : clips_) {
        v1::JobItem* const item = request.add_items();
        item->set_key(std::to_string(request.items_size()));
        item->mutable_source()->set_blob("blobs/" + Sha256Of(clip));
      }
    }
    grpc::ClientContext context;
    v1::CreateJobResponse response;
    if (!jobs_->CreateJob(&context, request, &response).ok()) return "";
    return response.job().name();
  }

  // True if all items have good results in the end.
  bool Await(const std::string& name) {
    v1::WaitJobRequest request;
    request.set_name(name);
    while (true) {
      grpc::ClientContext context;
      v1::WaitJobResponse response;
      if (!jobs_->WaitJob(&context, request, &response).ok()) return false;
      const v1::Job& job = response.job();
      if (job.state() < v1::JOB_STATE_SUCCEEDED) continue;
      return job.items().ok() == job.items().total();
    }
  }

  void Cancel(const std::string& name) {
    v1::CancelJobRequest request;
    request.set_name(name);
    grpc::ClientContext context;
    v1::CancelJobResponse response;
    static_cast<void>(jobs_->CancelJob(&context, request, &response));
    Await(name);
  }

 private:
  const std::string folder_;
  std::vector<std::string> clips_;
  std::unique_ptr<ServerProcess> server_;
  std::unique_ptr<v1::JobService::Stub> jobs_;
  std::unique_ptr<v1::BlobService::Stub> blobs_;
};

void Check(bool ok, benchmark::State* state) {
  if (!ok) state->SkipWithError("a clip was lost or bad");
}

// All clips over one stream, one after the other in flight.
bool StreamAll(const Setting& setting) {
  const auto stub = Connect(setting.address());
  grpc::ClientContext context;
  const auto stream = stub->ConvertClips(&context);
  std::thread writer([&] {
    OpenStream(stream.get());
    int key = 0;
    for (const std::string& clip : setting.clips()) {
      if (!SendWhole(std::to_string(key++), clip, stream.get())) break;
    }
    stream->WritesDone();
  });
  v1::ConvertClipsResponse response;
  int good = 0;
  while (stream->Read(&response)) {
    if (response.has_result() && response.result().status().code() == 0) ++good;
  }
  writer.join();
  return stream->Finish().ok() && good == kClips;
}

void Streams(Setting* setting, benchmark::State* state) {
  Check(StreamAll(*setting), state);
  for (auto _ : *state) Check(StreamAll(*setting), state);
  state->counters["clips_per_s"] =
      benchmark::Counter(kClips, benchmark::Counter::kIsIterationInvariantRate);
}

// Seconds of a job with clips that the server has, and has not seen before.
double SecondsOfJob(int round, Setting* setting, benchmark::State* state) {
  Check(setting->Renew(round), state);
  const auto begin = Clock::now();
  const std::string name = setting->Create(1);
  Check(!name.empty() && setting->Await(name), state);
  return SecondsSince(begin);
}

// The first job is not timed, like the first stream.
void Jobs(Setting* setting, benchmark::State* state) {
  static int round = 0;
  SecondsOfJob(++round, setting, state);
  double seconds = 0;
  int runs = 0;
  for (auto _ : *state) {
    seconds += SecondsOfJob(++round, setting, state);
    ++runs;
  }
  state->counters["clips_per_s"] = runs * kClips / seconds;
}

// Calls of a twentieth of what the server can answer, without jobs and with
// more of them than it can do meanwhile.
void Interactive(Setting* setting, benchmark::State* state) {
  constexpr double kSeconds = 4;
  v1::ConvertClipRequest request;
  request.mutable_source()->set_data(setting->clips()[0]);
  request.mutable_options()->add_outputs()->mutable_positions();
  for (auto _ : *state) {
    const Load peak = CallWithInFlight(setting->address(), request, 4, 1);
    const double rate = peak.good_per_s / 20;
    const Load idle = CallAtRate(setting->address(), request, rate, kSeconds);
    const std::string name = setting->Create(40);
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    const Load busy = CallAtRate(setting->address(), request, rate, kSeconds);
    setting->Cancel(name);
    Check(!name.empty() && idle.lost + busy.lost == 0, state);
    auto& counters = state->counters;
    counters["p99_ratio"] = busy.p99_ms / idle.p99_ms;
    counters["p99_server_ratio"] = busy.p99_server_ms / idle.p99_server_ms;
    counters["idle_p99_ms"] = idle.p99_ms;
    counters["busy_p99_ms"] = busy.p99_ms;
    counters["idle_p50_ms"] = idle.p50_ms;
    counters["busy_p50_ms"] = busy.p50_ms;
    counters["rate_per_s"] = rate;
  }
}

void Derive(Metrics* metrics) {
  const double stream = metrics->Get("jobs.stream.clips_per_s");
  const double jobs = metrics->Get("jobs.run.clips_per_s");
  if (stream > 0) metrics->Set("jobs.ratio_to_stream", jobs / stream);
  const double p99 = metrics->Get("jobs.interactive.p99_ratio");
  if (p99 > 0) metrics->Set("jobs.interactive_p99_ratio", p99);
}

void Register(const char* name, int repetitions, Setting* setting,
              void (*run)(Setting*, benchmark::State*)) {
  benchmark::RegisterBenchmark(
      name, [setting, run](benchmark::State& state) { run(setting, &state); })
      ->UseRealTime()
      ->Iterations(1)
      ->Repetitions(repetitions)
      ->Unit(benchmark::kMillisecond);
}

void RegisterClaims(const char* name, size_t result_bytes) {
  benchmark::RegisterBenchmark(name,
                               [result_bytes](benchmark::State& state) {
                                 ClaimFromPostgres(result_bytes, &state);
                               })
      ->UseRealTime()
      ->Iterations(1)
      ->Repetitions(kRepetitions)
      ->Unit(benchmark::kMillisecond);
}

int Main(int argc, char** argv) {
  absl::SetMutexDeadlockDetectionMode(absl::OnDeadlockCycle::kIgnore);
  Setting setting(argv[0]);
  const auto begin = Clock::now();
  if (!setting.Upload()) {
    std::cerr << "jobs_bench: the clips cannot be stored\n";
    return 1;
  }
  Metrics::Global().Set("jobs.uploads_per_s", kClips / SecondsSince(begin));
  Register("jobs.stream", kRepetitions, &setting, &Streams);
  Register("jobs.run", kRepetitions, &setting, &Jobs);
  Register("jobs.interactive", 3, &setting, &Interactive);
  RegisterClaims("jobs.postgres", 0);
  RegisterClaims("jobs.postgres.results", kResultBytes);
  return RunBenchmarks(argc, argv, Derive, /*rounds=*/1);
}

}  // namespace
}  // namespace bvhmill::bench

int main(int argc, char** argv) { return bvhmill::bench::Main(argc, argv); }
