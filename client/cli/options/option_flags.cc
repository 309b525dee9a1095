#include "client/cli/options/option_flags.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "bvhmill/base/status.h"
#include "bvhmill/base/text.h"
#include "bvhmill/edit/joint_map.h"
#include "bvhmill/encode/encode.h"
#include "bvhmill/pipeline/option_text.h"
#include "client/cli/anim/anim_file.h"
#include "client/cli/io/read_clip.h"
#include "client/cli/options/options.h"

namespace bvhmill::client {
namespace {

// A word that names a file with a joint map, and not a built-in one.
constexpr std::string_view kMapEnding = ".csv";
constexpr int64_t kMaxMapBytes = int64_t{4} << 20;

constexpr OptionGroup kAnimGroups[] = {
    OptionGroup::kAnim, OptionGroup::kAnimSettings, OptionGroup::kAnimBest};

const char* TitleOf(OptionGroup group) {
  switch (group) {
    case OptionGroup::kReading:
      return "Reading";
    case OptionGroup::kRepairs:
      return "Repairs";
    case OptionGroup::kJoints:
      return "Editing of joints";
    case OptionGroup::kFrames:
      return "Editing of frames";
    case OptionGroup::kSpace:
      return "Editing of space";
    case OptionGroup::kReport:
      return "Report";
    case OptionGroup::kOutput:
      return "Output";
    case OptionGroup::kResult:
    case OptionGroup::kAnim:
    case OptionGroup::kAnimSettings:
    case OptionGroup::kAnimBest:
      break;
  }
  return "Output .anim";
}

// `text` in lines that fit the second column of help.
std::string Wrapped(std::string_view text) {
  constexpr size_t kWidth = 52;
  std::string out;
  while (text.size() > kWidth) {
    const size_t blank = text.rfind(' ', kWidth);
    out.append(text.substr(0, blank)).append("\n");
    text.remove_prefix(blank + 1);
  }
  return out.append(text);
}

// Adds a flag that sets the option at each of `places`.
void AddFlag(CLI::App* app, const std::string& flag, const OptionRow& row,
             std::vector<OptionPlace> places, const std::string& help,
             const std::string& group) {
  const auto why_not = [&row, places](const std::vector<std::string>& words) {
    std::string why;
    for (const OptionPlace& place : places) {
      if (why.empty()) why = SetOption(row, words, place);
    }
    return why;
  };
  const auto set = [flag, why_not](const std::vector<std::string>& words) {
    const std::string why = why_not(words);
    if (!why.empty()) throw CLI::ValidationError(flag, why);
  };
  CLI::Option* option = nullptr;
  if (std::holds_alternative<bool*>(row.fallback)) {
    option = app->add_flag_function(
        flag,
        [places](int64_t count) {
          for (const OptionPlace& place : places) {
            *std::get<bool*>(place) = count > 0;
          }
        },
        help);
    // CLI11 throws for other words what is no error of it.
    option->check(CLI::Validator(
        [](const std::string& word) {
          bool value = false;
          return CLI::detail::lexical_cast(word, value)
                     ? std::string()
                     : "'" + word + "' is not true or false";
        },
        ""));
  } else if (std::holds_alternative<LoopPlace>(row.fallback)) {
    const auto word = std::make_shared<std::string>();
    option = app->add_flag(flag, *word, help)
                 ->check(CLI::Validator(
                     [why_not, word](const std::string& one) {
                       return why_not({one});
                     },
                     ""));
  } else if (IsList(row)) {
    option = app->add_option_function<std::vector<std::string>>(flag, set, help)
                 ->delimiter(',')
                 ->allow_extra_args(false);
  } else {
    option = app->add_option_function<std::string>(
        flag, [set](const std::string& word) { set({word}); }, help);
  }
  option->type_name(ValueName(row))->group(group);
}

bool IsAmong(OptionGroup group, std::span<const OptionGroup> groups) {
  return std::find(groups.begin(), groups.end(), group) != groups.end();
}

void AddFormatFlags(CLI::App* app, std::span<const OptionGroup> groups,
                    OutputFlags* flags) {
  for (const OptionRow& row : Options()) {
    if (!IsAmong(row.group, groups)) continue;
    std::vector<OptionPlace> places;
    for (FormatOptions& format : flags->formats) {
      const OptionPlace place = PlaceIn(row, &format);
      if (place.index() > 0) places.push_back(place);
    }
    AddFlag(app, FlagOf(row.name), row, std::move(places),
            Wrapped(HelpOf(row, &FlagOf)), TitleOf(row.group));
  }
}

// `words` with a line break near the middle.
std::string InTwoLines(std::string words) {
  words[words.find(' ', words.size() / 2)] = '\n';
  return words;
}

bool Emits(const OutputFlags& flags, std::string_view format) {
  return std::find(flags.emit.begin(), flags.emit.end(), format) !=
         flags.emit.end();
}

// Reads a file of at most `most` bytes. Returns what is wrong.
std::string ReadTextFile(const Session& session, const std::string& path,
                         int64_t most, ClipText* text) {
  Input input;
  input.path = path;
  const absl::Status status = ReadClip(input, most, session.cancel, text);
  if (absl::IsResourceExhausted(status)) {
    return Printable(path) + ": more than " + std::to_string(most) + " bytes";
  }
  return status.ok() ? std::string()
                     : Printable(path) + ": " + std::string(MessageOf(status));
}

// Replaces the name of a file by the rows in it. Returns what is wrong.
std::string ReadMapFile(const Session& session, const JointMapPlace& map) {
  if (!map.name->ends_with(kMapEnding)) return {};
  const std::string path = std::exchange(*map.name, {});
  ClipText csv;
  const std::string wrong = ReadTextFile(session, path, kMaxMapBytes, &csv);
  if (!wrong.empty()) return wrong;
  auto rows = ParseJointMap(ViewOf(csv));
  if (!rows.ok()) {
    return Printable(path) + ": " + std::string(MessageOf(rows.status()));
  }
  *map.rows = *std::move(rows);
  return {};
}

// Replaces the name of a file by its text, if the option takes files of this
// ending: "FILE.csv" is a part of OptionRow::value. Of a BVH, the text up to
// MOTION is meant. Returns what is wrong.
std::string ReadTextOption(const Session& session, const OptionRow& row,
                           std::string* value) {
  constexpr std::string_view kFile = "FILE";
  const size_t file = row.value.find(kFile);
  if (file == row.value.npos) return {};
  if (!value->ends_with(row.value.substr(file + kFile.size()))) return {};
  ClipText text;
  const std::string wrong = ReadTextFile(session, *value, kMaxMapBytes, &text);
  if (!wrong.empty()) return wrong;
  const bool is_bvh = value->ends_with(".bvh");
  const std::string_view all = ViewOf(text);
  // An option of one line would be a name.
  value->assign(is_bvh ? all.substr(0, all.find("\nMOTION")) : all)
      .append("\n");
  return {};
}

// Sets the constraints of the .anim at `path`. Returns what is wrong.
std::string ReadConstraints(const Session& session, const std::string& path,
                            std::optional<std::vector<AnimConstraint>>* to) {
  const AnimFile file =
      ReadAnimFile(AnimInput(path), /*for_upload=*/false, session);
  if (!file.status.ok()) {
    return file.path + ": " + std::string(MessageOf(file.status));
  }
  if (!file.result.read) return file.path + " is no .anim";
  *to = file.result.motion.constraints;
  AnimSettings settings;
  settings.constraints = *to;
  return CheckSettings(settings).ok()
             ? std::string()
             : file.path + " has constraints that no viewer takes";
}

// Reads the files that the flags of `row` name. Returns what is wrong.
std::string ReadFiles(const CLI::App* app, const Session& session,
                      const OptionRow& row, const OptionPlace& place) {
  std::string wrong;
  if (const auto* const map = std::get_if<JointMapPlace>(&place)) {
    wrong = ReadMapFile(session, *map);
  }
  if (std::string* const* const text = std::get_if<std::string*>(&place)) {
    wrong = ReadTextOption(session, row, *text);
  }
  using Constraints = std::optional<std::vector<AnimConstraint>>*;
  if (const auto* const to = std::get_if<Constraints>(&place)) {
    const CLI::Option* const option =
        app->get_option_no_throw(FlagOf(row.name));
    if (option != nullptr && !option->empty()) {
      wrong = ReadConstraints(session, option->results().front(), *to);
    }
  }
  return wrong.empty() ? wrong : FlagOf(row.name) + ": " + wrong;
}

// Returns which flag has no effect on any chosen format; empty if none.
std::string CheckEffects(const Session& session, const OutputFlags& flags) {
  for (const OptionRow& row : Options()) {
    if (!IsTyped(session, FlagOf(row.name)) || row.in_format == nullptr) {
      continue;
    }
    std::string names;
    bool has_effect = false;
    for (const Format& format : Formats()) {
      if (PlaceIn(row, format.defaults).index() == 0) continue;
      names.append(names.empty() ? "" : " or ").append(format.name);
      has_effect = has_effect || Emits(flags, format.name);
    }
    if (has_effect) continue;
    return FlagOf(row.name) + " has no effect without --emit " + names;
  }
  return {};
}

// Returns which flag of rotations has no effect, since no output has rotations;
// empty if none.
std::string CheckRotations(const Session& session, const OutputFlags& flags) {
  if (Emits(flags, "rotations")) return {};
  std::string without;
  for (const FormatOptions& format : flags.formats) {
    if (!Emits(flags, FormatOf(format).name)) continue;
    const auto* const npz = std::get_if<NpzFormat>(&format);
    const auto* const csv = std::get_if<CsvFormat>(&format);
    if (npz == nullptr && csv == nullptr) continue;
    if (npz != nullptr ? npz->rotations : csv->with_rotations) return {};
    if (without.empty()) {
      without = npz != nullptr ? "--npz-arrays" : "--csv-arrays";
    }
  }
  if (without.empty()) return {};
  for (const char* flag : {"--rotation-kind", "--rotation-space"}) {
    if (!IsTyped(session, flag)) continue;
    return std::string(flag) + " has no effect without rotations among " +
           without;
  }
  return {};
}

// Returns what is wrong with the flags of .anim; empty if nothing is.
std::string CheckAnim(const CLI::App* app, const OutputFlags& flags,
                      const SourceSpace& source) {
  for (const FormatOptions& format : flags.formats) {
    const auto* const anim = std::get_if<AnimFormat>(&format);
    if (anim == nullptr || !Emits(flags, "anim")) continue;
    if (anim->profile == AnimProfile::kViewer) {
      for (const OptionRow& row : Options()) {
        const bool is_set = row.group == OptionGroup::kAnimBest &&
                            app->count(FlagOf(row.name)) > 0;
        if (is_set) return FlagOf(row.name) + " needs --anim-profile best";
      }
    } else if (anim->upload && !anim->scale_to_avatar &&
               source.meters_per_unit == 0) {
      return "--anim-upload needs --units or --anim-scale-to-avatar";
    }
  }
  return {};
}

// Returns which flag needs another one; empty if none does.
std::string CheckNeeds(const Session& session, const ClipEdits& edits) {
  if (IsTyped(session, "--drop-mode") && edits.drop.empty() &&
      edits.keep.empty()) {
    return "--drop-mode needs --drop or --keep";
  }
  if (IsTyped(session, "--interpolation") && edits.fps == 0) {
    return "--interpolation needs --fps";
  }
  return {};
}

// The outputs of --emit without the report. A name that is repeated counts
// once.
std::vector<OutputRequest> ChosenOutputs(const OutputFlags& flags) {
  std::vector<OutputRequest> requests;
  std::vector<std::string> chosen;
  for (const std::string& name : flags.emit) {
    if (std::find(chosen.begin(), chosen.end(), name) != chosen.end()) continue;
    chosen.push_back(name);
    const Format* const format = FindFormat(name);
    if (format == nullptr) continue;
    const size_t index = format->defaults.index();
    requests.push_back({"", flags.formats[index]});
  }
  return requests;
}

std::string ReadAllFiles(const CLI::App* app, const Session& session,
                         OutputFlags* outputs, ConvertOptions* options) {
  for (const OptionRow& row : Options()) {
    std::string wrong = ReadFiles(app, session, row, PlaceIn(row, options));
    for (size_t i = 0; outputs != nullptr && i < outputs->formats.size(); ++i) {
      if (!wrong.empty()) break;
      // A file that no output needs is not read.
      if (!Emits(*outputs, FormatOf(outputs->formats[i]).name)) continue;
      wrong = ReadFiles(app, session, row, PlaceIn(row, &outputs->formats[i]));
    }
    if (!wrong.empty()) return wrong;
  }
  return {};
}

}  // namespace

OutputFlags::OutputFlags() {
  for (const Format& format : Formats()) formats.push_back(format.defaults);
}

void AddOptionFlags(CLI::App* app, std::initializer_list<OptionGroup> groups,
                    ConvertOptions* options) {
  for (const OptionRow& row : Options()) {
    if (!IsAmong(row.group, groups)) continue;
    AddFlag(app, FlagOf(row.name), row, {PlaceIn(row, options)},
            Wrapped(HelpOf(row, &FlagOf)), TitleOf(row.group));
  }
}

void AddEditFlags(CLI::App* app, ConvertOptions* options) {
  AddOptionFlags(app,
                 {OptionGroup::kRepairs, OptionGroup::kJoints,
                  OptionGroup::kFrames, OptionGroup::kSpace},
                 options);
}

CLI::Option* AddEmitFlag(CLI::App* app, const std::string& what,
                         std::string_view more, OutputFlags* flags) {
  std::vector<std::string_view> known;
  for (const Format& format : Formats()) known.push_back(format.name);
  if (!more.empty()) known.push_back(more);
  const std::string names = CLI::detail::join(known, " ");
  return app
      ->add_option("--emit", flags->emit, what + ":\n" + InTwoLines(names))
      ->type_name("LIST")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->check(CLI::Validator(
          [known, names](const std::string& name) {
            return std::find(known.begin(), known.end(), name) != known.end()
                       ? std::string()
                       : "there is no format '" + name + "'; there are " +
                             names + DidYouMean(name, known);
          },
          ""))
      ->group("Output");
}

void AddOutputFlags(CLI::App* app, OutputFlags* flags) {
  constexpr OptionGroup kGroups[] = {OptionGroup::kOutput};
  AddFormatFlags(app, kGroups, flags);
}

void AddAnimFlags(CLI::App* app, OutputFlags* flags) {
  AddFormatFlags(app, kAnimGroups, flags);
}

void AddSettingsFlags(CLI::App* app, const std::string& group,
                      FormatOptions* format) {
  for (const OptionRow& row : Options()) {
    if (row.group != OptionGroup::kAnimSettings) continue;
    const std::string help(row.help);
    AddFlag(app, FlagOf(FieldOf(row, "anim")), row, {PlaceIn(row, format)},
            Wrapped(row.unset.empty() ? help : help + "; default: no change"),
            group);
  }
}

std::string CompleteOptions(const CLI::App* app, const Session& session,
                            OutputFlags* outputs, ConvertOptions* options) {
  std::string wrong = CheckNeeds(session, options->edits);
  if (outputs != nullptr) {
    if (wrong.empty()) wrong = CheckEffects(session, *outputs);
    if (wrong.empty()) wrong = CheckRotations(session, *outputs);
    if (wrong.empty()) wrong = CheckAnim(app, *outputs, options->edits.source);
  }
  if (wrong.empty()) wrong = ReadAllFiles(app, session, outputs, options);
  if (!wrong.empty()) return wrong;
  if (outputs != nullptr) options->outputs = ChosenOutputs(*outputs);
  return InWordsOfOptions(CheckOptions(*options));
}

std::string CheckSettingsFlags(const FormatOptions& format) {
  // Fields of the settings are not below "options".
  const absl::Status status =
      CheckSettings(std::get<AnimFormat>(format).settings);
  if (status.ok()) return {};
  CallError error = CallErrorOf(status);
  error.field = FlagOf(error.field);
  return std::string(MessageOf(MakeCallError(std::move(error))));
}

std::string InWordsOfOptions(const absl::Status& status) {
  return std::string(MessageOf(InOptionNames(status, &FlagOf)));
}

}  // namespace bvhmill::client
