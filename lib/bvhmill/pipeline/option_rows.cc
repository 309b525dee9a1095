#include "bvhmill/pipeline/option_rows.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <type_traits>

#include "bvhmill/anim/format/anim_motion.h"
#include "bvhmill/base/limits.h"
#include "bvhmill/base/status.h"
#include "bvhmill/base/text.h"
#include "bvhmill/edit/joint_map.h"
#include "bvhmill/encode/encode.h"

namespace bvhmill {
namespace {

constexpr OptionBounds kAnyValue = {};
constexpr OptionBounds kAboveZero = {.least = 0, .is_above = true};
constexpr OptionBounds kFromZero = {.least = 0};
constexpr OptionBounds kIssues = {
    .least = 0, .most = double{std::numeric_limits<int32_t>::max()}};
constexpr OptionBounds kDecimals = {.least = 0, .most = 60};
constexpr OptionBounds kPriorities = {.least = kMinAnimPriority,
                                      .most = kMaxAnimPriority};
constexpr OptionBounds kPrioritiesOfJoints = {
    .least = kMinAnimPriority,
    .most = kMaxAnimPriority,
    .most_entries = kMaxJointPriorities};
constexpr OptionBounds kAnimSeconds = {.least = 0, .most = kMaxAnimSeconds};
constexpr OptionBounds kHandPoses = {.least = 0, .most = kMaxAnimHandPose};
constexpr OptionBounds kConstraints = {
    .most_entries = static_cast<size_t>(kMaxAnimConstraints)};
constexpr OptionBounds kDegrees = {.least = 0, .most = 90};
constexpr OptionBounds kPercent = {.least = 0, .most = 100};
constexpr OptionBounds kMillimetres = {.least = 0, .most = 1000};
constexpr OptionBounds kAnimBytes = {.least = 1,
                                     .most = double{int64_t{1} << 40}};
constexpr OptionBounds kJointName = {.most_bytes = kMaxJointNameBytes};
constexpr OptionBounds kJointNames = {.most_entries = kMaxJointNames,
                                      .most_bytes = kMaxJointNameBytes};
constexpr OptionBounds kRigTable = {.most_bytes = kMaxRigBytes};
constexpr OptionBounds kRestText = {.most_bytes = kMaxRestBytes};
constexpr OptionBounds kCodes = {.most_entries = kMaxCodes};

// Makes one visitor of lambdas.
template <typename... Functions>
struct Overloaded : Functions... {
  using Functions::operator()...;
};
template <typename... Functions>
Overloaded(Functions...) -> Overloaded<Functions...>;

// The words of each enum, in the order of help.
template <typename T>
constexpr OptionWord Word(std::string_view word, T value) {
  return {word, static_cast<int>(value)};
}
constexpr OptionWord kWordsOfJointPositions[] = {
    Word("replace", JointPositions::kReplaceOffset),
    Word("add", JointPositions::kAddToOffset),
    Word("ignore", JointPositions::kIgnore)};
constexpr OptionWord kWordsOfRootOffset[] = {
    Word("ignore", RootOffset::kReplaced), Word("add", RootOffset::kAdded)};
constexpr OptionWord kWordsOfUpAxis[] = {
    Word("x", UpAxis::kX), Word("y", UpAxis::kY), Word("z", UpAxis::kZ)};
constexpr OptionWord kWordsOfDropMode[] = {Word("poses", DropMode::kKeepPoses),
                                           Word("rigid", DropMode::kRigid)};
constexpr OptionWord kWordsOfInterpolation[] = {
    Word("slerp", Interpolation::kSlerp), Word("lerp", Interpolation::kLerp)};
constexpr OptionWord kWordsOfTensorLayout[] = {
    Word("frame_major", TensorLayout::kFrameMajor),
    Word("joint_major", TensorLayout::kJointMajor)};
constexpr OptionWord kWordsOfRotationKind[] = {
    Word("quaternion", RotationKind::kQuaternion),
    Word("matrix", RotationKind::kMatrix),
    Word("6d", RotationKind::kSixD),
    Word("quaternion_wxyz", RotationKind::kQuaternionWxyz),
    Word("rotation_vector", RotationKind::kRotationVector),
    Word("euler_xyz", RotationKind::kEulerXyz),
    Word("euler_xzy", RotationKind::kEulerXzy),
    Word("euler_yxz", RotationKind::kEulerYxz),
    Word("euler_yzx", RotationKind::kEulerYzx),
    Word("euler_zxy", RotationKind::kEulerZxy),
    Word("euler_zyx", RotationKind::kEulerZyx)};
constexpr OptionWord kWordsOfRotationOrder[] = {
    Word("file", RotationOrder::kFile), Word("xyz", RotationOrder::kXyz),
    Word("xzy", RotationOrder::kXzy),   Word("yxz", RotationOrder::kYxz),
    Word("yzx", RotationOrder::kYzx),   Word("zxy", RotationOrder::kZxy),
    Word("zyx", RotationOrder::kZyx)};
constexpr OptionWord kWordsOfChannelSet[] = {
    Word("file", ChannelSet::kFile), Word("3", ChannelSet::kThree),
    Word("6", ChannelSet::kSix), Word("root_only", ChannelSet::kRootOnly)};
constexpr OptionWord kWordsOfRotationSpace[] = {
    Word("local", RotationSpace::kLocal), Word("world", RotationSpace::kWorld)};
constexpr OptionWord kWordsOfAnimProfile[] = {
    Word("best", AnimProfile::kBest), Word("viewer", AnimProfile::kViewer)};
constexpr OptionWord kWordsOfAnimReference[] = {
    Word("auto", AnimReference::kAuto), Word("rest", AnimReference::kRestPose),
    Word("first", AnimReference::kFirstFrame)};

template <typename T>
EnumPlace EnumAt(T* at, std::span<const OptionWord> words) {
  return {
      at,
      [](const void* from) {
        return static_cast<int>(*static_cast<const T*>(from));
      },
      [](int value, void* to) { *static_cast<T*>(to) = static_cast<T>(value); },
      words};
}

#define BVHMILL_ENUM(Name) \
  EnumPlace At(Name* at) { return EnumAt(at, kWordsOf##Name); }
BVHMILL_ENUM(JointPositions)
BVHMILL_ENUM(RootOffset)
BVHMILL_ENUM(UpAxis)
BVHMILL_ENUM(DropMode)
BVHMILL_ENUM(Interpolation)
BVHMILL_ENUM(TensorLayout)
BVHMILL_ENUM(RotationKind)
BVHMILL_ENUM(RotationSpace)
BVHMILL_ENUM(RotationOrder)
BVHMILL_ENUM(ChannelSet)
BVHMILL_ENUM(AnimProfile)
BVHMILL_ENUM(AnimReference)
#undef BVHMILL_ENUM
EnumPlace At(TextEncoding* at) {
  static const auto* const kWords = [] {
    auto* const words = new std::vector<OptionWord>();
    for (const std::string_view name : EncodingNames()) {
      words->push_back(Word(name, EncodingNamed(name)));
    }
    return words;
  }();
  return EnumAt(at, *kWords);
}
// Other types are places themselves.
template <typename T>
T At(T place) {
  return place;
}

std::vector<OptionRow> MakeRows() {
  return {
#define BVHMILL_OPTION(name, group, place, bounds, value, unset, help) \
  {#name,                                                              \
   OptionGroup::group,                                                 \
   [](ConvertOptions* options) -> OptionPlace {                        \
     ConvertOptions& o = *options;                                     \
     return At(place);                                                 \
   },                                                                  \
   nullptr,                                                            \
   bounds,                                                             \
   value,                                                              \
   unset,                                                              \
   help,                                                               \
   {}},
#define BVHMILL_OUTPUT_OPTION(name, group, place, bounds, value, unset, help) \
  {#name,                                                                     \
   OptionGroup::group,                                                        \
   nullptr,                                                                   \
   [](FormatOptions* format) -> OptionPlace {                                 \
     return std::visit(                                                       \
         [](auto& f) -> OptionPlace {                                         \
           if constexpr (requires { place; }) {                               \
             return At(place);                                                \
           } else {                                                           \
             return std::monostate();                                         \
           }                                                                  \
         },                                                                   \
         *format);                                                            \
   },                                                                         \
   bounds,                                                                    \
   value,                                                                     \
   unset,                                                                     \
   help,                                                                      \
   {}},
#include "bvhmill/pipeline/options.inc"
  };
}

// All rows, with the places of their defaults in static options.
std::vector<OptionRow> RowsWithDefaults() {
  static ConvertOptions options;
  static std::vector<FormatOptions> formats;
  for (const Format& format : Formats()) formats.push_back(format.defaults);
  std::vector<OptionRow> rows = MakeRows();
  for (OptionRow& row : rows) {
    if (row.in_clip != nullptr) {
      row.fallback = row.in_clip(&options);
      continue;
    }
    // The formats that share an option share its default.
    for (FormatOptions& format : formats) {
      const OptionPlace place = row.in_format(&format);
      if (row.fallback.index() == 0) row.fallback = place;
    }
  }
  return rows;
}

template <typename T>
bool AreEqual(const T* a, const T* b) {
  return *a == *b;
}
bool AreEqual(std::monostate, std::monostate) { return true; }
bool AreEqual(const EnumPlace& a, const EnumPlace& b) {
  return a.get(a.at) == b.get(b.at);
}
bool AreEqual(const UnitPlace& a, const UnitPlace& b) {
  return *a.metres == *b.metres;
}
bool AreEqual(const JointMapPlace& a, const JointMapPlace& b) {
  return *a.name == *b.name && *a.rows == *b.rows;
}
bool AreEqual(const ArraysPlace& a, const ArraysPlace& b) {
  return *a.positions == *b.positions && *a.rotations == *b.rotations &&
         *a.velocities == *b.velocities;
}
bool AreEqual(const LoopPlace& a, const LoopPlace& b) {
  return *a.loop == *b.loop && *a.in == *b.in && *a.out == *b.out;
}

template <typename T>
std::string NumberText(T value) {
  char buffer[32];
  const auto end = std::to_chars(buffer, buffer + sizeof(buffer), value).ptr;
  return {buffer, end};
}

std::string WordOf(const EnumPlace& place) {
  const int value = place.get(place.at);
  for (const OptionWord& word : place.words) {
    if (word.value == value) return std::string(word.word);
  }
  return {};
}

// The value at `place` in help, if it is short; else empty.
std::string TextOf(const OptionPlace& place) {
  return std::visit(
      Overloaded{
          []<typename T>(T* value) -> std::string {
            if constexpr (NumberOfPlace<T>::kIs &&
                          std::is_same_v<T, typename NumberOfPlace<T>::Type>) {
              return NumberText(*value);
            } else {
              return {};
            }
          },
          [](const auto& /*place*/) -> std::string { return {}; },
          [](bool* value) -> std::string { return *value ? "true" : ""; },
          [](std::string* value) -> std::string { return *value; },
          [](const EnumPlace& value) { return WordOf(value); },
          [](const ArraysPlace& arrays) -> std::string {
            std::string out;
            if (*arrays.positions) out += ",positions";
            if (*arrays.rotations) out += ",rotations";
            if (*arrays.velocities) out += ",velocities";
            return out.substr(std::min<size_t>(out.size(), 1));
          }},
      place);
}

// `help` with the names in braces replaced.
std::string WithNames(std::string_view help,
                      std::string (*name_of)(std::string_view name)) {
  std::string out;
  while (!help.empty()) {
    const size_t open = help.find('{');
    out.append(help.substr(0, open));
    if (open == help.npos) break;
    const size_t close = help.find('}', open);
    const std::string_view name = help.substr(open + 1, close - open - 1);
    if (name == "schemes") {
      std::string schemes;
      for (const std::string_view scheme : JointMapNames()) {
        schemes.append(schemes.empty() ? "" : " ").append(scheme);
      }
      out += schemes;
    } else {
      out += name_of(name);
    }
    help.remove_prefix(close + 1);
  }
  return out;
}

// "npz, csv", if several formats have the option; else empty.
std::string FormatsWith(const OptionRow& row) {
  std::string names;
  int count = 0;
  for (const Format& format : Formats()) {
    if (PlaceIn(row, format.defaults).index() == 0) continue;
    names.append(names.empty() ? "" : ", ").append(format.name);
    ++count;
  }
  return count > 1 ? names : std::string();
}

}  // namespace

std::span<const OptionRow> Options() {
  static const auto* const kRows = new std::vector(RowsWithDefaults());
  return *kRows;
}

const OptionRow* FindOption(std::string_view name) {
  const std::span<const OptionRow> rows = Options();
  const auto it =
      std::find_if(rows.begin(), rows.end(),
                   [&](const OptionRow& row) { return row.name == name; });
  return it == rows.end() ? nullptr : &*it;
}

OptionPlace PlaceIn(const OptionRow& row, ConvertOptions* options) {
  if (row.in_clip == nullptr) return std::monostate();
  return row.in_clip(options);
}

OptionPlace PlaceIn(const OptionRow& row, FormatOptions* format) {
  if (row.in_format == nullptr) return std::monostate();
  return row.in_format(format);
}

OptionPlace PlaceIn(const OptionRow& row, const ConvertOptions& options) {
  return PlaceIn(row, const_cast<ConvertOptions*>(&options));
}

OptionPlace PlaceIn(const OptionRow& row, const FormatOptions& format) {
  return PlaceIn(row, const_cast<FormatOptions*>(&format));
}

bool IsDefault(const OptionRow& row, const OptionPlace& place) {
  return std::visit(
      [](const auto& a, const auto& b) {
        if constexpr (std::is_same_v<decltype(a), decltype(b)>) {
          return AreEqual(a, b);
        } else {
          // A format without the option.
          return true;
        }
      },
      place, row.fallback);
}

std::string_view MessagePath(const OptionRow& row) {
  switch (row.group) {
    case OptionGroup::kReading:
      return "options.read";
    case OptionGroup::kRepairs:
      return "options.edits.repairs";
    case OptionGroup::kJoints:
    case OptionGroup::kFrames:
    case OptionGroup::kSpace:
      return "options.edits";
    case OptionGroup::kReport:
      return "options.validation";
    case OptionGroup::kResult:
      return "options";
    case OptionGroup::kOutput:
    case OptionGroup::kAnim:
    case OptionGroup::kAnimSettings:
    case OptionGroup::kAnimBest:
      break;
  }
  return {};
}

std::string_view FieldOf(const OptionRow& row, std::string_view format) {
  std::string_view name = row.name;
  const bool is_of_format = !format.empty() && name.starts_with(format) &&
                            name.substr(format.size()).starts_with('_');
  if (is_of_format) name.remove_prefix(format.size() + 1);
  return name;
}

const OptionRow* OptionOfField(std::string_view path) {
  std::string_view message;
  std::string_view format;
  constexpr std::string_view kOutputs = "options.outputs[";
  if (path.starts_with(kOutputs)) {
    path.remove_prefix(std::min(path.find('.', kOutputs.size()), path.size()));
    if (!path.empty()) path.remove_prefix(1);
    format = path.substr(0, path.find('.'));
    path.remove_prefix(std::min(format.size() + 1, path.size()));
  }
  const OptionRow* found = nullptr;
  size_t length = 0;
  for (const OptionRow& row : Options()) {
    std::string_view rest = path;
    if ((row.in_format != nullptr) != !format.empty()) continue;
    if (format.empty()) {
      message = MessagePath(row);
      if (!rest.starts_with(message)) continue;
      rest.remove_prefix(message.size());
      if (!rest.starts_with('.')) continue;
      rest.remove_prefix(1);
    }
    const std::string_view field = FieldOf(row, format);
    // The longest name wins: "joint_map_rows" is a field below "joint_map".
    if (!rest.starts_with(field) || field.size() <= length) continue;
    const std::string_view below = rest.substr(field.size());
    if (!below.empty() && below != "_rows" && !below.starts_with('.') &&
        !below.starts_with('[') && !below.starts_with("_rows[")) {
      continue;
    }
    found = &row;
    length = field.size();
  }
  return found;
}

absl::Status InOptionNames(const absl::Status& status,
                           std::string (*name_of)(std::string_view name)) {
  if (status.ok()) return status;
  CallError error = CallErrorOf(status);
  const OptionRow* const row = OptionOfField(error.field);
  if (row == nullptr) return status;
  error.field = name_of(row->name);
  // "set options.read.units" as "set --units".
  std::string needs(FindArg(error, "needs"));
  if (needs.empty()) needs = FindArg(error, "other");
  const OptionRow* const needed = OptionOfField(needs);
  const size_t at =
      needs.empty() ? std::string::npos : error.message.find(needs);
  if (needed != nullptr && at != std::string::npos) {
    error.message.replace(at, needs.size(), name_of(needed->name));
  }
  return MakeCallError(std::move(error));
}

std::string FlagOf(std::string_view name) {
  std::string flag = "--" + std::string(name);
  std::replace(flag.begin(), flag.end(), '_', '-');
  return flag;
}

std::vector<std::string> FlagsOfOptions() {
  std::vector<std::string> flags;
  for (const OptionRow& row : Options()) {
    // `info` asks for measures without a flag.
    if (row.group == OptionGroup::kResult) continue;
    flags.push_back(FlagOf(row.name).substr(2));
  }
  return flags;
}

std::string ValueName(const OptionRow& row) {
  if (std::holds_alternative<bool*>(row.fallback)) return {};
  if (!row.value.empty()) return std::string(row.value);
  return std::holds_alternative<EnumPlace>(row.fallback) ? "WORD" : "N";
}

std::string HelpOf(const OptionRow& row,
                   std::string (*name_of)(std::string_view name)) {
  std::string help = WithNames(row.help, name_of);
  if (const std::string formats = FormatsWith(row); !formats.empty()) {
    help += " (in " + formats + ")";
  }
  std::string unset(row.unset);
  if (unset.empty()) unset = TextOf(row.fallback);
  // 0 and -1 mean: no value.
  const bool is_stated = !unset.empty() && unset != "0" && unset != "-1";
  return is_stated ? help + "; default " + unset : help;
}

void ResetPlace(const OptionPlace& place) {
  std::visit(
      Overloaded{[](const auto& /*place*/) {},
                 [](std::vector<std::string>* list) { list->clear(); },
                 [](NamePairs* list) { list->clear(); },
                 [](Severities* list) { list->clear(); },
                 [](std::vector<ThresholdChoice>* list) { list->clear(); },
                 [](std::vector<JointPriority>* list) { list->clear(); },
                 [](const JointMapPlace& map) {
                   map.name->clear();
                   map.rows->clear();
                 },
                 [](FrameRange* frames) { *frames = {}; },
                 [](TimeRange* times) { *times = {}; },
                 [](const ArraysPlace& arrays) {
                   *arrays.positions = *arrays.rotations = false;
                   *arrays.velocities = false;
                 },
                 [](const LoopPlace& loop) {
                   loop.loop->reset();
                   loop.in->reset();
                   loop.out->reset();
                 }},
      place);
}

bool IsList(const OptionRow& row) {
  return std::visit(
      Overloaded{[](const auto& /*place*/) { return false; },
                 [](std::vector<std::string>*) { return true; },
                 [](NamePairs*) { return true; },
                 [](Severities*) { return true; },
                 [](std::vector<ThresholdChoice>*) { return true; },
                 [](std::vector<JointPriority>*) { return true; },
                 [](const ArraysPlace&) { return true; }},
      row.fallback);
}

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
  // Only 32-bit numbers show their largest value.
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

// Why a value is out of the bounds of the option; empty if it is not.
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
                   "B; 10:50 is the frames 10 to 49";
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
            // A double does not hold every larger whole number.
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

std::span<const UnitWord> UnitWords() {
  // cmu: the captures of Carnegie Mellon University, in 1 / 0.45 inches.
  static constexpr UnitWord kUnits[] = {
      {"m", 1},         {"cm", 0.01},   {"mm", 0.001},         {"in", 0.0254},
      {"inch", 0.0254}, {"ft", 0.3048}, {"cmu", 0.0254 / 0.45}};
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
