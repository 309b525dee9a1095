#include "bvhmill/pipeline/output_stage.h"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include "bvhmill/base/status.h"
#include "bvhmill/kinematics/fk_job.h"
#include "bvhmill/kinematics/velocity_job.h"
#include "bvhmill/pipeline/finalize_report.h"
#include "bvhmill/pipeline/stopwatch.h"

namespace bvhmill {
namespace {

// The limit on joint-major and other whole arrays is that on outputs: each is
// part of one.
int64_t ArrayBytes(const PoseArray& array, const EncodeContext& context) {
  return context.frames * RowsOf(array, *context.skeleton) * WidthOf(array) *
         static_cast<int64_t>(sizeof(float));
}

// Of the edited clip.
double UnitOf(const ClipEdits& edits) {
  return edits.meters_per_unit > 0 ? edits.meters_per_unit
                                   : edits.source.meters_per_unit;
}

}  // namespace

void OutputStage::AddNeeds(const EncoderNeeds& needs) {
  for (const PoseArray& array : needs.arrays) {
    const auto is_same = [&](const SharedArray& shared) {
      return shared.array == array && shared.whole == needs.full_arrays;
    };
    const auto it = std::find_if(arrays_.begin(), arrays_.end(), is_same);
    uses_.push_back(static_cast<size_t>(it - arrays_.begin()));
    if (it == arrays_.end()) arrays_.push_back({array, needs.full_arrays});
    ++arrays_[uses_.back()].users;
  }
}

void OutputStage::SetOutputs(const ConvertOptions& options) {
  options_ = &options;
  // A clip before may have failed without a report.
  log_.reset();
  said_.reset();
  if (options.outputs == requests_) return;
  requests_ = options.outputs;
  encoders_.clear();
  arrays_.clear();
  uses_.clear();
  for (const OutputRequest& request : requests_) {
    encoders_.push_back(MakeEncoder(request));
    AddNeeds(encoders_.back()->Needs());
  }
}

bool OutputStage::NeedsFrameCount() const {
  return std::any_of(encoders_.begin(), encoders_.end(),
                     [](const auto& e) { return e->Needs().frame_count; });
}

bool OutputStage::NeedsNeighbours() const {
  return std::any_of(arrays_.begin(), arrays_.end(), [](const auto& shared) {
    return shared.array.kind == PoseKind::kVelocities;
  });
}

bool OutputStage::NeedsLog() const {
  return std::any_of(encoders_.begin(), encoders_.end(),
                     [](const auto& e) { return e->Needs().log; });
}

void OutputStage::BeginLog(const EncodeContext& context) {
  context_ = context;
  context_.conventions = options_->conventions;
  context_.meters_per_unit = UnitOf(options_->edits);
  log_.reset();
  said_.reset();
  if (!NeedsLog()) return;
  log_.emplace(LogOptions(*options_));
  context_.log = &*log_;
  for (const auto& encoder : encoders_) encoder->Check(context_);
}

// A refusal in the words of the first error, if there is one that counts.
absl::Status OutputStage::Refuse(const absl::Status& status) {
  if (!log_ || !absl::IsFailedPrecondition(status)) return status;
  said_ = log_->Finish(/*skeleton_read=*/true, /*motion_read=*/true);
  log_.reset();
  const Issue* error = FirstError(*said_);
  if (error == nullptr) {
    fault_ = {"OUTPUT_IMPOSSIBLE", {}};
    return status;
  }
  fault_ = FaultOf(*error);
  return MakeStatus(status.code(), RenderIssue(*error));
}

void OutputStage::FinishReport(Report* report) {
  if (log_) said_ = log_->Finish(/*skeleton_read=*/true, /*motion_read=*/true);
  log_.reset();
  if (!said_) return;
  AddToReport(*std::move(said_), LogOptions(*options_).max_issues, report);
  said_.reset();
}

absl::Status OutputStage::CheckClip(const EncodeContext& context) {
  if (log_ && log_->errors() > 0) {
    return Refuse(MakeStatus(absl::StatusCode::kFailedPrecondition, ""));
  }
  if (!NeedsNeighbours() || HasRate(context.frame_time)) {
    return absl::OkStatus();
  }
  if (!log_) log_.emplace(LogOptions(*options_));
  log_->Add(IssueCode::TARGET_FRAME_TIME, {});
  const absl::Status refused = Refuse(MakeStatus(
      absl::StatusCode::kFailedPrecondition, "velocities need a frame time"));
  fault_ = {"FRAME_RATE_UNKNOWN", {}};
  return refused;
}

// No memory is taken for frames that would be too much work.
absl::Status OutputStage::CheckWork(const EncodeContext& context) const {
  int64_t units = 0;
  const bool overflows =
      __builtin_mul_overflow(context.frames, frame_work_, &units);
  if (context.budget == nullptr) return absl::OkStatus();
  return context.budget->CheckWork(
      overflows ? std::numeric_limits<int64_t>::max() : units);
}

absl::Status OutputStage::CheckSizes(const EncodeContext& context) {
  if (!NeedsFrameCount()) return absl::OkStatus();
  BVHMILL_RETURN_IF_ERROR(CheckWork(context));
  OutputBudget foreseen{options_->limits.max_output_bytes};
  int64_t bytes = 0;
  for (const OutputInfo& output : result_->outputs) {
    bytes += std::max<int64_t>(output.size_bytes, 0);
  }
  // Outputs that do not know their size hold at least their arrays.
  size_t use = 0;
  for (size_t i = 0; i < encoders_.size(); ++i) {
    for (const PoseArray& array : encoders_[i]->Needs().arrays) {
      const bool counts =
          arrays_[uses_[use++]].whole && result_->outputs[i].size_bytes < 0;
      bytes += counts ? ArrayBytes(array, context) : 0;
    }
  }
  absl::Status status = foreseen.Take(bytes);
  if (!status.ok()) fault_ = foreseen.fault();
  return status;
}

// Takes the memory of arrays that are needed whole.
absl::Status OutputStage::ReserveFullArrays(const EncodeContext& context) {
  int64_t bytes = 0;
  for (const SharedArray& shared : arrays_) {
    bytes += shared.whole ? ArrayBytes(shared.array, context) : 0;
  }
  BVHMILL_RETURN_IF_ERROR(HoldFrom(context.budget, bytes));
  // Also of a clip without frames: what is here is that of the clip before.
  full_arrays_.resize(std::max(full_arrays_.size(), arrays_.size()));
  for (size_t i = 0; i < arrays_.size(); ++i) {
    if (!arrays_[i].whole) continue;
    full_arrays_[i].resize(
        static_cast<size_t>(ArrayBytes(arrays_[i].array, context)) /
        sizeof(float));
  }
  return absl::OkStatus();
}

// What an encoder said: notes the fault if the sinks are full, or the format
// cannot hold the clip.
absl::Status OutputStage::OnEncoderStatus(const absl::Status& status) {
  if (budget_.exceeded) fault_ = budget_.fault();
  return status.ok() ? status : Refuse(status);
}

absl::Status OutputStage::Begin(const EncodeContext& context,
                                const CompiledSkeleton* compiled,
                                OutputReceiver* receiver,
                                ConvertResult* result) {
  BeginLog(context);
  result_ = result;
  fault_ = {};
  BVHMILL_RETURN_IF_ERROR(CheckClip(context));
  plan_ = compiled == nullptr ? &own_plan_ : &compiled->plan;
  if (compiled == nullptr) {
    MakePlanInto(*context.skeleton, options_->conventions, &own_plan_);
  }
  budget_ = {options_->limits.max_output_bytes};
  sinks_.clear();
  result->outputs.resize(encoders_.size());
  for (size_t i = 0; i < encoders_.size(); ++i) {
    encoders_[i]->Describe(context, &result->outputs[i]);
    result->outputs[i].id = OutputId(requests_[i]);
    if (!NeedsFrameCount()) result->outputs[i].size_bytes = -1;
    sinks_.emplace_back(receiver, i, &budget_, context.budget);
  }
  frame_work_ = FrameWork();
  scratch_threads_ = 0;
  BVHMILL_RETURN_IF_ERROR(CheckSizes(context));
  BVHMILL_RETURN_IF_ERROR(ReserveFullArrays(context));
  BVHMILL_RETURN_IF_ERROR(receiver->Begin(result->info, result->outputs));
  for (size_t i = 0; i < encoders_.size(); ++i) {
    BVHMILL_RETURN_IF_ERROR(
        OnEncoderStatus(encoders_[i]->Begin(context_, &sinks_[i])));
  }
  return absl::OkStatus();
}

// About as many frames as keep the arrays of a tile in the second cache.
int64_t OutputStage::TileFrames() const {
  constexpr int64_t kTileNodes = 16 * 1024;
  const auto nodes = static_cast<int64_t>(plan_->nodes.size());
  return std::clamp<int64_t>(kTileNodes / std::max<int64_t>(nodes, 1), 1, 1024);
}

int64_t OutputStage::MaxFrames() const {
  constexpr int64_t kMaxNodes = 256 * 1024;
  const auto nodes = static_cast<int64_t>(plan_->nodes.size());
  return std::max<int64_t>(kMaxNodes / std::max<int64_t>(nodes, 1), 1);
}

// What a frame of all outputs has, about: text has more bytes than the numbers
// that it is made of.
int64_t OutputStage::FrameBytes() const {
  constexpr int64_t kBytesOfWord = 16;
  int64_t bytes = 0;
  for (size_t i = 0; i < encoders_.size(); ++i) {
    const auto number = result_->outputs[i].tensor
                            ? static_cast<int64_t>(sizeof(float))
                            : kBytesOfWord;
    bytes += 2 * kBytesOfWord;
    for (const PoseArray& array : encoders_[i]->Needs().arrays) {
      bytes += number * WidthOf(array) *
               bvhmill::RowsOf(*plan_, array.with_end_sites);
    }
  }
  return bytes;
}

// Solving a node takes about as long as some numbers take to be copied; a
// number that is written as text takes many times as long.
int64_t OutputStage::FrameWork() const {
  constexpr int64_t kNodeWork = 6;
  constexpr int64_t kTextWork = 24;
  int64_t units = 1;
  for (const SharedArray& shared : arrays_) {
    units += (kNodeWork + WidthOf(shared.array)) *
             static_cast<int64_t>(plan_->nodes.size());
  }
  for (size_t i = 0; i < encoders_.size(); ++i) {
    if (result_->outputs[i].tensor) continue;
    // Rows are copied where no arrays are asked for.
    if (encoders_[i]->Needs().arrays.empty())
      units += kTextWork * plan_->columns;
    for (const PoseArray& array : encoders_[i]->Needs().arrays) {
      units += kTextWork * WidthOf(array) *
               bvhmill::RowsOf(*plan_, array.with_end_sites);
    }
  }
  return units;
}

absl::Status OutputStage::DrawBuffers(int threads, int64_t frames) {
  if (threads > scratch_threads_ && !arrays_.empty()) {
    const int more = threads - std::exchange(scratch_threads_, threads);
    BVHMILL_RETURN_IF_ERROR(
        HoldFrom(context_.budget, more * FkScratchBytes(*plan_)));
  }
  int64_t values = 0;
  for (const SharedArray& shared : arrays_) {
    const int64_t rows = bvhmill::RowsOf(*plan_, shared.array.with_end_sites);
    if (!shared.whole) values += rows * WidthOf(shared.array);
    // A velocity is made of positions.
    if (shared.array.kind == PoseKind::kVelocities) values += 3 * rows;
  }
  return HoldFrom(context_.budget, threads * std::min(frames, MaxFrames()) *
                                       values *
                                       static_cast<int64_t>(sizeof(float)));
}

int64_t OutputStage::StepFrames(int64_t bytes) const {
  const int64_t frames = bytes / std::max<int64_t>(FrameBytes(), 1);
  return std::clamp<int64_t>(frames, 1, MaxFrames());
}

// Where array number `array` of a tile goes.
std::span<float> OutputStage::ArraySpan(size_t array, const TileRows& rows,
                                        TileBuffers* buffers) {
  if (arrays_[array].whole) return full_arrays_[array];
  const PoseArray& wanted = arrays_[array].array;
  const int64_t count = rows.frames *
                        bvhmill::RowsOf(*plan_, wanted.with_end_sites) *
                        WidthOf(wanted);
  UninitializedVector<float>& buffer = buffers->arrays[array];
  buffer.resize(static_cast<size_t>(count));
  return buffer;
}

void OutputStage::SolveArray(const SharedArray& shared, const TileRows& rows,
                             TileBuffers* buffers, std::span<float> out) const {
  const PoseArray& array = shared.array;
  const auto set_place = [&](auto* job) {
    job->plan = plan_;
    job->frames = rows.frames;
    job->with_end_sites = array.with_end_sites;
    job->layout = array.layout;
    job->array_frames = shared.whole ? context_.frames : 0;
    job->first_frame = shared.whole ? rows.first_frame : 0;
  };
  if (array.kind == PoseKind::kVelocities) {
    VelocityJob job;
    set_place(&job);
    job.values = rows.around;
    job.has_before = rows.has_before;
    job.has_after = rows.has_after;
    job.frame_time = context_.frame_time;
    job.velocities = out;
    job.scratch = &buffers->positions;
    job.fk_scratch = &buffers->scratch;
    return job.Run();
  }
  FkJob job;
  set_place(&job);
  job.values = rows.values;
  job.scratch = &buffers->scratch;
  job.rotation_kind = array.rotation_kind;
  (array.kind == PoseKind::kPositions        ? job.positions
   : array.kind == PoseKind::kLocalRotations ? job.local_rotations
                                             : job.world_rotations) = out;
  job.Run();
}

void OutputStage::Solve(const TileRows& rows, TileBuffers* buffers) {
  const StageTimer timer(&buffers->solve);
  buffers->arrays.resize(std::max(buffers->arrays.size(), arrays_.size()));
  for (size_t i = 0; i < arrays_.size(); ++i) {
    SolveArray(arrays_[i], rows, buffers, ArraySpan(i, rows, buffers));
  }
}

// Where its part of uses_ begins.
size_t OutputStage::FirstUse(size_t encoder) const {
  size_t use = 0;
  for (size_t i = 0; i < encoder; ++i) {
    use += encoders_[i]->Needs().arrays.size();
  }
  return use;
}

// The arrays of an encoder if it takes them whole, or not whole, as asked.
PoseSpans OutputStage::SpansOf(size_t encoder, bool whole,
                               TileBuffers* buffers) {
  spans_.clear();
  if (encoders_[encoder]->Needs().full_arrays != whole) return spans_;
  size_t use = FirstUse(encoder);
  const size_t end = use + encoders_[encoder]->Needs().arrays.size();
  for (; use < end; ++use) {
    const size_t array = uses_[use];
    spans_.emplace_back(whole ? full_arrays_[array] : buffers->arrays[array]);
  }
  return spans_;
}

absl::Status OutputStage::Add(const TileRows& rows, TileBuffers* buffers) {
  const StageTimer timer(&buffers->encode);
  BVHMILL_RETURN_IF_ERROR(WorkFrom(context_.budget, rows.frames * frame_work_));
  const PoseTile tile = {rows.first_frame, rows.frames, rows.values};
  for (size_t i = 0; i < encoders_.size(); ++i) {
    BVHMILL_RETURN_IF_ERROR(OnEncoderStatus(AddTo(i, tile, buffers)));
  }
  return absl::OkStatus();
}

absl::Status OutputStage::AddTo(size_t encoder, const PoseTile& tile,
                                TileBuffers* buffers) {
  const EncoderNeeds& needs = encoders_[encoder]->Needs();
  if (needs.passthrough && !needs.full_arrays) {
    const size_t array = uses_[FirstUse(encoder)];
    if (arrays_[array].users == 1) {
      return sinks_[encoder].Append(&buffers->arrays[array]);
    }
  }
  return encoders_[encoder]->Add(
      tile, SpansOf(encoder, /*whole=*/false, buffers), &sinks_[encoder]);
}

absl::Status OutputStage::End(int64_t frames, TileBuffers* buffers) {
  const StageTimer timer(&buffers->encode);
  context_.frames = frames;
  for (size_t i = 0; i < encoders_.size(); ++i) {
    BVHMILL_RETURN_IF_ERROR(OnEncoderStatus(
        encoders_[i]->End(SpansOf(i, /*whole=*/true, buffers), &sinks_[i])));
    encoders_[i]->Describe(context_, &result_->outputs[i]);
    result_->outputs[i].size_bytes = sinks_[i].written();
  }
  return absl::OkStatus();
}

size_t OutputStage::KeptBytes() const {
  size_t bytes = 0;
  for (const auto& whole : full_arrays_)
    bytes += whole.capacity() * sizeof(float);
  return bytes;
}

}  // namespace bvhmill
