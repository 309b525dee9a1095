#include "bvhmill/pipeline/options_json.h"

#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>
#include <vector>

#include "bvhmill/base/limits.h"
#include "bvhmill/base/status.h"
#include "bvhmill/base/text.h"
#include "bvhmill/encode/encode.h"
#include "bvhmill/pipeline/option_rows.h"

namespace bvhmill {
namespace {

// Sorts its keys: no option depends on their order.
using Json = nlohmann::json;

constexpr std::string_view kEmit = "emit";

// Options have three levels: an output in the list, and the map in an output.
constexpr int kMostLevels = 4;

// A value in a message, cut if it is long.
std::string Shown(const Json& value) {
  constexpr size_t kMost = 40;
  return Excerpt(value.dump(-1, ' ', false, Json::error_handler_t::replace),
                 kMost);
}

// A whole number, also if it is written as 2.0.
std::optional<int64_t> WholeOf(const Json& value) {
  constexpr double kLargest = double{int64_t{1} << 53};
  if (!value.is_number()) return std::nullopt;
  const auto number = value.get<double>();
  const bool is_whole =
      std::trunc(number) == number && std::abs(number) <= kLargest;
  return is_whole ? std::optional(static_cast<int64_t>(number)) : std::nullopt;
}

// Sets an option. Returns an empty string, or why the value is refused.
struct ValueSetter {
  const OptionRow& row;
  const OptionPlace& place;
  const Json& json;

  std::string NotA(std::string_view wanted) const {
    return Shown(json) + " is not " + std::string(wanted);
  }
  const std::string& Text() const { return json.get_ref<const std::string&>(); }

  template <typename T>
  std::string operator()(T* /*number*/) const {
    if (!json.is_number()) return NotA(Wanted(row));
    const std::string why = SetNumber(row, json.get<double>(), place);
    return why.empty() ? why : Shown(json) + " " + why;
  }
  std::string operator()(std::monostate) const { return "has no such option"; }
  std::string operator()(bool* to) const {
    if (!json.is_boolean()) return NotA("true or false");
    *to = json.get<bool>();
    return {};
  }
  std::string operator()(std::string* to) const {
    if (!json.is_string()) return NotA("a text");
    *to = Text();
    return {};
  }
  std::string operator()(std::optional<std::string>* to) const {
    return (*this)(&to->emplace());
  }
  std::string operator()(const EnumPlace& to) const {
    if (!json.is_string()) return NotA(Wanted(row));
    const std::string why = SetWord(Text(), to);
    return why.empty() ? why : Quote(Text()) + " " + why;
  }
  std::string operator()(const UnitPlace& to) const {
    if (!json.is_string()) return (*this)(to.metres);
    const std::optional<double> metres = MetresOf(Text());
    if (!metres) return NotA(Wanted(row));
    *to.metres = *metres;
    return {};
  }
  std::string operator()(std::vector<std::string>* to) const {
    if (!json.is_array()) return NotA("a list of names");
    for (const Json& name : json) {
      if (!name.is_string()) return NotA("a list of names");
      to->push_back(name.get<std::string>());
    }
    return {};
  }
  std::string operator()(NamePairs* to) const {
    if (!json.is_object()) return NotA("an object of old and new names");
    for (const auto& [from, name] : json.items()) {
      if (!name.is_string()) return NotA("an object of old and new names");
      to->emplace_back(from, name.get<std::string>());
    }
    return {};
  }
  std::string operator()(Severities* to) const {
    if (!json.is_object()) return NotA("an object of codes and severities");
    for (const auto& [code, word] : json.items()) {
      const auto severity = word.is_string()
                                ? SeverityNamed(word.get<std::string>())
                                : std::nullopt;
      if (!severity) {
        return Shown(word) + " is none of error, warning, info, hint";
      }
      (*to)[code] = *severity;
    }
    return {};
  }
  std::string operator()(std::vector<ThresholdChoice>* to) const {
    if (!json.is_object()) return NotA("an object of CODE.name and numbers");
    for (const auto& [key, value] : json.items()) {
      const size_t point = key.find('.');
      if (point == key.npos || !value.is_number()) {
        return Quote(key) + " is not CODE.name with a number";
      }
      to->push_back(
          {key.substr(0, point), key.substr(point + 1), value.get<double>()});
    }
    return {};
  }
  std::string operator()(std::vector<JointPriority>* to) const {
    if (!json.is_object()) return NotA("an object of joints and priorities");
    for (const auto& [joint, priority] : json.items()) {
      const std::optional<int64_t> value = WholeOf(priority);
      const bool is_good = value &&
                           static_cast<double>(*value) >= row.bounds.least &&
                           static_cast<double>(*value) <= row.bounds.most;
      if (!is_good) return NotA(Wanted(row));
      to->push_back({joint, static_cast<int32_t>(*value)});
    }
    return {};
  }
  std::string operator()(const JointMapPlace& to) const {
    constexpr std::string_view kWanted = "the name of a map, or an object";
    if (json.is_string()) {
      *to.name = Text();
      return {};
    }
    if (!json.is_object()) return NotA(kWanted);
    for (const auto& [source, target] : json.items()) {
      if (!target.is_string()) return NotA(kWanted);
      to.rows->push_back({source, target.get<std::string>()});
    }
    return {};
  }
  std::string operator()(FrameRange* to) const {
    constexpr std::string_view kWanted =
        "a list of begin, end and maybe step, in frames; an end of null is "
        "that "
        "of the clip";
    if (!json.is_array() || json.size() < 2 || json.size() > 3) {
      return NotA(kWanted);
    }
    int64_t* const parts[] = {&to->begin, &to->end, &to->step};
    for (size_t i = 0; i < json.size(); ++i) {
      if (json[i].is_null()) continue;
      const std::optional<int64_t> part = WholeOf(json[i]);
      if (!part || *part < (i == 0 ? 0 : 1)) return NotA(kWanted);
      *parts[i] = *part;
    }
    return {};
  }
  std::string operator()(TimeRange* to) const {
    constexpr std::string_view kWanted =
        "a list of begin and end, in seconds; null is that of the clip";
    if (!json.is_array() || json.size() != 2) return NotA(kWanted);
    double* const parts[] = {&to->begin_seconds, &to->end_seconds};
    for (size_t i = 0; i < 2; ++i) {
      if (json[i].is_null()) continue;
      if (!json[i].is_number()) return NotA(kWanted);
      *parts[i] = json[i].get<double>();
    }
    const bool has_end = !json[1].is_null();
    return has_end && !(to->end_seconds > to->begin_seconds) ? NotA(kWanted)
                                                             : "";
  }
  std::string operator()(std::array<double, 3>* to) const {
    if (!json.is_array() || json.size() != to->size()) {
      return NotA("a list of three numbers");
    }
    for (size_t i = 0; i < to->size(); ++i) {
      if (!json[i].is_number()) return NotA("a list of three numbers");
      (*to)[i] = json[i].get<double>();
    }
    return {};
  }
  std::string operator()(const ArraysPlace& to) const {
    if (!json.is_array()) return NotA("a list of arrays");
    for (const Json& name : json) {
      if (!name.is_string()) return NotA("a list of arrays");
      const std::string why = SetArray(name.get_ref<const std::string&>(), to);
      if (!why.empty()) return Shown(name) + " " + why;
    }
    return {};
  }
  std::string operator()(const LoopPlace& to) const {
    constexpr std::string_view kWanted =
        "true, false, or a list of two times, 0 to 60 s";
    *to.loop = json != false;
    if (json.is_boolean()) return {};
    if (!json.is_array() || json.size() != 2 || !json[0].is_number() ||
        !json[1].is_number()) {
      return NotA(kWanted);
    }
    const auto begin = json[0].get<double>();
    const auto end = json[1].get<double>();
    if (!(begin >= 0 && begin < end && end <= row.bounds.most)) {
      return NotA(kWanted);
    }
    *to.in = static_cast<float>(begin);
    *to.out = static_cast<float>(end);
    return {};
  }
  std::string operator()(
      std::optional<std::vector<AnimConstraint>>* /*to*/) const {
    return "cannot be set by JSON";
  }
};

absl::Status SetValue(const OptionRow& row, const Json& json,
                      const OptionPlace& place) {
  // Checks the number of entries before it copies them.
  if (json.is_structured() && json.size() > row.bounds.most_entries) {
    return CheckCount(row.name, json.size(), row.bounds.most_entries);
  }
  ResetPlace(place);
  const std::string why = std::visit(ValueSetter{row, place, json}, place);
  return why.empty() ? absl::OkStatus() : InvalidField(row.name, why);
}

absl::Status NoSuchOption(std::string_view name) {
  std::vector<std::string_view> names = {kEmit};
  for (const OptionRow& row : Options()) names.push_back(row.name);
  return InvalidField(Excerpt(name),
                      "there is no such option" + DidYouMean(name, names));
}

absl::Status SetFormat(const std::string& name, OutputRequest* output) {
  const Format* const format = FindFormat(name);
  if (format == nullptr) {
    std::vector<std::string_view> names;
    for (const Format& known : Formats()) names.push_back(known.name);
    return InvalidField(
        kEmit, "there is no format " + Quote(name) + DidYouMean(name, names));
  }
  output->format = format->defaults;
  return absl::OkStatus();
}

// The format and the id of an output, which is a name or an object.
absl::Status ReadOutput(const Json& json, OutputRequest* output) {
  if (json.is_string()) {
    return SetFormat(json.get_ref<const std::string&>(), output);
  }
  if (!json.is_object()) {
    return InvalidField(kEmit, Shown(json) + " is no format");
  }
  const auto format = json.find("format");
  if (format == json.end() || !format->is_string()) {
    return InvalidField(kEmit, "an output needs the name of its format");
  }
  const auto id = json.find("id");
  if (id != json.end() && !id->is_string()) {
    return InvalidField(kEmit, "an id is a text");
  }
  if (id != json.end()) output->id = id->get<std::string>();
  return SetFormat(format->get_ref<const std::string&>(), output);
}

// All outputs with the defaults of their formats. Reads one output more than
// the limit, so that CheckOptions refuses them.
absl::Status ReadOutputs(const Json& json, const Limits& limits,
                         std::vector<OutputRequest>* outputs) {
  if (!json.is_array()) return InvalidField(kEmit, "is not a list of formats");
  outputs->clear();
  for (const Json& output : json) {
    if (Exceeds(static_cast<int64_t>(outputs->size()),
                limits.max_outputs_per_clip)) {
      break;
    }
    BVHMILL_RETURN_IF_ERROR(ReadOutput(output, &outputs->emplace_back()));
  }
  return absl::OkStatus();
}

// The options in the object of one output.
absl::Status ReadOwnOptions(const Json& json, OutputRequest* output) {
  if (!json.is_object()) return absl::OkStatus();
  for (const auto& [key, value] : json.items()) {
    if (key == "format" || key == "id" || value.is_null()) continue;
    const OptionRow* const row = FindOption(key);
    if (row == nullptr) return NoSuchOption(key);
    const OptionPlace place = PlaceIn(*row, &output->format);
    if (place.index() == 0) {
      return InvalidField(key, "the format " +
                                   std::string(FormatOf(output->format).name) +
                                   " does not have this option");
    }
    BVHMILL_RETURN_IF_ERROR(SetValue(*row, value, place));
  }
  return absl::OkStatus();
}

// Sets an option of outputs in each output that has it.
absl::Status SetInOutputs(const OptionRow& row, const Json& json,
                          std::vector<OutputRequest>* outputs) {
  bool is_set = false;
  for (OutputRequest& output : *outputs) {
    const OptionPlace place = PlaceIn(row, &output.format);
    if (place.index() == 0) continue;
    BVHMILL_RETURN_IF_ERROR(SetValue(row, json, place));
    is_set = true;
  }
  return is_set ? absl::OkStatus()
                : InvalidField(row.name, "no output has this option");
}

// Keeps the order of the table.
using Schema = nlohmann::ordered_json;

// The schema of the values of an option.
struct SchemaOf {
  const OptionRow& row;

  static Schema Number(const OptionBounds& bounds, const char* type) {
    Schema out = {{"type", type}};
    if (std::isfinite(bounds.least)) {
      out[bounds.is_above ? "exclusiveMinimum" : "minimum"] = bounds.least;
    }
    if (std::isfinite(bounds.most)) out["maximum"] = bounds.most;
    return out;
  }
  static Schema List(Schema items) {
    return {{"type", "array"}, {"items", std::move(items)}};
  }
  static Schema Tuple(Schema item, int least, int most) {
    return {{"type", "array"},
            {"items", std::move(item)},
            {"minItems", least},
            {"maxItems", most}};
  }
  static Schema Map(Schema values) {
    return {{"type", "object"}, {"additionalProperties", std::move(values)}};
  }
  static Schema Type(const char* type) { return {{"type", type}}; }
  static Schema Words(std::span<const OptionWord> words) {
    Schema out = {{"enum", Schema::array()}};
    for (const OptionWord& word : words) out["enum"].push_back(word.word);
    return out;
  }

  template <typename T>
  Schema operator()(T* /*number*/) const {
    const bool is_real = std::is_same_v<T, float> ||
                         std::is_same_v<T, double> ||
                         std::is_same_v<T, std::optional<float>>;
    return Number(row.bounds, is_real ? "number" : "integer");
  }
  Schema operator()(std::monostate) const { return {}; }
  Schema operator()(bool*) const { return Type("boolean"); }
  Schema operator()(std::string*) const { return Type("string"); }
  Schema operator()(std::optional<std::string>*) const {
    return Type("string");
  }
  Schema operator()(const EnumPlace& place) const { return Words(place.words); }
  Schema operator()(const UnitPlace&) const {
    Schema words = Schema::array();
    for (const UnitWord& unit : UnitWords()) words.push_back(unit.word);
    return {{"anyOf", {Number(row.bounds, "number"), {{"enum", words}}}}};
  }
  Schema operator()(std::vector<std::string>*) const {
    return List(Type("string"));
  }
  Schema operator()(NamePairs*) const { return Map(Type("string")); }
  Schema operator()(Severities*) const {
    return Map({{"enum", {"error", "warning", "info", "hint"}}});
  }
  Schema operator()(std::vector<ThresholdChoice>*) const {
    return Map(Number({.least = 0}, "number"));
  }
  Schema operator()(std::vector<JointPriority>*) const {
    return Map(Number(row.bounds, "integer"));
  }
  Schema operator()(const JointMapPlace&) const {
    return {{"anyOf", {Type("string"), Map(Type("string"))}}};
  }
  Schema operator()(FrameRange*) const {
    return Tuple({{"type", {"integer", "null"}}, {"minimum", 0}}, 2, 3);
  }
  Schema operator()(TimeRange*) const {
    return Tuple({{"type", {"number", "null"}}, {"minimum", 0}}, 2, 2);
  }
  Schema operator()(std::array<double, 3>*) const {
    return Tuple(Type("number"), 3, 3);
  }
  Schema operator()(const ArraysPlace&) const {
    return List({{"enum", {"positions", "rotations", "velocities"}}});
  }
  Schema operator()(const LoopPlace&) const {
    return {{"anyOf",
             {Type("boolean"), Tuple(Number(row.bounds, "number"), 2, 2)}}};
  }
  // Not in JSON.
  Schema operator()(std::optional<std::vector<AnimConstraint>>*) const {
    return {};
  }
};

std::string Plain(std::string_view name) { return std::string(name); }

}  // namespace

absl::Status OptionsFromJson(std::string_view json, ConvertOptions* options) {
  BVHMILL_RETURN_IF_ERROR(CheckBytes("options", json.size(), kMaxOptionBytes));
  // A value that is too deep is dropped as it is read: others recurse over it.
  bool is_deep = false;
  const auto is_kept = [&](int depth, Json::parse_event_t, Json&) {
    is_deep = is_deep || depth > kMostLevels;
    return depth <= kMostLevels;
  };
  const Json object = Json::parse(json, is_kept, /*allow_exceptions=*/false);
  if (is_deep || !object.is_object()) {
    return InvalidField("options", is_deep ? "the text has too many levels"
                                           : "the text is no JSON object");
  }
  const auto emit = object.find(kEmit);
  const bool emits = emit != object.end() && !emit->is_null();
  if (emits) {
    BVHMILL_RETURN_IF_ERROR(
        ReadOutputs(*emit, options->limits, &options->outputs));
  }
  for (const auto& [key, value] : object.items()) {
    if (key == kEmit || value.is_null()) continue;
    const OptionRow* const row = FindOption(key);
    if (row == nullptr) return NoSuchOption(key);
    BVHMILL_RETURN_IF_ERROR(
        row->in_clip == nullptr
            ? SetInOutputs(*row, value, &options->outputs)
            : SetValue(*row, value, PlaceIn(*row, options)));
  }
  // Options of one output override those of all.
  for (size_t i = 0; emits && i < options->outputs.size(); ++i) {
    BVHMILL_RETURN_IF_ERROR(ReadOwnOptions((*emit)[i], &options->outputs[i]));
  }
  return InOptionNames(CheckOptions(*options), &Plain);
}

std::string OptionsSchema() {
  Schema options = Schema::object();
  Schema of_outputs = Schema::object();
  for (const OptionRow& row : Options()) {
    Schema schema = std::visit(SchemaOf{row}, row.fallback);
    if (schema.is_null()) continue;
    schema["description"] = HelpOf(row, &Plain);
    if (row.in_clip == nullptr) of_outputs[std::string(row.name)] = schema;
    options[std::string(row.name)] = std::move(schema);
  }
  Schema formats = Schema::array();
  for (const Format& format : Formats()) formats.push_back(format.name);
  of_outputs["id"] = {{"type", "string"}};
  of_outputs["format"] = {{"enum", formats}};
  options[std::string(kEmit)] =
      SchemaOf::List({{"anyOf",
                       {{{"enum", formats}},
                        {{"type", "object"},
                         {"properties", of_outputs},
                         {"required", {"format"}},
                         {"additionalProperties", false}}}}});
  const Schema schema = {
      {"$schema", "https://json-schema.org/draft/2020-12/schema"},
      {"$id", "options.schema.json"},
      {"title", "Options of a conversion"},
      {"type", "object"},
      {"properties", std::move(options)},
      {"additionalProperties", false}};
  return schema.dump(2) + "\n";
}

}  // namespace bvhmill
