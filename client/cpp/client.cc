#include "client/cpp/client.h"

#include <grpcpp/client_context.h>

#include <algorithm>
#include <random>
#include <thread>
#include <utility>

#include "bvhmill/base/status.h"
#include "bvhmill/wire/options.h"
#include "client/cpp/call.h"
#include "client/cpp/channel.h"
#include "client/cpp/clip_calls.h"

namespace bvhmill::client {
namespace {

using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

// Pauses before the second, third and fourth attempt.
constexpr milliseconds kPauses[] = {milliseconds(100), milliseconds(400),
                                    milliseconds(1200)};

// Sleeps; false if cancelled before the end.
bool Pause(milliseconds time, const CancelToken* cancel) {
  const Clock::time_point end = Clock::now() + time;
  while (Clock::now() < end) {
    if (IsCancelled(cancel)) return false;
    std::this_thread::sleep_for(std::min(time, kCancelPoll));
  }
  return !IsCancelled(cancel);
}

// The pause before a refused clip is sent again: the retry delay of the server
// and a random part of up to half of it, so that clients do not retry at once.
// 0 if the server does not ask for a retry.
milliseconds BusyPause(const ConvertResult& result) {
  const milliseconds time = RetryDelayOf(result);
  if (time.count() == 0) return time;
  thread_local std::minstd_rand random(std::random_device{}());
  return time + milliseconds(random() % (time.count() / 2 + 1));
}

// Remembers whether it received data, after which no call may be tried again.
class WatchedReceiver final : public OutputReceiver {
 public:
  explicit WatchedReceiver(OutputReceiver* receiver) : receiver_(receiver) {}

  absl::Status Begin(const ClipInfo& info,
                     std::span<const OutputInfo> outputs) override {
    used_ = true;
    return receiver_->Begin(info, outputs);
  }
  absl::Status Data(size_t output, std::string_view bytes) override {
    return receiver_->Data(output, bytes);
  }
  bool used() const { return used_; }

 private:
  OutputReceiver* receiver_;
  bool used_ = false;
};

absl::StatusOr<v1::GetServerInfoResponse> AskServer(
    const ConnectOptions& options, const Line& line,
    const CancelToken* cancel) {
  grpc::ClientContext context;
  Prepare(line, &context);
  context.set_deadline(std::chrono::system_clock::now() +
                       options.connect_timeout);
  const v1::GetServerInfoRequest request;
  v1::GetServerInfoResponse info;
  const grpc::Status status =
      AwaitUnary(line.channel, "/bvhmill.v1.ServerService/GetServerInfo",
                 &context, cancel, request, &info);
  if (IsCancelled(cancel)) return CancelledResult().status;
  switch (status.error_code()) {
    case grpc::StatusCode::OK:
      // Every bvhmill server sets it; without it, this is another server.
      if (!info.api_packages().empty()) return info;
      return BrokenAnswer("it does not say what it serves");
    case grpc::StatusCode::DEADLINE_EXCEEDED:
      return Unreachable(options.server, "no answer in time");
    case grpc::StatusCode::UNAVAILABLE:
      return Unreachable(options.server, status.error_message());
    default:
      return ResultOf(status).status;
  }
}

}  // namespace

struct Client::Impl {
  // Calls `attempt` until it brings an answer, as the class promises.
  template <typename Attempt>
  ConvertResult Try(const WatchedReceiver& receiver, const CancelToken* cancel,
                    Attempt attempt) const {
    const Clock::time_point give_up = Clock::now() + busy_timeout;
    const milliseconds* lost_pause = std::begin(kPauses);
    ConvertResult result = attempt();
    while (!receiver.used()) {
      milliseconds pause = BusyPause(result);
      if (pause.count() > 0) {
        if (Clock::now() + pause > give_up) break;
      } else if (absl::IsUnavailable(result.status) &&
                 lost_pause != std::end(kPauses)) {
        pause = *lost_pause++;
      } else {
        break;
      }
      if (!Pause(pause, cancel)) return CancelledResult();
      result = attempt();
    }
    if (absl::IsUnavailable(result.status)) {
      result.status = Unreachable(server, MessageOf(result.status));
    }
    return result;
  }

  // For messages.
  std::string server;
  milliseconds busy_timeout;
  v1::GetServerInfoResponse info;
  ClipCalls calls;
};

Client::Client(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

Client::~Client() = default;

absl::StatusOr<std::unique_ptr<Client>> Client::Connect(
    const ConnectOptions& options, const CancelToken* cancel) {
  const absl::StatusOr<Line> line = OpenLine(options, cancel);
  if (!line.ok()) return line.status();
  const auto info = AskServer(options, *line, cancel);
  if (!info.ok()) return info.status();
  return std::unique_ptr<Client>(new Client(std::make_unique<Impl>(
      Impl{options.server, options.busy_timeout, *info,
           ClipCalls(*line, info->limits(), options.answer_timeout)})));
}

const v1::GetServerInfoResponse& Client::ServerInfo() const {
  return impl_->info;
}

bool Client::Takes(v1::ContentEncoding encoding) const {
  if (encoding == v1::CONTENT_ENCODING_IDENTITY) return true;
  const auto& taken = impl_->info.encodings();
  return std::find(taken.begin(), taken.end(), encoding) != taken.end();
}

bool Client::Reads(SourceFormat format) const {
  if (format == SourceFormat::kBvh) return true;
  const auto& read = impl_->info.source_formats();
  return std::any_of(read.begin(), read.end(), [&](const auto& info) {
    return wire::FromProto(info.format()) == format;
  });
}

ConvertResult Client::Validate(std::string_view name, const ClipData& clip,
                               const ConvertOptions& options,
                               const CancelToken* cancel) const {
  const v1::ConvertOptions wire_options = wire::ToProto(options);
  const WatchedReceiver none(nullptr);
  return impl_->Try(none, cancel, [&] {
    return impl_->calls.Validate(name, clip, wire_options, cancel);
  });
}

ConvertResult Client::Convert(std::string_view name, const ClipData& clip,
                              const ConvertOptions& options,
                              OutputReceiver* receiver,
                              const CancelToken* cancel) const {
  if (!GivesOutputs(options)) return Validate(name, clip, options, cancel);
  const v1::ConvertOptions wire_options = wire::ToProto(options);
  WatchedReceiver watched(receiver);
  return impl_->Try(watched, cancel, [&] {
    return impl_->calls.Convert(name, clip, wire_options, &watched, cancel);
  });
}

}  // namespace bvhmill::client
