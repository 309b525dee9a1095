#pragma once

// The rows of options.inc as data: one OptionRow for each option of a
// conversion. A row points to its value in the plain structs; the type of that
// pointer is the kind of the option. Flags, JSON, messages of the API and docs
// visit OptionPlace, the variant of all kinds.
//
//   for (const OptionRow& row : Options()) {
//     if (IsDefault(row, PlaceIn(row, options))) continue;
//     std::puts(FlagOf(row.name).c_str());
//   }
//
// The rows are constant: all functions are thread-safe, except those that write
// to the place of a caller.

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "absl/status/status.h"
#include "bvhmill/pipeline/options.h"

namespace bvhmill {

// A value of an enum, and the word for it in every language.
struct OptionWord {
  std::string_view word;
  int value;
};

// A member of an enum type. A value without a word means: not set.
struct EnumPlace {
  void* at;
  int (*get)(const void* at);
  void (*set)(int value, void* at);
  std::span<const OptionWord> words;
};

// A unit of length, in metres.
struct UnitPlace {
  double* metres;
};

// A table that renames joints: a built-in one, or rows.
struct JointMapPlace {
  std::string* name;
  std::vector<JointMapRow>* rows;
};

// The arrays of an .npz.
struct ArraysPlace {
  bool* positions;
  bool* rotations;
  bool* velocities;
};

// A loop: not set, off, on, or on between two times.
struct LoopPlace {
  std::optional<bool>* loop;
  std::optional<float>* in;
  std::optional<float>* out;
};

using NamePairs = std::vector<std::pair<std::string, std::string>>;
using Severities = std::map<std::string, Severity, std::less<>>;

// The place of the value of an option; monostate in a format without the
// option.
using OptionPlace = std::variant<
    std::monostate, bool*, int32_t*, int64_t*, float*, double*,
    std::optional<int32_t>*, std::optional<uint32_t>*, std::optional<float>*,
    std::string*, std::optional<std::string>*, EnumPlace, UnitPlace,
    std::vector<std::string>*, NamePairs*, Severities*,
    std::vector<ThresholdChoice>*, std::vector<JointPriority>*, JointMapPlace,
    FrameRange*, TimeRange*, std::array<double, 3>*, ArraysPlace, LoopPlace,
    std::optional<std::vector<AnimConstraint>>*>;

// The groups of --help, with the messages of the API that hold their options.
enum class OptionGroup {
  kReading,  // ReadOptions
  kRepairs,  // Repairs
  kJoints,   // ClipEdits, as the next two
  kFrames,
  kSpace,
  kReport,        // ValidationOptions
  kResult,        // ConvertOptions itself
  kOutput,        // the message of each format that has the option
  kAnim,          // AnimFormat, as the next two
  kAnimSettings,  // also options of `anim edit`
  kAnimBest,      // no effect with the profile viewer
};

struct OptionBounds {
  double least = -std::numeric_limits<double>::infinity();
  double most = std::numeric_limits<double>::infinity();
  // True: refuses `least` itself.
  bool is_above = false;
  // The largest number of entries of a list, and of bytes of a name.
  size_t most_entries = std::numeric_limits<size_t>::max();
  size_t most_bytes = std::numeric_limits<size_t>::max();
};

struct OptionRow {
  std::string_view name;
  OptionGroup group;
  // Return the place of the value. One of the two is null: an option is either
  // one of the clip or one of outputs.
  OptionPlace (*in_clip)(ConvertOptions* options);
  OptionPlace (*in_format)(FormatOptions* format);
  OptionBounds bounds;
  // Texts of the help, as options.inc describes them: the placeholder of the
  // value, the effect of leaving the option out, and one line of help.
  std::string_view value;
  std::string_view unset;
  std::string_view help;
  // The place of the default value. Do not write to it.
  OptionPlace fallback;
};

// All rows, in the order of options.inc.
std::span<const OptionRow> Options();

// The row called `name`; null if there is none.
const OptionRow* FindOption(std::string_view name);

// Values.

// The place of `row` in `options`; monostate if the option is one of outputs.
OptionPlace PlaceIn(const OptionRow& row, ConvertOptions* options);
// The place of `row` in an output; monostate if the format lacks the option.
OptionPlace PlaceIn(const OptionRow& row, FormatOptions* format);
// Read only: do not write to these places.
OptionPlace PlaceIn(const OptionRow& row, const ConvertOptions& options);
OptionPlace PlaceIn(const OptionRow& row, const FormatOptions& format);

// True if the value at `place` is the default.
bool IsDefault(const OptionRow& row, const OptionPlace& place);

// True if the option is a list, which several words set.
bool IsList(const OptionRow& row);

// Empties a value of several parts, so that no part remains when another is
// set. Does not change values of one part.
void ResetPlace(const OptionPlace& place);

// The following functions set a value. They return an empty string, or why the
// value is refused, as the predicate of a message: "is not a number above 9".

// Sets a number. Refuses one that is out of bounds or does not fit the place.
std::string SetNumber(const OptionRow& row, double value,
                      const OptionPlace& place);
// Sets the value of a word of an enum.
std::string SetWord(std::string_view word, const EnumPlace& place);
// Chooses the array `name`.
std::string SetArray(std::string_view name, const ArraysPlace& place);

// Checks each option alone: numbers, numbers of entries and bytes of names
// against the bounds. INVALID_ARGUMENT "options.edits.fps: why".
absl::Status CheckBounds(const ConvertOptions& options);

// A unit of length.
struct UnitWord {
  std::string_view word;
  double metres;
};
std::span<const UnitWord> UnitWords();
// The number of metres of a word such as "cm"; nullopt for other words.
std::optional<double> MetresOf(std::string_view word);

// Names and texts. `name_of` shows the name of an option in the language of the
// caller, for example as a flag.

// "--anim-loop" for anim_loop.
std::string FlagOf(std::string_view name);

// The flags of all options, without the leading dashes: "anim-loop".
std::vector<std::string> FlagsOfOptions();

// The placeholder of the value in help: `value` of the row, else "WORD" or "N".
// Empty if the option is a flag.
std::string ValueName(const OptionRow& row);

// The help of `row`, with "; default ..." if it has a default to state.
std::string HelpOf(const OptionRow& row,
                   std::string (*name_of)(std::string_view name));

// A noun for the values of the option, to end "'x' is not ": "a number above
// 0", "one of slerp, lerp".
std::string Wanted(const OptionRow& row);

// Fields of the API.

// The path of the message of the API that has the field of `row`:
// "options.edits.repairs", or "options" for the measures. Empty if the option
// is one of outputs.
std::string_view MessagePath(const OptionRow& row);

// The name of the field in that message, or in that of the format `format`:
// "loop" for anim_loop.
std::string_view FieldOf(const OptionRow& row, std::string_view format = {});

// The row of the field at `path`, or of a field below it: "options.edits.fps",
// "options.outputs[2].anim.loop", "options.edits.joint_map_rows[3]". Null if
// there is none.
const OptionRow* OptionOfField(std::string_view path);

// Replaces the path of a field in `status` by the name of its option: "fps:
// why" for "options.edits.fps: why". Returns a status about another field
// unchanged.
absl::Status InOptionNames(const absl::Status& status,
                           std::string (*name_of)(std::string_view name));

// Tells if an option whose place is a T* is a number, and of which type.
template <typename T>
struct NumberOfPlace {
  static constexpr bool kIs =
      std::is_arithmetic_v<T> && !std::is_same_v<T, bool>;
  using Type = T;
};
template <typename T>
struct NumberOfPlace<std::optional<T>> : NumberOfPlace<T> {};

}  // namespace bvhmill
