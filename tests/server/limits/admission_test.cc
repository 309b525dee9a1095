#include "server/limits/admission.h"

#include <gmock/gmock.h>

#include <list>
#include <optional>
#include <thread>
#include <utility>

#include "tests/server/fixture.h"
#include "tests/server/limits/callers.h"
#include "tests/support/files.h"

namespace bvhmill::testing {
namespace {

using server::Admission;
using server::AdmissionLimits;
using server::Caller;
using server::Ticket;

struct AdmissionRefusal {
  std::string reason;
  std::string limit;
  bool may_retry = false;
};

AdmissionRefusal RefusalParts(const Details& details) {
  EXPECT_EQ(details.quota.violations_size(), 1);
  return {details.info.reason(), details.quota.violations(0).subject(),
          details.retry.retry_delay().seconds() == 1};
}

AdmissionRefusal RefusalParts(const absl::Status& status) {
  EXPECT_TRUE(absl::IsResourceExhausted(status));
  return RefusalParts(DetailsOf(status));
}

AdmissionRefusal RefusalParts(const grpc::Status& status) {
  EXPECT_EQ(status.error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
  return RefusalParts(DetailsOf(status));
}

TEST(AdmissionTest, EachLimitIsNamed) {
  struct Case {
    int64_t AdmissionLimits::*limit;
    int64_t value;
    const char* reason;
    const char* name;
  };
  const Case cases[] = {
      {&AdmissionLimits::max_inflight_clips, 1, "SERVER_BUSY",
       "max_inflight_clips"},
      {&AdmissionLimits::max_inflight_bytes, 15, "SERVER_BUSY",
       "max_inflight_bytes"},
      {&AdmissionLimits::max_inflight_clips_per_connection, 1,
       "CONNECTION_BUSY", "max_inflight_clips_per_connection"},
      {&AdmissionLimits::max_inflight_bytes_per_connection, 15,
       "CONNECTION_BUSY", "max_inflight_bytes_per_connection"},
      {&AdmissionLimits::max_inflight_clips_per_caller, 1, "CALLER_BUSY",
       "max_inflight_clips_per_caller"},
      {&AdmissionLimits::max_inflight_bytes_per_caller, 15, "CALLER_BUSY",
       "max_inflight_bytes_per_caller"}};
  for (const Case& c : cases) {
    AdmissionLimits limits;
    limits.*c.limit = c.value;
    Admission admission(limits);
    Ticket first;
    Ticket second;
    ASSERT_TRUE(admission.TryEnter(Named("a"), "p", 10, &first).ok());
    const AdmissionRefusal refusal =
        RefusalParts(admission.TryEnter(Named("a"), "p", 10, &second));
    EXPECT_EQ(refusal.reason, c.reason);
    EXPECT_EQ(refusal.limit, c.name);
    EXPECT_TRUE(refusal.may_retry) << c.name;
    EXPECT_EQ(admission.clips(), 1);
    first.Release();
    EXPECT_TRUE(admission.TryEnter(Named("a"), "p", 10, &second).ok());
  }
}

TEST(AdmissionTest, StreamsHaveLimits) {
  struct Case {
    int64_t AdmissionLimits::*limit;
    const char* reason;
    const char* name;
  };
  const Case cases[] = {
      {&AdmissionLimits::max_streams, "SERVER_BUSY", "max_streams"},
      {&AdmissionLimits::max_streams_per_caller, "CALLER_BUSY",
       "max_streams_per_caller"}};
  for (const Case& c : cases) {
    AdmissionLimits limits;
    limits.*c.limit = 2;
    Admission admission(limits);
    Ticket streams[3];
    ASSERT_TRUE(admission.TryOpen(Named("a"), "p", &streams[0]).ok());
    ASSERT_TRUE(admission.TryOpen(Named("a"), "p", &streams[1]).ok());
    const AdmissionRefusal refusal =
        RefusalParts(admission.TryOpen(Named("a"), "q", &streams[2]));
    EXPECT_EQ(refusal.reason, c.reason);
    EXPECT_EQ(refusal.limit, c.name);
    EXPECT_TRUE(refusal.may_retry) << c.name;
    // A stream is no clip.
    EXPECT_EQ(admission.clips(), 0);
    Ticket clip;
    EXPECT_TRUE(admission.TryEnter(Named("a"), "p", 1, &clip).ok());
    streams[0].Release();
    EXPECT_TRUE(admission.TryOpen(Named("a"), "q", &streams[2]).ok());
  }
}

// Callers without a token have no name: they are not one caller.
TEST(AdmissionTest, CallersWithoutATokenHaveNoLimitPerCaller) {
  AdmissionLimits limits;
  limits.max_inflight_clips_per_caller = 1;
  limits.max_inflight_bytes_per_caller = 1;
  limits.max_streams_per_caller = 1;
  Admission admission(limits);
  Ticket tickets[4];
  EXPECT_TRUE(admission.TryEnter(Named(""), "p1", 10, &tickets[0]).ok());
  EXPECT_TRUE(admission.TryEnter(Named(""), "p2", 10, &tickets[1]).ok());
  EXPECT_TRUE(admission.TryOpen(Named(""), "p1", &tickets[2]).ok());
  EXPECT_TRUE(admission.TryOpen(Named(""), "p2", &tickets[3]).ok());
}

TEST(AdmissionTest, AShareIsSevenEighthsOfTheLimitOnAll) {
  AdmissionLimits limits;
  limits.max_inflight_clips = 9;
  limits.max_inflight_bytes = 1000;
  limits.max_inflight_bytes_per_caller = 70;
  limits.max_streams = 0;
  const AdmissionLimits shares = WithShares(limits);
  EXPECT_EQ(shares.max_inflight_clips_per_connection, 8);
  EXPECT_EQ(shares.max_inflight_clips_per_caller, 8);
  EXPECT_EQ(shares.max_inflight_bytes_per_connection, 875);
  EXPECT_EQ(shares.max_inflight_bytes_per_caller, 70);
  EXPECT_EQ(shares.max_streams_per_caller, 0);
}

AdmissionLimits SharesOf(int64_t clips, int64_t bytes, int64_t streams) {
  AdmissionLimits limits;
  limits.max_inflight_clips = clips;
  limits.max_inflight_bytes = bytes;
  limits.max_streams = streams;
  return WithShares(limits);
}

TEST(AdmissionTest, ARefusedShareIsNamed) {
  Admission admission(SharesOf(16, 1 << 20, 8));
  Ticket streams[8];
  for (int i = 0; i < 7; ++i) {
    ASSERT_TRUE(admission.TryOpen(Named(""), "p1", &streams[i]).ok());
  }
  const AdmissionRefusal refusal =
      RefusalParts(admission.TryOpen(Named(""), "p1", &streams[7]));
  EXPECT_EQ(refusal.reason, "CONNECTION_BUSY");
  EXPECT_EQ(refusal.limit, "max_streams");
  EXPECT_TRUE(refusal.may_retry);
}

// A limit that the operator states is no share.
TEST(AdmissionTest, AStatedLimitDoesNotShrink) {
  AdmissionLimits limits = SharesOf(0, 100, 0);
  limits.max_inflight_bytes_per_connection = 60;
  limits.fair = {};
  Admission admission(WithShares(limits));
  Ticket first;
  Ticket second;
  ASSERT_TRUE(admission.TryEnter(Named(""), "p1", 40, &first).ok());
  EXPECT_TRUE(admission.TryEnter(Named(""), "p2", 60, &second).ok());
}

TEST(AdmissionTest, AFullShareDoesNotLimitOthers) {
  AdmissionLimits limits;
  limits.max_inflight_clips_per_connection = 1;
  limits.max_inflight_clips_per_caller = 2;
  Admission admission(limits);
  Ticket tickets[4];
  EXPECT_TRUE(admission.TryEnter(Named("a"), "p1", 1, &tickets[0]).ok());
  EXPECT_TRUE(admission.TryEnter(Named("a"), "p2", 1, &tickets[1]).ok());
  EXPECT_FALSE(admission.TryEnter(Named("a"), "p3", 1, &tickets[2]).ok());
  EXPECT_TRUE(admission.TryEnter(Named("b"), "p3", 1, &tickets[2]).ok());
  EXPECT_FALSE(admission.TryEnter(Named("b"), "p3", 1, &tickets[3]).ok());
}

TEST(AdmissionTest, AClipMayGrow) {
  AdmissionLimits limits;
  limits.max_inflight_bytes = 100;
  Admission admission(limits);
  Ticket ticket;
  ASSERT_TRUE(admission.TryEnter(Named("a"), "p", 60, &ticket).ok());
  EXPECT_TRUE(ticket.Grow(40).ok());
  // Alone it is too large: to try again is of no use.
  EXPECT_FALSE(RefusalParts(ticket.Grow(1)).may_retry);
  EXPECT_EQ(admission.bytes(), 100);
  const Ticket moved = std::move(ticket);
  EXPECT_EQ(admission.clips(), 1);
}

// Outputs for a slow client count as memory, but make no other caller wait.
TEST(AdmissionTest, ThePeakIsTheMostThatWasInFlightAtOnce) {
  Admission admission({});
  EXPECT_EQ(admission.peak_bytes(), 0);
  Ticket first;
  Ticket second;
  ASSERT_TRUE(admission.TryEnter(Named("a"), "p", 30, &first).ok());
  ASSERT_TRUE(admission.TryHold(Named("b"), "q", 40, &second).ok());
  ASSERT_TRUE(second.Grow(5).ok());
  second.Release();
  ASSERT_TRUE(first.Grow(10).ok());
  EXPECT_EQ(admission.bytes(), 40);
  EXPECT_EQ(admission.peak_bytes(), 75);
}

TEST(AdmissionTest, AClipThatWasWorkedOnCountsByItsBytes) {
  AdmissionLimits limits;
  limits.max_inflight_clips = 1;
  limits.max_inflight_bytes = 100;
  Admission admission(limits);
  Ticket sent;
  ASSERT_TRUE(admission.TryEnter(Named("a"), "p", 60, &sent).ok());
  sent.Worked();
  EXPECT_EQ(admission.clips(), 0);
  EXPECT_EQ(admission.bytes(), 60);
  Ticket next;
  EXPECT_EQ(RefusalParts(admission.TryEnter(Named("a"), "p", 50, &next)).limit,
            "max_inflight_bytes");
  ASSERT_TRUE(admission.TryEnter(Named("a"), "p", 40, &next).ok());
  sent.Release();
  EXPECT_EQ(admission.clips(), 1);
  EXPECT_EQ(admission.bytes(), 40);
}

TEST(AdmissionTest, QuotasOfACallerCountFirst) {
  AdmissionLimits limits;
  limits.max_inflight_clips_per_caller = 1;
  Admission admission(limits);
  Caller caller;
  caller.max_clips = 2;
  Ticket tickets[3];
  EXPECT_TRUE(admission.TryEnter(caller, "p", 1, &tickets[0]).ok());
  EXPECT_TRUE(admission.TryEnter(caller, "p", 1, &tickets[1]).ok());
  EXPECT_FALSE(admission.TryEnter(caller, "p", 1, &tickets[2]).ok());
}

// Its limits go with it: those of its caller and of its connection.
TEST(AdmissionTest, ATicketThatIsMovedKeepsItsLimits) {
  AdmissionLimits by_caller;
  by_caller.max_inflight_bytes_per_caller = 10;
  AdmissionLimits by_peer;
  by_peer.max_inflight_bytes_per_connection = 10;
  Caller with_quota;
  with_quota.max_bytes = 10;
  const std::pair<AdmissionLimits, Caller> cases[] = {
      {by_caller, Named("a")}, {by_peer, Caller()}, {{}, with_quota}};
  for (const auto& [limits, caller] : cases) {
    Admission admission(limits);
    Ticket first;
    ASSERT_TRUE(admission.TryEnter(caller, "p", 9, &first).ok());
    Ticket moved = std::move(first);
    EXPECT_TRUE(moved.Grow(1).ok());
    EXPECT_FALSE(moved.Grow(1).ok());
    EXPECT_EQ(admission.bytes(), 10);
  }
}

TEST(AdmissionTest, ManyThreadsReleaseEverything) {
  AdmissionLimits limits;
  limits.max_inflight_clips = 3;
  Admission admission(limits);
  const auto work = [&](const std::string& name) {
    for (int i = 0; i < 2000; ++i) {
      Ticket ticket;
      if (admission.TryEnter(Named(name), name, 5, &ticket).ok()) {
        (void)ticket.Grow(7);
        EXPECT_LE(admission.clips(), 3);
      }
    }
  };
  std::vector<std::thread> threads;
  for (const char* name : {"a", "b", "c", "d"})
    threads.emplace_back(work, name);
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(admission.clips(), 0);
  EXPECT_EQ(admission.bytes(), 0);
  admission.ForgetIdle();
  EXPECT_EQ(admission.known(), 0U);
}

TEST(AdmissionTest, OnlyTheIdleAreForgotten) {
  AdmissionLimits limits;
  limits.max_inflight_clips_per_connection = 1;
  Admission admission(limits);
  Ticket held;
  Ticket next;
  ASSERT_TRUE(admission.TryEnter(Named("a"), "p", 1, &held).ok());
  EXPECT_FALSE(admission.TryEnter(Named("b"), "p", 1, &next).ok());
  ASSERT_TRUE(admission.TryEnter(Named("b"), "q", 1, &next).ok());
  next.Release();
  EXPECT_EQ(admission.known(), 4U);
  admission.ForgetIdle();
  EXPECT_EQ(admission.known(), 2U);
  // A finished clip stays known while it holds memory, and an empty ticket
  // stays known while it may grow.
  held.Worked();
  admission.ForgetIdle();
  EXPECT_EQ(admission.known(), 2U);
  Ticket empty;
  ASSERT_TRUE(admission.TryHold(Named("c"), "r", 0, &empty).ok());
  admission.ForgetIdle();
  EXPECT_TRUE(empty.Grow(5).ok());
  EXPECT_EQ(admission.bytes(), 6);
  held.Release();
  EXPECT_TRUE(admission.TryEnter(Named("a"), "p", 1, &held).ok());
}

class AdmissionServerTest : public ServerTest {};

TEST_F(AdmissionServerTest, UnaryCallsAreCounted) {
  Start([](server::ServerConfig* config) {
    LimitBytes(config, 1000);
    config->log = server::LogFormat::kOff;
  });
  v1::ConvertClipResponse response;
  // The bytes of an answer count for a moment after its caller has it.
  const auto is_answered = [&] {
    grpc::ClientContext context;
    return clips_
        ->ConvertClip(&context, PositionsRequest(SmallClip()), &response)
        .ok();
  };
  for (int i = 0; i < 5; ++i) EXPECT_TRUE(Eventually(is_answered));
  grpc::ClientContext context;
  const AdmissionRefusal refusal = RefusalParts(clips_->ConvertClip(
      &context, PositionsRequest(SmallClip(200)), &response));
  EXPECT_EQ(refusal.reason, "SERVER_BUSY");
  EXPECT_EQ(refusal.limit, "max_inflight_bytes");
}

}  // namespace
}  // namespace bvhmill::testing
