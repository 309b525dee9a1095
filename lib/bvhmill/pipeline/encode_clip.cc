#include "bvhmill/pipeline/encode_clip.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "bvhmill/base/status.h"
#include "bvhmill/encode/encoder.h"
#include "bvhmill/kinematics/fk_job.h"
#include "bvhmill/kinematics/plan.h"
#include "bvhmill/pipeline/stopwatch.h"

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

// The arrays of one tile, kept from tile to tile.
struct TileBuffers {
  UninitializedVector<float> joint_positions;
  UninitializedVector<float> node_positions;
  UninitializedVector<float> local_rotations;
};

// About as many frames as keep the arrays of a tile in the second cache.
int64_t TileFrames(const Plan& plan) {
  constexpr int64_t kTileNodes = 16 * 1024;
  const auto nodes = static_cast<int64_t>(plan.nodes.size());
  return std::clamp<int64_t>(kTileNodes / nodes, 1, 1024);
}

class ClipEncoder {
 public:
  ClipEncoder(const Clip& clip, const ConvertOptions& options,
              OutputReceiver* receiver, ConvertResult* result)
      : clip_(clip),
        options_(options),
        receiver_(*receiver),
        result_(*result),
        plan_(MakePlan(clip.skeleton, options.conventions)),
        context_{&clip.skeleton, clip.motion.frames, clip.motion.frame_time},
        budget_{options.limits.max_output_bytes} {}

  absl::Status Run(const CancelToken* cancel) {
    absl::Status status = RunTiles(cancel);
    if (budget_.exceeded) result_.fault = budget_.fault();
    return status;
  }

 private:
  absl::Status RunTiles(const CancelToken* cancel);
  absl::Status Prepare();
  absl::Status CheckSizes();
  PoseTile Solve(int64_t first, int64_t frames);
  template <typename Step>
  absl::Status ForEach(Step step);

  const Clip& clip_;
  const ConvertOptions& options_;
  OutputReceiver& receiver_;
  ConvertResult& result_;
  Plan plan_;
  EncodeContext context_;
  EncoderNeeds needs_;
  std::vector<std::unique_ptr<Encoder>> encoders_;
  std::vector<OutputSink> sinks_;
  OutputBudget budget_;
  TileBuffers buffers_;
};

template <typename Step>
absl::Status ClipEncoder::ForEach(Step step) {
  const StageTimer timer(&result_.times.encode);
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

PoseTile ClipEncoder::Solve(int64_t first, int64_t frames) {
  const StageTimer timer(&result_.times.solve);
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
      Resized(needs_.joint_positions, joints * 3, &buffers_.joint_positions);
  job.local_rotations =
      Resized(needs_.local_rotations, joints * 4, &buffers_.local_rotations);
  tile.joint_positions = job.positions;
  tile.local_rotations = job.local_rotations;
  if (needs_.joint_positions || needs_.local_rotations) job.Run();
  if (needs_.node_positions) {
    const auto nodes = static_cast<int64_t>(plan_.nodes.size());
    job.with_end_sites = true;
    job.local_rotations = {};
    job.positions = Resized(true, frames * nodes * 3, &buffers_.node_positions);
    tile.node_positions = job.positions;
    job.Run();
  }
  return tile;
}

absl::Status ClipEncoder::RunTiles(const CancelToken* cancel) {
  BVHMILL_RETURN_IF_ERROR(Prepare());
  BVHMILL_RETURN_IF_ERROR(ForEach([this](Encoder& encoder, Sink* sink) {
    return encoder.Begin(context_, sink);
  }));
  const int64_t step = TileFrames(plan_);
  for (int64_t first = 0; first < context_.frames; first += step) {
    if (IsCancelled(cancel)) {
      return MakeStatus(absl::StatusCode::kCancelled, "cancelled");
    }
    const PoseTile tile = Solve(first, std::min(step, context_.frames - first));
    BVHMILL_RETURN_IF_ERROR(ForEach([&tile](Encoder& encoder, Sink* sink) {
      return encoder.Add(tile, sink);
    }));
  }
  BVHMILL_RETURN_IF_ERROR(
      ForEach([](Encoder& encoder, Sink* sink) { return encoder.End(sink); }));
  for (size_t i = 0; i < sinks_.size(); ++i) {
    result_.outputs[i].size_bytes = sinks_[i].written();
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status EncodeClip(const Clip& clip, const ConvertOptions& options,
                        OutputReceiver* receiver, const CancelToken* cancel,
                        ConvertResult* result) {
  return ClipEncoder(clip, options, receiver, result).Run(cancel);
}

}  // namespace bvhmill
