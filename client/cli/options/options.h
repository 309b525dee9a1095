#pragma once

// Options that several commands share, in the groups that -h shows.
//
// An Add... function adds options to `app`. Parsing writes their values into
// the struct that is passed to the function. The struct must live until parsing
// ends:
//
//   const auto flags = std::make_shared<InfoFlags>();
//   CLI::App* app = parent->add_subcommand("info", "...");
//   AddInputOptions(app, &flags->input);
//   AddBatchOptions(app, &flags->run);
//   return {app, [=](Session* session) {
//             return RunInfo(app, flags.get(), session);
//           }};

#include <CLI/CLI.hpp>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bvhmill/files/inputs.h"
#include "bvhmill/pipeline/options.h"
#include "bvhmill/report/report.h"
#include "client/cli/session.h"

namespace bvhmill::client {

// A command of the program. Keep it until parsing ends: `run` owns the
// variables that parsing writes to.
struct Command {
  // Its name and options.
  CLI::App* app = nullptr;
  // Runs the command and returns the exit status. Requires a parsed command
  // line, and that session->words, console and cancel are set. Sets
  // session->options and session->engine if the command needs them.
  std::function<int(Session*)> run;
};

// Adds INPUT, --recursive, --from and --filelist.
void AddInputOptions(CLI::App* app, InputOptions* input);
// Adds --jobs, --quiet and --progress.
void AddBatchOptions(CLI::App* app, RunOptions* run);

// Adds --server and the options of its connection. The help of --server begins
// with `what`. Clears connect->server, so that it is empty unless --server
// names a server.
void AddServerOptions(CLI::App* app, const std::string& what,
                      ConnectOptions* connect);
// The argument `what` of AddServerOptions, for commands that convert clips.
inline constexpr char kConvertingServer[] =
    "convert on this server instead of in this process";
// Adds --local and the limits of conversions in this process.
void AddLocalOptions(CLI::App* app, RunOptions* run);

// Decides whether a server or this process converts the clips. Clears
// run->connect.server if --local is set and --server is not on the command
// line. Returns an error message if an option on the command line has no
// effect, or if --server names no server; else "". Call once, after parsing.
// Requires that session.words is set.
std::string ChooseEngine(const Session& session, RunOptions* run);

// The lowest severity that fails a clip. With kWarning, errors fail it, too.
enum class FailOn { kError, kWarning };

// Adds --fail-on. Without the option, `fail_on` does not change. If `fail_on`
// is empty, only errors fail a clip.
void AddFailOnOption(CLI::App* app, std::optional<FailOn>* fail_on);

// True if the verdict of `report` is good and it counts no error and, with
// kWarning, no warning.
bool Passes(const Report& report, std::optional<FailOn> fail_on);

// Returns the ids of the existing files that the command reads because an
// option of `app`, or of a command above it, names them: lists, settings,
// certificates, tokens, maps, baselines, expectations. Clips are not included.
// No output may replace one of these files. Call after parsing.
std::set<FileId> FilesReadBy(const CLI::App* app);

// The long names of the options of `app`, without dashes.
std::vector<std::string> LongNames(const CLI::App* app);

// Prints two things to stderr: "bvhmill: WHY", and the command that shows the
// help of `app`. Returns kExitUsage.
int Misused(const CLI::App* app, Session* session, const std::string& why);

// Parts of options.

// Returns an error message if `word` is not in `words`; else "".
std::string CheckWord(const std::string& word,
                      const std::vector<std::string>& words);
// Returns an error message if no issue of the catalogue has the code `word`;
// else "".
std::string CheckIssueCode(const std::string& word);
// The same for a code or a group of codes, such as DATA_*.
std::string CheckIssueCodes(const std::string& word);

// Adds an option whose value is one of the words of `choices`.
template <typename T>
CLI::Option* AddChoice(CLI::App* app, const std::string& name, T* value,
                       const std::vector<std::pair<std::string, T>>& choices,
                       const std::string& help) {
  std::vector<std::string> words;
  words.reserve(choices.size());
  for (const auto& [word, meaning] : choices) words.push_back(word);
  const std::map<std::string, T> meanings(choices.begin(), choices.end());
  return app
      ->add_option_function<std::string>(
          name,
          [value, meanings](const std::string& word) {
            *value = meanings.at(word);
          },
          help)
      ->type_name("WORD")
      ->check(CLI::Validator(
          [words](const std::string& word) { return CheckWord(word, words); },
          ""));
}

// Adds an option whose value `parse` reads: word -> optional<T>. `parse` is
// copied, and called twice for each word. If it returns nullopt, the error
// message is "'WORD' is not WANTED". `value` must live until the command line
// is parsed.
template <typename T, typename Parse>
CLI::Option* AddParsed(CLI::App* app, const std::string& name, T* value,
                       const Parse& parse, const std::string& wanted,
                       const std::string& help) {
  return app
      ->add_option_function<std::string>(
          name,
          [value, parse](const std::string& word) { *value = *parse(word); },
          help)
      ->check(CLI::Validator(
          [parse, wanted](const std::string& word) {
            return parse(word) ? std::string()
                               : "'" + word + "' is not " + wanted;
          },
          ""));
}

}  // namespace bvhmill::client
