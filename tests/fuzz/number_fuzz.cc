// A word is a number if and only if a separate grammar says so. Its value is
// that of strtod. In a row, every target gives the same float.

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "bvhmill/text/number.h"
#include "bvhmill/text/rows.h"

namespace {

using bvhmill::Number;
using bvhmill::NumberKind;
using bvhmill::RowsTarget;

void Require(bool holds) {
  if (!holds) std::abort();
}

// [+-]? (digits [. digits?] | . digits) ([eE] [+-]? digits)? as a machine.
bool IsNumber(std::string_view word) {
  enum { kStart, kSign, kWhole, kDot, kDecimals, kLetter, kPower, kDigits };
  int state = kStart;
  bool bare_dot = false;
  for (const char c : word) {
    const bool digit = c >= '0' && c <= '9';
    const bool sign = c == '+' || c == '-';
    if (digit) {
      if (state <= kSign) state = kWhole;
      if (state == kDot) state = kDecimals;
      if (state == kLetter || state == kPower) state = kDigits;
    } else if (sign && (state == kStart || state == kLetter)) {
      state = state == kStart ? kSign : kPower;
    } else if (c == '.' && state <= kWhole) {
      bare_dot = state != kWhole;
      state = kDot;
    } else if ((c == 'e' || c == 'E') && state >= kWhole &&
               state <= kDecimals && !(state == kDot && bare_dot)) {
      state = kLetter;
    } else {
      return false;
    }
  }
  return state == kWhole || state == kDecimals || state == kDigits ||
         (state == kDot && !bare_dot);
}

void CheckRow(const std::string& word, double value) {
  static bvhmill::RowsWorkspace workspace;
  const std::string text = "1 " + word + "\n";
  for (const RowsTarget target :
       {RowsTarget::kScalar, RowsTarget::kAvx2, RowsTarget::kAvx512,
        RowsTarget::kNeon, RowsTarget::kWasm128}) {
    if (!bvhmill::IsSupported(target)) continue;
    float row[2] = {};
    const auto scan = bvhmill::ScanRows(target, text, 2, row, &workspace);
    const auto expected = static_cast<float>(value);
    Require((scan.rows == 1) == std::isfinite(expected));
    Require(scan.rows == 0 || std::bit_cast<uint32_t>(row[1]) ==
                                  std::bit_cast<uint32_t>(expected));
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string word(reinterpret_cast<const char*>(data), size);
  const Number number = bvhmill::ParseNumber(word);
  const bool finite_grammar = number.kind == NumberKind::kFinite ||
                              number.kind == NumberKind::kOutOfRange;
  Require(finite_grammar == IsNumber(word));
  if (!finite_grammar) return 0;
  const double expected = std::strtod(word.c_str(), nullptr);
  Require(std::bit_cast<uint64_t>(number.value) ==
          std::bit_cast<uint64_t>(expected));
  CheckRow(word, expected);
  return 0;
}
