#pragma once

// The part of absl::Cord that the library uses, for WebAssembly: abseil does
// not build without threads.

#include <string>
#include <string_view>
#include <utility>

namespace absl {

using string_view = std::string_view;

class Cord {
 public:
  Cord() = default;
  explicit Cord(std::string text) : text_(std::move(text)) {}
  explicit operator std::string() const { return text_; }

 private:
  std::string text_;
};

}  // namespace absl
