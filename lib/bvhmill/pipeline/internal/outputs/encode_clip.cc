#include "bvhmill/pipeline/internal/outputs/encode_clip.h"

#include <algorithm>

#include "bvhmill/base/ordered_sequencer.h"
#include "bvhmill/base/status.h"

namespace bvhmill {
namespace {

class ClipEncoder {
 public:
  ClipEncoder(const Clip& clip, Workspace* workspace)
      : clip_(clip),
        workspace_(*workspace),
        solver_(workspace->stage.solver()) {}

  absl::Status Run(Parallel* parallel);

 private:
  void Work(TileBuffers* buffers);
  TileRows RowsAt(int64_t first, int64_t frames) const;

  const Clip& clip_;
  Workspace& workspace_;
  PoseSolver& solver_;
  OrderedSequencer sequencer_;
  // Written only by the thread whose turn it is.
  absl::Status status_;
};

TileRows ClipEncoder::RowsAt(int64_t first, int64_t frames) const {
  TileRows rows;
  rows.first_frame = first;
  rows.frames = frames;
  rows.has_before = first > 0;
  rows.has_after = first + frames < clip_.motion.frames;
  const size_t columns = clip_.skeleton.channels.size();
  const auto slice = [&](int64_t from, int64_t to) {
    return std::span(clip_.motion.values)
        .subspan(static_cast<size_t>(from) * columns,
                 static_cast<size_t>(to - from) * columns);
  };
  rows.values = slice(first, first + frames);
  rows.around = slice(first - (rows.has_before ? 1 : 0),
                      first + frames + (rows.has_after ? 1 : 0));
  return rows;
}

// Solves tiles until there are no more, and encodes each in its turn.
void ClipEncoder::Work(TileBuffers* buffers) {
  const int64_t frames = clip_.motion.frames;
  const int64_t step = solver_.TileFrames();
  const int64_t tiles = (frames + step - 1) / step;
  for (int64_t i = sequencer_.Take(); i < tiles; i = sequencer_.Take()) {
    const TileRows rows = RowsAt(i * step, std::min(step, frames - i * step));
    const OrderedSequencer::Slot turn(&sequencer_, i);
    if (!sequencer_.stopped()) solver_.Solve(rows, buffers);
    turn.Wait();
    if (sequencer_.stopped()) continue;
    status_ = workspace_.stage.Add(rows, buffers);
    if (!status_.ok()) sequencer_.Stop();
  }
}

absl::Status ClipEncoder::Run(Parallel* parallel) {
  // A clip of a few tiles is not worth a second thread.
  constexpr int64_t kFewTiles = 4;
  const int64_t frames = clip_.motion.frames;
  const int64_t step = solver_.TileFrames();
  const bool is_long = frames > kFewTiles * step;
  const int threads = is_long ? parallel->threads() : 1;
  BVHMILL_RETURN_IF_ERROR(solver_.DrawBuffers(threads, std::min(step, frames)));
  if (threads == 1) {
    Work(&workspace_.tiles[0]);
  } else {
    parallel->Run(threads, [this](int64_t i) {
      Work(&workspace_.tiles[static_cast<size_t>(i)]);
    });
  }
  BVHMILL_RETURN_IF_ERROR(status_);
  return workspace_.stage.End(frames, &workspace_.tiles[0]);
}

}  // namespace

absl::Status EncodeClip(const Clip& clip, const CompiledSkeleton* compiled,
                        Parallel* parallel, OutputReceiver* receiver,
                        Budget* budget, Workspace* workspace,
                        ConvertResult* result) {
  EncodeContext context{&clip.skeleton, clip.motion.frames,
                        clip.motion.frame_time};
  context.clip = &clip;
  context.budget = budget;
  BVHMILL_RETURN_IF_ERROR(
      workspace->stage.Begin(context, compiled, receiver, result));
  return ClipEncoder(clip, workspace).Run(parallel);
}

}  // namespace bvhmill
