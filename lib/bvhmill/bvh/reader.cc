#include "bvhmill/bvh/reader.h"

#include <string>

#include "bvhmill/bvh/hierarchy.h"
#include "bvhmill/bvh/location.h"
#include "bvhmill/bvh/motion.h"
#include "bvhmill/bvh/motion_header.h"
#include "bvhmill/text/cursor.h"
#include "bvhmill/text/sniff.h"

namespace bvhmill {
namespace {

bool IsBvhText(std::string_view text, IssueLog* log) {
  const Content content = Sniff(text);
  const Location start = LocationAt(Place{});
  const std::string name(content.name);
  switch (content.kind) {
    case ContentKind::kText:
      return true;
    case ContentKind::kEmpty:
      log->Add(IssueCode::TEXT_EMPTY, start);
      return false;
    case ContentKind::kUtf16:
      log->Add(IssueCode::TEXT_UTF16, start, {{"encoding", name}});
      return false;
    case ContentKind::kForeign:
      break;
  }
  log->Add(IssueCode::TEXT_NOT_BVH, start, {{"format", name}});
  return false;
}

bool CheckSize(std::string_view text, const Limits& limits, IssueLog* log) {
  const auto size = static_cast<int64_t>(text.size());
  if (!Exceeds(size, limits.max_clip_bytes)) return true;
  log->Add(IssueCode::LIMIT_CLIP_BYTES, LocationAt(Place{}),
           {{"limit", std::to_string(limits.max_clip_bytes)}});
  return false;
}

void LogComments(const Cursor& cursor, IssueLog* log) {
  if (cursor.comments() == 0) return;
  log->Add(IssueCode::TEXT_COMMENT, LocationAt(cursor.first_comment()), {},
           cursor.comments());
}

// The lines before the rows; those of the rows are checked as they are read.
bool CheckLines(std::string_view text, const Place& rows, const Limits& limits,
                IssueLog* log) {
  LineReader lines(text, {});
  Line line;
  while (lines.next().offset < rows.offset && lines.Next(&line)) {
    const auto size = static_cast<int64_t>(line.text.size());
    if (!Exceeds(size, limits.max_line_bytes)) continue;
    log->Add(IssueCode::LIMIT_LINE_BYTES, LocationAt(line.start),
             {{"limit", std::to_string(limits.max_line_bytes)}});
    return false;
  }
  return true;
}

// Reads the hierarchy and the header of MOTION. Leaves `cursor` where the rows
// begin. Behind a fault of the hierarchy the header is only read for its own
// faults. `*skeleton_good` is set to whether the hierarchy is good.
bool ReadHeads(Cursor* cursor, const Limits& limits, IssueLog* log,
               Hierarchy* hierarchy, MotionHeader* header,
               bool* skeleton_good) {
  *skeleton_good = ReadHierarchy(cursor, limits, log, hierarchy);
  const bool header_good =
      hierarchy->ended && ReadMotionHeader(cursor, log, header);
  const bool good = *skeleton_good && header_good &&
                    CheckLines(cursor->text(), cursor->place(), limits, log);
  LogComments(*cursor, log);
  return good;
}

}  // namespace

ReadResult ReadBvh(std::string_view text, const Limits& limits,
                   const CancelToken* cancel, IssueLog* log) {
  ReadResult result;
  if (!CheckSize(text, limits, log) || !IsBvhText(text, log)) return result;
  Cursor cursor(text, ByteOrderMarkSize(text));
  Hierarchy hierarchy;
  MotionHeader header;
  bool skeleton_good = false;
  const bool heads_read =
      ReadHeads(&cursor, limits, log, &hierarchy, &header, &skeleton_good);
  // Without a header there is nothing that could have failed behind it.
  result.skeleton_read = heads_read || (skeleton_good && header.present);
  if (heads_read && !hierarchy.disputes.empty()) {
    const int64_t width = header.present ? FirstRowWidth(text, header.rows) : 0;
    result.skeleton_read = SettleDisputes(width, log, &hierarchy);
  }
  result.clip.skeleton = std::move(hierarchy.skeleton);
  result.node_places = std::move(hierarchy.places);
  result.clip.motion.frame_time = header.frame_time;
  if (!heads_read || !result.skeleton_read) return result;
  result.motion_read =
      !header.present || ReadMotion(text, header, result.clip.skeleton, limits,
                                    cancel, log, &result.clip.motion);
  return result;
}

}  // namespace bvhmill
