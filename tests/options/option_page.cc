#include "tests/options/option_page.h"

#include <algorithm>
#include <iterator>
#include <string_view>

#include "bvhmill/pipeline/option_rows.h"

namespace bvhmill::testing {
namespace {

constexpr std::string_view kHead =
    R"(# Options of a conversion

`bvhmill_option_docs` writes this page from the table of options,
`lib/bvhmill/pipeline/options.inc`.

An option has one name everywhere:

| where | how | |
|---|---|---|
| command line | `--fps 30`, `--end-sites` | dashes in place of `_` |
| file of settings | `fps = 30` | the flag without its dashes |
| environment | `BVHMILL_FPS=30` | |
| JSON | `{"emit": ["npz"], "fps": 30}` | [schema](schema/options.schema.json) |
| Python | `bvhmill.read(path, fps=30)` | `help(bvhmill.EditOptions)` |
| API | `edits { fps: 30 }` | `options.proto`; each group names its message |

Options of one output format begin with its name, which the field in the message
of the format leaves out: `anim_loop` is `AnimFormat.loop`.

Two are not everywhere. `measures` has no flag and no keyword: `info` asks for
it. `anim_constraints` is a file of the command line, and a list of messages in
the API. JSON and Python accept an option that has no effect beside others, such
as `interpolation` without `fps`; the command line refuses it.

The kinds of values:

| kind | command line | JSON and Python |
|---|---|---|
| flag | `--strict` | `true` |
| unit | `cm`, `0.01` | `"cm"`, `0.01` |
| list | `--drop Hat,Tail*` | `["Hat", "Tail*"]` |
| pairs | `--rename Hips=pelvis` | `{"Hips": "pelvis"}` |
| map | `cmu`, `map.csv` | `"cmu"`, `{"hip": "mPelvis"}` |
| frames | `10:20:2` | `[10, 20, 2]`; in Python also a slice |
| times | `1.5s:3s` | `[1.5, 3]` |
| loop | `--anim-loop`, `--anim-loop=0.5:2` | `true`, `[0.5, 2]` |
)";

struct Section {
  const char* title;
  const char* message;
  std::vector<OptionGroup> groups;
};

const Section kSections[] = {
    {"Reading", "ReadOptions", {OptionGroup::kReading}},
    {"Reports", "ValidationOptions", {OptionGroup::kReport}},
    {"Repairs", "Repairs", {OptionGroup::kRepairs}},
    {"Edits",
     "ClipEdits",
     {OptionGroup::kJoints, OptionGroup::kFrames, OptionGroup::kSpace}},
    {"Results", "ConvertOptions", {OptionGroup::kResult}},
    {"Outputs", "the message of each format", {OptionGroup::kOutput}},
    {"Outputs in .anim",
     "AnimFormat",
     {OptionGroup::kAnim, OptionGroup::kAnimSettings, OptionGroup::kAnimBest}},
};

std::string Quoted(std::string_view name) {
  return "`" + std::string(name) + "`";
}

// `text` inside a cell.
std::string Cell(std::string text) {
  for (size_t at = text.find('|'); at != text.npos; at = text.find('|', at)) {
    text.replace(at, 1, "\\|");
    at += 2;
  }
  return text;
}

std::string RowOf(const OptionRow& row) {
  std::string value = ValueName(row);
  if (value == "WORD" || value == "N") value = Wanted(row);
  if (value.empty()) value = "flag";
  return "| `" + std::string(row.name) + "` | " + Cell(value) + " | " +
         Cell(HelpOf(row, &Quoted)) + " |\n";
}

}  // namespace

std::string OptionPage() {
  std::string page(kHead);
  for (const Section& section : kSections) {
    page += "\n## " + std::string(section.title) +
            "\n\nIn the API: " + section.message +
            ".\n\n| option | value | |\n|---|---|---|\n";
    for (const OptionRow& row : Options()) {
      const auto& groups = section.groups;
      if (std::find(groups.begin(), groups.end(), row.group) == groups.end()) {
        continue;
      }
      page += RowOf(row);
    }
  }
  return page;
}

}  // namespace bvhmill::testing
