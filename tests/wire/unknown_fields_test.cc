// Fields that this version of the API does not know.

#include "bvhmill/wire/unknown_fields.h"

#include <gmock/gmock.h>
#include <google/protobuf/unknown_field_set.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "bvhmill/v1/options.pb.h"

namespace bvhmill::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::UnorderedElementsAre;

// Adds fields 1001, 1002 and so on.
void AddFields(int count, google::protobuf::Message* message) {
  google::protobuf::UnknownFieldSet* fields =
      message->GetReflection()->MutableUnknownFields(message);
  for (int i = 1; i <= count; ++i) fields->AddVarint(1000 + i, 1);
}

std::vector<std::string> UnknownFieldsOf(const v1::ConvertOptions& options,
                                         const std::string& path) {
  std::vector<std::string> fields;
  wire::AddUnknownFields(options, path, &fields);
  return fields;
}

TEST(UnknownFields, AreListedWithThePathsOfTheirMessages) {
  v1::ConvertOptions options;
  AddFields(2, &options);
  AddFields(1, options.mutable_read());
  options.add_outputs();
  AddFields(1, options.add_outputs()->mutable_csv());
  EXPECT_THAT(UnknownFieldsOf(options, "options"),
              UnorderedElementsAre("options: field 1001", "options: field 1002",
                                   "options.read: field 1001",
                                   "options.outputs[1].csv: field 1001"));
  std::vector<std::string> own;
  wire::AddOwnUnknownFields(options, "", &own);
  EXPECT_THAT(own, ElementsAre("field 1001", "field 1002"));
}

TEST(UnknownFields, AreSixteenAtMost) {
  for (const int count : {15, 16, 17, 40}) {
    v1::ConvertOptions options;
    AddFields(count, &options);
    const size_t listed = count < 16 ? 15 : 16;
    EXPECT_EQ(UnknownFieldsOf(options, "").size(), listed);
    EXPECT_EQ(UnknownFieldsOf(options, "").back(),
              "field " + std::to_string(1000 + listed));
    v1::ConvertOptions within;
    for (int i = 0; i < count; ++i) AddFields(1, within.add_outputs());
    EXPECT_EQ(UnknownFieldsOf(within, "").size(), listed);
  }
}

TEST(UnknownFields, OfKnownMessagesAreNone) {
  v1::ConvertOptions options;
  options.add_outputs()->mutable_csv();
  EXPECT_TRUE(UnknownFieldsOf(options, "options").empty());
}

}  // namespace
}  // namespace bvhmill::testing
