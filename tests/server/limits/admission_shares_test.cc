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

AdmissionLimits SixteenOf(Thing thing) {
  AdmissionLimits limits;
  limits.max_inflight_clips = thing == Thing::kClips ? 16 : 0;
  limits.max_inflight_bytes = thing == Thing::kBytes ? 16 : 0;
  limits.max_streams = thing == Thing::kStreams ? 16 : 0;
  return WithShares(limits);
}

// Takes one ticket each in turn, until all are refused.
std::vector<int64_t> TakeInTurn(Admission* admission, Thing thing,
                                const std::vector<std::string>& names,
                                bool by_caller, std::list<Ticket>* tickets) {
  std::vector<int64_t> taken(names.size(), 0);
  for (bool goes_on = true; goes_on;) {
    goes_on = false;
    for (size_t i = 0; i < names.size(); ++i) {
      const bool is_taken =
          TakeOne(admission, thing, Named(by_caller ? names[i] : ""),
                  by_caller ? kUnixPeer : names[i], &tickets->emplace_back())
              .ok();
      taken[i] += is_taken ? 1 : 0;
      goes_on |= is_taken;
    }
  }
  return taken;
}

// One alone may have 14 of 16. Those who come later have at least the eighth
// that it leaves, and those who compete have equal parts.
TEST(AdmissionSharesTest, OneAloneMayHaveNearlyAllAndSeveralShare) {
  struct Case {
    const char* name;
    std::vector<std::string> first;
    std::vector<std::string> second;
    std::vector<int64_t> first_taken;
    std::vector<int64_t> second_taken;
  };
  const Case cases[] = {
      {"one alone", {"a"}, {}, {14}, {}},
      {"two compete", {"a", "b"}, {}, {8, 8}, {}},
      {"four compete", {"a", "b", "c", "d"}, {}, {4, 4, 4, 4}, {}},
      {"one comes later", {"a"}, {"b"}, {14}, {2}},
      {"two come later", {"a"}, {"b", "c"}, {14}, {1, 1}}};
  for (const Thing thing : {Thing::kClips, Thing::kBytes, Thing::kStreams}) {
    for (const bool by_caller : {false, true}) {
      for (const Case& c : cases) {
        SCOPED_TRACE(c.name);
        SCOPED_TRACE(static_cast<int>(thing));
        SCOPED_TRACE(by_caller);
        Admission admission(SixteenOf(thing));
        std::list<Ticket> tickets;
        EXPECT_EQ(TakeInTurn(&admission, thing, c.first, by_caller, &tickets),
                  c.first_taken);
        EXPECT_EQ(TakeInTurn(&admission, thing, c.second, by_caller, &tickets),
                  c.second_taken);
      }
    }
  }
}

// Bytes that a large holder releases stay free for smaller ones.
TEST(AdmissionSharesTest, TheOneThatHoldsMostDoesNotTakeItAgain) {
  Admission admission(SixteenOf(Thing::kBytes));
  std::list<Ticket> of_first(14);
  Ticket second;
  for (Ticket& ticket : of_first) {
    ASSERT_TRUE(admission.TryHold(Named(""), "a", 1, &ticket).ok());
  }
  ASSERT_TRUE(admission.TryHold(Named(""), "b", 2, &second).ok());
  // The first one gives back six, and may have no more while the second may
  // still want them.
  for (int held = 14; held > 8; --held) {
    of_first.pop_front();
    Ticket again;
    EXPECT_EQ(admission.TryHold(Named(""), "a", 1, &again).ok(),
              held - 1 < 8 || held - 1 + 2 + 1 <= 14)
        << held;
  }
  while (second.Grow(1).ok()) {
  }
  EXPECT_EQ(admission.bytes(), 16);
}

TEST(AdmissionSharesTest, ExpectedBytesCountForAll) {
  Admission admission(SixteenOf(Thing::kBytes));
  admission.Expect(10);
  EXPECT_EQ(admission.bytes(), 10);
  EXPECT_EQ(admission.peak_bytes(), 10);
  Ticket ticket;
  EXPECT_FALSE(admission.TryHold(Named(""), "a", 5, &ticket).ok());
  EXPECT_TRUE(admission.TryHold(Named(""), "a", 4, &ticket).ok());
  admission.Expect(-10);
  EXPECT_TRUE(ticket.Grow(10).ok());
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

// Another one has 8 of 16, so 6 are left, of which the ticket has 4.
TEST(AdmissionSharesTest, ARetryHelpsWhereTheTicketAloneIsWithinTheLimit) {
  struct Case {
    const char* name;
    // Bytes that the ticket asks for.
    int64_t more;
    bool may_retry;
    int64_t value;
  };
  const Case cases[] = {{"more than is left now", 5, true, 9},
                        {"just what one may have", 10, true, 14},
                        {"more than one may have", 11, false, 15}};
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    Admission admission(SixteenOf(Thing::kBytes));
    Ticket other;
    Ticket ticket;
    ASSERT_TRUE(admission.TryHold(Named(""), "p", 8, &other).ok());
    ASSERT_TRUE(admission.TryHold(Named(""), "q", 4, &ticket).ok());
    const CallError error = CallErrorOf(ticket.Grow(c.more));
    EXPECT_EQ(error.reason, "CONNECTION_BUSY");
    EXPECT_EQ(error.limit_name, "max_inflight_bytes_per_connection");
    EXPECT_EQ(error.limit, 8);
    std::vector<std::pair<std::string, std::string>> args = {
        {"value", std::to_string(c.value)}};
    if (c.may_retry) args.emplace_back("retry_after_ms", "1000");
    EXPECT_EQ(error.args, args);
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

TEST(AdmissionSharesTest, OnesThatLeftHaveNoEqualPart) {
  for (const bool by_caller : {false, true}) {
    SCOPED_TRACE(by_caller);
    Admission admission(SixteenOf(Thing::kBytes));
    const auto hold = [&](const char* name, int64_t bytes, Ticket* ticket) {
      return admission
          .TryHold(Named(by_caller ? name : ""), by_caller ? kUnixPeer : name,
                   bytes, ticket)
          .ok();
    };
    for (const char* const name : {"c", "d", "e"}) {
      Ticket gone;
      ASSERT_TRUE(hold(name, 1, &gone));
    }
    Ticket first;
    Ticket second;
    ASSERT_TRUE(hold("a", 8, &first) && hold("b", 6, &second));
    EXPECT_TRUE(second.Grow(2).ok());
  }
}

}  // namespace
}  // namespace bvhmill::testing
