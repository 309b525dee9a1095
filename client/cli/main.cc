// bvhmill: the command line of the pipeline.
//
// The steps of `bvhmill convert -r DIR --emit npz`, from the words of the
// command line to the bytes of a file:
//
//   0. main.cc parses the words and runs the Command (options/options.h) that
//      they name. commands/convert.cc collects the inputs below DIR.
//   1. session.h holds the state of the run, and opens the engine.
//   2. commands/conversion.h opens the output folder, and converts each clip.
//   3. batch.h calls the task of each clip in threads, and prints in order.
//   4. io/read_clip.h reads or maps the bytes of one input.
//   5. engine.h converts the bytes, in this process or on a server.
//   6. io/clip_outputs.h writes the outputs, and renames them into place.

#include <fcntl.h>
#include <google/protobuf/stubs/logging.h>
#include <malloc.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "bvhmill/base/status.h"
#include "bvhmill/base/text.h"
#include "bvhmill/base/version.h"
#include "bvhmill/pipeline/option_rows.h"
#include "bvhmill/settings/settings.h"
#include "client/cli/commands/commands.h"
#include "client/cli/options/help.h"
#include "client/cli/session.h"

namespace bvhmill::client {
namespace {

constexpr char kExamples[] =
    "  bvhmill info take.bvh\n"
    "  bvhmill validate -r takes\n"
    "  bvhmill convert -r takes -o out --emit npz,report\n";

// Defines the options of the program itself. Parsing sets `config` to the
// status of the file of --config.
void SetUpProgram(const CancelToken* cancel, CLI::App* program,
                  absl::Status* config) {
  program->name("bvhmill");
  program->description("read, check and convert BVH motion capture files");
  program->footer(kExamples);
  program->formatter(std::make_shared<HelpFormatter>());
  program->set_help_flag("-h,--help", "print this help");
  program->set_version_flag("--version",
                            "bvhmill " + std::string(Version()) + " (" +
                                std::string(GitCommit()) + ")",
                            "print the version");
  // Called when words and environment are read, before the functions of the
  // options of commands.
  const auto read = [=](const std::string& path) {
    *config = ReadConfigFile(path, cancel, program);
  };
  program
      ->add_option_function<std::string>("--config", read,
                                         "read options from FILE")
      ->envname(VariableOf("config"))
      ->type_name("FILE")
      ->configurable(false);
  program->require_subcommand(1);
  // --config can also come after the command.
  program->fallthrough();
}

// The innermost command of the command line.
const CLI::App* ChosenApp(const CLI::App* program) {
  const CLI::App* app = program;
  while (!app->get_subcommands().empty()) app = app->get_subcommands().front();
  return app;
}

// "--NAME" of each option that `chosen` takes.
std::vector<std::string> OptionsOf(const CLI::App* chosen) {
  std::vector<std::string> names;
  for (; chosen != nullptr; chosen = chosen->get_parent()) {
    for (const std::string& name : LongNames(chosen)) {
      names.push_back("--" + name);
    }
  }
  return names;
}

std::string NoOption(const CLI::App& chosen, const std::string& word) {
  const std::vector<std::string> names = OptionsOf(&chosen);
  const std::string name = word.substr(0, word.find('='));
  const auto has = [&](std::string_view option) {
    return std::find(names.begin(), names.end(), option) != names.end();
  };
  if (has(name)) {
    return "'" + name + "' is an option of " + chosen.get_name() +
           "; write it after the command";
  }
  if (name == "--format" && has("--emit")) {
    return "there is no option '--format'; the formats to make are named with "
           "--emit, such as --emit npz";
  }
  return "there is no option '" + word + "'" +
         DidYouMean(name, {names.begin(), names.end()});
}

std::string NoCommand(const CLI::App& chosen, const std::string& word) {
  std::error_code error;
  const auto found = std::filesystem::status(word, error);
  if (chosen.get_parent() == nullptr && std::filesystem::exists(found)) {
    const bool is_folder = std::filesystem::is_directory(found);
    const std::string inputs = (is_folder ? "-r " : "") + Printable(word);
    return Quote(word) + " is no command; to read it, write: bvhmill info " +
           inputs + ", or: bvhmill convert " + inputs +
           (is_folder ? " -o out --emit npz" : " -o take.npz");
  }
  std::vector<std::string> names;
  for (const CLI::App* command : chosen.get_subcommands({})) {
    names.push_back(command->get_name());
  }
  const std::string hint = DidYouMean(word, {names.begin(), names.end()});
  return "there is no command '" + word + "'" +
         (hint.empty() ? (names.size() == 1 ? "; there is " : "; there are ") +
                             CLI::detail::join(names, ", ")
                       : hint);
}

// `typed` is the whole command line.
std::string OneTooMany(const CLI::App& chosen, const std::string& word,
                       const std::vector<std::string>& typed) {
  if (typed.front() == word) {
    return Quote(word) + " is before the command; write: bvhmill " +
           chosen.get_name() + " " + Printable(word);
  }
  const bool is_server = word.find(':') != word.npos &&
                         chosen.get_option_no_throw("--server") != nullptr;
  return "'" + word + "' is one word too many" +
         (is_server ? "; a server is named with --server " + word : "");
}

// "-o needs a value: -o DIR" for what CLI11 says; else empty.
std::string NoValue(const CLI::App& chosen, const std::string& said) {
  const CLI::Option* const option =
      chosen.get_option_no_throw(said.substr(0, said.find(": ")));
  if (option == nullptr || !said.ends_with(" missing")) return {};
  const std::string name = ShortName(option);
  return name + " needs a value: " + name + " " + option->get_type_name();
}

// Returns what is wrong with the words after the command `chosen`. `typed` is
// the whole command line.
std::string WhyNot(const CLI::App& program, const CLI::App& chosen,
                   const std::vector<std::string>& typed,
                   const CLI::ParseError& error) {
  const bool needs_command = chosen.get_require_subcommand_min() > 0;
  const bool has_extras = dynamic_cast<const CLI::ExtrasError*>(&error);
  const bool lacks_option = dynamic_cast<const CLI::RequiredError*>(&error);
  const std::vector<std::string> words = program.remaining(true);
  if (!needs_command && !has_extras) {
    // An option that is missing may be there with a typing error.
    const bool is_mistyped =
        lacks_option && !words.empty() && words.front().starts_with('-');
    if (is_mistyped) return NoOption(chosen, words.front());
    const std::string said = error.what();
    if (lacks_option) return Missing(&chosen, said.substr(0, said.find(' ')));
    const std::string no_value = NoValue(chosen, said);
    return no_value.empty() ? said : no_value;
  }
  if (words.empty()) return "a command is missing";
  const std::string& word = words.front();
  if (word.starts_with('-')) return NoOption(chosen, word);
  return needs_command ? NoCommand(chosen, word)
                       : OneTooMany(chosen, word, typed);
}

// Warns of environment variables of bvhmill that set nothing.
void WarnOfVariables(const CLI::App& chosen, Console* console) {
  const CLI::Option* quiet = chosen.get_option_no_throw("--quiet");
  if (quiet != nullptr && !quiet->empty()) return;
  for (const std::string& line : UnknownVariables(FlagsOfOptions())) {
    console->PrintDiagnostics("bvhmill: warning: " + line + "\n");
  }
}

// The words of the command line in reverse order, as CLI11 expects them. CLI11
// refuses names after "--" if other names come before it. So "./" is put before
// a name that begins with a dash.
std::vector<std::string> WordsOf(int argc, char** argv) {
  std::vector<std::string> words;
  bool only_names = false;
  for (int i = 1; i < argc; ++i) {
    std::string word = argv[i];
    if (!only_names && word == "--") {
      only_names = true;
      continue;
    }
    if (only_names && word.size() > 1 && word.front() == '-') {
      word.insert(0, "./");
    }
    words.push_back(std::move(word));
  }
  std::reverse(words.begin(), words.end());
  return words;
}

// Opens stdin, stdout and stderr if they are closed: otherwise another file
// gets their number, and is read or written in their place. stdin is opened for
// writing and the others for reading, so that each use of them is an error.
// Calls the system directly, since no library and no sanitizer is ready.
__attribute__((no_sanitize("address", "thread", "undefined"))) void
OpenClosedStreams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (syscall(SYS_fcntl, stream, F_GETFD) >= 0) continue;
    const int way = stream == STDIN_FILENO ? O_WRONLY : O_RDONLY;
    // Gets the lowest number that is free.
    syscall(SYS_openat, AT_FDCWD, "/dev/null", way);
  }
}

// Runs before the initializers of libraries, which open files of their own.
[[gnu::section(".preinit_array"),
  gnu::used]] void (*const kBeforeLibraries)() = &OpenClosedStreams;

// Adds `help COMMAND...`, which prints what COMMAND... -h prints.
Command AddHelp(CLI::App* program) {
  const auto names = std::make_shared<std::vector<std::string>>();
  CLI::App* app =
      program->add_subcommand("help", "print the help of a command");
  app->add_option("COMMAND", *names, "such as 'convert' or 'anim edit'")
      ->type_name("");
  return {app, [=](Session* session) -> int {
            const CLI::App* chosen = program;
            std::string words = program->get_name();
            for (const std::string& name : *names) {
              const auto found = chosen->get_subcommands(
                  [&](const CLI::App* sub) { return sub->get_name() == name; });
              if (found.empty()) {
                return Misused(app, session, NoCommand(*chosen, name));
              }
              chosen = found.front();
              words += " " + name;
            }
            session->console->PrintData(chosen->get_formatter()->make_help(
                chosen, words, CLI::AppFormatMode::Normal));
            return kExitGood;
          }};
}

int Run(int argc, char** argv) {
  Session session;
  session.cancel = CatchSignals();
  Console console;
  session.console = &console;
  session.words.assign(argv + 1, argv + argc);
  CLI::App program;
  absl::Status config;
  SetUpProgram(session.cancel, &program, &config);
  std::vector<Command> commands = AddCommands(&program);
  commands.push_back(AddHelp(&program));
  for (const Command& command : commands) ReadEnvironment(command.app);
  std::string wrong;
  try {
    const bool asks_nothing = argc == 1;
    program.parse(asks_nothing ? std::vector<std::string>{"--help"}
                               : WordsOf(argc, argv));
  } catch (const CLI::Success& help) {
    return program.exit(help);
  } catch (const CLI::ParseError& error) {
    wrong = WhyNot(program, *ChosenApp(&program), session.words, error);
  }
  const CLI::App* chosen = ChosenApp(&program);
  if (!config.ok()) wrong = MessageOf(config);
  int exit = kExitUsage;
  if (!wrong.empty()) {
    console.PrintDiagnostics(UsageFailure(chosen, wrong));
  } else {
    WarnOfVariables(*chosen, &console);
    for (const Command& command : commands) {
      if (command.app->parsed()) exit = command.run(&session);
    }
  }
  // The signal ended the wait for a file that the command line names.
  const bool is_cut = exit == kExitUsage && IsCancelled(session.cancel);
  return is_cut ? kExitInterrupted : exit;
}

}  // namespace
}  // namespace bvhmill::client

int main(int argc, char** argv) {
  // Memory of a clip is kept for the next one, not returned to the system: with
  // its usual thresholds the C library maps and unmaps each message of a
  // server.
  mallopt(M_MMAP_THRESHOLD, 32 << 20);
  mallopt(M_TRIM_THRESHOLD, 256 << 20);
  // The statuses of calls already have the texts that gRPC logs to stderr.
  setenv("GRPC_VERBOSITY", "NONE", /*overwrite=*/0);
  // Likewise for protobuf: texts of arguments may be any bytes.
  google::protobuf::SetLogHandler(nullptr);
  try {
    return bvhmill::client::Run(argc, argv);
  } catch (const std::exception& error) {
    // Most likely out of memory.
    std::fprintf(stderr, "bvhmill: %s\n", error.what());
    return bvhmill::client::kExitClipFailed;
  }
}
