#pragma once

// The parts of the page of `--format html`: one HTML page for all clips, which
// needs no network and no other file. The writer (MakeHtmlWriter of
// renderings.h) puts the data of the page, as JSON, between the parts of a
// template:
//
//   {"clips":[ PageClip(clip), ... ], PageMembers(end, summary) }
//
// The scripts of client/cli/report/page read the data.

#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>

#include "client/cli/picture/picture.h"
#include "client/cli/report/report_writer.h"

namespace bvhmill::client {

// The data of one clip, as a JSON object. Its size is bounded by the number of
// issues that the report lists; the picture adds about 7 KB.
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

// The members of the JSON object of the page besides its clips: "key": value,
// ...
std::string PageMembers(const PageEnd& end, const RunSummary& summary);

// JSON that may stand in a script element of HTML: every < is written as a \u
// escape.
std::string EscapeForScript(std::string_view json);

// Numbers as text in the data of the page: digits of 6 bits, which need no
// escapes in JSON. client/cli/report/page/2_nodes.js reads them.

// Appends `value` with `digits` digits, the high digit first. The largest
// number, 64^digits - 1, means a gap; values outside of 0 to 64^digits - 2
// become gaps.
void PackNumber(int64_t value, int digits, std::string* out);

// One digit for each of `values`: 0 to `most` become 0 to 62, and larger values
// become 62. Values that are negative or not finite become gaps.
std::string PackCurve(std::span<const float> values, float most);

// The parents of a picture with two digits each; -1 becomes a gap.
std::string PackParents(std::span<const int32_t> parents);

// The scale that the poses of a picture share.
struct PoseScale {
  // The lowest y of all poses.
  float floor = 0;
  // Steps of a packed number for each unit of the clip.
  double steps_per_unit = 0;
};

// The scale with which the widest or highest of `poses` uses all steps.
PoseScale ScaleOf(std::span<const PosePicture> poses);

// x and y of each point with two digits each. The leftmost point of the pose
// has x = 0; the lowest point of all poses has y = 0.
std::string PackPose(const PosePicture& pose, const PoseScale& scale);

// The sources of the page, files of client/cli/report/page. CMake generates the
// definitions (cmake/EmbedPage.cmake).

// report.html, with {{POLICY}}, {{STYLE}}, {{DATA}} and {{SCRIPT}} where the
// other parts belong, in this order.
std::string_view PageTemplate();
std::string_view PageStyle();
std::string_view PageScript();

}  // namespace bvhmill::client
