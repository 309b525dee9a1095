// Any text is a joint map or is refused at one of its lines. The rows of a map
// can be written as CSV and read back, with any bytes in their names.

#include <string>
#include <string_view>
#include <vector>

#include "bvhmill/base/status.h"
#include "bvhmill/edit/joint_map.h"
#include "tests/fuzz/bytes.h"

namespace {

using bvhmill::JointMapRow;
using bvhmill::ParseJointMap;
using bvhmill::fuzz::Bytes;
using bvhmill::fuzz::Require;

std::string Quoted(std::string_view field) {
  std::string out = "\"";
  for (const char c : field) out.append(c == '"' ? 2 : 1, c);
  return out + '"';
}

// With the blanks, empty lines and line ends that `style` chooses.
std::string CsvOf(const std::vector<JointMapRow>& rows, Bytes* style) {
  std::string out = style->OneIn(2) ? "\xEF\xBB\xBF" : "";
  out += "source,target\n";
  for (const JointMapRow& row : rows) {
    const std::string_view gap = style->OneIn(4) ? " \t" : "";
    const std::string_view end = style->OneIn(4) ? "\r\n\n" : "\n";
    out.append(gap).append(Quoted(row.source)).append(gap).append(",");
    out.append(gap).append(Quoted(row.target)).append(gap).append(end);
  }
  return out;
}

size_t LinesOf(std::string_view text) {
  size_t lines = 1;
  for (const char c : text) lines += c == '\n' ? 1 : 0;
  return lines;
}

// "line N: why", where there is such a line.
void CheckRefusal(const absl::Status& status, std::string_view csv) {
  const std::string_view message = bvhmill::MessageOf(status);
  Require(absl::IsInvalidArgument(status) && message.starts_with("line "));
  const size_t line = std::strtoul(message.data() + 5, nullptr, 10);
  Require(line >= 1 && line <= LinesOf(csv));
}

// True if no source has a line end: a row ends there.
bool HaveNoLineEnds(const std::vector<JointMapRow>& rows) {
  for (const JointMapRow& row : rows) {
    if (row.source.find('\n') != std::string::npos) return false;
  }
  return true;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view csv(reinterpret_cast<const char*>(data), size);
  const auto rows = ParseJointMap(csv);
  if (!rows.ok()) {
    CheckRefusal(rows.status(), csv);
    return 0;
  }
  Require(!rows->empty() && rows->size() <= LinesOf(csv));
  for (const JointMapRow& row : *rows) {
    Require(!row.source.empty());
    Require(bvhmill::CheckJointName("target", row.target).ok());
  }
  Require(HaveNoLineEnds(*rows));
  Bytes style(data, size);
  const auto again = ParseJointMap(CsvOf(*rows, &style));
  Require(again.ok() && again->size() == rows->size());
  for (size_t i = 0; i < rows->size(); ++i) {
    Require((*again)[i].source == (*rows)[i].source);
    Require((*again)[i].target == (*rows)[i].target);
  }
  return 0;
}
