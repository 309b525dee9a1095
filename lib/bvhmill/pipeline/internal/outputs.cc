#include "bvhmill/pipeline/internal/outputs.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bvhmill/base/limits.h"
#include "bvhmill/base/status.h"
#include "bvhmill/encode/poses.h"
#include "bvhmill/pipeline/internal/check_clip.h"
#include "bvhmill/pipeline/internal/converter_state.h"

namespace bvhmill {
namespace {

absl::Status TooManyBytes(int64_t limit) {
  return LimitError("max_output_bytes", limit,
                    "the outputs have more than max_output_bytes = " +
                        std::to_string(limit) + " bytes");
}

// Sends the bytes of one output after the other to the receiver, and counts
// them. A byte is a unit of work.
class OutputSink final : public Sink {
 public:
  // `receiver` is null if the bytes are dropped.
  OutputSink(OutputReceiver* receiver, int64_t limit, Budget* budget,
             const ConvertResult& result)
      : receiver_(receiver), limit_(limit), budget_(budget), result_(result) {}

  void StartOutput(size_t output) {
    output_ = output;
    written_ = 0;
  }
  int64_t written() const { return written_; }

  // Calls receiver->Begin before the first bytes. If the receiver refuses, all
  // outputs fail.
  absl::Status Start() {
    if (has_begun_ || receiver_ == nullptr) return absl::OkStatus();
    has_begun_ = true;
    return Note(receiver_->Begin(result_.info, result_.outputs));
  }

  // Splits long bytes into pieces, so that a cancelled conversion stops soon.
  absl::Status Append(std::string_view bytes) override {
    constexpr size_t kPiece = size_t{4} << 20;
    for (; !bytes.empty();
         bytes.remove_prefix(std::min(kPiece, bytes.size()))) {
      const std::string_view piece = bytes.substr(0, kPiece);
      BVHMILL_RETURN_IF_ERROR(Count(static_cast<int64_t>(piece.size())));
      if (receiver_ == nullptr) continue;
      BVHMILL_RETURN_IF_ERROR(Start());
      BVHMILL_RETURN_IF_ERROR(Note(receiver_->Data(output_, piece)));
    }
    return absl::OkStatus();
  }

  // The first error of the receiver; OK if there was none.
  const absl::Status& refused() const { return refused_; }

 private:
  absl::Status Count(int64_t bytes) {
    written_ += bytes;
    all_ += bytes;
    if (Exceeds(all_, limit_)) return TooManyBytes(limit_);
    return WorkFrom(budget_, bytes);
  }
  absl::Status Note(const absl::Status& status) {
    if (refused_.ok()) refused_ = status;
    return status;
  }

  OutputReceiver* const receiver_;
  const int64_t limit_;
  Budget* const budget_;
  const ConvertResult& result_;
  bool has_begun_ = false;
  size_t output_ = 0;
  // Bytes of this output, and of all.
  int64_t written_ = 0;
  int64_t all_ = 0;
  absl::Status refused_;
};

// The error of an output whose format cannot hold the clip: the first error in
// its report, if there is one.
absl::Status ErrorOfOutput(const absl::Status& status, const Report& report) {
  CallError error = CallErrorOf(status);
  const Issue* first = FirstError(report);
  if (first == nullptr) {
    if (error.reason.empty()) error.reason = "OUTPUT_IMPOSSIBLE";
    return MakeCallError(std::move(error));
  }
  const absl::Status of_issue = ErrorOf(status.code(), *first);
  if (error.reason.empty()) return of_issue;
  error.message = CallErrorOf(of_issue).message;
  return MakeCallError(std::move(error));
}

// Writes output number `i`, and sets `report` to its issues. Fails only if the
// other outputs cannot be made either.
absl::Status MakeOutput(const ConvertOptions& options, size_t i,
                        EncodeContext context, OutputSink* sink,
                        ConvertResult* result, Report* report) {
  OutputInfo& output = result->outputs[i];
  IssueLog log(LogOptions(options));
  context.log = &log;
  sink->StartOutput(i);
  const absl::Status status = Encode(options.outputs[i].format, context, sink);
  *report = log.Finish(/*skeleton_read=*/true, /*motion_read=*/true);
  if (status.ok()) {
    output.size_bytes = sink->written();
    return absl::OkStatus();
  }
  if (!absl::IsFailedPrecondition(status) || !sink->refused().ok()) {
    return status;
  }
  output.status = ErrorOfOutput(status, *report);
  output.size_bytes = 0;
  output.tensor.reset();
  return absl::OkStatus();
}

// Adds the issues of an output to the report of the clip. `verdict` is that of
// the clip and of the outputs that were made.
void AddReport(Report report, bool is_made, ConvertResult* result,
               Verdict* verdict) {
  if (is_made) *verdict = std::max(*verdict, report.verdict);
  AddToReport(std::move(report), &result->report);
}

// Describes the outputs of `options` for a clip with `frames` frames. Returns
// the least number of bytes of all outputs together.
int64_t DescribeOutputs(const ConvertOptions& options, const Skeleton& skeleton,
                        int64_t frames, ConvertResult* result) {
  int64_t bytes = 0;
  result->outputs.resize(options.outputs.size());
  for (size_t i = 0; i < options.outputs.size(); ++i) {
    const OutputRequest& request = options.outputs[i];
    OutputInfo& output = result->outputs[i];
    output.id = OutputId(request);
    output.media_type = FormatOf(request.format).media_type;
    output.status = absl::OkStatus();
    bytes += DescribeFormat(request.format, skeleton, frames, &output);
  }
  return bytes;
}

}  // namespace

absl::Status MakeOutputs(const ConvertOptions& options,
                         const EncodeContext& context, OutputReceiver* receiver,
                         ConvertResult* result) {
  const StageTimer timer(&result->times.encode);
  const int64_t limit = options.limits.max_output_bytes;
  const int64_t least =
      DescribeOutputs(options, context.skeleton(), context.frames(), result);
  if (Exceeds(least, limit)) return TooManyBytes(limit);
  OutputSink sink(options.checks_only ? nullptr : receiver, limit,
                  context.budget, *result);
  Verdict verdict = result->report.verdict;
  absl::Status status;
  absl::Status first;
  bool is_any_made = false;
  for (size_t i = 0; i < options.outputs.size() && status.ok(); ++i) {
    Report report;
    status = MakeOutput(options, i, context, &sink, result, &report);
    const absl::Status& made = result->outputs[i].status;
    const bool is_made = status.ok() && made.ok();
    AddReport(std::move(report), is_made, result, &verdict);
    is_any_made |= is_made;
    if (first.ok()) first = made;
  }
  if (status.ok() && is_any_made) status = sink.Start();
  // The clip stays valid if at least one of its outputs was made.
  if (is_any_made && !options.checks_only) result->report.verdict = verdict;
  result->times.encode -= context.poses->elapsed;
  BVHMILL_RETURN_IF_ERROR(status);
  if (options.checks_only) {
    return result->report.counts.errors > 0 ? absl::OkStatus() : first;
  }
  return is_any_made ? absl::OkStatus() : first;
}

}  // namespace bvhmill
