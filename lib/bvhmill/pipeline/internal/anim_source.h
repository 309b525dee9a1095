#pragma once

// Reads an .anim of Second Life as a clip on the skeleton of the avatar.
// Private to pipeline/.

#include <cstdint>
#include <string>
#include <string_view>

#include "bvhmill/bvh/parsed_clip.h"
#include "bvhmill/bvh/read_options.h"
#include "bvhmill/report/issue_log.h"

namespace bvhmill {

// As BvhReader, but keeps the bytes until they are complete.
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
