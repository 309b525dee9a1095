// The compiled module of the package bvhmill. Its names are private to the
// package; bvhmill/_bvhmill.pyi has their types.

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "bvhmill/base/text.h"
#include "bvhmill/base/version.h"
#include "bvhmill/edit/joint_map.h"
#include "bvhmill/files/inputs.h"
#include "bvhmill/pipeline/source_format.h"
#include "bvhmill/report/report.h"
#include "bvhmill/report/thresholds.h"
#include "client/python/module/bind.h"
#include "client/python/module/gil.h"
#include "client/python/module/python_values.h"

namespace bvhmill::python {
namespace {

// (code, lenient severity, strict severity, message, help) of each issue.
py::list CatalogueValue() {
  py::list rows;
  for (const CatalogueEntry& entry : Catalogue()) {
    rows.append(py::make_tuple(
        std::string(entry.name), std::string(SeverityName(entry.lenient)),
        std::string(SeverityName(entry.strict)), std::string(entry.message),
        std::string(entry.help)));
  }
  return rows;
}

// (code, name, default, unit, reason) of each threshold.
py::list ThresholdsValue() {
  py::list rows;
  for (const ThresholdEntry& entry : ThresholdTable()) {
    rows.append(py::make_tuple(
        std::string(EntryOf(entry.code).name), std::string(entry.name),
        entry.value, std::string(entry.unit), std::string(entry.reason)));
  }
  return rows;
}

std::vector<std::string> MapNames() {
  std::vector<std::string> names;
  for (const std::string_view name : JointMapNames()) names.emplace_back(name);
  return names;
}

// The line of text of an issue that came from a server.
std::string IssueText(
    const std::string& code, const std::string& severity,
    const std::string& message, int64_t occurrences,
    std::optional<int64_t> byte_offset, std::optional<int64_t> line,
    std::optional<int32_t> column, std::optional<int64_t> frame,
    std::optional<int64_t> last_frame, std::optional<int32_t> joint,
    const std::string& joint_name, std::optional<int32_t> channel,
    const std::map<std::string, std::string>& args) {
  Issue issue;
  issue.args.assign(args.begin(), args.end());
  issue.code = code;
  issue.message = message;
  issue.occurrences = occurrences;
  issue.severity = SeverityNamed(severity).value_or(issue.severity);
  issue.location = {byte_offset, line,    column,     frame,
                    joint,       channel, joint_name, last_frame};
  const std::string text = RenderIssue(issue);
  return Excerpt(text, text.size());
}

std::string FormatName(const std::string& path) {
  const auto format = FormatOfName(path);
  return format ? std::string(InfoOf(*format).name) : "";
}

}  // namespace

PYBIND11_MODULE(_bvhmill, module) {
  py::class_<Block, std::shared_ptr<Block>>(module, "_Block",
                                            py::buffer_protocol())
      .def_buffer([](Block& block) { return block.Buffer(); })
      .def("to_bytes", &Block::ToBytes);
  py::class_<Choices>(module, "_Options")
      .def(py::init(&ChoicesOf))
      .def_property_readonly("error", [](const Choices& choices) {
        return ValueOf(choices.status);
      });
  WatchTheEnd();
  BindClip(&module);
  BindBatch(&module);
  BindAnim(&module);
  BindJobs(&module);
  module.def("block_count", &Block::Count);
  module.def("kept_bytes", &KeptBytes);
  module.def("catalogue", &CatalogueValue);
  module.def("thresholds", &ThresholdsValue);
  module.def("joint_map_names", &MapNames);
  module.def("format_name", &FormatName);
  module.def("issue_text", &IssueText);
  module.def("printable", [](const std::string& text) {
    return Excerpt(text, text.size());
  });
  module.attr("version") = std::string(Version());
  module.attr("rules_version") = std::string(kRulesVersion);
}

}  // namespace bvhmill::python
