#pragma once

// How much room a clip takes.

#include <array>
#include <cstdint>
#include <string_view>

#include "bvhmill/pipeline/convert.h"

namespace bvhmill::client {

// Takes world positions as a stream of bytes, in pieces of any size, and keeps
// their least and greatest x, y and z. Values that are not finite are left out.
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
  // The first bytes of a value that was cut, and how many there are.
  std::array<char, sizeof(float)> partial_ = {};
  size_t partial_size_ = 0;
  // Of the next value.
  size_t axis_ = 0;
};

}  // namespace bvhmill::client
