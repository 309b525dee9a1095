#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "bvhmill/base/held_memory.h"
#include "bvhmill/pipeline/option_rows.h"

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

template <typename T>
size_t Bytes(const std::vector<T>& list) {
  size_t bytes = list.capacity() * sizeof(T);
  if (bytes > 0) bytes += kBlock;
  for (const T& item : list) bytes += Bytes(item);
  return bytes;
}

template <typename T>
requires std::is_class_v<T> size_t Bytes(const std::optional<T>& value) {
  return value ? Bytes(*value) : 0;
}

size_t Bytes(const Severities& severities) {
  size_t bytes = 0;
  for (const auto& choice : severities) {
    bytes += sizeof(choice) + kNode + kBlock + Bytes(choice.first);
  }
  return bytes;
}

// The bytes of the value of an option outside of the options themselves.
struct PlaceBytes {
  // Places of other types hold no memory of their own.
  template <typename T>
  size_t operator()(const T& /*place*/) const {
    return 0;
  }
  template <typename T>
  size_t operator()(T* value) const {
    if constexpr (requires { Bytes(*value); }) {
      return Bytes(*value);
    } else {
      return 0;
    }
  }
  size_t operator()(const JointMapPlace& map) const {
    return Bytes(*map.name) + Bytes(*map.rows);
  }
};

template <typename Target>
size_t BytesOfRows(const Target& target) {
  size_t bytes = 0;
  for (const OptionRow& row : Options()) {
    bytes += std::visit(PlaceBytes{}, PlaceIn(row, target));
  }
  return bytes;
}

}  // namespace

int64_t OptionsBytes(const ConvertOptions& options) {
  size_t bytes =
      sizeof(options) + Bytes(options.unknown_fields) + BytesOfRows(options);
  bytes += options.outputs.capacity() * sizeof(OutputRequest);
  if (options.outputs.capacity() > 0) bytes += kBlock;
  for (const OutputRequest& output : options.outputs) {
    bytes += Bytes(output.id) + BytesOfRows(output.format);
  }
  return static_cast<int64_t>(bytes);
}

}  // namespace bvhmill
