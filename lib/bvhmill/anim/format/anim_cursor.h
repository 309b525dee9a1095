#pragma once

// Reads the bytes of an .anim one after the other, never beyond their end.
// Private to anim/.

#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "bvhmill/anim/format/anim_format.h"
#include "bvhmill/math/linear.h"

namespace bvhmill {

// Once a value does not fit into the bytes that are left, the cursor has
// failed: every later value is 0 or empty. The bytes must outlive it.
class AnimCursor {
 public:
  explicit AnimCursor(std::string_view bytes) : bytes_(bytes) {}

  size_t offset() const { return offset_; }
  size_t left() const { return bytes_.size() - offset_; }
  bool failed() const { return failed_; }

  uint8_t U8() { return static_cast<uint8_t>(Number(1)); }
  uint16_t U16() { return static_cast<uint16_t>(Number(2)); }
  uint32_t U32() { return Number(4); }
  int32_t S32() { return static_cast<int32_t>(Number(4)); }
  float F32() { return std::bit_cast<float>(Number(4)); }
  Vec3<float> Vector() {
    const float x = F32();
    const float y = F32();
    return {x, y, F32()};
  }

  // Bytes up to a NUL. The NUL is read as well, but is not part of the text.
  std::string_view Text() {
    const size_t end = bytes_.find('\0', offset_);
    if (end == bytes_.npos) failed_ = true;
    return failed_ ? std::string_view() : Take(end + 1 - offset_, 1);
  }

  // A name in kAnimFixedNameBytes bytes; it ends at the first NUL.
  std::string_view FixedName() {
    if (left() < kAnimFixedNameBytes) failed_ = true;
    if (failed_) return {};
    const std::string_view all = Take(kAnimFixedNameBytes, 0);
    return all.substr(0, all.find('\0'));
  }

 private:
  // Moves on by `size` bytes, and returns them without the last `without`.
  std::string_view Take(size_t size, size_t without) {
    const std::string_view taken = bytes_.substr(offset_, size - without);
    offset_ += size;
    return taken;
  }

  uint32_t Number(size_t size) {
    if (left() < size) failed_ = true;
    if (failed_) return 0;
    uint32_t value = 0;
    for (size_t i = 0; i < size; ++i) {
      value |= static_cast<uint32_t>(static_cast<uint8_t>(bytes_[offset_ + i]))
               << (8 * i);
    }
    offset_ += size;
    return value;
  }

  std::string_view bytes_;
  size_t offset_ = 0;
  bool failed_ = false;
};

}  // namespace bvhmill
