#include "bvhmill/anim/viewer/viewer_number.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include "bvhmill/text/cursor.h"
#include "bvhmill/text/lines.h"

namespace bvhmill {
namespace {

constexpr bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// Removes a sign; true if it is a minus.
bool TakeSign(std::string_view* text) {
  if (text->empty() || (text->front() != '-' && text->front() != '+')) {
    return false;
  }
  const bool is_minus = text->front() == '-';
  text->remove_prefix(1);
  return is_minus;
}

// Removes "nan", "inf" or "infinity"; false if there is none.
bool TakeWordNumber(std::string_view* text, float* value) {
  constexpr std::string_view kInfinity = "infinity";
  constexpr size_t kShort = 3;
  if (StartsWithIgnoreCase(*text, "nan")) {
    *value = std::numeric_limits<float>::quiet_NaN();
    text->remove_prefix(kShort);
    return true;
  }
  if (!StartsWithIgnoreCase(*text, "inf")) return false;
  *value = std::numeric_limits<float>::infinity();
  const bool is_long = StartsWithIgnoreCase(*text, kInfinity);
  text->remove_prefix(is_long ? kInfinity.size() : kShort);
  return true;
}

// For a decimal `text` that no double can hold: true if it is too small, not
// too large.
bool IsTiny(std::string_view text) {
  const size_t exponent = text.find_first_of("eE");
  if (exponent == text.npos) return text[0] == '0' || text[0] == '.';
  return exponent + 1 < text.size() && text[exponent + 1] == '-';
}

// Removes the longest decimal number without a sign. False if there is none, or
// it is too large for a float. A number that is too small becomes a denormal or
// 0.
bool TakeDecimal(std::string_view* text, float* value) {
  const bool begins =
      !text->empty() && (IsDigit(text->front()) || text->front() == '.');
  if (!begins) return false;
  const char* const end = text->data() + text->size();
  std::from_chars_result result = std::from_chars(text->data(), end, *value);
  if (result.ec == std::errc::result_out_of_range) {
    double wide = 0;
    result = std::from_chars(text->data(), end, wide);
    const auto size = static_cast<size_t>(result.ptr - text->data());
    const bool is_small =
        result.ec == std::errc() ? wide < 1 : IsTiny(text->substr(0, size));
    if (!is_small) return false;
    *value = static_cast<float>(wide);
    result.ec = {};
  }
  if (result.ec != std::errc()) return false;
  text->remove_prefix(static_cast<size_t>(result.ptr - text->data()));
  return true;
}

std::string_view SkipBlanks(std::string_view text) {
  const auto* const begin = std::find_if_not(text.begin(), text.end(), IsBlank);
  return text.substr(static_cast<size_t>(begin - text.begin()));
}

}  // namespace

bool ParseViewerFloat(std::string_view word, float* value) {
  const bool is_minus = TakeSign(&word);
  if (!TakeWordNumber(&word, value) && !TakeDecimal(&word, value)) return false;
  if (is_minus) *value = -*value;
  return word.empty();
}

bool LeadingInteger(std::string_view text, int64_t* value) {
  text = SkipBlanks(text);
  const bool is_minus = TakeSign(&text);
  if (text.empty() || !IsDigit(text.front())) return false;
  constexpr int64_t kMax = std::numeric_limits<int32_t>::max();
  int64_t number = 0;
  for (; !text.empty() && IsDigit(text.front()); text.remove_prefix(1)) {
    number = std::min<int64_t>(number * 10 + (text.front() - '0'), kMax);
  }
  *value = is_minus ? -number : number;
  return true;
}

bool LeadingFloat(std::string_view text, float* value) {
  text = SkipBlanks(text);
  const bool is_minus = TakeSign(&text);
  float number = 0;
  if (!TakeWordNumber(&text, &number) && !TakeDecimal(&text, &number)) {
    return false;
  }
  *value = is_minus ? -number : number;
  return true;
}

}  // namespace bvhmill
