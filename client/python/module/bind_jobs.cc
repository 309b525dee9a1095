// Inputs and reports of jobs, as the command line has them: clips below
// folders, the names of their outputs, and reports as JSON.

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <array>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "bvhmill/base/status.h"
#include "bvhmill/base/text.h"
#include "bvhmill/encode/npy.h"
#include "bvhmill/encode/report_json.h"
#include "bvhmill/files/inputs.h"
#include "bvhmill/files/outputs.h"
#include "bvhmill/pipeline/source_format.h"
#include "client/python/module/bind.h"

namespace bvhmill::python {
namespace {

// (path, key, path as UTF-8, format, why it is refused).
using InputValue =
    std::tuple<py::bytes, std::string, std::string, std::string, std::string>;

// The clips of files and folders, with the bases of their outputs as keys.
std::vector<InputValue> CollectInputs(const std::vector<std::string>& paths,
                                      const std::string& format) {
  InputOptions options;
  options.recursive = true;
  for (const SourceFormatInfo& info : SourceFormats()) {
    if (info.name == format) options.from = info.format;
  }
  for (const std::string& path : paths) {
    // "-" is stdin on the command line only.
    options.paths.push_back(path == "-" ? "./-" : path);
  }
  auto inputs = CollectInputs(options, std::nullopt, nullptr);
  if (!inputs.ok())
    throw py::value_error(std::string(inputs.status().message()));
  ClaimOutputs(&*inputs);
  std::vector<InputValue> values;
  for (const Input& input : *inputs) {
    values.emplace_back(py::bytes(input.path), KeyOfName(input.base),
                        ToUtf8(input.path),
                        std::string(InfoOf(input.format).name),
                        std::string(MessageOf(input.status)));
  }
  return values;
}

// "gzip", "zstd" or "" for a file that begins with `head`.
std::string PackingName(const std::string& path, const std::string& head) {
  switch (EncodingOfFile(path, head)) {
    case Encoding::kGzip:
      return "gzip";
    case Encoding::kZstd:
      return "zstd";
    case Encoding::kIdentity:
      break;
  }
  return "";
}

template <typename T>
std::optional<T> Maybe(py::handle value) {
  if (value.is_none()) return std::nullopt;
  return value.cast<T>();
}

// (code, severity, message, occurrences, byte offset, line, column, frame, last
// frame, joint, joint name, channel, args).
Issue IssueOf(const py::tuple& value) {
  Issue issue;
  issue.code = value[0].cast<std::string>();
  issue.severity =
      SeverityNamed(value[1].cast<std::string>()).value_or(issue.severity);
  issue.message = value[2].cast<std::string>();
  issue.occurrences = value[3].cast<int64_t>();
  Location& at = issue.location;
  at.byte_offset = Maybe<int64_t>(value[4]);
  at.line = Maybe<int64_t>(value[5]);
  at.column = Maybe<int32_t>(value[6]);
  at.frame = Maybe<int64_t>(value[7]);
  at.last_frame = Maybe<int64_t>(value[8]);
  at.joint = Maybe<int32_t>(value[9]);
  at.joint_name = value[10].cast<std::string>();
  at.channel = Maybe<int32_t>(value[11]);
  issue.args = value[12].cast<IssueArgs>();
  return issue;
}

// (verdict as its number, (errors, warnings, infos, hints), issues, truncated,
// version of the rules, thresholds).
Report ReportOf(const py::tuple& value) {
  Report report;
  report.verdict = static_cast<Verdict>(value[0].cast<int>());
  std::tie(report.counts.errors, report.counts.warnings, report.counts.infos,
           report.counts.hints) =
      value[1].cast<std::tuple<int64_t, int64_t, int64_t, int64_t>>();
  for (const py::handle issue : value[2]) {
    report.issues.push_back(IssueOf(issue.cast<py::tuple>()));
  }
  report.truncated = value[3].cast<bool>();
  report.rules_version = value[4].cast<std::string>();
  using Row = std::tuple<std::string, std::string, double>;
  for (auto& [code, name, number] : value[5].cast<std::vector<Row>>()) {
    report.thresholds.push_back({code, name, number});
  }
  return report;
}

// (frames, frame time, frames per second, joint count, joints); a joint is
// (name, parent, channels, is end site, offset).
ClipInfo ClipInfoOf(const py::tuple& value) {
  ClipInfo info;
  info.frames = value[0].cast<int64_t>();
  info.frame_time = value[1].cast<double>();
  info.frames_per_second = value[2].cast<double>();
  info.joint_count = value[3].cast<int32_t>();
  using Row =
      std::tuple<std::string, int32_t, std::string, bool, std::array<float, 3>>;
  std::vector<JointInfo> joints;
  for (auto& [name, parent, channels, end_site, offset] :
       value[4].cast<std::vector<Row>>()) {
    joints.push_back({name, parent, channels, end_site, offset});
  }
  info.joints = JointList(std::move(joints));
  return info;
}

std::string ReportText(const std::string& file, const py::tuple& report,
                       const py::tuple& info) {
  return ReportJson(file, ReportOf(report), ClipInfoOf(info));
}

py::bytes NameOfKey(const std::string& key) { return bvhmill::NameOfKey(key); }

py::bytes NpyHead(const std::vector<int64_t>& shape) {
  return NpyHeader("<f4", shape);
}

}  // namespace

void BindJobs(py::module_* module) {
  module->def("collect_inputs", &CollectInputs);
  module->def("name_of_key", &NameOfKey);
  module->def("packing_name", &PackingName);
  module->def("report_json", &ReportText);
  module->def("npy_header", &NpyHead);
}

}  // namespace bvhmill::python
