// crash: kills processes that use jobs and blobs, and counts what is lost.
//
//   crash [--engine sqlite|sqlite-files|postgres] [--rounds N] [--seed N]
//         [--stride N] [--fault NAME] [--folder DIR]
//
// First a process is killed at each point in turn, also within writes, and each
// point fails with ENOSPC, EIO, a short write and a lost answer; with --stride,
// only every N-th point; with --fault, only in one of these ways: kill,
// kill-within-write, no-space, io-error, short-write, lost-answer. Then N
// processes are killed at random moments; stderr shows how many were. Exits
// with 1 if anything was lost, duplicated or leaked, and with 2 for a bad
// option.

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <filesystem>
#include <iostream>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "tests/crash/crash_places.h"

namespace bvhmill::testing {
namespace {

// False if `text` is no whole number.
template <typename Number>
bool Read(std::string_view text, Number* number) {
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, *number);
  return error == std::errc() && stop == end;
}

struct Options {
  std::string engine = "sqlite";
  std::string fault = {};
  int64_t rounds = 100;
  int64_t stride = 1;
  uint32_t seed = 1;
  std::string folder = std::filesystem::temp_directory_path().native() +
                       "/bvhmill-crash-" + std::to_string(getpid());

  // False if there is no such flag, or the value is no number that it takes.
  bool Set(std::string_view flag, std::string_view value) {
    const std::map<std::string_view, std::string*> texts = {
        {"--engine", &engine}, {"--fault", &fault}, {"--folder", &folder}};
    if (const auto text = texts.find(flag); text != texts.end()) {
      *text->second = value;
      return true;
    }
    if (flag == "--rounds") return Read(value, &rounds);
    if (flag == "--seed") return Read(value, &seed);
    return flag == "--stride" && Read(value, &stride) && stride > 0;
  }
};

// Random kills between two lines of progress.
constexpr int64_t kShownRounds = 50;

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

constexpr std::pair<const char*, server::Fault> kFaults[] = {
    {"kill", server::Fault::kKill},
    {"kill-within-write", server::Fault::kKillWithinWrite},
    {"no-space", server::Fault::kNoSpace},
    {"io-error", server::Fault::kIoError},
    {"short-write", server::Fault::kShortWrite},
    {"lost-answer", server::Fault::kLostAnswer}};

bool IsFault(const std::string& name) {
  return std::any_of(std::begin(kFaults), std::end(kFaults),
                     [&](const auto& fault) { return fault.first == name; });
}

int Run(const Options& options) {
  const std::optional<Engine> engine = EngineOfName(options.engine);
  if (!engine) {
    std::cerr << "crash: there is no engine " << options.engine << "\n";
    return 2;
  }
  if (!options.fault.empty() && !IsFault(options.fault)) {
    std::cerr << "crash: there is no fault " << options.fault << "\n";
    return 2;
  }
  std::string why;
  EngineCampaign place(*engine, options.folder, &why);
  if (!why.empty()) {
    std::cerr << "crash: " << why << "\n";
    return 2;
  }
  Campaign& campaign = place.campaign();
  for (const auto& [name, fault] : kFaults) {
    if (!options.fault.empty() && options.fault != name) continue;
    FailAtEachPoint(fault, 1, options.stride, &campaign);
    std::cout << "after " << name << " at each point: ";
    Print(campaign);
  }
  campaign.on_round = [&](int64_t rounds) {
    if (rounds % kShownRounds != 0) return;
    std::cerr << rounds << " of " << options.rounds << " random kills\n";
  };
  KillAtRandom(options.rounds, options.seed, &campaign);
  std::cout << "with random kills: ";
  return Print(campaign);
}

}  // namespace
}  // namespace bvhmill::testing

int main(int argc, char** argv) {
  bvhmill::testing::Options options;
  for (int i = 1; i < argc; i += 2) {
    if (i + 1 < argc && options.Set(argv[i], argv[i + 1])) continue;
    std::cerr << "crash: " << argv[i] << " is no option, or its value is bad\n";
    return 2;
  }
  return bvhmill::testing::Run(options);
}
