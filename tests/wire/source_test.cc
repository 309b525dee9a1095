// Formats of sources: the enum of the API against the registry of the library.

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <set>
#include <string>

#include "bvhmill/pipeline/source_format.h"
#include "bvhmill/wire/options.h"

namespace bvhmill::testing {
namespace {

// SOURCE_FORMAT_BVH for "bvh".
std::string NameInApi(std::string_view name) {
  std::string out = "SOURCE_FORMAT_";
  for (const unsigned char c : name) {
    out += static_cast<char>(std::toupper(c));
  }
  return out;
}

TEST(Source, EachFormatHasItsNameAndNumberInTheApi) {
  std::set<std::string> names = {"SOURCE_FORMAT_UNSPECIFIED"};
  for (const SourceFormatInfo& info : SourceFormats()) {
    v1::SourceFormatInfo message;
    wire::ToProto(info, &message);
    EXPECT_EQ(v1::SourceFormat_Name(message.format()), NameInApi(info.name));
    EXPECT_EQ(wire::FromProto(message.format()), info.format);
    EXPECT_EQ(message.name(), info.name);
    EXPECT_EQ(message.media_type(), info.media_type);
    EXPECT_EQ(message.file_extension(), info.extension);
    names.insert(NameInApi(info.name));
  }
  const auto* values = v1::SourceFormat_descriptor();
  EXPECT_EQ(static_cast<size_t>(values->value_count()), names.size())
      << "a value of the API has no row in the registry";
}

TEST(Source, UnspecifiedIsBvh) {
  EXPECT_EQ(wire::FromProto(v1::SOURCE_FORMAT_UNSPECIFIED), SourceFormat::kBvh);
  EXPECT_EQ(wire::ToProto(SourceFormat::kBvh), v1::SOURCE_FORMAT_UNSPECIFIED);
}

TEST(Source, OtherFormatsAreStated) {
  EXPECT_EQ(wire::ToProto(SourceFormat::kAnim), v1::SOURCE_FORMAT_ANIM);
}

TEST(Source, UnknownNumbersAreNoFormat) {
  for (const int number : {-1, 3, 256 + 1, 1 << 30}) {
    EXPECT_EQ(wire::FromProto(static_cast<v1::SourceFormat>(number)),
              std::nullopt);
  }
}

}  // namespace
}  // namespace bvhmill::testing
