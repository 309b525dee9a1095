#include "bench/soak/soak_calls.h"

#include <grpcpp/grpcpp.h>

#include <algorithm>
#include <charconv>
#include <latch>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

namespace bvhmill::bench {
namespace {

using Request = v1::ConvertClipsRequest;
using Response = v1::ConvertClipsResponse;
using Stream = grpc::ClientReaderWriter<Request, Response>;

constexpr int kSlowReads = 100;

bool IsBusy(const SoakAnswer& answer) {
  return answer.code == grpc::StatusCode::RESOURCE_EXHAUSTED &&
         answer.reason.ends_with("_BUSY");
}

// Counts one answer: refused, right, or wrong. A clip that was not read has a
// status only, and so has a unary call that failed.
void Judge(const SoakClip& clip, const SoakAnswer& want, SoakAnswer got,
           bool has_report, SoakTally* tally) {
  if (IsBusy(got)) {
    ++tally->refused;
    if (!got.may_retry) tally->Lose(clip.name + ": refused without a time");
    return;
  }
  ++tally->clips;
  for (const std::string& output : got.outputs) {
    tally->received_bytes += static_cast<int64_t>(output.size());
  }
  if (!has_report || want.report.empty()) {
    got.report = want.report;
    if (want.message.empty()) got.message.clear();
  }
  if (got == want) return;
  const std::string what = clip.name + ": " + std::to_string(got.code) + " " +
                           got.reason + " " + got.message;
  const bool is_answer = got.code == want.code || !got.reason.empty();
  if (is_answer) {
    tally->Miss(what);
  } else {
    tally->Lose(what);
  }
}

template <typename Message>
Message RequestOf(const SoakClip& clip) {
  Message request;
  request.mutable_source()->set_data(clip.data);
  request.mutable_source()->set_encoding(clip.encoding);
  *request.mutable_options() = clip.options;
  return request;
}

// An answer of ConvertClip; `message` is taken apart.
void JudgeConverted(const SoakClip& clip, const grpc::Status& status,
                    v1::ConvertClipResponse* message, SoakTally* tally) {
  if (!status.ok()) {
    return Judge(clip, clip.converted, AnswerOf(status), false, tally);
  }
  std::vector<std::string> outputs;
  for (v1::Output& output : *message->mutable_result()->mutable_outputs()) {
    outputs.push_back(std::move(*output.mutable_data()));
  }
  Judge(clip, clip.converted, AnswerOf(message->result(), std::move(outputs)),
        true, tally);
}

void CountCall(const SoakClip& clip, SoakTally* tally) {
  ++tally->calls;
  tally->sent_bytes += static_cast<int64_t>(clip.data.size());
}

// Keeps what comes for each clip of a stream, by its key.
class Collecting {
 public:
  Collecting(const SoakStreamPlan& plan, SoakTally* tally)
      : plan_(plan), tally_(*tally) {}

  void Take(Response* response) {
    switch (response->frame_case()) {
      case Response::kBegin:
        Outputs(response->begin().key())
            .resize(static_cast<size_t>(response->begin().outputs_size()));
        break;
      case Response::kOutputChunk:
        TakeChunk(response->output_chunk());
        break;
      case Response::kResult:
        TakeResult(response->result());
        break;
      case Response::kIssuesFound:
        tally_.Miss("issues before the result, not asked for");
        break;
      case Response::FRAME_NOT_SET:
        tally_.Miss("an empty frame");
        break;
    }
  }

  // The stream is over.
  void End(const grpc::Status& status) {
    if (plan_.may_end_early) {
      ++tally_.given_up;
      return;
    }
    if (!status.ok()) tally_.Lose("stream: " + status.error_message());
    for (size_t i = done_.size(); i < plan_.clips.size(); ++i) {
      tally_.Lose("a result of a stream");
    }
  }

 private:
  std::vector<std::string>& Outputs(const std::string& key) {
    return outputs_[key];
  }

  void TakeChunk(const v1::OutputChunk& chunk) {
    std::vector<std::string>& outputs = Outputs(chunk.key());
    const auto index = static_cast<size_t>(chunk.output_index());
    if (index >= outputs.size() ||
        static_cast<size_t>(chunk.offset()) != outputs[index].size()) {
      return tally_.Miss("a chunk in the wrong place");
    }
    outputs[index] += chunk.data();
  }

  void TakeResult(const v1::ClipResult& result) {
    const std::string& key = result.key();
    size_t index = plan_.clips.size();
    std::from_chars(key.data(), key.data() + key.size(), index);
    const bool is_next = !plan_.ordered || index == done_.size();
    if (index >= plan_.clips.size() || !is_next ||
        !done_.insert(index).second) {
      return tally_.Miss("a result that is not due");
    }
    const SoakClip& clip = *plan_.clips[index];
    Judge(clip, clip.converted,
          AnswerOf(result, std::move(Outputs(result.key()))), true, &tally_);
    outputs_.erase(result.key());
  }

  const SoakStreamPlan& plan_;
  SoakTally& tally_;
  std::map<std::string, std::vector<std::string>> outputs_;
  std::set<size_t> done_;
};

// False if the stream accepts no more messages.
bool SendClip(const SoakClip& clip, size_t index, size_t chunk_bytes,
              Stream* stream) {
  Request request;
  v1::ClipBegin* begin = request.mutable_begin();
  begin->set_key(std::to_string(index));
  begin->mutable_source()->set_encoding(clip.encoding);
  *begin->mutable_options() = clip.options;
  const std::string_view data = clip.data;
  begin->mutable_source()->set_data(data.data(),
                                    std::min(chunk_bytes, data.size()));
  begin->set_complete(data.size() <= chunk_bytes);
  if (!stream->Write(request)) return false;
  if (data.size() <= chunk_bytes) return true;
  for (size_t at = chunk_bytes; at < data.size(); at += chunk_bytes) {
    const std::string_view chunk = data.substr(at, chunk_bytes);
    request.set_chunk(chunk.data(), chunk.size());
    if (!stream->Write(request)) return false;
  }
  request.mutable_end();
  return stream->Write(request);
}

void SendAll(const SoakStreamPlan& plan, Stream* stream, SoakTally* tally) {
  Request open;
  open.mutable_open()->set_ordered(plan.ordered);
  if (!stream->Write(open)) return;
  for (size_t i = 0; i < plan.clips.size(); ++i) {
    tally->sent_bytes += static_cast<int64_t>(plan.clips[i]->data.size());
    if (!SendClip(*plan.clips[i], i, plan.chunk_bytes, stream)) return;
  }
  stream->WritesDone();
}

}  // namespace

void SoakUnary(Stub* stub, const SoakClip& clip, bool checks_only,
               SoakTally* tally) {
  CountCall(clip, tally);
  grpc::ClientContext context;
  if (!checks_only) {
    v1::ConvertClipResponse response;
    const grpc::Status status = stub->ConvertClip(
        &context, RequestOf<v1::ConvertClipRequest>(clip), &response);
    return JudgeConverted(clip, status, &response, tally);
  }
  v1::ValidateClipResponse response;
  const grpc::Status status = stub->ValidateClip(
      &context, RequestOf<v1::ValidateClipRequest>(clip), &response);
  Judge(clip, clip.checked,
        status.ok() ? AnswerOf(response.result(), {}) : AnswerOf(status),
        status.ok(), tally);
}

void SoakBurst(Stub* stub, const SoakClipList& clips, SoakTally* tally) {
  struct Call {
    grpc::ClientContext context;
    v1::ConvertClipRequest request;
    v1::ConvertClipResponse response;
  };
  std::vector<std::unique_ptr<Call>> calls;
  std::latch ended(static_cast<std::ptrdiff_t>(clips.size()));
  for (const SoakClip* clip : clips) {
    CountCall(*clip, tally);
    Call* call = calls.emplace_back(std::make_unique<Call>()).get();
    call->request = RequestOf<v1::ConvertClipRequest>(*clip);
    stub->async()->ConvertClip(&call->context, &call->request, &call->response,
                               [=, &ended](const grpc::Status& status) {
                                 JudgeConverted(*clip, status, &call->response,
                                                tally);
                                 ended.count_down();
                               });
  }
  ended.wait();
}

void SoakStream(Stub* stub, grpc::ClientContext* context,
                const SoakStreamPlan& plan, SoakTally* tally) {
  ++tally->calls;
  const auto stream = stub->ConvertClips(context);
  std::thread sending([&] { SendAll(plan, stream.get(), tally); });
  Collecting collecting(plan, tally);
  Response response;
  for (int i = 0; stream->Read(&response); ++i) {
    collecting.Take(&response);
    if (i < kSlowReads) std::this_thread::sleep_for(plan.read_pause);
  }
  sending.join();
  collecting.End(stream->Finish());
}

}  // namespace bvhmill::bench
