#pragma once

// The flags of the options of conversions: one for each row of options.inc, in
// the groups that -h shows.
//
//   AddEmitFlag(app, "formats to make", kReportName, &outputs);
//   AddOutputFlags(app, &outputs);
//   AddEditFlags(app, &convert);
//   ... parse the command line ...
//   std::string wrong = CompleteOptions(app, *session, &outputs, &convert);

#include <CLI/CLI.hpp>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "bvhmill/pipeline/option_rows.h"
#include "client/cli/session.h"

namespace bvhmill::client {

// The word of --emit for the report, which is not a format of the library.
inline constexpr std::string_view kReportName = "report";

// The outputs that the command line asks for. A flag sets its option in every
// format that has it.
struct OutputFlags {
  OutputFlags();

  // The options of each format, in the order of Formats().
  std::vector<FormatOptions> formats;
  // The words of --emit.
  std::vector<std::string> emit;
};

// Adds the flags of the options of these groups, which set `options`. Parsing
// writes the values, so `options` must live until then.
void AddOptionFlags(CLI::App* app, std::initializer_list<OptionGroup> groups,
                    ConvertOptions* options);
// Adds the flags of all edits, and of the repairs before them.
void AddEditFlags(CLI::App* app, ConvertOptions* options);

// Adds --emit, whose help begins with `what`. It accepts the names of formats
// and also `more`, if that is not empty.
CLI::Option* AddEmitFlag(CLI::App* app, const std::string& what,
                         std::string_view more, OutputFlags* flags);
// Adds the flags of the options of outputs: those that several formats share,
// npz and bvh; and those of .anim.
void AddOutputFlags(CLI::App* app, OutputFlags* flags);
void AddAnimFlags(CLI::App* app, OutputFlags* flags);
// Adds the flags of the settings of an .anim that exists, without "anim-":
// --priority, --loop. `format` must be that of .anim.
void AddSettingsFlags(CLI::App* app, const std::string& group,
                      FormatOptions* format);

// Completes `options` after the command line is parsed: reads the files that
// flags name, sets the outputs of --emit without the report, each once, and
// checks all options. `outputs` is null for a command without outputs. Returns
// what is wrong, such as a flag without effect; empty if nothing is.
std::string CompleteOptions(const CLI::App* app, const Session& session,
                            OutputFlags* outputs, ConvertOptions* options);
// The same for the settings of AddSettingsFlags.
std::string CheckSettingsFlags(const FormatOptions& format);

// The message of `status` with flags in place of the fields of the API:
// "--frames: why" for "options.edits.frames: why". Empty if OK.
std::string InWordsOfOptions(const absl::Status& status);

}  // namespace bvhmill::client
