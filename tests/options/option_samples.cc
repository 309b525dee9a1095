#include "tests/options/option_samples.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string_view>

#include "bvhmill/encode/encode.h"

namespace bvhmill::testing {
namespace {

// The forms of a value. In `fields`, $ is the name of the field.
struct Forms {
  std::vector<std::string> words;
  std::string json;
  std::string fields;
};

Forms Name(const std::string& name) {
  return {{name}, "\"" + name + "\"", "$: \"" + name + "\""};
}

// Options that take only certain names.
struct KnownName {
  std::string_view option;
  const char* name;
};
constexpr KnownName kNames[] = {
    {"names_to", "mixamo"},
    {"joint_map", "cmu"},
    {"root_axes", "xzy"},
    {"root_signs", "-+-"},
    {"anim_map", "mixamo"},
    {"body_root", "Hips"},
    {"anim_emote", "express_wink"},
    {"rig", "smpl22"},
    {"rest", "apose"},
};

// Options that are refused without another one.
struct Need {
  std::string_view option;
  const char* needs;
  const char* word;
  const char* message;
  // Empty: in every format.
  std::string_view format = {};
};
constexpr Need kNeeds[] = {
    {"to_units", "units", "2", "read { units: 2 }"},
    {"to_up", "up", "y", "read { up: AXIS_Y }"},
    {"drop_mode", "drop", "Hat", "edits { drop: 'Hat' }"},
    {"interpolation", "fps", "30", "edits { fps: 30 }"},
    {"anim_upload", "anim_scale_to_avatar", "",
     "outputs { anim { scale_to_avatar: true } }"},
    {"rotation_kind", "csv_arrays", "rotations",
     "outputs { csv { arrays: NPZ_ARRAY_ROTATIONS } }", "csv"},
    {"rotation_space", "csv_arrays", "rotations",
     "outputs { csv { arrays: NPZ_ARRAY_ROTATIONS } }", "csv"},
};

std::string NumberText(double value) {
  std::string text = std::to_string(value);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text;
}

Forms Number(const OptionBounds& bounds, bool is_whole) {
  double value = std::isfinite(bounds.least) ? bounds.least + 2 : 2;
  if (!is_whole) value += 0.5;
  value = std::min(value, bounds.most);
  const std::string text = NumberText(value);
  return {{text}, text, "$: " + text};
}

std::string Upper(std::string_view word) {
  std::string out;
  for (const char c : word) {
    out += c == '-' ? '_' : static_cast<char>(std::toupper(c));
  }
  return out;
}

// The enum of each option in the API; empty: the field is a text.
struct EnumOfOption {
  std::string_view option;
  const char* prefix;
};
constexpr EnumOfOption kEnums[] = {
    {"up", "AXIS_"},
    {"to_up", "AXIS_"},
    {"name_encoding", ""},
    {"layout", "TENSOR_LAYOUT_"},
};

// Most enums have the name of their option.
std::string EnumValue(std::string_view option, std::string_view word) {
  for (const auto& [name, prefix] : kEnums) {
    if (name != option) continue;
    const bool is_text = *prefix == '\0';
    return is_text ? "\"" + std::string(word) + "\"" : prefix + Upper(word);
  }
  return Upper(option) + "_" + Upper(word);
}

std::vector<Forms> EnumForms(const OptionRow& row, const EnumPlace& place) {
  std::vector<Forms> forms;
  for (const OptionWord& word : place.words) {
    // The default is not written.
    if (word.value == place.get(place.at)) continue;
    const std::string text(word.word);
    forms.push_back(
        {{text}, "\"" + text + "\"", "$: " + EnumValue(row.name, word.word)});
  }
  return forms;
}

// The forms of the values of an option, by its kind.
struct FormsOfPlace {
  const OptionRow& row;
  using All = std::vector<Forms>;

  template <typename T>
  All operator()(T* /*number*/) const {
    return {Number(row.bounds,
                   std::is_integral_v<typename NumberOfPlace<T>::Type>)};
  }
  All operator()(std::monostate) const { return {}; }
  All operator()(bool*) const { return {{{}, "true", "$: true"}}; }
  All operator()(std::string*) const { return {Name("Hips")}; }
  All operator()(std::optional<std::string>*) const { return {Name("Hips")}; }
  All operator()(const EnumPlace& place) const { return EnumForms(row, place); }
  All operator()(const UnitPlace&) const {
    return {{{"cm"}, "\"cm\"", "$: 0.01"}, {{"0.75"}, "0.75", "$: 0.75"}};
  }
  All operator()(std::vector<std::string>*) const {
    if (row.group == OptionGroup::kReport) {
      return {{{"TEXT_COMMENT", "TEXT_EMPTY"},
               R"(["TEXT_COMMENT", "TEXT_EMPTY"])",
               "$: ['TEXT_COMMENT', 'TEXT_EMPTY']"}};
    }
    return {
        {{"Tail*", "Hat#2"}, R"(["Tail*", "Hat#2"])", "$: ['Tail*', 'Hat#2']"}};
  }
  All operator()(NamePairs*) const {
    return {{{"A=B", "C=D=E"},
             R"({"A": "B", "C": "D=E"})",
             "$ { key: 'A' value: 'B' } $ { key: 'C' value: 'D=E' }"}};
  }
  All operator()(Severities*) const {
    return {{{"TEXT_COMMENT=error", "TEXT_EMPTY=hint"},
             R"({"TEXT_COMMENT": "error", "TEXT_EMPTY": "hint"})",
             "$ { key: 'TEXT_COMMENT' value: SEVERITY_ERROR } "
             "$ { key: 'TEXT_EMPTY' value: SEVERITY_HINT }"}};
  }
  All operator()(std::vector<ThresholdChoice>*) const {
    return {{{"DATA_JUMP.reach=0", "DATA_SPIKE.degrees=4.5"},
             R"({"DATA_JUMP.reach": 0, "DATA_SPIKE.degrees": 4.5})",
             "$ { code: 'DATA_JUMP' name: 'reach' } "
             "$ { code: 'DATA_SPIKE' name: 'degrees' value: 4.5 }"}};
  }
  All operator()(std::vector<JointPriority>*) const {
    return {{{"hip=-1", "mHead=5"},
             R"({"hip": -1, "mHead": 5})",
             "$ { joint: 'hip' priority: -1 } "
             "$ { joint: 'mHead' priority: 5 }"}};
  }
  All operator()(const JointMapPlace&) const { return {Name("cmu")}; }
  All operator()(FrameRange*) const {
    return {{{"3:9:2"}, "[3, 9, 2]", "$ { begin: 3 end: 9 step: 2 }"},
            {{"3:"}, "[3, null]", "$ { begin: 3 step: 1 }"},
            {{":9"}, "[0, 9]", "$ { end: 9 step: 1 }"}};
  }
  All operator()(TimeRange*) const {
    return {{{"1.5s:3"}, "[1.5, 3]", "$ { begin_seconds: 1.5 end_seconds: 3 }"},
            {{"1.5:"}, "[1.5, null]", "$ { begin_seconds: 1.5 }"}};
  }
  All operator()(std::array<double, 3>*) const {
    return {{{"1,-2,3.5"}, "[1, -2, 3.5]", "$: [1, -2, 3.5]"}};
  }
  All operator()(const ArraysPlace&) const {
    return {{{"rotations", "velocities"},
             R"(["rotations", "velocities"])",
             "$: [NPZ_ARRAY_ROTATIONS, NPZ_ARRAY_VELOCITIES]"}};
  }
  All operator()(const LoopPlace&) const {
    return {{{"true"}, "true", "$: true"},
            {{"0.25:0.5"}, "[0.25, 0.5]", "$: true $_in: 0.25 $_out: 0.5"}};
  }
  // A message of the API alone.
  All operator()(std::optional<std::vector<AnimConstraint>>*) const {
    return {};
  }
};

std::vector<Forms> FormsOf(const OptionRow& row) {
  for (const auto& [option, name] : kNames) {
    if (row.name == option) return {Name(name)};
  }
  return std::visit(FormsOfPlace{row}, row.fallback);
}

std::string WithName(std::string text, std::string_view name) {
  for (size_t at = text.find('$'); at != text.npos; at = text.find('$', at)) {
    text.replace(at, 1, name);
  }
  return text;
}

void AddSamples(const OptionRow& row, const std::string& format,
                std::vector<OptionSample>* out) {
  for (const Forms& forms : FormsOf(row)) {
    OptionSample& sample = out->emplace_back();
    sample.row = &row;
    sample.format = format;
    sample.words = forms.words;
    sample.json = forms.json;
    sample.message =
        MessageWith(row, format, WithName(forms.fields, FieldOf(row, format)));
    for (const Need& need : kNeeds) {
      const bool is_other = !need.format.empty() && need.format != format;
      if (need.option != row.name || is_other) continue;
      sample.needs = need.needs;
      sample.needs_word = need.word;
      sample.needs_message = need.message;
    }
  }
}

}  // namespace

std::string MessageWith(const OptionRow& row, const std::string& format,
                        const std::string& field) {
  if (!format.empty()) return "outputs { " + format + " { " + field + " } }";
  std::string_view path = MessagePath(row);
  std::string before;
  std::string after;
  for (size_t dot = path.find('.'); dot != path.npos; dot = path.find('.')) {
    path.remove_prefix(dot + 1);
    before.append(path.substr(0, path.find('.'))).append(" { ");
    after += " }";
  }
  return before + field + after;
}

std::vector<OptionSample> OptionSamples() {
  std::vector<OptionSample> samples;
  for (const OptionRow& row : Options()) {
    if (row.in_clip != nullptr) {
      AddSamples(row, "", &samples);
      continue;
    }
    for (const Format& format : Formats()) {
      if (PlaceIn(row, format.defaults).index() == 0) continue;
      AddSamples(row, std::string(format.name), &samples);
    }
  }
  return samples;
}

}  // namespace bvhmill::testing
