#pragma once

// The bounding box of a clip.

#include <array>
#include <cstdint>
#include <string_view>

#include "bvhmill/pipeline/convert.h"

namespace bvhmill::client {

// Receives world positions as bytes, in pieces of any size, and keeps the least
// and the greatest x, y and z. Ignores values that are not finite. The
// positions must be the only output. Results are valid after Begin.
class Extents final : public OutputReceiver {
 public:
  absl::Status Begin(const ClipInfo& info,
                     std::span<const OutputInfo> outputs) override;
  absl::Status Data(size_t output, std::string_view bytes) override;

  // False if there was no finite value on some axis.
  bool known() const;
  const std::array<float, 3>& least() const { return least_; }
  const std::array<float, 3>& greatest() const { return greatest_; }

 private:
  void Add(const char* value);

  std::array<float, 3> least_ = {};
  std::array<float, 3> greatest_ = {};
  // The first bytes of a value whose rest has not arrived, and their number.
  std::array<char, sizeof(float)> partial_ = {};
  size_t partial_size_ = 0;
  // The axis of the next value.
  size_t axis_ = 0;
};

}  // namespace bvhmill::client
