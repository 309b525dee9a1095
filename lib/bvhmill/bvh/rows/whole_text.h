#pragma once

// What readers of whole texts begin with. Private to bvh/.

#include <string_view>

#include "bvhmill/bvh/motion/parsed_header.h"
#include "bvhmill/bvh/read_options.h"
#include "bvhmill/bvh/reader.h"
#include "bvhmill/report/issue_log.h"

namespace bvhmill {

// Makes `result` empty, but keeps its memory; checks the size of `text`, reads
// what stands before the rows, and moves skeleton and places into `result`.
// motion_read says whether all was good so far. True if there are rows to read.
bool ReadHeaderOf(std::string_view text, const ReadOptions& options,
                  IssueLog* log, ParsedHeader* header, ReadResult* result);

}  // namespace bvhmill
