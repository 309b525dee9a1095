// The small headers of base/.

#include <gtest/gtest.h>

#include <cstring>
#include <limits>
#include <regex>
#include <string>
#include <thread>

#include "bvhmill/base/cancel.h"
#include "bvhmill/base/limits.h"
#include "bvhmill/base/sink.h"
#include "bvhmill/base/status.h"
#include "bvhmill/base/uninitialized.h"
#include "bvhmill/base/version.h"

namespace bvhmill::testing {
namespace {

TEST(Limits, ExceedsIsAboveAndZeroIsNoLimit) {
  constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
  struct {
    int64_t value;
    int64_t limit;
    bool exceeds;
  } constexpr kCases[] = {{0, 1, false},    {1, 1, false},
                          {2, 1, true},     {0, 0, false},
                          {kMax, 0, false}, {kMax, kMax - 1, true},
                          {-1, 1, false},   {kMax, kMax, false}};
  for (const auto& [value, limit, exceeds] : kCases) {
    EXPECT_EQ(Exceeds(value, limit), exceeds) << value << " of " << limit;
  }
}

// docs/api.md, section 7.
TEST(Bounds, AreThoseOfTheApi) {
  EXPECT_EQ(kMaxOptionBytes, size_t{1024} * 1024);
  EXPECT_EQ(kMaxJointNames, size_t{20'000});
  EXPECT_EQ(kMaxJointNameBytes, size_t{4096});
  EXPECT_EQ(kMaxCodes, size_t{1024});
  EXPECT_EQ(kMaxJointPriorities, size_t{1024});
  EXPECT_EQ(kMaxOutputIdBytes, size_t{1024});
  EXPECT_EQ(kMaxClipKeyBytes, size_t{1024});
}

TEST(Bounds, TheBoundItselfIsAllowed) {
  for (const auto check : {CheckCount, CheckBytes}) {
    EXPECT_TRUE(check("field", 7, 7).ok());
    EXPECT_EQ(check("field", 8, 7).code(), absl::StatusCode::kInvalidArgument);
  }
}

TEST(Limits, AllAreSetByDefault) {
  const Limits limits;
  for (const int64_t limit :
       {limits.max_clip_bytes, limits.max_header_bytes, limits.max_line_bytes,
        limits.max_name_bytes, limits.max_joints, limits.max_depth,
        limits.max_channels, limits.max_frames, limits.max_issues_per_report,
        limits.max_outputs_per_clip, limits.max_output_bytes}) {
    EXPECT_GT(limit, 0);
  }
}

TEST(UninitializedVector, ResizeLeavesBytesAsTheyWere) {
  UninitializedVector<unsigned char> bytes(1000, 0x5A);
  bytes.clear();
  bytes.resize(1000);
  const std::string expected(1000, '\x5A');
  EXPECT_EQ(std::memcmp(bytes.data(), expected.data(), 1000), 0);
}

TEST(UninitializedVector, KeepsValuesAsAVectorDoes) {
  UninitializedVector<float> values = {1, 2, 3};
  values.push_back(4);
  values.resize(5000);
  values[4] = 5;
  values.resize(5);
  EXPECT_EQ(values, (UninitializedVector<float>{1, 2, 3, 4, 5}));
  const std::vector<float> more = {6, 7};
  values.append(more.begin(), more.end());
  EXPECT_EQ(values, (UninitializedVector<float>{1, 2, 3, 4, 5, 6, 7}));
  const UninitializedVector<float> copy = values;
  EXPECT_EQ(copy, values);
}

TEST(UninitializedVector, MovesAndSwapsWithoutACopy) {
  UninitializedVector<float> values = {1, 2, 3};
  const float* const data = values.data();
  UninitializedVector<float> moved = std::move(values);
  EXPECT_EQ(moved.data(), data);
  UninitializedVector<float> other;
  other.swap(moved);
  EXPECT_EQ(other.data(), data);
  EXPECT_TRUE(moved.empty());
  other.reserve(1000);
  EXPECT_EQ(other.capacity(), 1000);
  other.shrink_to_fit();
  EXPECT_EQ(other.capacity(), 3);
  EXPECT_EQ(other, (UninitializedVector<float>{1, 2, 3}));
}

TEST(CancelToken, StaysCancelled) {
  CancelToken token;
  EXPECT_FALSE(token.IsCancelled());
  std::thread([&] { token.Cancel(); }).join();
  EXPECT_TRUE(token.IsCancelled());
  token.Cancel();
  EXPECT_TRUE(token.IsCancelled());
}

TEST(CancelToken, NoTokenIsNeverCancelled) {
  CancelToken token;
  EXPECT_FALSE(IsCancelled(nullptr));
  EXPECT_FALSE(IsCancelled(&token));
  token.Cancel();
  EXPECT_TRUE(IsCancelled(&token));
}

TEST(Status, BridgesStringViews) {
  const std::string longer = "message and more";
  const absl::Status status = MakeStatus(absl::StatusCode::kNotFound,
                                         std::string_view(longer).substr(0, 7));
  EXPECT_EQ(status.code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(MessageOf(status), "message");
  EXPECT_TRUE(MakeStatus(absl::StatusCode::kOk, "dropped").ok());
}

TEST(Status, InvalidFieldNamesTheField) {
  const absl::Status status = InvalidField("outputs[1].id", "used before");
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(MessageOf(status), "outputs[1].id: used before");
}

absl::Status FirstOf(const absl::Status& first, bool* went_on) {
  BVHMILL_RETURN_IF_ERROR(first);
  *went_on = true;
  return absl::OkStatus();
}

TEST(Status, ReturnIfErrorReturnsErrorsOnly) {
  bool went_on = false;
  EXPECT_EQ(FirstOf(InvalidField("a", "b"), &went_on), InvalidField("a", "b"));
  EXPECT_FALSE(went_on);
  EXPECT_TRUE(FirstOf(absl::OkStatus(), &went_on).ok());
  EXPECT_TRUE(went_on);
}

TEST(StringSink, Appends) {
  std::string out = "a";
  StringSink sink(&out);
  EXPECT_TRUE(sink.Append("b").ok());
  EXPECT_TRUE(sink.Append(std::string_view("\0c", 2)).ok());
  EXPECT_EQ(out, std::string("ab\0c", 4));
}

TEST(Version, IsSemantic) {
  EXPECT_TRUE(std::regex_match(std::string(Version()),
                               std::regex(R"(\d+\.\d+\.\d+(-[0-9A-Za-z.]+)?)")))
      << Version();
  EXPECT_FALSE(GitCommit().empty());
  EXPECT_FALSE(Compiler().empty());
}

}  // namespace
}  // namespace bvhmill::testing
