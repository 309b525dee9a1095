#include "server/limits/upload_rate.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace bvhmill::testing {
namespace {

using server::UploadRate;
using Verdict = UploadRate::Verdict;
using std::chrono::seconds;

constexpr auto kGood = Verdict::kGood;
constexpr auto kIdle = Verdict::kIdle;
constexpr auto kSlow = Verdict::kSlow;

// An event in the life of a clip, and the expected verdict on the peer after
// it.
struct Event {
  // w = the server waits; c = bytes come; r = a clip begins; p = a part of a
  // message comes over the connection; j = the peer is judged.
  char what;
  // Since the begin.
  int second;
  int64_t bytes = 0;
  Verdict verdict = kGood;
};

struct PaceCase {
  const char* name;
  int timeout;
  int64_t rate;
  std::vector<Event> events;
};

const PaceCase kCases[] = {
    {"NothingComes",
     10,
     100,
     {{'w', 0}, {'j', 10}, {'j', 11, 0, kIdle}, {'j', 12, 0, kIdle}}},
    {"NoPatienceIsForEver", 0, 100, {{'w', 0}, {'j', 1'000'000}}},
    {"ATrickle",
     10,
     100,
     {{'w', 0},
      {'c', 6, 10},
      {'w', 6},
      {'j', 10},
      {'j', 11, 0, kSlow},
      {'c', 12, 900},
      {'w', 12},
      {'j', 13, 0, kSlow}}},
    {"ATrickleIsGoodWithoutARate",
     10,
     0,
     {{'w', 0},
      {'c', 6, 1},
      {'w', 6},
      {'j', 11},
      {'c', 15, 1},
      {'w', 15},
      {'j', 21}}},
    {"JustEnough", 10, 100, {{'w', 0}, {'c', 6, 1'000}, {'w', 6}, {'j', 11}}},
    {"EachSpanIsJudgedForItself",
     10,
     100,
     {{'w', 0},
      {'c', 6, 1'000'000},
      {'w', 6},
      {'j', 11},
      {'c', 15, 10},
      {'w', 15},
      {'j', 21},
      {'j', 22, 0, kSlow}}},
    {"TimeOfTheServerDoesNotCount",
     10,
     100,
     {{'w', 0},
      {'c', 6, 10},
      {'j', 500},
      {'w', 500},
      {'j', 504},
      {'j', 505, 0, kSlow}}},
    {"TimeBeforeAClipDoesNotCount",
     10,
     100,
     {{'w', 0},
      {'c', 600, 0},
      {'r', 600},
      {'w', 600},
      {'j', 609},
      {'c', 609, 10},
      {'w', 609},
      {'j', 610},
      {'j', 611, 0, kSlow}}},
    {"BytesBeforeAClipDoNotCount",
     10,
     100,
     {{'w', 0},
      {'c', 6, 1'000'000},
      {'r', 6},
      {'w', 6},
      {'c', 12, 10},
      {'w', 12},
      {'j', 16},
      {'j', 17, 0, kSlow}}},
    {"BytesMayComeWithoutAWait",
     10,
     100,
     {{'w', 0},
      {'c', 6, 10},
      {'c', 500, 10},
      {'w', 500},
      {'j', 504},
      {'j', 505, 0, kSlow}}},
    // A message of 262,144 bytes at 3,000 a second takes 87 seconds.
    {"AMessageMayTakeLongerThanTheTimeout",
     60,
     256,
     {{'w', 0},
      {'j', 1},
      {'p', 30, 90'000},
      {'j', 30},
      {'p', 61, 90'000},
      {'j', 61},
      {'p', 87, 82'144},
      {'j', 87},
      {'c', 87, 262'144},
      {'w', 87},
      {'j', 88}}},
    {"APartBuysTimeByTheRate",
     10,
     100,
     {{'w', 0},
      {'j', 1},
      {'p', 2, 500},
      {'j', 2},
      {'j', 11, 0, kSlow},
      {'j', 15, 0, kSlow},
      {'j', 16, 0, kIdle}}},
    {"APartBeforeTheWaitDoesNotCount",
     10,
     100,
     {{'p', 0, 1'000'000}, {'w', 0}, {'j', 1}, {'j', 11, 0, kIdle}}},
    {"AnyPartIsGoodWithoutARate",
     10,
     0,
     {{'w', 0},
      {'j', 1},
      {'p', 9, 1},
      {'j', 9},
      {'j', 19},
      {'j', 20, 0, kIdle}}},
    {"ManyBytesDoNotOverflow",
     1'000'000'000,
     INT64_MAX,
     {{'w', 0},
      {'c', 1, INT64_MAX},
      {'w', 1},
      {'j', 1'000'000'000},
      {'j', 1'000'000'001, 0, kSlow}}},
};

class PaceTest : public ::testing::TestWithParam<PaceCase> {};

INSTANTIATE_TEST_SUITE_P(UploadRate, PaceTest, ::testing::ValuesIn(kCases),
                         [](const auto& info) {
                           return std::string(info.param.name);
                         });

TEST_P(PaceTest, GivesTheExpectedVerdict) {
  UploadRate pace(seconds(GetParam().timeout), GetParam().rate);
  int64_t received = 0;
  const auto begin = UploadRate::Clock::time_point(seconds(5));
  for (const Event& event : GetParam().events) {
    const auto now = begin + seconds(event.second);
    switch (event.what) {
      case 'w':
        pace.Wait(now);
        break;
      case 'c':
        pace.OnBytes(now, event.bytes);
        break;
      case 'r':
        pace.Reset();
        break;
      case 'p':
        received += event.bytes;
        break;
      default:
        EXPECT_EQ(pace.Check(now, received), event.verdict) << event.second;
    }
  }
}

}  // namespace
}  // namespace bvhmill::testing
