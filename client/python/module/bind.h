#pragma once

// The parts of the module: each Bind function adds the classes and functions of
// one file bind_X.cc. Also Conversion, the result of one conversion for Python.

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "client/python/module/block.h"
#include "client/python/module/clip.h"
#include "client/python/module/conversion.h"

namespace bvhmill::python {

// The output that is kept as the rows of a clip.
inline constexpr std::string_view kValuesId = "values";

// The result of one conversion, for Python.
class Conversion {
 public:
  Conversion(Converted converted, const Choices& choices);

  const absl::Status& status() const { return status_; }
  int os_error() const { return os_error_; }
  double seconds() const { return seconds_; }
  std::shared_ptr<Report> report() const { return report_; }
  std::shared_ptr<ClipInfo> info() const { return info_; }
  // nullopt unless the choices ask for measures, and the report allows outputs.
  const std::optional<ClipMeasures>& measures() const { return measures_; }
  // Null unless the choices ask for the skeleton, and the status is OK.
  std::shared_ptr<ClipHandle> clip() const { return clip_; }
  // By id.
  py::dict Blocks() const;

 private:
  absl::Status status_;
  int os_error_;
  double seconds_;
  std::shared_ptr<Report> report_;
  std::shared_ptr<ClipInfo> info_;
  std::optional<ClipMeasures> measures_;
  std::shared_ptr<ClipHandle> clip_;
  std::vector<std::pair<std::string, std::shared_ptr<Block>>> blocks_;
};

// The bytes of a buffer, which must stay requested. Throws py::type_error if
// they are not in one piece.
std::string_view TextOf(const py::buffer_info& info);

void BindClip(py::module_* module);
void BindBatch(py::module_* module);
void BindAnim(py::module_* module);
void BindJobs(py::module_* module);

}  // namespace bvhmill::python
