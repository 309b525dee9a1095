// The sums of stray bytes, look by look, without sockets. The expected numbers
// are worked out by hand from the rules at the head of stray_bytes.h.

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

#include "server/net/stray_bytes.h"

namespace bvhmill::testing {
namespace {

using server::StrayBytes;
using Time = StrayBytes::Time;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr int kPatience = 10;
// Allowed for once.
constexpr int64_t kOpening = 4096;
// Stands for the time of a running upload if there is none.
constexpr int kNoUpload = -1;

// A look at a connection. All numbers but `unread`, `calls` and `accepted` are
// since the connection came; so are the times.
struct StrayLook {
  int ms = 0;
  int64_t received = 0;
  int64_t accepted = 0;
  int64_t unread = 0;
  int64_t entry = 0;
  int64_t explained = 0;
  int64_t left = 0;
  int64_t failed = 0;
  bool is_settled = false;
  int silent_since_ms = kNoUpload;
  // Expected.
  int64_t bytes = 0;
  int64_t old_bytes = 0;
};

struct StrayCase {
  const char* name;
  std::vector<StrayLook> looks;
};

void PrintTo(const StrayCase& stray, std::ostream* out) { *out << stray.name; }

const StrayCase kStrayCases[] = {
    {"FourKibibytesAreAllowedOnce",
     {{.received = 1000},
      {.received = kOpening},
      {.received = kOpening + 1, .bytes = 1},
      {.received = kOpening + 1001, .bytes = 1001}}},
    {"SixtyFourBytesOfEachSecondAreAllowed",
     {{.received = kOpening},
      {.ms = 1000, .received = kOpening + 64},
      {.ms = 2000, .received = kOpening + 64 + 65, .bytes = 1},
      {.ms = 4000, .received = kOpening + 64 + 65 + 128, .bytes = 1}}},
    {"PartsOfASecondAddUp",
     {{.received = kOpening + 1000, .bytes = 1000},
      {.ms = 600, .received = kOpening + 1000, .bytes = 1000},
      {.ms = 1200, .received = kOpening + 1000, .bytes = 936},
      {.ms = 1900, .received = kOpening + 1000, .bytes = 936},
      {.ms = 2000, .received = kOpening + 1000, .bytes = 872}}},
    {"WhatDidNotComeIsNoCredit",
     {{.received = kOpening},
      {.ms = 9000, .received = kOpening},
      {.ms = 9000, .received = kOpening + 100, .bytes = 100}}},
    {"AnEighthOfTheAcceptedBytesIsAllowed",
     {{.received = kOpening + 1000, .accepted = 8000},
      {.received = kOpening + 2000, .accepted = 8800, .bytes = 900},
      // A socket without counts, for a moment.
      {.received = 0, .accepted = 0, .bytes = 900},
      {.received = kOpening + 3000, .accepted = 8800, .bytes = 1900},
      {.received = kOpening + 3000, .accepted = 16'800, .bytes = 900}}},
    {"MessagesExplainTheirBytes",
     {{.received = kOpening + 6000, .explained = 5000, .bytes = 1000},
      {.received = kOpening + 6000, .explained = 5400, .bytes = 600},
      {.received = kOpening + 6000, .explained = 9400},
      {.received = kOpening + 6500, .explained = 9400, .bytes = 500}}},
    {"ANewEntryExplainsFromZero",
     {{.received = kOpening + 5000, .entry = 1, .explained = 5000},
      {.received = kOpening + 6000, .entry = 2, .explained = 300, .bytes = 700},
      {.received = kOpening + 6000,
       .entry = 2,
       .explained = 500,
       .bytes = 500}}},
    {"BytesAreOldAfterThePatience",
     {{.received = kOpening + 9000, .bytes = 9000},
      {.ms = 10'000, .received = kOpening + 9000, .bytes = 8360},
      {.ms = 11'000,
       .received = kOpening + 9000,
       .bytes = 8296,
       .old_bytes = 8296}}},
    {"YoungBytesAreNotOld",
     {{.received = kOpening + 9000, .bytes = 9000},
      {.ms = 10'000, .received = kOpening + 9000, .bytes = 8360},
      {.ms = 11'000,
       .received = kOpening + 14'000,
       .bytes = 13'296,
       .old_bytes = 8296},
      {.ms = 20'000,
       .received = kOpening + 14'000,
       .bytes = 12'720,
       .old_bytes = 7720},
      {.ms = 21'000,
       .received = kOpening + 14'000,
       .bytes = 12'656,
       .old_bytes = 12'656}}},
    // They may have come right after the first of the two looks.
    {"BytesBetweenTwoLooksAreAsOldAsTheyCanBe",
     {{.ms = 5000, .received = kOpening + 9000, .bytes = 8680},
      {.ms = 10'000, .received = kOpening + 9000, .bytes = 8360},
      {.ms = 11'000,
       .received = kOpening + 9000,
       .bytes = 8296,
       .old_bytes = 8296}}},
    {"BytesOfSeveralSecondsGetOldOneAfterTheOther",
     {{.received = kOpening + 9000, .bytes = 9000},
      {.ms = 3000, .received = kOpening + 9000, .bytes = 8808},
      {.ms = 4000, .received = kOpening + 14'000, .bytes = 13'744},
      {.ms = 11'000,
       .received = kOpening + 14'000,
       .bytes = 13'296,
       .old_bytes = 8296}}},
    {"BytesOfTwoLooksInAMomentAreBothKept",
     {{.received = kOpening + 9000, .bytes = 9000},
      {.ms = 50, .received = kOpening + 10'000, .bytes = 10'000},
      {.ms = 10'000, .received = kOpening + 10'000, .bytes = 9360},
      // Some of them came after the upload was heard.
      {.ms = 10'000,
       .received = kOpening + 10'000,
       .failed = 1,
       .is_settled = true,
       .silent_since_ms = 20,
       .bytes = 9360}}},
    {"BytesOfACallThatFailedAreForgiven",
     {{.received = kOpening + 9000, .bytes = 9000},
      {.received = kOpening + 9000, .failed = 1, .bytes = 9000},
      {.received = kOpening + 9000,
       .unread = 300,
       .failed = 1,
       .is_settled = true,
       .bytes = 300},
      // Only once.
      {.received = kOpening + 9500,
       .failed = 1,
       .is_settled = true,
       .bytes = 800}}},
    {"BytesAreNotForgivenWithoutAReason",
     {{.received = kOpening + 9000, .is_settled = true, .bytes = 9000}}},
    {"BytesOfACallThatLeftSomeAreForgiven",
     {{.received = kOpening + 9000, .entry = 1, .left = 5, .is_settled = true},
      {.received = kOpening + 9500,
       .entry = 1,
       .left = 5,
       .is_settled = true,
       .bytes = 500},
      // A new entry counts from zero.
      {.received = kOpening + 9500,
       .entry = 2,
       .left = 1,
       .is_settled = true}}},
    // They may be of the next message of the upload.
    {"BytesSinceAnUploadWasHeardAreNotForgiven",
     {{.received = kOpening + 9000, .bytes = 9000},
      {.ms = 5000, .received = kOpening + 9000, .bytes = 8680},
      {.ms = 6000,
       .received = kOpening + 12'000,
       .failed = 1,
       .is_settled = true,
       .silent_since_ms = 5500,
       .bytes = 3000},
      // At the second look they had all come.
      {.ms = 6000,
       .received = kOpening + 12'000,
       .failed = 1,
       .is_settled = true,
       .silent_since_ms = 6000}}},
    {"BytesAreNotForgivenBesideAnUploadThatIsSilentForLong",
     {{.received = kOpening + 9000, .bytes = 9000},
      {.ms = 10'001,
       .received = kOpening + 9000,
       .failed = 1,
       .is_settled = true,
       .silent_since_ms = 0,
       .bytes = 8360,
       .old_bytes = 8360},
      {.ms = 10'001,
       .received = kOpening + 9000,
       .failed = 1,
       .is_settled = true,
       .silent_since_ms = 1}}},
};

class StraySumsTest : public ::testing::TestWithParam<StrayCase> {};

INSTANTIATE_TEST_SUITE_P(StrayBytes, StraySumsTest,
                         ::testing::ValuesIn(kStrayCases),
                         [](const auto& info) {
                           return std::string(info.param.name);
                         });

TEST_P(StraySumsTest, EachLookHasTheExpectedSums) {
  const Time start(seconds(1'000'000));
  StrayBytes stray(seconds(kPatience), start);
  for (size_t i = 0; i < GetParam().looks.size(); ++i) {
    SCOPED_TRACE(i);
    const StrayLook& look = GetParam().looks[i];
    server::PeerUse use;
    use.entry = look.entry;
    use.explained = look.explained;
    use.left = look.left;
    if (look.silent_since_ms != kNoUpload) {
      use.silent_since = start + milliseconds(look.silent_since_ms);
    }
    stray.Look(start + milliseconds(look.ms),
               {.unread = look.unread,
                .received = look.received,
                .accepted = look.accepted},
               use, {.failed = look.failed}, look.is_settled);
    EXPECT_EQ(stray.bytes(), look.bytes);
    EXPECT_EQ(stray.old_bytes(), look.old_bytes);
  }
}

TEST(StraySumsOfCallsTest, ACallIsOldOnlyIfItSurelyIs) {
  struct Case {
    int ms;
    int64_t received;
    int64_t begun;
    int64_t ended;
    // Running calls that are in the registry.
    int64_t known;
    int64_t old_calls;
  };
  // Three calls begin between 5 and 5.02 seconds, one until 5.05, and two
  // between 7 and 8.
  const Case cases[] = {{0, 0, 0, 0, 0, 0},        {5'000, 0, 0, 0, 0, 0},
                        {5'020, 100, 3, 0, 0, 0},  {5'050, 200, 4, 0, 0, 0},
                        {7'000, 200, 4, 0, 0, 0},  {8'000, 300, 6, 0, 0, 0},
                        {15'010, 300, 6, 0, 0, 0}, {15'060, 300, 6, 0, 0, 4},
                        {16'000, 300, 6, 1, 0, 3}, {16'000, 300, 6, 1, 1, 2},
                        {17'900, 300, 6, 2, 1, 1}, {18'100, 300, 6, 2, 1, 3},
                        {18'100, 300, 6, 5, 1, 0}};
  const Time start(seconds(1'000'000));
  StrayBytes stray(seconds(kPatience), start);
  for (const Case& c : cases) {
    server::PeerUse use;
    use.calls = c.known;
    stray.Look(start + milliseconds(c.ms), {.received = c.received}, use,
               {.begun = c.begun, .ended = c.ended}, /*is_settled=*/true);
    EXPECT_EQ(stray.old_calls(), c.old_calls) << c.ms;
  }
}

// So the number of parts that are kept does not grow with the number of looks.
// A part is as old as its last call.
TEST(StraySumsOfCallsTest, LooksInAMomentAreOnePart) {
  const Time start(seconds(1'000'000));
  StrayBytes stray(seconds(kPatience), start);
  const auto old_calls = [&](int ms, int64_t received, int64_t begun) {
    stray.Look(start + milliseconds(ms), {.received = received}, {},
               {.begun = begun}, /*is_settled=*/true);
    return stray.old_calls();
  };
  for (int i = 0; i < 5; ++i) EXPECT_EQ(old_calls(10 * i, 100 * i, i), 0);
  EXPECT_EQ(old_calls(5'000, 400, 4), 0);
  EXPECT_EQ(old_calls(10'039, 400, 4), 0);
  EXPECT_EQ(old_calls(10'041, 400, 4), 4);
}

TEST(StraySumsOfCallsTest, WithoutAPatienceNothingIsOld) {
  const Time start(seconds(1'000'000));
  StrayBytes stray(seconds(0), start);
  for (const int second : {0, 1'000, 2'000}) {
    stray.Look(start + seconds(second), {.received = 1 << 20}, {},
               {.begun = 10}, /*is_settled=*/false);
    EXPECT_GT(stray.bytes(), 0);
    EXPECT_EQ(stray.old_bytes(), 0);
    EXPECT_EQ(stray.old_calls(), 0);
  }
}

TEST(StraySumsOfCallsTest, AMessageThatIsHeardSetsAMark) {
  const Time start(seconds(1'000'000));
  StrayBytes stray(seconds(kPatience), start);
  server::PeerUse use;
  const auto look = [&](int64_t received, int64_t unread) {
    stray.Look(start, {.unread = unread, .received = received}, use, {},
               /*is_settled=*/false);
    return stray.taken_when_heard();
  };
  EXPECT_EQ(look(kOpening + 9000, 0), 0);
  use.heard_at = start + seconds(2);
  EXPECT_EQ(look(kOpening + 9000, 200), 8800);
  EXPECT_EQ(look(kOpening + 10'000, 0), 8800);
  // The entry of the peer is gone.
  use.heard_at = {};
  EXPECT_EQ(look(kOpening + 10'000, 0), 8800);
  use.heard_at = start + seconds(1);
  EXPECT_EQ(look(kOpening + 10'000, 0), 10'000);
}

}  // namespace
}  // namespace bvhmill::testing
