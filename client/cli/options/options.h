#pragma once

// Options that several commands share, in the groups that -h shows.

#include <CLI/CLI.hpp>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bvhmill/pipeline/options.h"
#include "client/cli/io/inputs.h"
#include "client/cli/session.h"

namespace bvhmill::client {

// A command of the program. Keep it until the command line is parsed: `run`
// owns the values of its options.
struct Command {
  // Its name and options.
  CLI::App* app = nullptr;
  // Runs the command and returns the exit status. Requires that the command
  // line is parsed, and that the words, the console and the cancel token of the
  // session are set. Sets the options and the engine of the session if needed.
  std::function<int(Session*)> run;
};

// Each function adds options to `app`. Parsing writes their values into the
// struct, which must live until then.
//
// The help of --server begins with `what`. connect->server is empty if no
// server is named.
void AddServerOptions(CLI::App* app, const std::string& what,
                      ConnectOptions* connect);
// For commands that convert clips.
inline constexpr char kConvertingServer[] =
    "convert on this server instead of in this process";
void AddLocalOptions(CLI::App* app, RunOptions* run);
void AddInputOptions(CLI::App* app, InputOptions* input);
void AddBatchOptions(CLI::App* app, RunOptions* run);

// Returns why `word` is wrong if it is not in `words`; else empty.
std::string CheckWord(const std::string& word,
                      const std::vector<std::string>& words);
// Returns why `word` is wrong if no issue of the catalogue has this code; else
// empty.
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
// copied, and called twice for each word. If it returns none, the message is
// "'WORD' is not WANTED". `value` must live until the command line is parsed.
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

// The long names of the options of `app`, without dashes.
std::vector<std::string> LongNames(const CLI::App* app);

// Prints "bvhmill: WHY" and the command for help about `app` to stderr. Returns
// kExitUsage.
int Misused(const CLI::App* app, Session* session, const std::string& why);

// Decides whether a server or this process converts the clips. Clears
// run->connect.server if --local is set and --server is not on the command
// line. Returns a text if an option of the command line would have no effect,
// or if
// --server names no server; else "". Call once, after parsing. Requires
// session.words.
std::string ChooseEngine(const Session& session, RunOptions* run);

}  // namespace bvhmill::client
