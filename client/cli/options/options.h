#pragma once

// Options that several commands share, by the groups in which help shows them.

#include <CLI/CLI.hpp>
#include <charconv>
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

// A command of the program: how it is called, and what it does then.
struct Command {
  CLI::App* app = nullptr;
  // Returns the status to exit with. The console and the token of the session
  // are set. Call after parsing.
  std::function<int(Session*)> run;
};

// Each adds options to `app` that write to what is pointed to, which must live
// until the command line is parsed.
void AddServerOptions(CLI::App* app, ConnectOptions* connect);
void AddLocalOptions(CLI::App* app, RunOptions* run);
void AddInputOptions(CLI::App* app, InputOptions* input);
void AddBatchOptions(CLI::App* app, RunOptions* run);
void AddReadingOptions(CLI::App* app, ConvertOptions* options);
void AddReportOptions(CLI::App* app, ReportOptions* report);

// Says why `word` is none of `words`; empty = it is one.
std::string CheckWord(const std::string& word,
                      const std::vector<std::string>& words);
// The same of a code of the catalogue of issues.
std::string CheckIssueCode(const std::string& word);

// An option with a word out of few as its value.
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

// The number that `word` is, and nothing else; none if it is not one.
template <typename T>
std::optional<T> NumberOf(std::string_view word) {
  T value = 0;
  const char* end = word.data() + word.size();
  const auto [stop, error] = std::from_chars(word.data(), end, value);
  if (error != std::errc() || stop != end) return std::nullopt;
  return value;
}

// An option whose word `parse` reads; `wanted` completes "'x' is not ...".
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

// Says on the console what is wrong with the words behind `app`, and returns
// the status to exit with.
int Misused(const CLI::App* app, Session* session, const std::string& why);

// Says which options have no effect, because the work is done here or because
// it is not; empty = all is well.
std::string CheckLocalOptions(const Session& session, const RunOptions& run);

}  // namespace bvhmill::client
