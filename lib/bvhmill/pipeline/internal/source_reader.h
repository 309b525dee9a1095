#pragma once

// The interface of all source formats: how a converter reads the clips of one
// of them. Private to pipeline/.

#include <memory>
#include <string_view>

#include "bvhmill/bvh/parsed_clip.h"
#include "bvhmill/bvh/piece_reader.h"
#include "bvhmill/bvh/read_options.h"
#include "bvhmill/pipeline/source_format.h"
#include "bvhmill/report/issue_log.h"

namespace bvhmill {

// A row of the table of source formats. All pointers are borrowed; the memory
// of `clip` is used again.
struct SourceReader {
  SourceFormatInfo info;
  // Reads a clip that is in memory as a whole.
  void (*read)(std::string_view bytes, const ReadOptions& options,
               IssueLog* log, ParsedClip* clip);
  // The reader of a clip that arrives in pieces.
  std::unique_ptr<PieceReader> (*make)(const ReadOptions& options,
                                       IssueLog* log, ParsedClip* clip);
};

// REQUIRES: a format of the enum.
const SourceReader& ReaderOf(SourceFormat format);

// The functions of the rows: those of BVH are in bvh/.
void ReadAnimInto(std::string_view bytes, const ReadOptions& options,
                  IssueLog* log, ParsedClip* clip);
std::unique_ptr<PieceReader> MakeAnimReader(const ReadOptions& options,
                                            IssueLog* log, ParsedClip* clip);

}  // namespace bvhmill
