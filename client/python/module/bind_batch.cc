// Batches and streams as classes of Python.

#include <pybind11/stl.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "client/python/module/batch.h"
#include "client/python/module/bind.h"
#include "client/python/module/conversion.h"
#include "client/python/module/gil.h"
#include "client/python/module/python_values.h"

namespace bvhmill::python {
namespace {

// A Batch and the choices that its results refer to.
class PyBatch {
 public:
  PyBatch(std::vector<std::string> paths, const Choices& choices, int threads,
          bool is_ordered, int64_t max_bytes)
      : choices_(choices),
        batch_(std::make_shared<Batch>(std::move(paths), choices, threads,
                                       is_ordered, max_bytes)) {}
  ~PyBatch() { Close(); }
  PyBatch(const PyBatch&) = delete;
  PyBatch& operator=(const PyBatch&) = delete;

  // (index, conversion), or None after the last one.
  py::object Next() {
    // Another thread may close the batch meanwhile.
    const std::shared_ptr<Batch> batch = batch_;
    if (batch == nullptr) return py::none();
    Interrupts interrupts;
    std::optional<BatchResult> result;
    {
      const FreeGil free;
      result = batch->Next(&interrupts);
    }
    interrupts.Throw();
    if (!result) return py::none();
    return py::make_tuple(result->index,
                          Conversion(std::move(result->converted), choices_));
  }

  void Close() {
    const std::shared_ptr<Batch> batch = std::exchange(batch_, nullptr);
    if (batch == nullptr) return;
    const FreeGil free;
    batch->Close();
  }

 private:
  Choices choices_;
  // The GIL guards the pointer.
  std::shared_ptr<Batch> batch_;
};

py::tuple GroupValue(const FlatGroup& group) {
  const auto takes = static_cast<int64_t>(group.paths.size());
  py::list rigs;
  for (const ClipInfo& rig : group.rigs) {
    rigs.append(std::make_shared<ClipInfo>(rig));
  }
  return py::make_tuple(
      BlockOf(group.paths, ElementType::kInt64, {takes}),
      BlockOf(group.offsets, ElementType::kInt64, {takes + 1}),
      BlockOf(group.rigs_of_takes, ElementType::kInt32, {takes}),
      py::cast(group.frame_times), rigs, py::cast(group.arrays));
}

// (groups, failures, verdicts); see FlatBatch.
py::tuple ReadFlatValue(const std::vector<std::string>& paths,
                        const Choices& choices, int threads) {
  Interrupts interrupts;
  FlatBatch batch;
  {
    const FreeGil free;
    batch = ReadFlat(paths, choices, threads, &interrupts);
  }
  interrupts.Throw();
  py::list groups, failures, verdicts;
  for (const FlatGroup& group : batch.groups) groups.append(GroupValue(group));
  for (FlatFailure& failure : batch.failures) {
    failures.append(
        py::make_tuple(failure.path, failure.os_error, ValueOf(failure.status),
                       std::make_shared<Report>(std::move(failure.report))));
  }
  for (const Verdict verdict : batch.verdicts) {
    verdicts.append(std::string(VerdictName(verdict)));
  }
  return py::make_tuple(groups, failures, py::tuple(verdicts));
}

bool PushBytes(Stream* stream, const py::buffer& piece) {
  const py::buffer_info info = piece.request();
  const std::string_view text = TextOf(info);
  bool is_wanted = false;
  {
    const FreeGil free;
    is_wanted = stream->Push(text);
  }
  stream->interrupts()->Throw();
  return is_wanted;
}

Conversion FinishStream(Stream* stream) {
  Converted converted;
  {
    const FreeGil free;
    converted = stream->Finish();
  }
  stream->interrupts()->Throw();
  return {std::move(converted), stream->choices()};
}

}  // namespace

void BindBatch(py::module_* module) {
  py::class_<PyBatch>(*module, "_Batch")
      .def(py::init<std::vector<std::string>, const Choices&, int, bool,
                    int64_t>())
      .def("next", &PyBatch::Next)
      .def("close", &PyBatch::Close);
  py::class_<Stream>(*module, "_Stream")
      .def(py::init<const Choices&, const std::string&>())
      .def("push", &PushBytes)
      .def("finish", &FinishStream);
  module->def("read_flat", &ReadFlatValue);
}

}  // namespace bvhmill::python
