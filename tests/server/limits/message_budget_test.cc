// The budget of requests: whose turn it is, by numbers that follow from the
// contract in message_budget.h.

#include "server/limits/message_budget.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <list>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace bvhmill::testing {
namespace {

using server::MayHold;
using server::MessageBudget;

TEST(MayHoldTest, OneAloneLeavesAnEighthAndSeveralHaveEqualParts) {
  struct Case {
    const char* name;
    int64_t holders;
    int64_t wanted;
    int64_t total;
    bool may;
  };
  // The budget is 16.
  const Case cases[] = {{"alone, an eighth is left", 1, 14, 14, true},
                        {"alone, less is left", 1, 15, 15, false},
                        {"an equal part of two", 2, 8, 16, true},
                        {"more than that, all taken", 2, 9, 16, false},
                        {"more than that, an eighth is left", 2, 9, 14, true},
                        {"more than all", 2, 8, 17, false},
                        {"an equal part of four", 4, 4, 16, true},
                        {"more than that", 4, 5, 16, false}};
  for (const Case& c : cases) {
    EXPECT_EQ(MayHold(16, c.holders, c.wanted, c.total), c.may) << c.name;
  }
}

// Calls that wait in a budget; each notes its caller when it starts.
class BudgetTest : public ::testing::Test {
 protected:
  MessageBudget::Place* Enter(const std::string& caller) {
    places_.emplace_back();
    MessageBudget::Place* const place = &places_.back();
    budget_.Enter(
        caller, [this, caller] { started_ += caller; }, place);
    return place;
  }

  // 16 messages that have not come fit.
  MessageBudget budget_{1600, 100};
  std::list<MessageBudget::Place> places_;
  std::string started_;
};

TEST_F(BudgetTest, OneAloneFillsItButAnEighth) {
  for (int i = 0; i < 20; ++i) Enter("a");
  EXPECT_EQ(started_, std::string(14, 'a'));
  EXPECT_EQ(budget_.bytes(), 1400);
  EXPECT_EQ(budget_.waiting(), 6);
}

TEST_F(BudgetTest, TheOnlyCallOfACallerMayLeave) {
  MessageBudget::Place* const first = Enter("a");
  for (int i = 0; i < 13; ++i) Enter("a");
  for (int i = 0; i < 2; ++i) Enter("b");
  MessageBudget::Place* const only = Enter("c");
  EXPECT_TRUE(budget_.Leave(only));
  EXPECT_EQ(budget_.waiting(), 0);
  started_.clear();
  budget_.Release(first);
  EXPECT_EQ(started_, "");
  Enter("d");
  EXPECT_EQ(started_, "d");
}

TEST_F(BudgetTest, OneThatComesLaterStartsAtOnce) {
  for (int i = 0; i < 20; ++i) Enter("a");
  started_.clear();
  for (int i = 0; i < 3; ++i) Enter("b");
  EXPECT_EQ(started_, "bb");
  EXPECT_EQ(budget_.bytes(), 1600);
}

// Bytes that the first caller releases go to the second until both hold as
// much.
TEST_F(BudgetTest, WhatIsGivenBackGoesToTheOneThatHoldsLess) {
  std::vector<MessageBudget::Place*> of_a;
  for (int i = 0; i < 20; ++i) of_a.push_back(Enter("a"));
  for (int i = 0; i < 20; ++i) Enter("b");
  started_.clear();
  for (int i = 0; i < 6; ++i) budget_.Release(of_a[static_cast<size_t>(i)]);
  EXPECT_EQ(started_, "bbbbbb");
}

TEST_F(BudgetTest, AMessageThatHasComeCountsItsBytes) {
  std::vector<MessageBudget::Place*> places;
  for (int i = 0; i < 15; ++i) places.push_back(Enter("a"));
  EXPECT_EQ(started_.size(), 14U);
  budget_.Arrived(places[0], 30);
  EXPECT_EQ(started_.size(), 14U) << "1330 + 100 exceed 1400";
  budget_.Arrived(places[1], 70);
  EXPECT_EQ(started_.size(), 15U);
  EXPECT_EQ(budget_.bytes(), 30 + 70 + 13 * 100);
}

TEST_F(BudgetTest, OneThatLeavesNeverStarts) {
  std::vector<MessageBudget::Place*> places;
  for (int i = 0; i < 16; ++i) places.push_back(Enter("a"));
  EXPECT_FALSE(budget_.Leave(places[0])) << "it has started";
  EXPECT_TRUE(budget_.Leave(places[14]));
  EXPECT_FALSE(budget_.Leave(places[14]));
  started_.clear();
  budget_.Release(places[0]);
  EXPECT_EQ(started_, "a");
  budget_.Release(places[1]);
  EXPECT_EQ(started_, "a");
  EXPECT_EQ(budget_.waiting(), 0);
}

TEST_F(BudgetTest, AReleaseCountsOnce) {
  MessageBudget::Place* const place = Enter("a");
  budget_.Release(place);
  budget_.Release(place);
  MessageBudget::Place other;
  budget_.Release(&other);
  EXPECT_EQ(budget_.bytes(), 0);
}

TEST(MessageBudgetTest, OneMessageAlwaysFits) {
  MessageBudget budget(10, 100);
  MessageBudget::Place first;
  MessageBudget::Place second;
  std::string started;
  budget.Enter(
      "a", [&] { started += "1"; }, &first);
  budget.Enter(
      "b", [&] { started += "2"; }, &second);
  EXPECT_EQ(started, "1");
  // It has more bytes than the budget.
  budget.Arrived(&first, 1000);
  EXPECT_EQ(started, "1");
  budget.Release(&first);
  EXPECT_EQ(started, "12");
  budget.Release(&second);
}

TEST(MessageBudgetTest, WithoutALimitNoneWaits) {
  MessageBudget budget(0, 100);
  std::list<MessageBudget::Place> places;
  int started = 0;
  for (int i = 0; i < 1'000; ++i) {
    budget.Enter(
        "a", [&] { ++started; }, &places.emplace_back());
  }
  EXPECT_EQ(started, 1'000);
  for (MessageBudget::Place& place : places) budget.Release(&place);
}

// Each call that starts is released by another thread.
TEST(MessageBudgetTest, ManyThreadsEndWithAnEmptyBudget) {
  constexpr int kThreads = 4;
  constexpr int kCalls = 2'000;
  MessageBudget budget(800, 100);
  std::atomic<int> started = 0;
  std::vector<std::jthread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < kCalls; ++i) {
        MessageBudget::Place place;
        const auto may_read = std::make_shared<std::atomic<bool>>(false);
        budget.Enter(
            std::to_string(t % 3),
            [&started, may_read] {
              ++started;
              *may_read = true;
              may_read->notify_one();
            },
            &place);
        if (i % 7 == 0 && budget.Leave(&place)) {
          ++started;
          continue;
        }
        may_read->wait(false);
        budget.Arrived(&place, i % 100);
        budget.Release(&place);
      }
    });
  }
  threads.clear();
  EXPECT_EQ(started, kThreads * kCalls);
  EXPECT_EQ(budget.bytes(), 0);
  EXPECT_EQ(budget.waiting(), 0);
}

}  // namespace
}  // namespace bvhmill::testing
