#pragma once

// The interface of all source formats: how a converter reads the clips of one
// of them. Private to pipeline/.

#include <memory>
#include <string_view>

#include "bvhmill/base/parallel.h"
#include "bvhmill/bvh/clip_receiver.h"
#include "bvhmill/bvh/piece_reader.h"
#include "bvhmill/bvh/read_options.h"
#include "bvhmill/pipeline/convert.h"
#include "bvhmill/pipeline/internal/rows/row_pipeline.h"
#include "bvhmill/pipeline/internal/workspace.h"
#include "bvhmill/pipeline/source_format.h"
#include "bvhmill/report/issue_log.h"

namespace bvhmill {

// The parts of a conversion of a clip that is in memory as a whole.
struct WholeConversion {
  RowPipeline* pipeline;
  Parallel* parallel;
  Workspace* workspace;
  ConvertResult* result;
};

// Ends a conversion whose rows are in workspace->read.motion, without values
// if `read.motion_read` is false. `header` is null if no skeleton was read.
void ConvertRows(const ClipHeader* header, const StreamResult& read,
                 const WholeConversion& conversion);

// A row of the table of source formats.
struct SourceReader {
  SourceFormatInfo info;
  // Converts a clip that is in memory as a whole, to the end of its result. The
  // work on its bytes is drawn.
  void (*convert)(std::string_view bytes, const WholeConversion& conversion);
  // The reader of a clip that arrives in pieces. The work on each piece is
  // drawn before Push. `log`, `receiver` and the objects that the options point
  // to must outlive it.
  std::unique_ptr<PieceReader> (*make)(const ReadOptions& options,
                                       IssueLog* log, ClipReceiver* receiver);
};

// REQUIRES: a format of the enum.
const SourceReader& ReaderOf(SourceFormat format);

// The functions of the rows.
void ConvertBvh(std::string_view text, const WholeConversion& conversion);
std::unique_ptr<PieceReader> MakeBvhReader(const ReadOptions& options,
                                           IssueLog* log,
                                           ClipReceiver* receiver);
void ConvertAnim(std::string_view bytes, const WholeConversion& conversion);
std::unique_ptr<PieceReader> MakeAnimReader(const ReadOptions& options,
                                            IssueLog* log,
                                            ClipReceiver* receiver);

}  // namespace bvhmill
