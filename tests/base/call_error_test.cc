// Structured errors travel inside of statuses without a loss.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <vector>

#include "bvhmill/base/status.h"

namespace bvhmill::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;

constexpr auto kBad = absl::StatusCode::kInvalidArgument;

std::vector<CallError> Errors() {
  return {
      {.code = kBad, .message = "plain"},
      {.code = kBad, .reason = "R", .message = ""},
      {.code = kBad, .field = "a.b[1]", .message = "is: odd"},
      {.code = absl::StatusCode::kResourceExhausted,
       .reason = "LIMIT_EXCEEDED",
       .field = "f",
       .limit_name = "max_frames",
       .limit = -5,
       .args = {{"value", "7"}, {"value", "8"}},
       .message = "m"},
      // Texts that look like the form in which they are kept.
      {.code = kBad, .reason = "3:abc,", .args = {{"", ":"}, {",", "12:"}}},
      {.code = kBad,
       .args = {{std::string("\0x", 2), std::string(100'000, ',')}},
       .message = std::string("a\0b", 3)},
  };
}

TEST(CallErrorTest, ComesBackFromAStatus) {
  for (const CallError& error : Errors()) {
    const absl::Status status = MakeCallError(error);
    EXPECT_EQ(status.code(), error.code);
    EXPECT_EQ(CallErrorOf(status), error);
    const absl::Status copy = status;
    EXPECT_EQ(CallErrorOf(copy), error);
  }
}

TEST(CallErrorTest, TheMessageBeginsWithTheField) {
  EXPECT_EQ(MessageOf(InvalidField("options.x", "is negative")),
            "options.x: is negative");
  EXPECT_EQ(MessageOf(LimitError("max_joints", 4, "too many")), "too many");
  EXPECT_EQ(MessageOf(InsideField("options", InvalidField("x", "is odd"))),
            "options.x: is odd");
}

// The message began with "items[1].: ".
TEST(CallErrorTest, AnErrorWithoutAFieldHasThePathAsItsField) {
  const absl::Status status =
      InsideField("items[1]", LimitError("max_joints", 4, "too many"));
  EXPECT_EQ(MessageOf(status), "items[1]: too many");
  EXPECT_EQ(CallErrorOf(status).field, "items[1]");
}

TEST(CallErrorTest, ConstructorsSetTheirParts) {
  const CallError field = CallErrorOf(InvalidField("options.x", "is negative"));
  EXPECT_EQ(field.code, kBad);
  EXPECT_EQ(field.reason, "FIELD_INVALID");
  EXPECT_EQ(field.field, "options.x");
  EXPECT_EQ(field.message, "is negative");
  const CallError limit = CallErrorOf(LimitError("max_joints", 4, "5", "f"));
  EXPECT_EQ(limit.code, absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(limit.reason, "LIMIT_EXCEEDED");
  EXPECT_EQ(limit.limit_name, "max_joints");
  EXPECT_EQ(limit.limit, 4);
  EXPECT_EQ(limit.field, "f");
}

TEST(CallErrorTest, AStatusThatWasMadeOtherwiseHasCodeAndMessage) {
  const CallError error = CallErrorOf(MakeStatus(kBad, "a: b"));
  EXPECT_EQ(error, (CallError{.code = kBad, .message = "a: b"}));
  EXPECT_EQ(MakeCallError(error), MakeStatus(kBad, "a: b"));
  EXPECT_TRUE(MakeCallError({}).ok());
}

TEST(CallErrorTest, AnArgIsFoundByItsName) {
  const CallError error = {.args = {{"a", "1"}, {"b", ""}, {"c", "3"}}};
  EXPECT_EQ(FindArg(error, "a"), "1");
  EXPECT_EQ(FindArg(error, "c"), "3");
  EXPECT_EQ(FindArg(error, "b"), "");
  EXPECT_EQ(FindArg(error, "d"), "");
}

TEST(CallErrorTest, APrintedStatusCanBeRead) {
  std::ostringstream out;
  out << InvalidField("options.x", "is negative");
  EXPECT_THAT(out.str(), HasSubstr("13:FIELD_INVALID,9:options.x,"));
}

TEST(MetadataTest, HasFieldAndLimitBeforeTheArgs) {
  EXPECT_THAT(
      MetadataOf(CallErrorOf(LimitError("max_joints", 4, "5 are", "f"))),
      ElementsAre(Pair("field", "f"), Pair("limit_name", "max_joints"),
                  Pair("limit", "4")));
  EXPECT_THAT(MetadataOf(CallErrorOf(MakeStatus(kBad, "m"))), IsEmpty());
}

TEST(MetadataTest, IsReadAsItWasWritten) {
  for (const CallError& error : Errors()) {
    CallError read{.code = error.code, .reason = error.reason};
    read.message = error.message;
    SetMetadata(MetadataOf(error), &read);
    EXPECT_EQ(read, error);
  }
}

// Peers may send anything: nothing is lost, and nothing is made up.
TEST(MetadataTest, ALimitThatIsNoneStaysAnArg) {
  const ErrorArgs cases[] = {
      {{"limit_name", "max_joints"}},
      {{"limit", "4"}},
      {{"limit_name", "max_joints"}, {"limit", "four"}},
      {{"limit_name", ""}},
      {{"limit_name", ""}, {"limit", "4"}},
      {{"limit", ""}},
      {{"field", ""}},
      {{"limit_name", "max_joints"}, {"limit", "04"}},
      {{"limit_name", "max_joints"}, {"limit", "99999999999999999999"}},
  };
  for (const ErrorArgs& metadata : cases) {
    CallError error;
    SetMetadata(metadata, &error);
    EXPECT_EQ(error.limit_name, "");
    EXPECT_EQ(error.limit, 0);
    EXPECT_EQ(error.args, metadata);
    EXPECT_EQ(MetadataOf(error), metadata);
  }
}

}  // namespace
}  // namespace bvhmill::testing
