#include "client/python/module/python_values.h"

#include <pybind11/stl.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bvhmill/base/limit_rows.h"
#include "bvhmill/base/status.h"
#include "bvhmill/base/text.h"
#include "bvhmill/pipeline/options_json.h"
#include "bvhmill/pipeline/source_format.h"

namespace bvhmill::python {
namespace {

namespace py = pybind11;

absl::Status SetLimits(const py::dict& values, Limits* limits) {
  for (const auto& [key, value] : values) {
    const auto name = key.cast<std::string>();
    const auto* const row = std::find_if(
        std::begin(kClipLimits), std::end(kClipLimits),
        [&](const LimitRow<Limits>& limit) { return limit.name == name; });
    if (row == std::end(kClipLimits)) {
      return InvalidField("limits", "there is no limit " + Quote(name));
    }
    limits->*row->member = value.cast<int64_t>();
  }
  return absl::OkStatus();
}

}  // namespace

Choices ChoicesOf(const std::string& json, const std::string& format,
                  const py::dict& limits, bool skeleton, int threads) {
  Choices choices;
  choices.threads = threads;
  choices.options.with_skeleton = skeleton;
  choices.has_format = !format.empty();
  if (choices.has_format) {
    const std::optional<SourceFormat> known = SourceFormatOfName(format);
    if (!known) {
      choices.status = InvalidField("format", Quote(format) + " is no format");
      return choices;
    }
    choices.options.source_format = *known;
  }
  choices.status = SetLimits(limits, &choices.options.limits);
  if (choices.status.ok()) {
    choices.status = OptionsFromJson(json, &choices.options);
  }
  return choices;
}

namespace {

template <typename T>
py::object OrNone(const std::optional<T>& value) {
  return value ? py::cast(*value) : py::none();
}

py::object NameOf(const Location& location) {
  return location.joint ? py::cast(location.joint_name) : py::none();
}

// The names of absl's codes, as in gRPC.
const char* StatusName(absl::StatusCode code) {
  switch (code) {
    case absl::StatusCode::kInvalidArgument:
      return "INVALID_ARGUMENT";
    case absl::StatusCode::kResourceExhausted:
      return "RESOURCE_EXHAUSTED";
    case absl::StatusCode::kFailedPrecondition:
      return "FAILED_PRECONDITION";
    case absl::StatusCode::kCancelled:
      return "CANCELLED";
    default:
      return "INTERNAL";
  }
}

template <typename Add>
void ForRows(const ClipInfo& info, bool end_sites, const Add& add) {
  for (size_t i = 0; i < info.joints.size(); ++i) {
    if (end_sites || !info.joints[i].end_site) add(i, info.joints[i]);
  }
}

py::tuple TupleOf(const std::vector<py::object>& values) {
  py::tuple tuple(values.size());
  for (size_t i = 0; i < values.size(); ++i) tuple[i] = values[i];
  return tuple;
}

}  // namespace

py::tuple ValueOf(const Issue& issue) {
  const Location& at = issue.location;
  return py::make_tuple(
      issue.code, std::string(SeverityName(issue.severity)), issue.message,
      issue.occurrences, OrNone(at.byte_offset), OrNone(at.line),
      OrNone(at.column), OrNone(at.frame), OrNone(at.last_frame),
      OrNone(at.joint), NameOf(at), OrNone(at.channel), py::cast(issue.args),
      RenderIssue(issue));
}

py::object ValueOf(const absl::Status& status) {
  if (status.ok()) return py::none();
  const CallError error = CallErrorOf(status);
  return py::make_tuple(StatusName(error.code), error.reason, error.field,
                        error.limit_name, error.limit, py::cast(error.args),
                        error.message);
}

py::tuple NamesOf(const ClipInfo& info, bool end_sites) {
  std::vector<py::object> names;
  ForRows(info, end_sites, [&](size_t, const JointInfo& joint) {
    names.push_back(py::str(joint.name));
  });
  return TupleOf(names);
}

py::tuple ChannelsOf(const ClipInfo& info, bool end_sites) {
  std::vector<py::object> channels;
  ForRows(info, end_sites, [&](size_t, const JointInfo& joint) {
    channels.push_back(py::str(joint.channels));
  });
  return TupleOf(channels);
}

std::shared_ptr<Block> ParentsOf(const ClipInfo& info, bool end_sites) {
  std::vector<int32_t> row_of(info.joints.size(), -1);
  std::vector<int32_t> parents;
  ForRows(info, end_sites, [&](size_t i, const JointInfo& joint) {
    row_of[i] = static_cast<int32_t>(parents.size());
    parents.push_back(
        joint.parent < 0 ? -1 : row_of[static_cast<size_t>(joint.parent)]);
  });
  return BlockOf(parents, ElementType::kInt32,
                 {static_cast<int64_t>(parents.size())});
}

std::shared_ptr<Block> OffsetsOf(const ClipInfo& info, bool end_sites) {
  std::vector<float> offsets;
  ForRows(info, end_sites, [&](size_t, const JointInfo& joint) {
    offsets.insert(offsets.end(), joint.offset.begin(), joint.offset.end());
  });
  return BlockOf(offsets, ElementType::kFloat32,
                 {static_cast<int64_t>(offsets.size() / 3), 3});
}

py::tuple JointsOf(const ClipInfo& info) {
  std::vector<py::object> joints;
  for (const JointInfo& joint : info.joints) {
    const auto [x, y, z] = joint.offset;
    joints.push_back(py::make_tuple(joint.name, joint.parent, joint.channels,
                                    joint.end_site, py::make_tuple(x, y, z)));
  }
  return TupleOf(joints);
}

}  // namespace bvhmill::python
