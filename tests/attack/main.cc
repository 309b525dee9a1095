// Attacks servers, each attack a fresh one with default flags and 4 GB of
// memory, and prints what came of it.

#include <CLI/CLI.hpp>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <map>
#include <string>
#include <vector>

#include "tests/attack/trial.h"
#include "tests/attack/trial_table.h"

namespace {

using bvhmill::attack::AllAttacks;
using bvhmill::attack::Attack;
using bvhmill::attack::Kind;
using bvhmill::attack::MemoryLimit;
using bvhmill::attack::Trial;
using bvhmill::attack::TrialOptions;

constexpr char kHelp[] =
    "Attacks bvhmilld: each attack gets a fresh server with default flags and "
    "limited memory.\nAn honest client calls it every 100 ms with 100 KB. "
    "Then the server is told to stop\nwhile the attack goes on. One line for "
    "each attack; the exit status is 1 if any of\nthese bounds is missed:\n\n"
    "  the server is there until it is told to end\n"
    "  memory grows by at most what the server counted and 200 MB\n"
    "  honest calls take at most 1 s at the median and 5 s (--worst) at worst\n"
    "  the server ends within its drain time and 2 s, with status 0";

constexpr char kColumns[] =
    "Columns: sent KB, calls: of the attack. grew MB: the most resident "
    "memory beyond that of\nthe idle server. counted: the most that the "
    "server counted of clips in flight. beyond:\nthe difference. cpu s: time "
    "of the server. median, worst: of honest calls, in seconds.\ndrain s: "
    "from SIGTERM to the end. missed: bounds that were not kept.";

struct Choices {
  TrialOptions trial;
  Kind kind = Kind::kMessage;
  std::vector<std::string> only;
  std::string json;
  bool is_list = false;
};

std::string ProgramBeside(const std::string& argv0) {
  return argv0.substr(0, argv0.rfind('/') + 1) + "bvhmilld";
}

void AddFlags(CLI::App* app, Choices* choices) {
  TrialOptions& trial = choices->trial;
  app->add_flag("--list", choices->is_list, "name the attacks, and end");
  const std::map<std::string, Kind> kinds = {{"message", Kind::kMessage},
                                             {"frame", Kind::kFrame}};
  app->add_option(
         "--kind", choices->kind,
         "attacks to run: message, which the server must withstand, or "
         "frame,\nwhich a proxy in front of it must")
      ->transform(CLI::CheckedTransformer(kinds).description(""))
      ->default_str("message")
      ->type_name("KIND");
  app->add_option("--only", choices->only,
                  "attacks to run, of any kind, or beginnings of names ending "
                  "in *");
  app->add_option("--json", choices->json, "file to write the figures to");
  app->add_option("--seconds", trial.seconds, "time of each attack")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app->add_option("--worst", trial.worst_seconds,
                  "the longest time in seconds that an honest call may take")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app->add_option("--server", trial.server.program, "the program to attack")
      ->capture_default_str();
  app->add_option("--server-flag", trial.server.flags,
                  "a word that the server is started with");
  app->add_option("--drain-seconds", trial.drain_seconds,
                  "what the server has to drain, if its flags say so")
      ->capture_default_str();
  app->add_option("--memory", trial.server.limit_bytes,
                  "bytes that the server may have")
      ->capture_default_str();
  const std::map<std::string, MemoryLimit> limits = {
      {"auto", MemoryLimit::kAuto},
      {"cgroup", MemoryLimit::kGroup},
      {"resident", MemoryLimit::kResident},
      {"address-space", MemoryLimit::kAddressSpace}};
  app->add_option("--limit", trial.server.limit,
                  "how memory is limited: cgroup (v2), resident (the server is "
                  "killed beyond),\naddress-space (RLIMIT_AS), auto (cgroup, "
                  "or resident)")
      ->transform(CLI::CheckedTransformer(limits).description(""))
      ->default_str("auto")
      ->type_name("KIND");
}

bool Matches(const std::string& name, const std::string& pattern) {
  if (!pattern.ends_with('*')) return name == pattern;
  return name.starts_with(pattern.substr(0, pattern.size() - 1));
}

bool IsChosen(const Choices& choices, const Attack& attack) {
  if (choices.only.empty()) return attack.kind == choices.kind;
  return std::any_of(
      choices.only.begin(), choices.only.end(),
      [&](const auto& only) { return Matches(attack.name, only); });
}

int List() {
  for (const Attack& attack : AllAttacks()) {
    std::printf("%-26s %-7s %s\n", attack.name.c_str(),
                attack.kind == Kind::kFrame ? "frame" : "message",
                attack.about.c_str());
  }
  return 0;
}

int RunAttacks(const Choices& choices) {
  std::vector<Trial> trials;
  std::cout << bvhmill::attack::TableHead() << std::flush;
  for (const Attack& attack : AllAttacks()) {
    if (!IsChosen(choices, attack)) continue;
    trials.push_back(RunTrial(attack, choices.trial));
    std::cout << bvhmill::attack::TableRow(trials.back()) << std::flush;
  }
  if (trials.empty()) {
    std::cerr << "bvhmill_attack: no attack has such a name; see --list\n";
    return 2;
  }
  if (!choices.json.empty()) {
    std::ofstream file(choices.json);
    file << bvhmill::attack::TrialsJson(trials);
  }
  const auto missed =
      std::count_if(trials.begin(), trials.end(),
                    [](const Trial& trial) { return !trial.missed.empty(); });
  std::cout << missed << " of " << trials.size() << " missed a bound\n";
  return missed == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  Choices choices;
  choices.trial.server.program = ProgramBeside(argv[0]);
  CLI::App app(kHelp, "bvhmill_attack");
  app.footer(kColumns);
  AddFlags(&app, &choices);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error, std::cout, std::cerr) == 0 ? 0 : 2;
  }
  return choices.is_list ? List() : RunAttacks(choices);
}
