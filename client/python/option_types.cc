// Writes _option_types.py: the keywords of options with their types and help,
// and their fields in the messages of the API. From the rows of options.inc.

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bvhmill/encode/encode.h"
#include "bvhmill/pipeline/option_rows.h"

namespace bvhmill {
namespace {

// The type of the values of a keyword, and the kind that tells how Python
// passes them on.
struct PythonType {
  std::string type;
  const char* kind;
};

struct TypeOfPlace {
  template <typename T>
  PythonType operator()(T* /*number*/) const {
    const bool is_real =
        std::is_floating_point_v<typename NumberOfPlace<T>::Type>;
    return {is_real ? "float" : "int", is_real ? "real" : "whole"};
  }
  PythonType operator()(std::monostate) const { return {"", ""}; }
  PythonType operator()(bool*) const { return {"bool", "flag"}; }
  PythonType operator()(std::string*) const { return {"str", "text"}; }
  PythonType operator()(std::optional<std::string>*) const {
    return {"str", "text"};
  }
  PythonType operator()(const EnumPlace& place) const {
    std::string out = "Literal[";
    for (const OptionWord& word : place.words) {
      out.append(&word == place.words.data() ? "\"" : ", \"");
      out.append(word.word).append("\"");
    }
    return {out + "]", "word"};
  }
  PythonType operator()(const UnitPlace&) const {
    return {"Union[str, float]", "unit"};
  }
  PythonType operator()(std::vector<std::string>*) const {
    return {"Sequence[str]", "names"};
  }
  PythonType operator()(NamePairs*) const {
    return {"Mapping[str, str]", "pairs"};
  }
  PythonType operator()(Severities*) const {
    return {"Mapping[str, str]", "severities"};
  }
  PythonType operator()(std::vector<ThresholdChoice>*) const {
    return {"Mapping[str, float]", "thresholds"};
  }
  PythonType operator()(std::vector<JointPriority>*) const {
    return {"Mapping[str, int]", "priorities"};
  }
  PythonType operator()(const JointMapPlace&) const {
    return {"Union[str, Mapping[str, str]]", "map"};
  }
  PythonType operator()(FrameRange*) const {
    return {"Union[slice, Tuple[int, int], Tuple[int, int, int]]", "frames"};
  }
  PythonType operator()(TimeRange*) const {
    return {"Tuple[Optional[float], Optional[float]]", "trim"};
  }
  PythonType operator()(std::array<double, 3>*) const {
    return {"Tuple[float, float, float]", "numbers"};
  }
  PythonType operator()(const ArraysPlace&) const {
    return {"Sequence[Literal[\"positions\", \"rotations\", \"velocities\"]]",
            "arrays"};
  }
  PythonType operator()(const LoopPlace&) const {
    return {"Union[bool, Tuple[float, float]]", "loop"};
  }
  // Not a keyword.
  PythonType operator()(std::optional<std::vector<AnimConstraint>>*) const {
    return {"", ""};
  }
};

PythonType TypeOf(const OptionRow& row) {
  return std::visit(TypeOfPlace(), row.fallback);
}

bool IsKeyword(const OptionRow& row) { return !TypeOf(row).type.empty(); }

std::string Quoted(std::string_view name) {
  return "`" + std::string(name) + "`";
}

// `text` in lines that follow `indent`.
std::string Wrapped(std::string text, const std::string& indent) {
  constexpr size_t kWidth = 79;
  std::string out;
  while (indent.size() + text.size() > kWidth) {
    const size_t blank = text.rfind(' ', kWidth - indent.size());
    out += indent + text.substr(0, blank) + "\n";
    text.erase(0, blank + 1);
  }
  return out + indent + text + "\n";
}

struct Keyword {
  std::string name;
  std::string type;
  std::string help;
};

void PrintClass(const char* name, const char* bases, const std::string& about,
                const std::vector<Keyword>& keywords) {
  std::string out = "\n\nclass " + std::string(name) + "(" + bases + "):\n";
  out += "    \"\"\"" + about + "\n";
  for (const Keyword& keyword : keywords) {
    out += "\n    " + keyword.name + ":\n" + Wrapped(keyword.help, "        ");
  }
  out += "    \"\"\"\n\n";
  for (const Keyword& keyword : keywords) {
    out += "    " + keyword.name + ": " + keyword.type + "\n";
  }
  std::fputs(out.c_str(), stdout);
}

// The keywords of the rows for which `is_meant`.
template <typename IsMeant>
std::vector<Keyword> KeywordsOf(const IsMeant& is_meant) {
  std::vector<Keyword> out;
  for (const OptionRow& row : Options()) {
    if (!is_meant(row) || !IsKeyword(row)) continue;
    out.push_back(
        {std::string(row.name), TypeOf(row).type, HelpOf(row, &Quoted)});
  }
  return out;
}

// Edits need them, and files can be read with them.
bool IsFact(const OptionRow& row) {
  return row.name == "units" || row.name == "up";
}

bool IsEdit(const OptionRow& row) {
  return IsFact(row) || row.group == OptionGroup::kRepairs ||
         row.group == OptionGroup::kJoints ||
         row.group == OptionGroup::kFrames || row.group == OptionGroup::kSpace;
}

bool IsCheck(const OptionRow& row) {
  return !IsFact(row) && (row.group == OptionGroup::kReading ||
                          row.group == OptionGroup::kReport);
}

// True if the option is one of `format`. Rows of end sites are those of the
// take.
auto InFormat(std::string_view format) {
  return [format](const OptionRow& row) {
    return row.name != "end_sites" &&
           PlaceIn(row, FindFormat(format)->defaults).index() > 0;
  };
}

void PrintClasses() {
  constexpr const char* kDict = "TypedDict, total=False";
  std::vector<Keyword> checks = KeywordsOf(IsCheck);
  checks.push_back({"format", "Literal[\"bvh\", \"anim\"]",
                    "the format of the source; default by the extension of its "
                    "name, and bvh if that names none"});
  checks.push_back({"limits", "Mapping[str, int]",
                    "limits by name, 0 for none; a take keeps them for its "
                    "edits and files"});
  PrintClass("CheckOptions", kDict, "How a file is read and judged.", checks);
  PrintClass("EditOptions", kDict,
             "Edits of a take. docs/conventions.md has the order in which they "
             "are made;\n    that of the keywords does not matter.",
             KeywordsOf(IsEdit));
  PrintClass("BvhOptions", kDict, "Options of a .bvh.",
             KeywordsOf(InFormat("bvh")));
  PrintClass("NpzOptions", kDict, "Options of an .npz.",
             KeywordsOf(InFormat("npz")));
  PrintClass("AnimOptions", kDict, "Options of an .anim of Second Life.",
             KeywordsOf(InFormat("anim")));
}

// A number of Python.
std::string Number(double value) {
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  char text[32];
  return {text, std::to_chars(text, text + sizeof(text), value).ptr};
}

// The words of an enum, the default first; "" for others.
std::string WordsOf(const OptionRow& row) {
  const auto* const place = std::get_if<EnumPlace>(&row.fallback);
  std::string out;
  if (place == nullptr) return out;
  const int fallback = place->get(place->at);
  for (const OptionWord& word : place->words) {
    const std::string text = "\"" + std::string(word.word) + "\", ";
    out = word.value == fallback ? text + out : out + text;
  }
  // Without a default, the first word is none.
  const bool has_default = std::any_of(
      place->words.begin(), place->words.end(),
      [&](const OptionWord& word) { return word.value == fallback; });
  return has_default ? out : "\"\", " + out;
}

// name: (kind, path, formats, field, words, least, is_above, most). The path is
// empty for an option of outputs, and the formats are for any other.
void PrintRows() {
  std::fputs(
      "\n\n# The kind of each option, the path of its message below "
      "ConvertOptions or\n# OutputRequest, its formats if it is one of "
      "outputs, and its field.\nROWS: dict[str, Row] = {\n",
      stdout);
  for (const OptionRow& row : Options()) {
    if (!IsKeyword(row)) continue;
    std::string path(MessagePath(row));
    path.erase(0, std::min(path.size(), std::string_view("options.").size()));
    std::string formats;
    std::string field(row.name);
    for (const Format& format : Formats()) {
      if (PlaceIn(row, format.defaults).index() == 0) continue;
      formats.append("\"").append(format.name).append("\", ");
      field = FieldOf(row, format.name);
    }
    std::string line = "    \"" + std::string(row.name) + "\": Row(\"";
    line.append(TypeOf(row).kind).append("\", \"").append(path);
    line.append("\", (").append(formats).append("), \"").append(field);
    line.append("\", (").append(WordsOf(row)).append("), ");
    line.append(Number(row.bounds.least)).append(", ");
    line.append(row.bounds.is_above ? "True" : "False").append(", ");
    line.append(Number(row.bounds.most)).append("),\n");
    std::fputs(line.c_str(), stdout);
  }
  std::fputs("}\n", stdout);
}

int Main() {
  std::fputs(
      "\"\"\"The options of conversions. Made by CMake from the table of "
      "options.\"\"\"\n\nfrom __future__ import annotations\n\nfrom math "
      "import "
      "inf\nfrom typing "
      "import Literal, Mapping, NamedTuple, Optional, Sequence, Tuple\nfrom "
      "typing import TypedDict, Union\n\n\nclass Row(NamedTuple):\n"
      "    \"\"\"How an option goes into a message.\"\"\"\n\n"
      "    kind: str\n    path: str\n    formats: tuple[str, ...]\n"
      "    field: str\n    # Of an enum; the first one is the default, or "
      "empty.\n"
      "    words: tuple[str, ...]\n    least: float\n    # The least value "
      "itself is refused.\n    is_above: bool\n    most: float\n\n\n"
      "UNITS: dict[str, float] = {\n",
      stdout);
  for (const UnitWord& unit : UnitWords()) {
    std::printf("    \"%s\": %s,\n", std::string(unit.word).c_str(),
                Number(unit.metres).c_str());
  }
  std::fputs("}\n", stdout);
  PrintClasses();
  PrintRows();
  return 0;
}

}  // namespace
}  // namespace bvhmill

int main() { return bvhmill::Main(); }
