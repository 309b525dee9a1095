#include "bvhmill/pipeline/convert.h"

#include <algorithm>
#include <optional>

#include "bvhmill/base/status.h"
#include "bvhmill/bvh/reader.h"
#include "bvhmill/pipeline/arena_parallel.h"
#include "bvhmill/pipeline/checks_receiver.h"
#include "bvhmill/pipeline/costs.h"
#include "bvhmill/pipeline/edit_stage.h"
#include "bvhmill/pipeline/encode_clip.h"
#include "bvhmill/pipeline/finalize_report.h"
#include "bvhmill/pipeline/fused_conversion.h"
#include "bvhmill/pipeline/stopwatch.h"
#include "bvhmill/pipeline/workspace.h"
#include "bvhmill/report/issue_log.h"

namespace bvhmill {

absl::Status StringReceiver::Begin(const ClipInfo& /*info*/,
                                   std::span<const OutputInfo> outputs) {
  data_.resize(outputs.size());
  for (size_t i = 0; i < outputs.size(); ++i) {
    // What is expected may be wrong: it is not taken as given.
    constexpr int64_t kMaxReserved = int64_t{1} << 30;
    const int64_t bytes = outputs[i].tensor ? TensorBytes(*outputs[i].tensor)
                                            : outputs[i].size_bytes;
    data_[i].clear();
    data_[i].reserve(
        static_cast<size_t>(std::clamp<int64_t>(bytes, 0, kMaxReserved)));
  }
  return absl::OkStatus();
}

absl::Status StringReceiver::Data(size_t output, std::string_view bytes) {
  data_[output].append(bytes);
  return absl::OkStatus();
}

namespace {

// One call of Convert.
class Conversion {
 public:
  Conversion(const ConvertOptions& options, OutputReceiver* receiver,
             const CancelToken* cancel, ConvertResult* result)
      : options_(options),
        checks_receiver_(receiver),
        receiver_(options.checks_only ? &checks_receiver_ : receiver),
        cancel_(cancel),
        budget_(options.limits, cancel, HolderOf(receiver)),
        log_(LogOptions(options)),
        workspace_(*lease_),
        result_(*result) {}

  void Run(std::string_view text);

 private:
  ReadOptions HowToRead();
  void ReadWhole(std::string_view text);
  void ReadFlowing(std::string_view text, FusedConversion* flow);
  bool Read(std::string_view text, FusedConversion* flow);
  void EditAndEncode(FusedConversion* flow);
  void MakeOutputs(FusedConversion* flow);
  void TakeClip();
  const CompiledSkeleton* PlanOfClip() const;
  void AddTimes(bool flowing);

  const ConvertOptions& options_;
  ChecksReceiver checks_receiver_;
  OutputReceiver* receiver_;
  const CancelToken* cancel_;
  Budget budget_;
  IssueLog log_;
  ArenaParallel parallel_;
  WorkspaceLease lease_;
  Workspace& workspace_;
  ConvertResult& result_;
  std::shared_ptr<const CompiledSkeleton> compiled_;
};

ReadOptions Conversion::HowToRead() {
  ReadOptions how;
  how.limits = options_.limits;
  how.cancel = cancel_;
  how.parallel = &parallel_;
  how.cache = &workspace_.cache;
  how.budget = &budget_;
  return how;
}

void Conversion::ReadWhole(std::string_view text) {
  const StageTimer timer(&result_.times.read);
  ParsedClip& read = workspace_.read;
  ReadBvhInto(text, HowToRead(), &log_, &read);
  if (!read.skeleton_read) return;
  const Skeleton& skeleton = read.source->skeleton;
  if (DrawSkeleton(skeleton, &budget_).ok()) {
    compiled_ = workspace_.compiler.Compile(
        read.source, !options_.outputs.empty() && IsEmpty(options_.edits),
        options_.conventions);
  }
  workspace_.samples.Begin(static_cast<int64_t>(skeleton.channels.size()));
  workspace_.samples.Add(read.motion.frames, read.motion.values);
}

void Conversion::ReadFlowing(std::string_view text, FusedConversion* flow) {
  const StageTimer timer(&result_.times.read);
  ReadBvhTiles(text, HowToRead(), &log_, flow, &workspace_.reader,
               &workspace_.read);
}

// Tiles that flow are solved and encoded while the clip is read.
void Conversion::AddTimes(bool flowing) {
  StageTimes& times = result_.times;
  for (const TileBuffers& buffers : workspace_.tiles) {
    times.solve += buffers.solve;
    times.encode += buffers.encode;
  }
  if (!flowing) return;
  const auto threads = parallel_.threads();
  const auto others = (times.solve + times.encode) / threads;
  times.read = std::max(times.read - others, std::chrono::nanoseconds{0});
}

// Of a clip that is good. `flow` is null if it has not flowed.
void Conversion::MakeOutputs(FusedConversion* flow) {
  OutputStage& stage = workspace_.stage;
  result_.status = flow != nullptr
                       ? flow->Finish(workspace_.read.motion.frames)
                       : EncodeClip(workspace_.clip, PlanOfClip(), &parallel_,
                                    receiver_, &budget_, &workspace_, &result_);
  result_.fault = stage.fault();
  stage.FinishReport(&result_.report);
  if (options_.checks_only) PassFailedOutputs(&result_);
}

// Makes workspace_.clip of the clip that was read.
void Conversion::TakeClip() {
  if (options_.outputs.empty() && IsEmpty(options_.edits)) return;
  ParsedClip& read = workspace_.read;
  Clip& clip = workspace_.clip;
  clip.skeleton = read.source->skeleton;
  std::swap(clip.motion, read.motion);
}

// Null if it is edited.
const CompiledSkeleton* Conversion::PlanOfClip() const {
  return IsEmpty(options_.edits) ? compiled_.get() : nullptr;
}

// False if the clip is refused.
bool Conversion::Read(std::string_view text, FusedConversion* flow) {
  const auto bytes = static_cast<int64_t>(text.size());
  budget_.AddInput(bytes);
  const absl::Status status = budget_.Work(bytes);
  if (status.ok() && flow != nullptr) ReadFlowing(text, flow);
  if (status.ok() && flow == nullptr) ReadWhole(text);
  if (const absl::Status refused = budget_.failure(); !refused.ok()) {
    RefuseUnread(refused, &result_);
    return false;
  }
  const ParsedClip& read = workspace_.read;
  if (flow != nullptr && flow->compiled() != nullptr) {
    compiled_ = flow->compiled();
  }
  FinalizeReport(options_,
                 {read.skeleton_read, read.motion_read, compiled_.get(),
                  read.motion.frames, read.motion.frame_time},
                 workspace_.samples, cancel_, &log_, &result_);
  return result_.status.ok();
}

void Conversion::EditAndEncode(FusedConversion* flow) {
  if (flow == nullptr) TakeClip();
  result_.status = EditStage(options_, &budget_, &workspace_, &result_);
  if (result_.status.ok() && !options_.outputs.empty()) MakeOutputs(flow);
}

void Conversion::Run(std::string_view text) {
  LogUnknownFields(options_, &log_);
  OutputStage& stage = workspace_.stage;
  workspace_.ReleaseSkeleton();
  stage.SetOutputs(options_);
  const bool flowing = !options_.outputs.empty() && !stage.NeedsFrameCount() &&
                       !stage.NeedsNeighbours() && IsEmpty(options_.edits);
  workspace_.BeginTiles(parallel_.threads());
  std::optional<FusedConversion> flow;
  if (flowing) {
    const int workers = IsShortText(text) ? 1 : parallel_.threads();
    flow.emplace(workers, text.size(), receiver_, &budget_, &workspace_,
                 &result_);
  }
  FusedConversion* const reading = flow ? &*flow : nullptr;
  if (Read(text, reading)) EditAndEncode(reading);
  NameLimit(budget_, &result_);
  AddTimes(flowing);
  // Outputs that nobody got say nothing.
  if (!result_.status.ok() || !GivesOutputs(options_)) {
    result_.outputs.clear();
  }
}

}  // namespace

ConvertResult Convert(std::string_view text, const ConvertOptions& options,
                      OutputReceiver* receiver, const CancelToken* cancel) {
  ConvertResult result;
  ConvertInto(text, options, receiver, cancel, &result);
  return result;
}

void ConvertInto(std::string_view text, const ConvertOptions& options,
                 OutputReceiver* receiver, const CancelToken* cancel,
                 ConvertResult* result) {
  Reset(result);
  result->status = CheckOptions(options);
  if (result->status.ok()) {
    Conversion(options, receiver, cancel, result).Run(text);
    return;
  }
  result->info = {};
  result->outputs.clear();
  result->fault = FaultOfOptions(result->status);
}

}  // namespace bvhmill
