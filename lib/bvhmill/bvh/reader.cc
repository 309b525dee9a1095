#include "bvhmill/bvh/reader.h"

#include <string>
#include <utility>

#include "bvhmill/base/budget.h"
#include "bvhmill/bvh/motion/location.h"
#include "bvhmill/bvh/motion/motion_reader.h"
#include "bvhmill/bvh/motion/parsed_header.h"
#include "bvhmill/bvh/parsed_clip.h"
#include "bvhmill/bvh/rows/matrix_sink.h"
#include "bvhmill/bvh/rows/parallel_rows.h"

namespace bvhmill {
namespace {

bool CheckSize(std::string_view text, const Limits& limits, IssueLog* log) {
  const auto size = static_cast<int64_t>(text.size());
  if (!Exceeds(size, limits.max_clip_bytes)) return true;
  log->Add(IssueCode::LIMIT_CLIP_BYTES, LocationAt(TextPosition{}),
           {{"limit", std::to_string(limits.max_clip_bytes)}});
  return false;
}

// Reads the rows of `text`, the whole file, into `motion`.
bool ReadMotion(std::string_view text, const MotionHeader& header,
                const Skeleton& skeleton, const ReadOptions& options,
                IssueLog* log, Motion* motion) {
  const std::string_view rows =
      text.substr(static_cast<size_t>(header.rows.offset));
  const auto width = static_cast<int64_t>(skeleton.channels.size());
  MatrixSink sink(motion, width, options.budget);
  MotionReader reader(header, skeleton, options, log, &sink);
  if (width > 0) {
    // The number of frames that the file states is used for memory only if the
    // bytes can hold them.
    const int64_t most = reader.MaxFrames(rows.size());
    sink.GrowUpTo(most);
    if (most == reader.declared() && !sink.Reserve(most)) return false;
  }
  size_t taken = 0;
  if (options.parallel != nullptr && !reader.done()) {
    taken = ReadRowsInParallel(rows, width, options, &reader, &sink);
  }
  reader.Push(rows.substr(taken), /*ends_file=*/true);
  if (sink.refused()) {
    motion->values.clear();
    return false;
  }
  motion->frames = reader.frames();
  // The matrix always ends with a full frame, also if the reading stopped
  // early.
  motion->values.resize(static_cast<size_t>(motion->frames * width));
  return reader.good();
}

// Makes `clip` empty, but keeps its memory. Checks the size of `text`, reads
// everything before the rows, and gives `clip` the skeleton if it is valid.
// Sets motion_read to true if everything so far is valid. Returns true if there
// are rows to read.
bool ReadHeaderOf(std::string_view text, const ReadOptions& options,
                  IssueLog* log, ParsedHeader* header, ParsedClip* clip) {
  header->cache = options.cache;
  header->names = options.name_encoding;
  Hierarchy& hierarchy = header->hierarchy;
  MakeEmpty(clip);
  hierarchy.room = std::move(clip->room);
  if (CheckSize(text, options.limits, log)) {
    ReadHeader(text, /*ends_file=*/true, options.limits, log, header);
  }
  clip->source = hierarchy.source;
  clip->motion.frame_time = header->header.frame_time;
  clip->room = std::move(hierarchy.room);
  clip->skeleton_read = header->skeleton_read;
  clip->motion_read = header->good;
  return header->has_rows;
}

}  // namespace

ReadResult ReadBvh(std::string_view text, const ReadOptions& options,
                   IssueLog* log) {
  ParsedClip parsed;
  ReadBvhInto(text, options, log, &parsed);
  ReadResult result;
  result.skeleton_read = parsed.skeleton_read;
  result.motion_read = parsed.motion_read;
  if (parsed.source != nullptr) {
    result.node_positions = parsed.source->node_positions;
  }
  result.clip = ClipOf(std::move(parsed));
  return result;
}

void MakeEmpty(ParsedClip* clip) {
  clip->source.reset();
  clip->declared_frames = 0;
  clip->motion.frames = 0;
  clip->motion.frame_time = 0;
  clip->motion.values.clear();
  clip->skeleton_read = clip->motion_read = false;
}

Clip ClipOf(ParsedClip&& clip) {
  Clip out;
  if (clip.source != nullptr) out.skeleton = clip.source->skeleton;
  out.motion = std::move(clip.motion);
  return out;
}

void ReadBvhInto(std::string_view text, const ReadOptions& options,
                 IssueLog* log, ParsedClip* clip) {
  ParsedHeader header;
  if (!ReadHeaderOf(text, options, log, &header, clip)) return;
  clip->motion_read &= ReadMotion(text, header.header, clip->source->skeleton,
                                  options, log, &clip->motion);
}

}  // namespace bvhmill
