// crash: kills processes that use a data folder, and counts what is lost.
//
//   crash [--rounds N] [--seed N] [--folder DIR]
//
// First a process is killed at each point in turn, also within writes, and each
// point fails with ENOSPC, EIO and a short write. Then N processes are killed
// at random moments. Exits with 1 if anything was lost, duplicated or leaked.

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <string>
#include <string_view>

#include "tests/crash/crash_load.h"

namespace bvhmill::testing {
namespace {

int Print(const Campaign& campaign) {
  const Damage& damage = campaign.damage;
  std::cout << "kills " << campaign.kills << ", faults " << campaign.faults
            << ", acknowledged " << campaign.acknowledged << ", lost "
            << damage.lost << ", duplicated " << damage.duplicated
            << ", leaked " << damage.leaked << ", wrong " << damage.wrong
            << "\n";
  for (const std::string& why : damage.why) std::cout << "  " << why << "\n";
  return damage.any() ? 1 : 0;
}

int Run(int64_t rounds, uint32_t seed, const std::string& folder) {
  std::filesystem::create_directories(folder);
  Campaign campaign;
  using server::Fault;
  for (const Fault fault :
       {Fault::kKill, Fault::kKillWithinWrite, Fault::kNoSpace, Fault::kIoError,
        Fault::kShortWrite}) {
    FailAtEachPoint(folder, fault, 1, 1, &campaign);
  }
  std::cout << "each point: " << std::flush;
  Print(campaign);
  KillAtRandom(folder, rounds, seed, &campaign);
  std::filesystem::remove_all(folder);
  std::cout << "with random kills: ";
  return Print(campaign);
}

}  // namespace
}  // namespace bvhmill::testing

int main(int argc, char** argv) {
  int64_t rounds = 100;
  uint32_t seed = 1;
  std::string folder = std::filesystem::temp_directory_path().native() +
                       "/bvhmill-crash-" + std::to_string(getpid());
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string_view flag = argv[i];
    if (flag == "--rounds") rounds = std::atoll(argv[i + 1]);
    if (flag == "--seed") seed = static_cast<uint32_t>(std::atoi(argv[i + 1]));
    if (flag == "--folder") folder = argv[i + 1];
  }
  return bvhmill::testing::Run(rounds, seed, folder);
}
