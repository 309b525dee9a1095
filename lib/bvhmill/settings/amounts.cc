#include "bvhmill/settings/amounts.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstddef>
#include <span>
#include <system_error>

#include "bvhmill/base/text.h"

namespace bvhmill {
namespace {

constexpr std::string_view kDigits = "0123456789";

struct Unit {
  std::string_view name;
  // In bytes or seconds, divided by ten to the power of `decimals`.
  int64_t size;
  size_t decimals = 0;
};

// AmountText writes the first unit that fits.
constexpr Unit kByteUnits[] = {
    {"TiB", int64_t{1} << 40}, {"GiB", int64_t{1} << 30},
    {"MiB", int64_t{1} << 20}, {"KiB", int64_t{1} << 10},
    {"T", int64_t{1} << 40},   {"G", int64_t{1} << 30},
    {"M", int64_t{1} << 20},   {"K", int64_t{1} << 10}};
constexpr Unit kTimeUnits[] = {
    {"d", 86'400}, {"h", 3600}, {"m", 60}, {"s", 1}, {"ms", 1, 3}};

// How numbers of a LimitUnit are written: their units, the noun for them, and
// examples for errors.
struct Kind {
  std::span<const Unit> units;
  std::string_view noun;
  std::string_view examples;
};

Kind KindOf(LimitUnit unit) {
  switch (unit) {
    case LimitUnit::kBytes:
    case LimitUnit::kBytesPerSecond:
      return {kByteUnits, "bytes", "65536, 512MiB or 1.5G"};
    case LimitUnit::kSeconds:
      return {kTimeUnits, "seconds", "90, 30s, 5m, 2h or 1d"};
    case LimitUnit::kCount:
    case LimitUnit::kWork:
      break;
  }
  return {};
}

bool IsSameWord(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) {
    return std::tolower(static_cast<unsigned char>(x)) ==
           std::tolower(static_cast<unsigned char>(y));
  });
}

// Null if there is none.
const Unit* FindUnit(std::span<const Unit> units, std::string_view name) {
  for (const Unit& unit : units) {
    if (IsSameWord(unit.name, name)) return &unit;
  }
  return nullptr;
}

// True for KB, MB, GB and TB.
bool IsAmbiguous(std::string_view name) {
  return name.size() == 2 && IsSameWord(name.substr(1), "B") &&
         FindUnit(kByteUnits, name.substr(0, 1)) != nullptr;
}

// A decimal number, and the unit that follows it.
struct Parts {
  // Without the decimal point.
  std::string digits;
  // The digits after the decimal point.
  size_t decimals = 0;
  std::string_view unit;
};

// False if `text` does not begin with a decimal number.
bool Split(std::string_view text, Parts* parts) {
  const size_t whole = std::min(text.find_first_not_of(kDigits), text.size());
  if (whole == 0) return false;
  parts->digits = text.substr(0, whole);
  text.remove_prefix(whole);
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    parts->decimals = std::min(text.find_first_not_of(kDigits), text.size());
    if (parts->decimals == 0) return false;
    parts->digits += text.substr(0, parts->decimals);
    text.remove_prefix(parts->decimals);
  }
  while (text.starts_with(' ')) text.remove_prefix(1);
  parts->unit = text;
  return true;
}

// Below every range.
constexpr int64_t kTooLarge = -1;

// Sets `value` to the number of `parts` in units of `unit`, or to kTooLarge.
// Returns false if that number is not whole.
bool Multiply(const Parts& parts, const Unit& unit, int64_t* value) {
  constexpr int64_t kTen = 10;
  const size_t decimals = parts.decimals + unit.decimals;
  const std::string digits = std::string(unit.decimals, '0') + parts.digits;
  const size_t point = digits.size() - decimals;
  // 0.d1d2...dn * size = (d1 * size + (d2 * size + ...) / 10) / 10. If the
  // result is whole, so is each quotient.
  int64_t part = 0;
  for (size_t i = digits.size(); i > point; --i) {
    part += (digits[i - 1] - '0') * unit.size;
    if (part % kTen != 0) return false;
    part /= kTen;
  }
  int64_t whole = 0;
  const std::from_chars_result read =
      std::from_chars(digits.data(), digits.data() + point, whole);
  const bool is_too_large = read.ec == std::errc::result_out_of_range ||
                            __builtin_mul_overflow(whole, unit.size, &whole) ||
                            __builtin_add_overflow(whole, part, value);
  if (is_too_large) *value = kTooLarge;
  return true;
}

// Parses a number that may have a unit, without its range. Returns the reason
// as ParseAmount does, without the text before it.
std::string ParseWithUnit(std::string_view text, const Kind& kind,
                          int64_t* value) {
  const std::string noun(kind.noun);
  const std::string use = "; use " + std::string(kind.examples);
  Parts parts;
  if (!Split(text, &parts)) return " is not a number of " + noun + use;
  constexpr Unit kOne = {"", 1};
  const Unit* const unit =
      parts.unit.empty() ? &kOne : FindUnit(kind.units, parts.unit);
  if (unit == nullptr && kind.noun == "bytes" && IsAmbiguous(parts.unit)) {
    return " is ambiguous; use " + std::string(parts.unit.substr(0, 1)) +
           "iB for powers of 1024, or the number of bytes";
  }
  if (unit == nullptr) {
    return " has the unknown unit " + Quote(parts.unit) + use;
  }
  return Multiply(parts, *unit, value) ? ""
                                       : " is not a whole number of " + noun;
}

bool IsInRange(int64_t number, const LimitRange& range) {
  return range.least <= number && number <= range.most;
}

std::string RangeText(const LimitRange& range, LimitUnit unit) {
  return AmountText(range.least, unit) + " to " + AmountText(range.most, unit);
}

}  // namespace

std::string ParseAmount(std::string_view text, LimitUnit unit,
                        const LimitRange& range, int64_t* value) {
  const Kind kind = KindOf(unit);
  int64_t number = 0;
  if (kind.units.empty()) {
    const char* const end = text.data() + text.size();
    const auto [stop, fault] = std::from_chars(text.data(), end, number);
    if (fault != std::errc() || stop != end || !IsInRange(number, range)) {
      return Quote(text) + " is not a whole number from " +
             RangeText(range, unit);
    }
  } else {
    const std::string why = ParseWithUnit(text, kind, &number);
    if (!why.empty()) return Quote(text) + why;
    if (!IsInRange(number, range)) {
      return Quote(text) + " is out of range: " + RangeText(range, unit);
    }
  }
  *value = number;
  return "";
}

std::string AmountText(int64_t value, LimitUnit unit) {
  if (value != 0) {
    for (const Unit& row : KindOf(unit).units) {
      if (value % row.size != 0) continue;
      return std::to_string(value / row.size) + std::string(row.name);
    }
  }
  return std::to_string(value);
}

}  // namespace bvhmill
