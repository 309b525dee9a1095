#pragma once

// The first step of all readers of whole texts. Private to bvh/.

#include <string_view>

#include "bvhmill/bvh/motion/parsed_header.h"
#include "bvhmill/bvh/parsed_clip.h"
#include "bvhmill/bvh/read_options.h"
#include "bvhmill/report/issue_log.h"

namespace bvhmill {

// Makes `clip` empty, but keeps its memory. Checks the size of `text`, reads
// everything before the rows, and gives `clip` the skeleton if it is valid.
// Sets motion_read to true if everything so far is valid. Returns true if there
// are rows to read.
bool ReadHeaderOf(std::string_view text, const ReadOptions& options,
                  IssueLog* log, ParsedHeader* header, ParsedClip* clip);

}  // namespace bvhmill
