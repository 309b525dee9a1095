#pragma once

// The data of the page of `--format html`, as JSON. The scripts of
// client/cli/report/page read it.

#include <map>
#include <set>
#include <string>
#include <string_view>

#include "client/cli/report/report_writer.h"

namespace bvhmill::client {

// One clip, as an object. Bounded by the number of issues that the report
// lists, and about 4 KB for the picture.
std::string PageClip(const ClipFinding& clip);

// Facts about a run that are known after its last clip.
struct PageEnd {
  std::string title;
  // The unit of heights: "m" or "units".
  std::string unit;
  // Codes of all issues, and the position of each clip in the page by its index
  // in the run.
  std::set<std::string> codes;
  std::map<size_t, size_t> positions;
};

// The members of the page's object besides its clips: "key": value, ...
std::string PageMembers(const PageEnd& end, const RunSummary& summary);

// JSON that may stand in a script element of HTML: every < is written as a \u
// escape.
std::string EscapeForScript(std::string_view json);

}  // namespace bvhmill::client
