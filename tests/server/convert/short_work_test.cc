// Work on a clip that a unary call does in the thread where it came in.

#include <gtest/gtest.h>

#include <ostream>

#include "bvhmill/base/status.h"
#include "server/convert/clip_service.h"

namespace bvhmill::testing {
namespace {

using server::IsShort;

struct Request {
  v1::Source source;
  v1::ConvertOptions options;
  // docs/operations.md: up to 256 KiB.
  int64_t bytes = 262'144;

  void AddOutputs(int count) {
    for (int i = 0; i < count; ++i) {
      options.add_outputs()->mutable_positions();
    }
  }
};

struct Case {
  const char* name;
  bool is_short;
  void (*change)(Request*);
};

void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }

constexpr Case kCases[] = {
    {"Plain", true, [](Request*) {}},
    {"NamedBvh", true,
     [](Request* r) { r->source.set_format(v1::SOURCE_FORMAT_BVH); }},
    {"Identity", true,
     [](Request* r) { r->source.set_encoding(v1::CONTENT_ENCODING_IDENTITY); }},
    {"Gzip", false,
     [](Request* r) { r->source.set_encoding(v1::CONTENT_ENCODING_GZIP); }},
    {"Anim", false,
     [](Request* r) { r->source.set_format(v1::SOURCE_FORMAT_ANIM); }},
    {"UnknownFormat", false,
     [](Request* r) {
       r->source.set_format(static_cast<v1::SourceFormat>(99));
     }},
    {"OneByteMore", false, [](Request* r) { ++r->bytes; }},
    {"FourOutputs", true, [](Request* r) { r->AddOutputs(4); }},
    {"FiveOutputs", false, [](Request* r) { r->AddOutputs(5); }},
    {"Edits", false, [](Request* r) { r->options.mutable_edits(); }},
    {"Csv", false, [](Request* r) { r->options.add_outputs()->mutable_csv(); }},
    {"OneOfTwoIsAnim", false,
     [](Request* r) {
       r->AddOutputs(1);
       r->options.add_outputs()->mutable_anim();
     }},
    {"OutputWithoutFormat", false,
     [](Request* r) { r->options.add_outputs(); }},
    {"IgnoresTheLimit", false,
     [](Request* r) {
       r->options.mutable_validation()->add_ignore("LIMIT_*");
     }},
    {"IgnoresOthers", true,
     [](Request* r) { r->options.mutable_validation()->add_ignore("DATA_*"); }},
    {"OnlyOthers", false,
     [](Request* r) { r->options.mutable_validation()->add_only("DATA_*"); }},
    {"OnlyTheLimitAndOthers", true,
     [](Request* r) {
       r->options.mutable_validation()->add_only("DATA_*");
       r->options.mutable_validation()->add_only("LIMIT_FRAMES");
     }},
};

class ShortWorkTest : public ::testing::TestWithParam<Case> {};

INSTANTIATE_TEST_SUITE_P(Server, ShortWorkTest, ::testing::ValuesIn(kCases),
                         [](const auto& info) { return info.param.name; });

TEST_P(ShortWorkTest, IsDecidedByTheRequest) {
  Request request;
  GetParam().change(&request);
  EXPECT_EQ(IsShort(request.source, request.options, request.bytes),
            GetParam().is_short);
}

// Half as many frames as bytes: a row has a digit and a line end. The work is
// ten milliseconds.
TEST(ShortWork, BoundsWhatIsLarger) {
  Limits limits;
  limits.max_clip_work = 0;
  limits.max_clip_work_per_byte = 7;
  limits.max_frames = 131'073;
  server::BoundWork(&limits);
  EXPECT_EQ(limits.max_clip_work, 10'000'000);
  EXPECT_EQ(limits.max_clip_work_per_byte, 0);
  EXPECT_EQ(limits.max_frames, 131'072);
  limits.max_clip_work = 9;
  limits.max_frames = 8;
  server::BoundWork(&limits);
  EXPECT_EQ(limits.max_clip_work, 9);
  EXPECT_EQ(limits.max_frames, 8);
}

absl::Status Exceeded(const char* limit) {
  return MakeCallError({.code = absl::StatusCode::kResourceExhausted,
                        .limit_name = limit,
                        .limit = 1,
                        .message = "too much"});
}

TEST(ShortWork, IsGivenUpByItsOwnBoundsAlone) {
  ConvertResult result;
  EXPECT_FALSE(server::IsGivenUp(result));
  result.status = Exceeded("max_clip_work");
  EXPECT_TRUE(server::IsGivenUp(result));
  result.status = Exceeded("max_clip_memory");
  EXPECT_FALSE(server::IsGivenUp(result));
  result.report.issues.emplace_back().code = "LIMIT_JOINTS";
  EXPECT_FALSE(server::IsGivenUp(result));
  result.report.issues.emplace_back().code = "LIMIT_FRAMES";
  EXPECT_TRUE(server::IsGivenUp(result));
  result.report.issues.clear();
  // The issue may be one that the report does not list.
  result.report.truncated = true;
  EXPECT_TRUE(server::IsGivenUp(result));
}

}  // namespace
}  // namespace bvhmill::testing
