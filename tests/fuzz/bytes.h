#pragma once

// Shared by fuzz targets: checks that end the run, and choices made of the
// bytes of an input.

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>

namespace bvhmill::fuzz {

// Ends the run, as a finding that names the line, unless `holds`.
inline void Require(bool holds, const char* file = __builtin_FILE(),
                    int line = __builtin_LINE()) {
  if (holds) return;
  std::fprintf(stderr, "%s:%d: does not hold\n", file, line);
  std::abort();
}

// The same unless `a` and `b` are equal, which are shown if they are not.
inline void RequireEqual(const std::string& a, const std::string& b,
                         const char* file = __builtin_FILE(),
                         int line = __builtin_LINE()) {
  if (a != b) std::fprintf(stderr, "%s\n\n%s\n", a.c_str(), b.c_str());
  Require(a == b, file, line);
}

// Takes values off the front of an input; zeros once the input has ended. The
// input is borrowed.
class Bytes {
 public:
  Bytes(const uint8_t* data, size_t size)
      : rest_(reinterpret_cast<const char*>(data), size) {}

  bool empty() const { return rest_.empty(); }
  // All that is left, which stays.
  std::string_view rest() const { return rest_; }

  // The bytes of a number, in the order of the machine.
  template <typename T>
  T Take() {
    T value = {};
    const std::string_view bytes = TakeBytes(sizeof(T));
    if (!bytes.empty()) std::memcpy(&value, bytes.data(), bytes.size());
    return value;
  }

  // 0 to `end` - 1; `end` is 1 to 65,536. One byte is taken where that is
  // enough.
  size_t Below(size_t end) {
    constexpr size_t kByte = 256;
    return end <= kByte ? Take<uint8_t>() % end : Take<uint16_t>() % end;
  }

  // True once in `n` times.
  bool OneIn(size_t n) { return Below(n) == n - 1; }

  // At most `size` bytes; less if the input ends.
  std::string_view TakeBytes(size_t size) {
    const std::string_view taken = rest_.substr(0, size);
    rest_.remove_prefix(taken.size());
    return taken;
  }

 private:
  std::string_view rest_;
};

}  // namespace bvhmill::fuzz
