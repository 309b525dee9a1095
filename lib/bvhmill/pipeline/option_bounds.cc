#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include "bvhmill/base/call_error.h"
#include "bvhmill/base/nearest.h"
#include "bvhmill/encode/encode.h"
#include "bvhmill/pipeline/option_rows.h"

namespace bvhmill {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// "slerp, lerp".
std::string Joined(std::span<const OptionWord> words) {
  std::string out;
  for (const OptionWord& word : words) {
    out.append(out.empty() ? "" : ", ").append(word.word);
  }
  return out;
}

// "a whole number from 0 to 13". Whole numbers are at most `largest`.
std::string WantedNumber(const OptionBounds& bounds, bool is_whole,
                         double largest) {
  std::string out = is_whole ? "a whole number" : "a number";
  const double most = std::min(bounds.most, largest);
  if (bounds.least == -kInfinity) return out;
  // All bounds are whole.
  const std::string least = std::to_string(static_cast<int64_t>(bounds.least));
  if (bounds.is_above) return out + " above " + least;
  if (most == kInfinity) return out + " of at least " + least;
  return out + " from " + least + " to " +
         std::to_string(static_cast<int64_t>(most));
}

template <typename T>
std::string WantedNumberOf(const OptionBounds& bounds) {
  // The largest value is shown for numbers of 32 bits alone.
  constexpr double kLargest = std::is_same_v<T, int32_t>
                                  ? double{std::numeric_limits<int32_t>::max()}
                                  : kInfinity;
  return WantedNumber(bounds, std::is_integral_v<T>, kLargest);
}

bool IsIn(const OptionBounds& bounds, double value) {
  const bool is_low =
      bounds.is_above ? value <= bounds.least : value < bounds.least;
  return std::isfinite(value) && !is_low && value <= bounds.most;
}

// Why a value is none for the option; empty if it is one.
struct BoundsCheck {
  const OptionRow& row;

  template <typename T>
  std::string operator()(T* value) const {
    if constexpr (NumberOfPlace<T>::kIs) {
      return WhyNot(*value);
    } else {
      return {};
    }
  }
  template <typename T>
  std::string operator()(const T& /*place*/) const {
    return {};
  }
  std::string operator()(const UnitPlace& place) const {
    return WhyNot(*place.metres);
  }
  std::string operator()(std::string* name) const { return WhyNotBytes(*name); }
  std::string operator()(std::vector<std::string>* names) const {
    std::string why = WhyNotCount(names->size());
    for (const std::string& name : *names) {
      if (why.empty()) why = WhyNotBytes(name);
    }
    return why;
  }
  std::string operator()(NamePairs* pairs) const {
    std::string why = WhyNotCount(pairs->size());
    for (const auto& [from, to] : *pairs) {
      if (why.empty()) why = WhyNotBytes(from);
      if (why.empty()) why = WhyNotBytes(to);
    }
    return why;
  }
  std::string operator()(Severities* severities) const {
    return WhyNotCount(severities->size());
  }
  std::string operator()(std::vector<ThresholdChoice>* choices) const {
    return WhyNotCount(choices->size());
  }
  std::string operator()(std::vector<JointPriority>* priorities) const {
    std::string why = WhyNotCount(priorities->size());
    for (const JointPriority& joint : *priorities) {
      if (why.empty()) why = WhyNot(joint.priority);
    }
    return why;
  }
  std::string operator()(const JointMapPlace& place) const {
    std::string why = WhyNotCount(place.rows->size());
    for (const JointMapRow& map : *place.rows) {
      if (why.empty()) why = WhyNotBytes(map.source);
      if (why.empty()) why = WhyNotBytes(map.target);
    }
    return why;
  }
  std::string operator()(const LoopPlace& place) const {
    const std::string why = WhyNot(*place.in);
    return why.empty() ? WhyNot(*place.out) : why;
  }

 private:
  template <typename T>
  std::string WhyNot(T value) const {
    return IsIn(row.bounds, static_cast<double>(value))
               ? ""
               : "is not " + WantedNumberOf<T>(row.bounds);
  }
  template <typename T>
  std::string WhyNot(const std::optional<T>& value) const {
    return value ? WhyNot(*value) : "";
  }
  std::string WhyNotCount(size_t count) const {
    return count <= row.bounds.most_entries
               ? ""
               : "has " + std::to_string(count) + " entries, more than " +
                     std::to_string(row.bounds.most_entries);
  }
  std::string WhyNotBytes(const std::string& name) const {
    return name.size() <= row.bounds.most_bytes
               ? ""
               : "has " + std::to_string(name.size()) + " bytes, more than " +
                     std::to_string(row.bounds.most_bytes);
  }
};

std::string WhyNotInBounds(const OptionRow& row, const OptionPlace& place) {
  if (IsDefault(row, place)) return {};
  return std::visit(BoundsCheck{row}, place);
}

absl::Status CheckOutput(size_t index, const FormatOptions& format) {
  for (const OptionRow& row : Options()) {
    if (row.in_format == nullptr) continue;
    const std::string why = WhyNotInBounds(row, PlaceIn(row, format));
    if (why.empty()) continue;
    const std::string_view name = FormatOf(format).name;
    std::string field = "options.outputs[" + std::to_string(index) + "].";
    field.append(name).append(".").append(FieldOf(row, name));
    return InvalidField(field, why);
  }
  return absl::OkStatus();
}

}  // namespace

std::string Wanted(const OptionRow& row) {
  return std::visit(
      Overloaded{
          [&]<typename T>(T* /*place*/) -> std::string {
            if constexpr (NumberOfPlace<T>::kIs) {
              return WantedNumberOf<typename NumberOfPlace<T>::Type>(
                  row.bounds);
            } else {
              return "a word";
            }
          },
          [](const auto& /*place*/) -> std::string { return "a word"; },
          [](bool* /*place*/) -> std::string { return "true or false"; },
          [](const EnumPlace& place) -> std::string {
            return "one of " + Joined(place.words);
          },
          [](const UnitPlace&) -> std::string {
            std::string words;
            for (const UnitWord& unit : UnitWords()) {
              words.append(words.empty() ? "" : ", ").append(unit.word);
            }
            return "a number of meters above 0, or one of " + words;
          },
          [](std::vector<std::string>*) -> std::string {
            return "a list of names";
          },
          [](NamePairs*) -> std::string { return "OLD=NEW"; },
          [](Severities*) -> std::string {
            return "CODE=SEVERITY, such as DATA_LOOP=hint";
          },
          [](std::vector<ThresholdChoice>*) -> std::string {
            return "CODE.NAME=NUMBER, such as DATA_SPIKE.degrees=4";
          },
          [](std::vector<JointPriority>*) -> std::string {
            return "NAME=P with P from -1 to 6";
          },
          [](FrameRange*) -> std::string {
            return "a range A:B or A:B:STEP of frames from 0 on, with A below "
                   "B";
          },
          [](TimeRange*) -> std::string {
            return "a range A:B of seconds, such as 1.5s:3s, with A below B";
          },
          [](std::array<double, 3>*) -> std::string {
            return "three numbers X,Y,Z of degrees";
          },
          [](const ArraysPlace&) -> std::string {
            return "one of positions, rotations, velocities";
          },
          [](const LoopPlace&) -> std::string {
            return "IN:OUT in seconds, 0 to 60";
          }},
      row.fallback);
}

std::string SetNumber(const OptionRow& row, double value,
                      const OptionPlace& place) {
  return std::visit(
      [&](const auto& to) -> std::string {
        using P = std::remove_cvref_t<decltype(to)>;
        if constexpr (std::is_same_v<P, UnitPlace>) {
          if (!IsIn(row.bounds, value)) return "is not " + Wanted(row);
          *to.metres = value;
          return {};
        } else if constexpr (std::is_pointer_v<P>) {
          using T = std::remove_pointer_t<P>;
          if constexpr (NumberOfPlace<T>::kIs) {
            using N = typename NumberOfPlace<T>::Type;
            // Larger whole numbers are no doubles.
            constexpr double kMost =
                std::is_integral_v<N>
                    ? std::min(
                          double{int64_t{1} << 53},
                          static_cast<double>(std::numeric_limits<N>::max()))
                    : static_cast<double>(std::numeric_limits<N>::max());
            const bool is_whole = std::trunc(value) == value;
            const bool fits = IsIn(row.bounds, value) &&
                              std::abs(value) <= kMost &&
                              (is_whole || !std::is_integral_v<N>);
            if (!fits) return "is not " + Wanted(row);
            *to = static_cast<N>(value);
            return {};
          }
        }
        return "is not " + Wanted(row);
      },
      place);
}

std::string SetWord(std::string_view word, const EnumPlace& place) {
  std::vector<std::string_view> known;
  for (const OptionWord& one : place.words) {
    if (one.word == word) {
      place.set(one.value, place.at);
      return {};
    }
    known.push_back(one.word);
  }
  return "is none of " + Joined(place.words) + DidYouMean(word, known);
}

std::string SetArray(std::string_view name, const ArraysPlace& place) {
  bool* chosen = nullptr;
  if (name == "positions") chosen = place.positions;
  if (name == "rotations") chosen = place.rotations;
  if (name == "velocities") chosen = place.velocities;
  if (chosen == nullptr) {
    return "is none of positions, rotations, velocities" +
           DidYouMean(name, {"positions", "rotations", "velocities"});
  }
  *chosen = true;
  return {};
}

bool IsInBounds(const OptionRow& row, double value) {
  return IsIn(row.bounds, value);
}

std::span<const UnitWord> UnitWords() {
  static constexpr UnitWord kUnits[] = {{"m", 1},         {"cm", 0.01},
                                        {"mm", 0.001},    {"in", 0.0254},
                                        {"inch", 0.0254}, {"ft", 0.3048}};
  return kUnits;
}

std::optional<double> MetresOf(std::string_view word) {
  for (const UnitWord& unit : UnitWords()) {
    if (unit.word == word) return unit.metres;
  }
  return std::nullopt;
}

absl::Status CheckBounds(const ConvertOptions& options) {
  for (const OptionRow& row : Options()) {
    if (row.in_clip == nullptr) continue;
    const std::string why = WhyNotInBounds(row, PlaceIn(row, options));
    if (why.empty()) continue;
    std::string field(MessagePath(row));
    field.append(".").append(row.name);
    if (std::holds_alternative<JointMapPlace>(row.fallback)) field += "_rows";
    return InvalidField(field, why);
  }
  for (size_t i = 0; i < options.outputs.size(); ++i) {
    if (const absl::Status status = CheckOutput(i, options.outputs[i].format);
        !status.ok()) {
      return status;
    }
  }
  return absl::OkStatus();
}

}  // namespace bvhmill
