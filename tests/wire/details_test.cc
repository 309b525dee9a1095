// Details of errors: what a stock client of google.rpc decodes.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ostream>
#include <string>
#include <vector>

#include "bvhmill/base/status.h"
#include "bvhmill/base/text.h"
#include "bvhmill/wire/status.h"
#include "tests/support/error_parts.h"
#include "tests/wire/samples.h"

namespace bvhmill::testing {
namespace {

constexpr absl::StatusCode kBad = absl::StatusCode::kInvalidArgument;
constexpr absl::StatusCode kExhausted = absl::StatusCode::kResourceExhausted;
constexpr size_t kMaxTrailer = 8192;
constexpr size_t kMaxDetails = 2048;
constexpr char kTypes[] = "type.googleapis.com/google.rpc.";

v1::RpcStatus Parse(const std::string& bytes) {
  v1::RpcStatus status;
  EXPECT_TRUE(status.ParseFromString(bytes));
  return status;
}

v1::RpcStatus DetailsOf(const absl::Status& status, const ErrorParts& parts) {
  return Parse(wire::SerializeDetails(WithParts(status, parts)));
}

// The detail of google.rpc.NAME, decoded; fails the test unless there is one.
template <typename Message>
Message Detail(const v1::RpcStatus& status, const std::string& name) {
  Message message;
  int found = 0;
  for (const auto& any : status.details()) {
    if (any.type_url() != kTypes + name) continue;
    ++found;
    EXPECT_TRUE(message.ParseFromString(any.value()));
  }
  EXPECT_EQ(found, 1) << name << "\n" << status.DebugString();
  return message;
}

// An edit that does not fit a clip has both: a reason, and its field.
TEST(Details, OfAnEditNameReasonAndField) {
  const ErrorParts parts{"EDIT_DOES_NOT_FIT",
                         {{"field", "options.edits.frames"}}};
  const v1::RpcStatus status =
      DetailsOf(MakeStatus(kBad, "begins at 9"), parts);
  ASSERT_EQ(status.details_size(), 2);
  EXPECT_EQ(Detail<v1::ErrorInfo>(status, "ErrorInfo").reason(),
            "EDIT_DOES_NOT_FIT");
  const auto request = Detail<v1::BadRequest>(status, "BadRequest");
  EXPECT_EQ(request.field_violations(0).field(), "options.edits.frames");
  EXPECT_EQ(request.field_violations(0).description(), "begins at 9");
}

TEST(Details, OfAFileNameReasonAndPlace) {
  const ErrorParts parts{"TEXT_EMPTY", {{"line", "1"}, {"column", "2"}}};
  const v1::RpcStatus status =
      DetailsOf(MakeStatus(kBad, "1:2: error: TEXT_EMPTY: it is"), parts);
  EXPECT_EQ(status.code(), 3);
  EXPECT_EQ(status.message(), "1:2: error: TEXT_EMPTY: it is");
  ASSERT_EQ(status.details_size(), 1);
  const auto info = Detail<v1::ErrorInfo>(status, "ErrorInfo");
  EXPECT_EQ(info.reason(), "TEXT_EMPTY");
  EXPECT_EQ(info.domain(), wire::kErrorDomain);
  EXPECT_EQ(info.metadata().at("line"), "1");
  EXPECT_EQ(info.metadata().at("column"), "2");
}

TEST(Details, OfALimitNameIt) {
  const ErrorParts parts{"LIMIT_JOINTS",
                         {{"limit", "4"}, {"limit_name", "max_joints"}}};
  const v1::RpcStatus status =
      DetailsOf(MakeStatus(kExhausted, "too many"), parts);
  EXPECT_EQ(status.code(), 8);
  ASSERT_EQ(status.details_size(), 2);
  EXPECT_EQ(Detail<v1::ErrorInfo>(status, "ErrorInfo").reason(),
            "LIMIT_JOINTS");
  const auto quota = Detail<v1::QuotaFailure>(status, "QuotaFailure");
  ASSERT_EQ(quota.violations_size(), 1);
  EXPECT_EQ(quota.violations(0).subject(), "max_joints");
  EXPECT_NE(quota.violations(0).description(), "");
}

TEST(Details, OfAnOptionNameItsField) {
  const v1::RpcStatus status =
      DetailsOf(InvalidField("options.outputs[1].id", "it: is used"), {});
  ASSERT_EQ(status.details_size(), 2);
  EXPECT_EQ(Detail<v1::ErrorInfo>(status, "ErrorInfo").reason(),
            "FIELD_INVALID");
  const auto bad = Detail<v1::BadRequest>(status, "BadRequest");
  ASSERT_EQ(bad.field_violations_size(), 1);
  EXPECT_EQ(bad.field_violations(0).field(), "options.outputs[1].id");
  EXPECT_EQ(bad.field_violations(0).description(), "it: is used");
}

TEST(Details, OfAResourceNameIt) {
  const ErrorParts parts{
      "SCOPE_MISSING",
      {{"resource_type", "method"}, {"resource_name", "Convert"}}};
  const v1::RpcStatus status = DetailsOf(
      MakeStatus(absl::StatusCode::kPermissionDenied, "it lacks"), parts);
  ASSERT_EQ(status.details_size(), 2);
  const auto resource = Detail<v1::ResourceInfo>(status, "ResourceInfo");
  EXPECT_EQ(resource.resource_type(), "method");
  EXPECT_EQ(resource.resource_name(), "Convert");
  EXPECT_EQ(resource.description(), "it lacks");
}

std::string Letters(size_t count) { return std::string(count, 'x'); }

// Longer texts are cut and end in dots, so that the details fit into a trailer.
TEST(Details, AreCutBeyondTheirBounds) {
  const auto info_of = [](const ErrorParts& parts) {
    return Detail<v1::ErrorInfo>(DetailsOf(MakeStatus(kBad, ""), parts),
                                 "ErrorInfo");
  };
  ErrorParts parts;
  parts.reason = Letters(64);
  parts.metadata = {{Letters(40), Letters(80)}};
  const v1::ErrorInfo whole = info_of(parts);
  EXPECT_EQ(whole.reason(), Letters(64));
  EXPECT_EQ(whole.metadata().at(Letters(40)), Letters(80));
  parts.reason += "x";
  parts.metadata = {{Letters(41), Letters(81)}};
  const v1::ErrorInfo cut = info_of(parts);
  EXPECT_EQ(cut.reason(), Letters(61) + "...");
  EXPECT_EQ(cut.metadata().at(Letters(37) + "..."), Letters(77) + "...");
  parts.metadata.clear();
  for (int i = 0; i < 10; ++i) parts.metadata.emplace_back(Letters(i + 1), "");
  EXPECT_EQ(info_of(parts).metadata_size(), 10);
  parts.metadata.emplace_back("one more", "");
  EXPECT_EQ(info_of(parts).metadata_size(), 10);
  EXPECT_FALSE(info_of(parts).metadata().contains("one more"));
}

TEST(Details, MessagesAreCutBeyondTheirBounds) {
  const ErrorParts parts{"LIMIT_EXCEEDED",
                         {{"limit_name", "max_joints"}, {"limit", "4"}}};
  const auto description = [&](size_t bytes) {
    const v1::RpcStatus status =
        DetailsOf(MakeStatus(kExhausted, Letters(bytes)), parts);
    return Detail<v1::QuotaFailure>(status, "QuotaFailure")
        .violations(0)
        .description();
  };
  EXPECT_EQ(description(400), Letters(400));
  EXPECT_EQ(description(401), Letters(397) + "...");
  EXPECT_EQ(DetailsOf(MakeStatus(kBad, Letters(1024)), parts).message(),
            Letters(1024));
  EXPECT_EQ(DetailsOf(MakeStatus(kBad, Letters(1025)), parts).message(),
            Letters(1021) + "...");
}

TEST(Details, AreNoneWithoutReasonAndField) {
  const absl::StatusCode code = absl::StatusCode::kUnavailable;
  EXPECT_EQ(DetailsOf(MakeStatus(code, "a: b"), {}).details_size(), 0);
  EXPECT_EQ(DetailsOf(MakeStatus(kBad, "no field"), {}).details_size(), 0);
}

TEST(Details, ErrorComesBack) {
  const ErrorParts errors[] = {
      {"TEXT_EMPTY", {}},
      {"LIMIT_JOINTS", {{"limit", "4"}, {"limit_name", "max_joints"}}},
      {"TEXT_COMMENT", {{"a", ""}, {"joint_name", "\u817f"}, {"line", "1"}}},
  };
  for (const ErrorParts& parts : errors) {
    const absl::Status status = WithParts(MakeStatus(kExhausted, "no"), parts);
    const std::string details = wire::SerializeDetails(status);
    EXPECT_EQ(PartsOf(wire::FromDetails(kExhausted, "no", details)), parts);
  }
}

TEST(Details, ThatCannotBeReadAreIgnored) {
  for (const std::string_view bytes :
       {"", "\xff\xff\xff", "no message", "\x1a\x05zzz"}) {
    const absl::Status status = wire::FromDetails(kBad, "why", bytes);
    EXPECT_EQ(status, MakeStatus(kBad, "why")) << bytes;
    EXPECT_EQ(PartsOf(status), ErrorParts());
  }
}

struct Hostile {
  const char* name;
  absl::Status status;
  ErrorParts parts;
};

void PrintTo(const Hostile& hostile, std::ostream* out) {
  *out << hostile.name;
}

// Bytes that are longer once they are printable.
ErrorParts ControlEntries(const std::string& value) {
  ErrorParts parts{"TEXT_EMPTY", {{"limit_name", value}, {"limit", "1"}}};
  for (int i = 0; i < 20; ++i) {
    parts.metadata.emplace_back("key" + std::to_string(i), value);
  }
  return parts;
}

ErrorParts ManyEntries() {
  ErrorParts parts{"TEXT_EMPTY", {}};
  for (int i = 0; i < 5000; ++i) {
    parts.metadata.emplace_back("key" + std::to_string(i), "value");
  }
  return parts;
}

std::vector<Hostile> HostileCases() {
  const std::string big(100'000, 'x');
  // Cut anywhere, these bytes are no UTF-8.
  std::string wide;
  for (int i = 0; i < 40'000; ++i) wide += "\u817f";
  const std::string control(5000, '\x01');
  const std::string raw = "\x83\x52\xff\xfe bytes \xc3";
  const ErrorParts long_value{"TEXT_EMPTY", {{"word", big}, {"line", "1"}}};
  return {
      {"LongMessage", MakeStatus(kBad, big), {}},
      {"LongField", InvalidField(big, big), {}},
      {"LongReason", MakeStatus(kBad, "m"), {big, {}}},
      {"LongValue", MakeStatus(kBad, big), long_value},
      {"LongKey", MakeStatus(kBad, "m"), {"TEXT_EMPTY", {{big, "1"}}}},
      {"LongResource",
       MakeStatus(kExhausted, big),
       {"R", {{"resource_type", big}, {"resource_name", big}}}},
      {"RawResource",
       MakeStatus(kBad, raw),
       {"R", {{"resource_type", raw}, {"resource_name", raw}}}},
      {"LongLimit",
       MakeStatus(kExhausted, big),
       {"R", {{"limit_name", big}, {"limit", "1"}}}},
      {"ManyEntries", MakeStatus(kBad, "m"), ManyEntries()},
      {"ControlBytes", MakeStatus(kExhausted, control),
       ControlEntries(control)},
      {"WideMessage", MakeStatus(kBad, wide), {}},
      {"WideMessageOddly", MakeStatus(kBad, "x" + wide), {}},
      {"WideField", InvalidField("xx" + wide, wide), {}},
      {"WideValue", MakeStatus(kBad, "m"), {"R", {{"word", "x" + wide}}}},
      {"RawMessage", MakeStatus(kBad, raw), {}},
      {"RawField", InvalidField(raw, raw), {}},
      {"RawValue", MakeStatus(kBad, raw), {"R", {{"word", raw}}}},
      {"RawKey", MakeStatus(kBad, raw), {"R", {{raw, "1"}}}},
      {"RawReason", MakeStatus(kBad, raw), {raw, {}}},
      {"RawLimit",
       MakeStatus(kExhausted, raw),
       {"R", {{"limit_name", raw}, {"limit", "1"}}}},
  };
}

class HostileTest : public ::testing::TestWithParam<Hostile> {};

INSTANTIATE_TEST_SUITE_P(Details, HostileTest,
                         ::testing::ValuesIn(HostileCases()),
                         [](const auto& info) { return info.param.name; });

TEST_P(HostileTest, StaysSmall) {
  const std::string bytes =
      wire::SerializeDetails(WithParts(GetParam().status, GetParam().parts));
  EXPECT_LT(bytes.size(), kMaxTrailer);
  size_t details = 0;
  const v1::RpcStatus status = Parse(bytes);
  for (const auto& any : status.details()) {
    details += any.ByteSizeLong();
  }
  EXPECT_LE(details, kMaxDetails);
}

// A parser of another language refuses strings that are no UTF-8.
TEST_P(HostileTest, IsUtf8) {
  const v1::RpcStatus status = DetailsOf(GetParam().status, GetParam().parts);
  EXPECT_TRUE(IsUtf8(status.message()));
  for (const auto& any : status.details()) {
    EXPECT_TRUE(any.type_url().starts_with(kTypes)) << any.type_url();
    v1::ErrorInfo info;
    v1::QuotaFailure quota;
    v1::ResourceInfo resource;
    v1::BadRequest bad;
    const bool parsed = any.type_url().ends_with("ErrorInfo")
                            ? info.ParseFromString(any.value())
                        : any.type_url().ends_with("Failure")
                            ? quota.ParseFromString(any.value())
                        : any.type_url().ends_with("ResourceInfo")
                            ? resource.ParseFromString(any.value())
                            : bad.ParseFromString(any.value());
    EXPECT_TRUE(parsed) << any.type_url();
  }
}

// Cutting shortens the reason; it stays.
TEST_P(HostileTest, KeepsThatThereIsAReason) {
  const absl::Status status = WithParts(GetParam().status, GetParam().parts);
  const absl::Status back =
      wire::FromDetails(kBad, "", wire::SerializeDetails(status));
  EXPECT_EQ(ReasonOf(back).empty(), ReasonOf(status).empty());
}

// Inside of results the same strings travel.
TEST_P(HostileTest, ParsesInsideOfResults) {
  v1::Status message;
  EXPECT_TRUE(message.ParseFromString(
      wire::ToProto(WithParts(GetParam().status, GetParam().parts))
          .SerializeAsString()));
  EXPECT_EQ(message.code(), static_cast<int>(GetParam().status.code()));
}

}  // namespace
}  // namespace bvhmill::testing
