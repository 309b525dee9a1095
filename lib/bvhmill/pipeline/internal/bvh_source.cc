// The rows of BVH text: read by several threads from a whole text, or from
// pieces as they arrive.

#include "bvhmill/bvh/parsed_clip.h"
#include "bvhmill/bvh/stream_reader.h"
#include "bvhmill/bvh/tile_reader.h"
#include "bvhmill/pipeline/internal/fused_conversion.h"
#include "bvhmill/pipeline/internal/source_reader.h"
#include "bvhmill/pipeline/internal/stopwatch.h"

namespace bvhmill {
namespace {

ReadOptions HowToRead(const WholeConversion& conversion) {
  ReadOptions how = conversion.pipeline->HowToRead();
  Parallel* const parallel = conversion.parallel;
  how.parallel = parallel->threads() > 1 ? parallel : nullptr;
  return how;
}

// Reads all rows into one matrix, then makes the outputs.
void ConvertMatrix(std::string_view text, const WholeConversion& conversion) {
  ParsedClip& read = conversion.workspace->read;
  {
    const StageTimer timer(&conversion.result->times.read);
    ReadBvhInto(text, HowToRead(conversion), conversion.pipeline->log(), &read);
  }
  const ClipHeader header = {read.source, read.motion.frame_time};
  ConvertRows(read.skeleton_read ? &header : nullptr,
              {read.skeleton_read, read.motion_read, read.motion.frames},
              conversion);
}

// Makes the outputs of each tile of rows by the thread that has read it.
void ConvertTiles(std::string_view text, const WholeConversion& conversion) {
  RowPipeline& pipeline = *conversion.pipeline;
  Workspace& workspace = *conversion.workspace;
  const int threads = conversion.parallel->threads();
  FusedConversion receiver(IsShortText(text) ? 1 : threads, text.size(),
                           &pipeline);
  StreamResult read;
  {
    const StageTimer timer(&conversion.result->times.read);
    read = ReadBvhTiles(text, HowToRead(conversion), pipeline.log(), &receiver,
                        &workspace.reader, &workspace.read);
  }
  if (pipeline.Finalize(read)) receiver.End(read.frames);
  pipeline.Finish(threads);
}

}  // namespace

void ConvertBvh(std::string_view text, const WholeConversion& conversion) {
  conversion.pipeline->TakesTiles() ? ConvertTiles(text, conversion)
                                    : ConvertMatrix(text, conversion);
}

std::unique_ptr<PieceReader> MakeBvhReader(const ReadOptions& options,
                                           IssueLog* log,
                                           ClipReceiver* receiver) {
  return std::make_unique<StreamReader>(options, log, receiver);
}

}  // namespace bvhmill
