#pragma once

// The sources of a conversion other than BVH text: clips in memory, and .anim
// files of Second Life. Both fill a ParsedClip, as BvhReader does.

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "bvhmill/bvh/parsed_clip.h"
#include "bvhmill/pipeline/convert.h"
#include "bvhmill/report/issue_log.h"

namespace bvhmill {

// INVALID_ARGUMENT "field: why" unless the fields of `clip` fit together.
absl::Status CheckRows(const ClipRows& clip);

// Copies `clip` into `read`, which is empty, and logs values that are not
// finite. Leaves `read` empty if the clip exceeds a limit, or if the budget
// refuses its memory. Requires that CheckRows(clip) is OK. O(rows).
void CopyClip(const ClipRows& clip, const ReadOptions& options, IssueLog* log,
              ParsedClip* read);

// Reads an .anim as a clip on the skeleton of the avatar. The functions are
// those of BvhReader, but the reader keeps all bytes until Finish.
class AnimReader {
 public:
  AnimReader(const ReadOptions& options, IssueLog* log, ParsedClip* clip);

  bool Add(std::string_view bytes);
  void Finish();

 private:
  bool Reserve(size_t size);
  void Read();

  const ReadOptions options_;
  IssueLog& log_;
  ParsedClip& clip_;
  std::string bytes_;
  // Bytes that are drawn from the budget.
  int64_t held_ = 0;
  // The clip has too many bytes, or the budget has no memory for them.
  bool is_too_large_ = false;
  bool is_refused_ = false;
};

}  // namespace bvhmill
