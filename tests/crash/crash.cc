// crash: kills processes that use jobs and blobs, and counts what is lost.
//
//   crash [--engine sqlite|sqlite-files|postgres] [--rounds N] [--seed N]
//         [--stride N] [--fault NAME] [--folder DIR]
//
// First a process is killed at each point in turn, also within writes, and each
// point fails with ENOSPC, EIO, a short write and a lost answer; with --stride,
// only every N-th point; with --fault, only in one of these ways: kill,
// kill-within-write, no-space, io-error, short-write, lost-answer. Then N
// processes are killed at random moments. Exits with 1 if anything was lost,
// duplicated or leaked.

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "tests/crash/crash_places.h"

namespace bvhmill::testing {
namespace {

struct Options {
  std::string engine = "sqlite";
  std::string fault = {};
  int64_t rounds = 100;
  int64_t stride = 1;
  uint32_t seed = 1;
  std::string folder = std::filesystem::temp_directory_path().native() +
                       "/bvhmill-crash-" + std::to_string(getpid());
};

int Print(const Campaign& campaign) {
  const Damage& damage = campaign.damage;
  std::cout << "kills " << campaign.kills << ", faults " << campaign.faults
            << ", acknowledged " << campaign.acknowledged << ", lost "
            << damage.lost << ", duplicated " << damage.duplicated
            << ", leaked " << damage.leaked << ", wrong " << damage.wrong
            << std::endl;
  for (const std::string& why : damage.why) std::cout << "  " << why << "\n";
  return damage.any() ? 1 : 0;
}

int Run(const Options& options) {
  const std::map<std::string, Engine> engines = {
      {"sqlite", Engine::kSqlite},
      {"sqlite-files", Engine::kSqliteFiles},
      {"postgres", Engine::kPostgres}};
  const auto engine = engines.find(options.engine);
  if (engine == engines.end()) {
    std::cerr << "crash: there is no engine " << options.engine << "\n";
    return 2;
  }
  std::string why;
  EngineCampaign place(engine->second, options.folder, &why);
  if (!why.empty()) {
    std::cerr << "crash: " << why << "\n";
    return 2;
  }
  Campaign& campaign = place.campaign();
  using server::Fault;
  constexpr std::pair<const char*, Fault> kFaults[] = {
      {"kill", Fault::kKill},
      {"kill-within-write", Fault::kKillWithinWrite},
      {"no-space", Fault::kNoSpace},
      {"io-error", Fault::kIoError},
      {"short-write", Fault::kShortWrite},
      {"lost-answer", Fault::kLostAnswer}};
  for (const auto& [name, fault] : kFaults) {
    if (!options.fault.empty() && options.fault != name) continue;
    FailAtEachPoint(fault, 1, options.stride, &campaign);
    std::cout << "after " << name << " at each point: ";
    Print(campaign);
  }
  KillAtRandom(options.rounds, options.seed, &campaign);
  std::cout << "with random kills: ";
  return Print(campaign);
}

}  // namespace
}  // namespace bvhmill::testing

int main(int argc, char** argv) {
  bvhmill::testing::Options options;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string_view flag = argv[i];
    const char* const value = argv[i + 1];
    if (flag == "--engine") options.engine = value;
    if (flag == "--fault") options.fault = value;
    if (flag == "--rounds") options.rounds = std::atoll(value);
    if (flag == "--stride") options.stride = std::max(1LL, std::atoll(value));
    if (flag == "--seed")
      options.seed = static_cast<uint32_t>(std::atoi(value));
    if (flag == "--folder") options.folder = value;
  }
  return bvhmill::testing::Run(options);
}
