// Parts of `bvhmill job`: the files of results, and requests that repeat.

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "bvhmill/encode/encode.h"
#include "bvhmill/files/outputs.h"
#include "client/cli/jobs/job_server.h"
#include "client/cli/manifest.h"

namespace bvhmill::client {
namespace {

constexpr char kTensor[] = "application/vnd.bvhmill.tensor";

struct NamedOutput {
  std::string id;
  std::string media_type;
};

v1::ClipResult ResultWith(const std::vector<NamedOutput>& outputs) {
  v1::ClipResult result;
  for (const NamedOutput& output : outputs) {
    v1::Output* const made = result.add_outputs();
    made->set_id(output.id);
    made->set_media_type(output.media_type);
  }
  return result;
}

// The extensions with blanks between them, or the error.
std::string ExtensionsOf(const std::vector<NamedOutput>& outputs,
                         const std::vector<OutputRequest>& requests) {
  const auto found = RequestsOf(ResultWith(outputs), requests);
  if (!found.ok()) return std::string(found.status().message());
  std::string out;
  for (const OutputRequest& request : *found) {
    out += (out.empty() ? "" : " ");
    out += FormatOf(request.format).extension;
  }
  return out;
}

// An item may have options of its own, so that a job with one output has items
// with three, or a table where the job asks for BVH.
TEST(OutputFormats, ThoseOfAnItemNeedNotBeThoseOfTheJob) {
  const std::vector<OutputRequest> bvh = {{"", BvhFormat{}}};
  EXPECT_EQ(ExtensionsOf({{"bvh", "text/x-bvh"}}, bvh), ".bvh");
  EXPECT_EQ(ExtensionsOf({{"csv", "text/csv"}}, bvh), ".csv");
  EXPECT_EQ(ExtensionsOf({{"csv", "text/csv"},
                          {"npz", "application/zip"},
                          {"positions", kTensor}},
                         bvh),
            ".csv .npz .positions.npy");
  EXPECT_EQ(ExtensionsOf({{"rotations", kTensor}}, {}), ".rotations.npy");
  EXPECT_EQ(ExtensionsOf({}, bvh), "");
}

TEST(OutputFormats, OutputsWithOtherIdsAreThoseOfTheJobOrOfTheirMediaType) {
  const std::vector<OutputRequest> requests = {{"world", PositionsFormat{}}};
  EXPECT_EQ(ExtensionsOf({{"world", kTensor}}, requests), ".positions.npy");
  EXPECT_EQ(ExtensionsOf({{"table", "text/csv"}}, requests), ".csv");
  // The id of a request, but not its format.
  EXPECT_EQ(ExtensionsOf({{"world", "text/csv"}}, requests), ".csv");
}

TEST(OutputFormats, OutputsWithoutAFileNameAreRefused) {
  EXPECT_EQ(ExtensionsOf({{"mine", kTensor}}, {}),
            "its output 'mine' is of a format that this program does not know");
  EXPECT_EQ(ExtensionsOf({{"fbx", "model/fbx"}}, {}),
            "its output 'fbx' is of a format that this program does not know");
  EXPECT_EQ(ExtensionsOf({{"a", "text/csv"}, {"b", "text/csv"}}, {}),
            "its output 'b' would have the file of another one");
}

Input WithBase(const std::string& base) {
  Input input;
  input.base = input.path = base;
  return input;
}

// Results come in pages.
TEST(ClaimOutputs, ClaimsOfAnEarlierPageHold) {
  OutputClaims claims;
  std::vector<Input> first = {WithBase("p/q")};
  std::vector<Input> second = {WithBase("p//q"), WithBase("p/r")};
  ClaimOutputs(&first, &claims);
  ClaimOutputs(&second, &claims);
  EXPECT_TRUE(first[0].status.ok());
  EXPECT_FALSE(second[0].status.ok());
  EXPECT_TRUE(second[1].status.ok());
}

TEST(ClaimOutputs, ANameWithAZeroByteIsRefused) {
  std::vector<Input> inputs = {WithBase(std::string("a\0b", 3))};
  ClaimOutputs(&inputs);
  EXPECT_FALSE(inputs[0].status.ok());
}

// The same command must give the same request, or it makes a second job.
TEST(FixedOrder, EqualMapsHaveEqualBytes) {
  v1::ClipResult first;
  v1::ClipResult second;
  const auto put = [](int i, v1::ClipResult* message) {
    auto& args = *message->mutable_report()->add_issues()->mutable_args();
    for (int k = 0; k < 13; ++k) args["joint" + std::to_string((i * k) % 13)];
  };
  put(1, &first);
  put(5, &second);
  EXPECT_EQ(InFixedOrder(first), InFixedOrder(second));
}

}  // namespace
}  // namespace bvhmill::client
