// Reports, clips and conversions of one clip, as classes of Python.

#include <pybind11/stl.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "bvhmill/encode/report_json.h"
#include "client/python/module/bind.h"
#include "client/python/module/clip.h"
#include "client/python/module/conversion.h"
#include "client/python/module/gil.h"
#include "client/python/module/python_values.h"

namespace bvhmill::python {

Conversion::Conversion(Converted converted, const Choices& choices)
    : status_(FirstFailure(converted.result)),
      os_error_(converted.os_error),
      seconds_(converted.seconds),
      report_(std::make_shared<Report>(std::move(converted.result.report))),
      info_(std::make_shared<ClipInfo>(std::move(converted.result.info))),
      measures_(std::move(converted.result.measures)) {
  ConvertResult& result = converted.result;
  for (size_t i = 0; i < result.outputs.size(); ++i) {
    blocks_.emplace_back(
        result.outputs[i].id,
        python::BlockOf(result.outputs[i], std::move(converted.data[i])));
  }
  if (result.skeleton == nullptr) return;
  clip_ = std::make_shared<ClipHandle>();
  clip_->skeleton = result.skeleton;
  clip_->frames = info_->frames;
  clip_->frame_time = info_->frame_time;
  clip_->conventions = choices.options.conventions;
  for (const auto& [id, block] : blocks_) {
    if (id != kValuesId) continue;
    // Arrays that are solved later depend on them.
    block->MakeReadOnly();
    clip_->rows = block;
  }
}

py::dict Conversion::Blocks() const {
  py::dict blocks;
  for (const auto& [id, block] : blocks_) blocks[id.c_str()] = block;
  return blocks;
}

std::string_view TextOf(const py::buffer_info& info) {
  if (!IsContiguous(info)) {
    throw py::type_error("the buffer must be C-contiguous");
  }
  return {static_cast<const char*>(info.ptr),
          static_cast<size_t>(info.size * info.itemsize)};
}

namespace {

// Runs `convert` without the GIL; raises KeyboardInterrupt and the like.
template <typename Convert>
Conversion WithoutGil(const Choices& choices, const Convert& convert) {
  Interrupts interrupts;
  Converted converted;
  {
    const FreeGil free;
    converted = convert(&interrupts);
  }
  interrupts.Throw();
  return {std::move(converted), choices};
}

Conversion ReadPath(const std::string& path, const Choices& choices) {
  return WithoutGil(choices, [&](Interrupts* interrupts) {
    return ConvertFile(path, choices, interrupts);
  });
}

Conversion ReadBuffer(const py::buffer& source, const Choices& choices) {
  // Holds the buffer: a bytearray cannot be resized meanwhile.
  const py::buffer_info info = source.request();
  const std::string_view text = TextOf(info);
  return WithoutGil(choices, [&](Interrupts* interrupts) {
    return ConvertText(text, choices, interrupts);
  });
}

Conversion ConvertHandle(const ClipHandle& clip, const Choices& choices) {
  return WithoutGil(choices, [&](Interrupts* interrupts) {
    return ConvertMemory(clip.Rows(), choices, interrupts);
  });
}

std::shared_ptr<Block> SolveHandle(const ClipHandle& clip,
                                   const std::string& kind,
                                   const std::string& rotation,
                                   bool end_sites) {
  SolveRequest request{kind, RotationKind::kQuaternion, end_sites};
  if (rotation == "matrix") request.rotation = RotationKind::kMatrix;
  if (rotation == "6d") request.rotation = RotationKind::kSixD;
  Interrupts interrupts;
  std::shared_ptr<Block> block;
  {
    const FreeGil free;
    block = Solve(clip, request, &interrupts);
  }
  interrupts.Throw();
  return block;
}

std::shared_ptr<ClipHandle> Slice(const ClipHandle& clip, int64_t begin,
                                  int64_t end) {
  auto slice = std::make_shared<ClipHandle>(clip);
  slice->first_frame += begin;
  slice->frames = end - begin;
  return slice;
}

// The nodes of a skeleton: (names as bytes, parents, end sites, offsets,
// channels).
py::tuple StateOf(const ClipHandle& clip) {
  py::list names, parents, ends, offsets, channels;
  for (const NodeParts& node : PartsOf(clip.skeleton->skeleton)) {
    names.append(py::bytes(node.name));
    parents.append(node.parent);
    ends.append(node.end_site);
    offsets.append(
        py::make_tuple(node.offset[0], node.offset[1], node.offset[2]));
    channels.append(node.channels);
  }
  return py::make_tuple(py::tuple(names), py::tuple(parents), py::tuple(ends),
                        py::tuple(offsets), py::tuple(channels));
}

// A clip of StateOf and rows; `frames` if there are no rows.
std::shared_ptr<ClipHandle> ClipOf(
    const std::vector<std::string>& names, const std::vector<int32_t>& parents,
    const std::vector<bool>& ends,
    const std::vector<std::array<float, 3>>& offsets,
    const std::vector<std::string>& channels, const py::object& rows,
    int64_t frames, double frame_time, const Choices& choices, bool was_read) {
  const size_t count = names.size();
  if (parents.size() != count || ends.size() != count ||
      offsets.size() != count || channels.size() != count) {
    throw std::invalid_argument("the lists of joints differ in length");
  }
  std::vector<NodeParts> nodes;
  for (size_t i = 0; i < count; ++i) {
    nodes.push_back({names[i], parents[i], ends[i], offsets[i], channels[i]});
  }
  auto clip = std::make_shared<ClipHandle>();
  clip->skeleton = SkeletonOf(nodes, was_read);
  clip->frames = frames;
  clip->frame_time = frame_time;
  clip->conventions = choices.options.conventions;
  if (!rows.is_none()) {
    const auto width =
        static_cast<int64_t>(clip->skeleton->skeleton.channels.size());
    clip->rows = std::make_shared<Block>(
        py::reinterpret_borrow<py::buffer>(rows), ElementType::kFloat32,
        std::vector<int64_t>{frames, width});
  }
  return clip;
}

// The same skeleton with other rows of the same frames.
std::shared_ptr<ClipHandle> WithRows(const ClipHandle& clip,
                                     const py::buffer& rows) {
  auto changed = std::make_shared<ClipHandle>(clip);
  const auto width =
      static_cast<int64_t>(clip.skeleton->skeleton.channels.size());
  changed->first_frame = 0;
  changed->rows = std::make_shared<Block>(
      rows, ElementType::kFloat32, std::vector<int64_t>{clip.frames, width});
  return changed;
}

void BindReport(py::module_* module) {
  py::class_<Report, std::shared_ptr<Report>>(*module, "_Report")
      .def_property_readonly("verdict",
                             [](const Report& report) {
                               return std::string(VerdictName(report.verdict));
                             })
      .def_property_readonly("counts",
                             [](const Report& report) {
                               const IssueCounts& counts = report.counts;
                               return py::make_tuple(
                                   counts.errors, counts.warnings, counts.infos,
                                   counts.hints);
                             })
      .def_readonly("truncated", &Report::truncated)
      .def_readonly("rules_version", &Report::rules_version)
      .def("issues", [](const Report& report) {
        py::list issues;
        for (const Issue& issue : report.issues) issues.append(ValueOf(issue));
        return py::tuple(issues);
      });
}

void BindInfo(py::module_* module) {
  py::class_<ClipInfo, std::shared_ptr<ClipInfo>>(*module, "_Info")
      .def_readonly("frames", &ClipInfo::frames)
      .def_readonly("frame_time", &ClipInfo::frame_time)
      .def_readonly("fps", &ClipInfo::frames_per_second)
      .def_readonly("joint_count", &ClipInfo::joint_count)
      .def("joints", &JointsOf)
      .def("names", &NamesOf)
      .def("channels", &ChannelsOf)
      .def("parents", &ParentsOf)
      .def("offsets", &OffsetsOf);
}

}  // namespace

void BindClip(py::module_* module) {
  BindReport(module);
  BindInfo(module);
  py::class_<ClipHandle, std::shared_ptr<ClipHandle>>(*module, "_Clip")
      .def(py::init(&ClipOf))
      .def_readonly("frames", &ClipHandle::frames)
      .def_readonly("frame_time", &ClipHandle::frame_time)
      .def_readonly("rows", &ClipHandle::rows)
      .def_readonly("first_frame", &ClipHandle::first_frame)
      .def("info",
           [](const ClipHandle& clip) {
             return std::make_shared<ClipInfo>(DescribeClip(
                 clip.skeleton->skeleton, clip.frames, clip.frame_time));
           })
      .def("state", &StateOf)
      .def("slice", &Slice)
      .def("with_rows", &WithRows)
      .def("solve", &SolveHandle);
  py::class_<Conversion>(*module, "_Conversion")
      .def_property_readonly(
          "error", [](const Conversion& c) { return ValueOf(c.status()); })
      .def_property_readonly("os_error", &Conversion::os_error)
      .def_property_readonly("seconds", &Conversion::seconds)
      .def_property_readonly("report", &Conversion::report)
      .def_property_readonly("info", &Conversion::info)
      .def_property_readonly("measures",
                             [](const Conversion& c) -> py::object {
                               if (!c.measures()) return py::none();
                               return py::str(MeasuresJson(*c.measures()));
                             })
      .def_property_readonly("clip", &Conversion::clip)
      .def_property_readonly("blocks", &Conversion::Blocks);
  module->def("read_path", &ReadPath);
  module->def("read_buffer", &ReadBuffer);
  module->def("convert_clip", &ConvertHandle);
}

}  // namespace bvhmill::python
