#include "bvhmill/bvh/motion/parsed_header.h"

#include <string>
#include <utility>

#include "bvhmill/bvh/motion/location.h"
#include "bvhmill/bvh/motion/row_issues.h"
#include "bvhmill/text/cursor.h"
#include "bvhmill/text/lines.h"
#include "bvhmill/text/sniff.h"

namespace bvhmill {
namespace {

// Text that follows cannot change the format that the first bytes show.
bool IsBvhText(std::string_view text, IssueLog* log, bool* certain) {
  const Content content = Sniff(text);
  *certain |= content.kind == ContentKind::kUtf16 ||
              content.kind == ContentKind::kForeign;
  const Location start = LocationAt(TextPosition{});
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

void LogComments(const Cursor& cursor, IssueLog* log) {
  if (cursor.comments() == 0) return;
  log->Add(IssueCode::TEXT_COMMENT, LocationAt(cursor.first_comment()), {},
           cursor.comments());
}

// Checks the lines before the rows; lines of rows are checked when they are
// read.
bool CheckLines(std::string_view text, const TextPosition& rows,
                const Limits& limits, IssueLog* log) {
  const auto offset = static_cast<size_t>(rows.offset);
  const bool ends_line = (offset > 0 && IsLineEnd(text[offset - 1])) ||
                         (offset < text.size() && IsLineEnd(text[offset]));
  if (ends_line && !Exceeds(rows.offset, limits.max_line_bytes)) return true;
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

// Finds the first line that is neither blank nor a comment. False if there is
// none, or if it has no line end, since more of it may follow.
bool FindRow(std::string_view text, const TextPosition& start, Line* row) {
  LineReader lines(text, start);
  while (lines.Next(row)) {
    if (TrimBlanks(row->text).empty() || IsComment(row->text)) continue;
    return lines.next().line > row->start.line;
  }
  *row = {};
  return false;
}

// Reads all parts before the rows. After a fault of the hierarchy, the header
// is only checked for its own faults.
void ReadParts(Cursor* cursor, const Limits& limits, IssueLog* log,
               ParsedHeader* header) {
  Hierarchy& hierarchy = header->hierarchy;
  header->skeleton_read = ReadHierarchy(cursor, limits, header->names,
                                        header->cache, log, &hierarchy);
  const bool header_good =
      hierarchy.ended && ReadMotionHeader(cursor, log, &header->header);
  const bool lines_good =
      !header->skeleton_read || !hierarchy.ended ||
      CheckLines(cursor->text(), cursor->place(), limits, log);
  header->good = header->skeleton_read && header_good && lines_good;
  header->has_rows = header->skeleton_read && lines_good &&
                     header->header.present && header->header.rows_known;
  LogComments(*cursor, log);
}

void ReadPrefix(std::string_view text, const Limits& limits, IssueLog* log,
                ParsedHeader* header) {
  if (!IsBvhText(text, log, &header->certain)) {
    Clear(&header->hierarchy);
    return;
  }
  Cursor cursor(text, ByteOrderMarkSize(text));
  ReadParts(&cursor, limits, log, header);
  if (!header->good && !header->has_rows) return;
  Line row;
  const TextPosition& rows = header->header.rows;
  if (header->has_rows) {
    const auto offset = static_cast<size_t>(rows.offset);
    header->certain |= FindRow(text.substr(offset), rows, &row);
  }
  if (header->hierarchy.disputes.empty() ||
      SettleDisputes(CountWords(row.text), log, &header->hierarchy)) {
    return;
  }
  header->good = header->skeleton_read = header->has_rows = false;
}

// Clears everything except the hierarchy, which the next clip may reuse.
void ClearFacts(ParsedHeader* header) {
  header->header = {};
  header->skeleton_read = header->good = false;
  header->has_rows = header->certain = false;
}

// A good skeleton of a header that is certain is given out.
void ShareIfGood(ParsedHeader* header) {
  if (header->skeleton_read) ShareSkeleton(&header->hierarchy);
}

bool HasNodes(const Hierarchy& hierarchy) {
  return hierarchy.source != nullptr || !hierarchy.skeleton.nodes.empty();
}

}  // namespace

void ReadHeader(std::string_view text, bool ends_file, const Limits& limits,
                IssueLog* log, ParsedHeader* header) {
  const bool cut =
      Exceeds(static_cast<int64_t>(text.size()), limits.max_header_bytes);
  if (cut) text = text.substr(0, static_cast<size_t>(limits.max_header_bytes));
  ClearFacts(header);
  header->certain = ends_file && !cut;
  if (header->certain) {
    ReadPrefix(text, limits, log, header);
    return ShareIfGood(header);
  }
  IssueLog attempt = *log;
  ReadPrefix(text, limits, &attempt, header);
  if (!header->certain && !cut) return;
  if (header->certain || !HasNodes(header->hierarchy)) {
    *log = std::move(attempt);
  } else {
    ClearFacts(header);
    Clear(&header->hierarchy);
    log->Add(IssueCode::LIMIT_HEADER_BYTES, LocationAt(TextPosition{}),
             {{"limit", std::to_string(limits.max_header_bytes)}});
  }
  header->certain = true;
  ShareIfGood(header);
}

}  // namespace bvhmill
