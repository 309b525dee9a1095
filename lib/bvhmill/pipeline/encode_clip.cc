#include "bvhmill/pipeline/encode_clip.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <utility>

#include "bvhmill/base/status.h"
#include "bvhmill/encode/encoder.h"
#include "bvhmill/kinematics/fk_job.h"
#include "bvhmill/kinematics/plan.h"
#include "bvhmill/pipeline/stopwatch.h"
#include "bvhmill/pipeline/turns.h"

namespace bvhmill {
namespace {

// The bytes of all outputs together, and the limit on them.
struct OutputBudget {
  int64_t limit = 0;
  int64_t used = 0;
  bool exceeded = false;

  // Takes `bytes` more, or says that they are too many.
  absl::Status Take(int64_t bytes) {
    used += bytes;
    if (!Exceeds(used, limit)) return absl::OkStatus();
    exceeded = true;
    return MakeStatus(absl::StatusCode::kResourceExhausted,
                      "the outputs have more than max_output_bytes = " +
                          std::to_string(limit) + " bytes");
  }

  Fault fault() const {
    return {
        "LIMIT_EXCEEDED",
        {{"limit_name", "max_output_bytes"}, {"limit", std::to_string(limit)}}};
  }
};

// Hands the bytes of one output on and counts them.
class OutputSink final : public Sink {
 public:
  OutputSink(OutputReceiver* receiver, size_t output, OutputBudget* budget)
      : receiver_(*receiver), output_(output), budget_(*budget) {}

  absl::Status Append(std::string_view bytes) override {
    if (bytes.empty()) return absl::OkStatus();
    const auto size = static_cast<int64_t>(bytes.size());
    BVHMILL_RETURN_IF_ERROR(budget_.Take(size));
    written_ += size;
    return receiver_.Data(output_, bytes);
  }

  int64_t written() const { return written_; }

 private:
  OutputReceiver& receiver_;
  size_t output_;
  OutputBudget& budget_;
  int64_t written_ = 0;
};

// About as many frames as keep the arrays of a tile in the second cache.
int64_t TileFrames(const Plan& plan) {
  constexpr int64_t kTileNodes = 16 * 1024;
  const auto nodes = static_cast<int64_t>(plan.nodes.size());
  return std::clamp<int64_t>(kTileNodes / nodes, 1, 1024);
}

class ClipEncoder {
 public:
  ClipEncoder(const ConvertOptions& options, OutputReceiver* receiver,
              const CancelToken* cancel, Workspace* workspace,
              ConvertResult* result)
      : clip_(workspace->read.clip),
        workspace_(*workspace),
        cancel_(cancel),
        options_(options),
        receiver_(*receiver),
        result_(*result),
        plan_(MakePlan(clip_.skeleton, options.conventions)),
        context_{&clip_.skeleton, clip_.motion.frames, clip_.motion.frame_time},
        budget_{options.limits.max_output_bytes} {}

  absl::Status Run(Parallel* parallel) {
    absl::Status status = RunTiles(parallel);
    if (budget_.exceeded) result_.fault = budget_.fault();
    return status;
  }

 private:
  absl::Status RunTiles(Parallel* parallel);
  void Work(TileBuffers* buffers);
  absl::Status AddTile(const PoseTile& tile);
  absl::Status Prepare();
  absl::Status CheckSizes();
  PoseTile Solve(int64_t first, int64_t frames, TileBuffers* buffers) const;
  template <typename Step>
  absl::Status ForEach(std::chrono::nanoseconds* time, Step step);

  const Clip& clip_;
  Workspace& workspace_;
  const CancelToken* cancel_;
  const ConvertOptions& options_;
  OutputReceiver& receiver_;
  ConvertResult& result_;
  Plan plan_;
  EncodeContext context_;
  EncoderNeeds needs_;
  std::vector<std::unique_ptr<Encoder>> encoders_;
  std::vector<OutputSink> sinks_;
  OutputBudget budget_;
  // While several threads are at work: the tiles, and, for the thread whose
  // turn it is, what became of them.
  Turns tiles_;
  absl::Status status_;
  std::atomic<bool> stopped_{false};
};

template <typename Step>
absl::Status ClipEncoder::ForEach(std::chrono::nanoseconds* time, Step step) {
  const StageTimer timer(time);
  for (size_t i = 0; i < encoders_.size(); ++i) {
    BVHMILL_RETURN_IF_ERROR(step(*encoders_[i], &sinks_[i]));
  }
  return absl::OkStatus();
}

absl::Status ClipEncoder::CheckSizes() {
  int64_t total = 0;
  for (const OutputInfo& output : result_.outputs) {
    total += std::max<int64_t>(output.size_bytes, 0);
  }
  for (const auto& encoder : encoders_) total += encoder->HeldBytes(context_);
  OutputBudget foreseen{options_.limits.max_output_bytes};
  const absl::Status status = foreseen.Take(total);
  budget_.exceeded = foreseen.exceeded;
  return status;
}

absl::Status ClipEncoder::Prepare() {
  sinks_.reserve(options_.outputs.size());
  for (size_t i = 0; i < options_.outputs.size(); ++i) {
    encoders_.push_back(MakeEncoder(options_.outputs[i]));
    const EncoderNeeds needs = encoders_.back()->Needs();
    needs_.joint_positions |= needs.joint_positions;
    needs_.node_positions |= needs.node_positions;
    needs_.local_rotations |= needs.local_rotations;
    result_.outputs.push_back(encoders_.back()->Describe(context_));
    result_.outputs.back().id = OutputId(options_.outputs[i]);
    sinks_.emplace_back(&receiver_, i, &budget_);
  }
  BVHMILL_RETURN_IF_ERROR(CheckSizes());
  return receiver_.Begin(result_.info, result_.outputs);
}

// Sizes `buffer` for `count` values and returns it; empty if not needed.
std::span<float> Resized(bool needed, int64_t count,
                         UninitializedVector<float>* buffer) {
  if (!needed) return {};
  buffer->resize(static_cast<size_t>(count));
  return *buffer;
}

PoseTile ClipEncoder::Solve(int64_t first, int64_t frames,
                            TileBuffers* buffers) const {
  const StageTimer timer(&buffers->solve);
  PoseTile tile;
  tile.first_frame = first;
  tile.frames = frames;
  tile.values = std::span(clip_.motion.values)
                    .subspan(static_cast<size_t>(first * plan_.columns),
                             static_cast<size_t>(frames * plan_.columns));
  FkJob job;
  job.plan = &plan_;
  job.frames = frames;
  job.values = tile.values;
  const int64_t joints = frames * plan_.joints;
  job.positions =
      Resized(needs_.joint_positions, joints * 3, &buffers->joint_positions);
  job.local_rotations =
      Resized(needs_.local_rotations, joints * 4, &buffers->local_rotations);
  tile.joint_positions = job.positions;
  tile.local_rotations = job.local_rotations;
  if (needs_.joint_positions || needs_.local_rotations) job.Run();
  if (needs_.node_positions) {
    const auto nodes = static_cast<int64_t>(plan_.nodes.size());
    job.with_end_sites = true;
    job.local_rotations = {};
    job.positions = Resized(true, frames * nodes * 3, &buffers->node_positions);
    tile.node_positions = job.positions;
    job.Run();
  }
  return tile;
}

absl::Status ClipEncoder::AddTile(const PoseTile& tile) {
  if (IsCancelled(cancel_)) {
    return MakeStatus(absl::StatusCode::kCancelled, "cancelled");
  }
  for (size_t i = 0; i < encoders_.size(); ++i) {
    BVHMILL_RETURN_IF_ERROR(encoders_[i]->Add(tile, &sinks_[i]));
  }
  return absl::OkStatus();
}

// Solves tiles as long as there are any, and encodes each in its turn.
void ClipEncoder::Work(TileBuffers* buffers) {
  const int64_t step = TileFrames(plan_);
  const int64_t tiles = (context_.frames + step - 1) / step;
  for (int64_t i = tiles_.Take(); i < tiles; i = tiles_.Take()) {
    PoseTile tile;
    if (!stopped_) {
      const int64_t first = i * step;
      tile = Solve(first, std::min(step, context_.frames - first), buffers);
    }
    tiles_.Wait(i);
    if (!stopped_) {
      const StageTimer timer(&buffers->encode);
      status_ = AddTile(tile);
      stopped_ = !status_.ok();
    }
    tiles_.Pass(i);
  }
}

absl::Status ClipEncoder::RunTiles(Parallel* parallel) {
  std::chrono::nanoseconds* encode = &result_.times.encode;
  BVHMILL_RETURN_IF_ERROR(Prepare());
  BVHMILL_RETURN_IF_ERROR(ForEach(encode, [this](Encoder& encoder, Sink* sink) {
    return encoder.Begin(context_, sink);
  }));
  // A clip of a few tiles is not worth a second thread.
  constexpr int64_t kFewTiles = 4;
  const bool is_long = context_.frames > kFewTiles * TileFrames(plan_);
  const int threads = is_long ? parallel->threads() : 1;
  workspace_.tiles.resize(
      std::max(workspace_.tiles.size(), static_cast<size_t>(threads)));
  for (TileBuffers& buffers : workspace_.tiles) {
    buffers.solve = buffers.encode = {};
  }
  const auto work = [this](int64_t i) { Work(&workspace_.tiles[i]); };
  if (threads == 1) {
    work(0);
  } else {
    parallel->Run(threads, work);
  }
  for (const TileBuffers& buffers : workspace_.tiles) {
    result_.times.solve += buffers.solve;
    result_.times.encode += buffers.encode;
  }
  BVHMILL_RETURN_IF_ERROR(status_);
  BVHMILL_RETURN_IF_ERROR(ForEach(
      encode, [](Encoder& encoder, Sink* sink) { return encoder.End(sink); }));
  for (size_t i = 0; i < sinks_.size(); ++i) {
    result_.outputs[i].size_bytes = sinks_[i].written();
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status EncodeClip(const ConvertOptions& options, Parallel* parallel,
                        OutputReceiver* receiver, const CancelToken* cancel,
                        Workspace* workspace, ConvertResult* result) {
  return ClipEncoder(options, receiver, cancel, workspace, result)
      .Run(parallel);
}

}  // namespace bvhmill
