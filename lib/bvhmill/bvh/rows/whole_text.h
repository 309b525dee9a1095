#pragma once

// The first step of readers of whole texts. Private to bvh/.

#include <string_view>

#include "bvhmill/bvh/motion/parsed_header.h"
#include "bvhmill/bvh/parsed_clip.h"
#include "bvhmill/bvh/read_options.h"
#include "bvhmill/report/issue_log.h"

namespace bvhmill {

// Makes `clip` empty, but keeps its memory; checks the size of `text`, reads
// the part before the rows, and gives `clip` the skeleton if it is good.
// motion_read says whether all was good so far. True if there are rows to read.
bool ReadHeaderOf(std::string_view text, const ReadOptions& options,
                  IssueLog* log, ParsedHeader* header, ParsedClip* clip);

}  // namespace bvhmill
