// A process is killed at each of its effects on a store in S3, and at random
// moments. After it, every blob is whole or not there, and an upload succeeds.

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <random>

#include "server/store/fault_points.h"
#include "tests/server/store/blob_calls.h"
#include "tests/server/store/s3/s3_kind.h"

namespace bvhmill::testing {
namespace {

using server::Fault;
using server::FaultPoints;

constexpr size_t kUploadBytes = size_t{20} << 20;
constexpr size_t kOutputBytes = size_t{18} << 20;
constexpr size_t kSmallBytes = 70'000;
// Few writes to files, so that most kills are at requests.
constexpr size_t kPieceBytes = size_t{4} << 20;

// BVHMILL_KILLS makes the test longer.
int RandomKills() {
  const char* const wanted = std::getenv("BVHMILL_KILLS");
  return wanted == nullptr ? 10 : std::atoi(wanted);
}

class KilledS3 : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string why;
    bench::S3Process* const s3 = SharedS3(&why);
    if (s3 == nullptr) GTEST_SKIP() << why;
    bucket_ = std::make_unique<S3Bucket>(*s3);
  }
  std::unique_ptr<server::BlobStore> Open() {
    std::unique_ptr<server::BlobStore> store;
    const absl::Status opened = bucket_->Open(&store);
    EXPECT_TRUE(opened.ok()) << opened;
    return store;
  }
  // The load of round `seed`: an upload, and two outputs.
  void Load(unsigned seed) {
    const auto store = Open();
    static_cast<void>(UploadBlob(store.get(), Upload(seed), kPieceBytes));
    std::vector<std::unique_ptr<server::NewBlob>> blobs;
    blobs.push_back(MakeBlob(store.get(), Output(seed)));
    blobs.push_back(MakeBlob(store.get(), Small(seed)));
    static_cast<void>(CommitBlobs(store.get(), blobs));
  }
  static std::string Upload(unsigned seed) {
    return BlobBytes(kUploadBytes, 3 * seed);
  }
  static std::string Output(unsigned seed) {
    return BlobBytes(kOutputBytes, 3 * seed + 1);
  }
  static std::string Small(unsigned seed) {
    return BlobBytes(kSmallBytes, 3 * seed + 2);
  }

  // Looks at what a killed process has left, and goes on with it.
  void Check(unsigned seed) {
    const auto store = Open();
    for (const std::string& bytes : {Upload(seed), Output(seed), Small(seed)}) {
      const std::string found = ReadBlob(store.get(), bytes);
      ASSERT_TRUE(found == "NONE" || found == bytes) << found.size();
      whole_ += found == "NONE" ? 0 : 1;
    }
    const absl::Status again = UploadBlob(store.get(), Upload(seed));
    ASSERT_TRUE(again.ok() || WhyOfStore(again) == "BLOB_EXISTS") << again;
    EXPECT_EQ(ReadBlob(store.get(), Upload(seed)), Upload(seed));
    for (const auto& [digest, entry] : ListBlobs(store.get())) {
      ASSERT_TRUE(store->Remove(entry.name).ok());
    }
  }

  // Runs the load in a process of its own. True if it was killed.
  template <typename Prepare, typename Kill>
  bool RunLoad(unsigned seed, const Prepare& prepare, const Kill& kill_it) {
    const pid_t child = fork();
    if (child == 0) {
      prepare();
      Load(seed);
      _exit(0);
    }
    kill_it(child);
    int ended = 0;
    waitpid(child, &ended, 0);
    return WIFSIGNALED(ended);
  }

  std::unique_ptr<S3Bucket> bucket_;
  int whole_ = 0;
};

TEST_F(KilledS3, AtEachEffect) {
  Open();
  unsigned kills = 0;
  bool was_killed = true;
  for (unsigned at = 1; was_killed; ++at) {
    SCOPED_TRACE("at effect " + std::to_string(at));
    was_killed = RunLoad(
        at, [at] { FaultPoints::Arm({.at = at, .fault = Fault::kKill}); },
        [](pid_t) {});
    Check(at);
    if (HasFailure()) return;
    kills += was_killed ? 1 : 0;
  }
  EXPECT_GT(kills, 10u);
  std::cerr << kills << " kills, " << whole_ << " blobs were whole\n";
}

TEST_F(KilledS3, AtRandomMoments) {
  Open();
  std::minstd_rand random(7);
  int kills = 0;
  for (int round = 0; round < RandomKills(); ++round) {
    SCOPED_TRACE(round);
    const auto seed = static_cast<unsigned>(10'000 + round);
    const auto after = std::chrono::milliseconds(random() % 600);
    kills += RunLoad(
                 seed, [] {},
                 [after](pid_t child) {
                   usleep(static_cast<useconds_t>(after.count()) * 1000);
                   kill(child, SIGKILL);
                 })
                 ? 1
                 : 0;
    Check(seed);
    if (HasFailure()) return;
  }
  std::cerr << kills << " kills, " << whole_ << " blobs were whole\n";
}

}  // namespace
}  // namespace bvhmill::testing
