#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "bvhmill/base/held_memory.h"
#include "bvhmill/pipeline/options.h"

namespace bvhmill {
namespace {

// Bytes that an allocator adds to each block.
constexpr size_t kBlock = 16;
// Links and color of a node of std::map.
constexpr size_t kNode = 32;

size_t Bytes(const std::string& text) {
  // Short strings are stored in the object itself.
  static const size_t kInPlace = std::string().capacity();
  if (text.capacity() <= kInPlace) return 0;
  const auto bytes = static_cast<int64_t>(text.capacity()) + 1;
  return static_cast<size_t>(HeapBytes(bytes)) + kBlock;
}

size_t Bytes(const JointMapRow& row) {
  return Bytes(row.source) + Bytes(row.target);
}

size_t Bytes(const std::pair<std::string, std::string>& names) {
  return Bytes(names.first) + Bytes(names.second);
}

size_t Bytes(const ThresholdChoice& choice) {
  return Bytes(choice.code) + Bytes(choice.name);
}

size_t Bytes(const JointPriority& priority) { return Bytes(priority.joint); }

size_t Bytes(const AnimConstraint& constraint) {
  return Bytes(constraint.source_volume) + Bytes(constraint.target_volume);
}

size_t Bytes(const OutputRequest& output);

template <typename T>
size_t Bytes(const std::vector<T>& list) {
  size_t bytes = list.capacity() * sizeof(T);
  if (bytes > 0) bytes += kBlock;
  for (const T& item : list) bytes += Bytes(item);
  return bytes;
}

template <typename T>
size_t Bytes(const std::optional<T>& value) {
  return value ? Bytes(*value) : 0;
}

size_t Bytes(const AnimFormat& format) {
  return Bytes(format.joint_map) + Bytes(format.joint_map_rows) +
         Bytes(format.settings.joint_priorities) +
         Bytes(format.settings.emote) + Bytes(format.settings.constraints);
}

// A format with strings or lists needs an overload of Bytes.
struct FormatBytes {
  template <typename Format>
  size_t operator()(const Format& format) const {
    if constexpr (std::is_trivially_copyable_v<Format>) {
      return 0;
    } else {
      return Bytes(format);
    }
  }
};

size_t Bytes(const OutputRequest& output) {
  return Bytes(output.id) + std::visit(FormatBytes{}, output.format);
}

size_t Bytes(const ClipEdits& edits) {
  return Bytes(edits.drop_joints) + Bytes(edits.keep_joints) +
         Bytes(edits.rename_joints) + Bytes(edits.joint_map) +
         Bytes(edits.joint_map_rows) + Bytes(edits.names_to) +
         Bytes(edits.body_root) + Bytes(edits.root_alignment.position_axes) +
         Bytes(edits.root_alignment.position_signs);
}

size_t Bytes(const ReportOptions& report) {
  size_t bytes = Bytes(report.ignore_codes) + Bytes(report.only_codes) +
                 Bytes(report.thresholds);
  for (const auto& choice : report.severity_overrides) {
    bytes += sizeof(choice) + kNode + kBlock + Bytes(choice.first);
  }
  return bytes;
}

}  // namespace

int64_t OptionsBytes(const ConvertOptions& options) {
  return static_cast<int64_t>(sizeof(options) + Bytes(options.report) +
                              Bytes(options.edits) + Bytes(options.outputs) +
                              Bytes(options.unknown_fields));
}

}  // namespace bvhmill
