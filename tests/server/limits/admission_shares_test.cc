// Fair shares, quotas and the counts of tickets, by numbers that follow from
// the contracts in admission.h.

#include <gtest/gtest.h>

#include <cstdint>
#include <list>
#include <string>
#include <utility>
#include <vector>

#include "bvhmill/base/status.h"
#include "server/limits/admission.h"
#include "tests/server/limits/callers.h"

namespace bvhmill::testing {
namespace {

using server::Admission;
using server::AdmissionLimits;
using server::Caller;
using server::Ticket;

// The peers of a Unix socket have one name, which is no connection.
constexpr char kUnixPeer[] = "unix:/run/socket";

enum class Thing { kClips, kBytes, kStreams };

absl::Status TakeOne(Admission* admission, Thing thing, const Caller& caller,
                     const std::string& peer, Ticket* ticket) {
  switch (thing) {
    case Thing::kClips:
      return admission->TryEnter(caller, peer, 0, ticket);
    case Thing::kBytes:
      return admission->TryHold(caller, peer, 1, ticket);
    case Thing::kStreams:
      break;
  }
  return admission->TryOpen(caller, peer, ticket);
}

// Takes tickets until one is refused.
int64_t TakeAll(Admission* admission, Thing thing, const Caller& caller,
                const std::string& peer, std::list<Ticket>* tickets) {
  int64_t taken = 0;
  while (TakeOne(admission, thing, caller, peer, &tickets->emplace_back()).ok())
    ++taken;
  return taken;
}

AdmissionLimits SixteenOf(Thing thing) {
  AdmissionLimits limits;
  limits.max_inflight_clips = thing == Thing::kClips ? 16 : 0;
  limits.max_inflight_bytes = thing == Thing::kBytes ? 16 : 0;
  limits.max_streams = thing == Thing::kStreams ? 16 : 0;
  return WithShares(limits);
}

// Half of 16, and so on of what is left. Much else is in flight, too.
TEST(AdmissionSharesTest, EachKindIsSharedByWhatOthersLeaveOfIt) {
  for (const Thing thing : {Thing::kClips, Thing::kBytes, Thing::kStreams}) {
    for (const bool by_caller : {false, true}) {
      SCOPED_TRACE(static_cast<int>(thing));
      SCOPED_TRACE(by_caller);
      Admission admission(SixteenOf(thing));
      std::list<Ticket> tickets;
      for (const Thing other :
           {Thing::kClips, Thing::kBytes, Thing::kStreams}) {
        if (other == thing) continue;
        for (int i = 0; i < 20; ++i) {
          EXPECT_TRUE(TakeOne(&admission, other, Named(""), "p0",
                              &tickets.emplace_back())
                          .ok());
        }
      }
      int index = 0;
      for (const int64_t share : {8, 4, 2, 1, 1, 0}) {
        const std::string name = "name" + std::to_string(index++);
        const Caller caller = Named(by_caller ? name : "");
        EXPECT_EQ(TakeAll(&admission, thing, caller,
                          by_caller ? kUnixPeer : name, &tickets),
                  share);
      }
    }
  }
}

TEST(AdmissionSharesTest, PeersOfAUnixSocketHaveNoLimitPerConnection) {
  AdmissionLimits limits;
  limits.max_inflight_clips_per_connection = 1;
  limits.max_inflight_bytes_per_connection = 1;
  for (const std::string peer : {kUnixPeer, "ipv4:127.0.0.1:1"}) {
    Admission admission(limits);
    Ticket first;
    Ticket second;
    EXPECT_TRUE(admission.TryEnter(Named(""), peer, 1, &first).ok());
    EXPECT_EQ(admission.TryEnter(Named(""), peer, 1, &second).ok(),
              peer == kUnixPeer);
  }
}

// A share shrinks to 4 of 16 while another caller has 8. The room that is asked
// for comes back if it is within half of all.
TEST(AdmissionSharesTest, ARetryHelpsWhereTheTicketAloneIsWithinTheLimit) {
  struct Case {
    const char* name;
    // Bytes that the ticket has, and bytes that it asks for.
    int64_t held;
    int64_t more;
    bool may_retry;
    int64_t value;
    int64_t limit;
  };
  const Case cases[] = {{"more than others leave now", 4, 1, true, 5, 4},
                        {"just half of all", 4, 4, true, 8, 4},
                        {"more than half of all", 4, 5, false, 9, 4}};
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    Admission admission(SixteenOf(Thing::kBytes));
    Ticket other;
    Ticket ticket;
    ASSERT_TRUE(admission.TryHold(Named(""), "p", 8, &other).ok());
    ASSERT_TRUE(admission.TryHold(Named(""), "q", c.held, &ticket).ok());
    const CallError error = CallErrorOf(ticket.Grow(c.more));
    EXPECT_EQ(error.reason, "CONNECTION_BUSY");
    EXPECT_EQ(error.limit_name, "max_inflight_bytes_per_connection");
    EXPECT_EQ(error.limit, c.limit);
    std::vector<std::pair<std::string, std::string>> args = {
        {"value", std::to_string(c.value)}};
    if (c.may_retry) args.emplace_back("retry_after_ms", "1000");
    EXPECT_EQ(error.args, args);
  }
}

// 16 in all: while a quarter is free after it, a ticket grows to 8.
TEST(AdmissionSharesTest, ATicketGrowsWhileAQuarterStaysFree) {
  struct Case {
    int64_t held_by_other;
    int64_t grows_to;
  };
  // Others that have 5 leave 11, and half of that is 6; those that have 4 leave
  // room for 8, which is 12 in all.
  const Case cases[] = {{4, 8}, {5, 7}, {6, 6}, {8, 4}};
  for (const Case& c : cases) {
    Admission admission(SixteenOf(Thing::kBytes));
    Ticket other;
    Ticket ticket;
    ASSERT_TRUE(
        admission.TryHold(Named(""), "p", c.held_by_other, &other).ok());
    ASSERT_TRUE(admission.TryHold(Named(""), "q", 1, &ticket).ok());
    int64_t held = 1;
    while (ticket.Grow(1).ok()) ++held;
    EXPECT_EQ(held, c.grows_to) << c.held_by_other;
  }
}

TEST(AdmissionSharesTest, AQuotaOfBytesIsThatOfTheCaller) {
  Admission admission({});
  Caller caller;
  caller.max_bytes = 10;
  Ticket first;
  Ticket second;
  ASSERT_TRUE(admission.TryEnter(caller, "p", 10, &first).ok());
  const CallError error =
      CallErrorOf(admission.TryEnter(caller, "p", 1, &second));
  EXPECT_EQ(error.reason, "CALLER_BUSY");
  EXPECT_EQ(error.limit_name, "max_inflight_bytes_per_caller");
  EXPECT_EQ(error.limit, 10);
}

TEST(AdmissionSharesTest, AQuotaOfOneIsAQuota) {
  Admission admission({});
  Caller caller;
  caller.max_clips = 1;
  Ticket first;
  Ticket second;
  ASSERT_TRUE(admission.TryEnter(caller, "p", 0, &first).ok());
  EXPECT_FALSE(admission.TryEnter(caller, "p", 0, &second).ok());
}

TEST(AdmissionSharesTest, NothingMoreIsNeverRefused) {
  AdmissionLimits limits;
  limits.max_inflight_bytes = 10;
  Admission admission(limits);
  Ticket ticket;
  ASSERT_TRUE(admission.TryHold(Named("a"), "p", 10, &ticket).ok());
  ticket.Count(5);
  EXPECT_TRUE(ticket.Grow(0).ok());
  EXPECT_TRUE(ticket.Grow(-1).ok());
  EXPECT_FALSE(ticket.Grow(1).ok());
  Ticket clip;
  EXPECT_TRUE(admission.TryEnter(Named("a"), "p", 0, &clip).ok());
}

TEST(AdmissionSharesTest, BytesThatExistAreCountedBeyondTheLimit) {
  AdmissionLimits limits;
  limits.max_inflight_bytes = 10;
  Admission admission(limits);
  Ticket ticket;
  ASSERT_TRUE(admission.TryHold(Named("a"), "p", 4, &ticket).ok());
  ticket.Count(20);
  EXPECT_EQ(admission.bytes(), 24);
  EXPECT_EQ(admission.peak_bytes(), 24);
  ticket.Count(-14);
  EXPECT_EQ(admission.bytes(), 10);
  ticket.Release();
  EXPECT_EQ(admission.bytes(), 0);
  EXPECT_EQ(admission.peak_bytes(), 24);
}

TEST(AdmissionSharesTest, AClipEndsOnceAndKeepsSomeBytes) {
  Admission admission({});
  Ticket clip;
  Ticket memory;
  ASSERT_TRUE(admission.TryEnter(Named("a"), "p", 100, &clip).ok());
  ASSERT_TRUE(admission.TryHold(Named("a"), "p", 7, &memory).ok());
  memory.Worked();
  EXPECT_EQ(admission.clips(), 1);
  clip.Keep(30);
  EXPECT_EQ(admission.clips(), 0);
  EXPECT_EQ(admission.bytes(), 37);
  clip.Worked();
  EXPECT_EQ(admission.clips(), 0);
  clip.Release();
  EXPECT_EQ(admission.bytes(), 7);
}

TEST(AdmissionSharesTest, AMovedTicketReleasesWhatItCounts) {
  Admission admission({});
  {
    Ticket clip;
    ASSERT_TRUE(admission.TryEnter(Named("a"), "p", 5, &clip).ok());
    const Ticket moved = std::move(clip);
    EXPECT_EQ(admission.bytes(), 5);
  }
  EXPECT_EQ(admission.clips(), 0);
  EXPECT_EQ(admission.bytes(), 0);
}

// A ticket that counts something counts only the new clip afterwards, and
// nothing if that is refused.
TEST(AdmissionSharesTest, ATicketThatIsUsedAgainCountsOnce) {
  AdmissionLimits limits;
  limits.max_inflight_bytes = 10;
  Admission admission(limits);
  Ticket ticket;
  ASSERT_TRUE(admission.TryEnter(Named("a"), "p", 8, &ticket).ok());
  EXPECT_TRUE(admission.TryEnter(Named("b"), "q", 9, &ticket).ok());
  EXPECT_EQ(admission.clips(), 1);
  EXPECT_EQ(admission.bytes(), 9);
  EXPECT_FALSE(admission.TryEnter(Named("b"), "q", 11, &ticket).ok());
  EXPECT_EQ(admission.clips(), 0);
  EXPECT_EQ(admission.bytes(), 0);
  admission.ForgetIdle();
  EXPECT_EQ(admission.known(), 0U);
}

TEST(AdmissionSharesTest, OnlyNewClipsAreRefusedForWantOfMemory) {
  Admission admission({});
  admission.RefuseNewClips(true);
  Ticket ticket;
  EXPECT_FALSE(admission.TryEnter(Named("a"), "p", 1, &ticket).ok());
  EXPECT_TRUE(admission.TryHold(Named("a"), "p", 1, &ticket).ok());
  EXPECT_TRUE(admission.TryOpen(Named("a"), "p", &ticket).ok());
}

}  // namespace
}  // namespace bvhmill::testing
