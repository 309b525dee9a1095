// The toy format "frames", which add_frames.py adds in four files.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cctype>
#include <filesystem>
#include <string>
#include <vector>

#include "bvhmill/encode/encode.h"
#include "bvhmill/pipeline/convert.h"
#include "bvhmill/wire/options.h"
#include "tests/support/files.h"

namespace bvhmill::testing {
namespace {

namespace fs = std::filesystem;

using ::testing::ElementsAre;
using ::testing::UnorderedElementsAre;

constexpr char kThreeFrames[] =
    "HIERARCHY\nROOT Hips\n{\n  OFFSET 0 0 0\n  CHANNELS 1 Xposition\n"
    "  End Site\n  {\n    OFFSET 0 1 0\n  }\n}\n"
    "MOTION\nFrames: 3\nFrame Time: 0.1\n1\n2\n3\n";

std::vector<std::string> FilesBelow(const std::string& folder) {
  std::vector<std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (!entry.is_regular_file()) continue;
    files.push_back(fs::relative(entry.path(), folder).string());
  }
  return files;
}

TEST(ToyFormat, TouchesThreeFiles) {
  EXPECT_THAT(FilesBelow(BVHMILL_TOY_OVERLAY),
              UnorderedElementsAre("lib/bvhmill/encode/output.h",
                                   "lib/bvhmill/encode/frames.cc",
                                   "proto/bvhmill/v1/options.proto"));
}

TEST(ToyFormat, IsInTheRegistry) {
  const Format* const format = FindFormat("frames");
  ASSERT_NE(format, nullptr);
  EXPECT_EQ(format->media_type, "text/plain");
  EXPECT_EQ(format->extension, ".frames");
  EXPECT_EQ(format->cost, FormatCost::kText);
  EXPECT_TRUE(std::holds_alternative<FramesFormat>(format->defaults));
}

TEST(ToyFormat, IsMadeFromARequestOfTheApi) {
  v1::ConvertOptions message;
  message.add_outputs()->mutable_frames();
  EXPECT_EQ(wire::FormatOf(message.outputs(0)), FindFormat("frames"));
  ConvertOptions options;
  ASSERT_TRUE(wire::FromProto(message, &options).ok());
  Converter converter(Parallelism::None());
  StringReceiver outputs;
  const ConvertResult result =
      converter.Convert(kThreeFrames, options, &outputs, nullptr);
  ASSERT_TRUE(result.status.ok()) << result.status;
  EXPECT_THAT(outputs.data(), ElementsAre("3\n"));
  ASSERT_EQ(result.outputs.size(), 1);
  EXPECT_EQ(result.outputs[0].id, "frames");
  EXPECT_EQ(result.outputs[0].media_type, "text/plain");
}

TEST(ToyFormat, ComesBackFromItsMessage) {
  ConvertOptions options;
  options.outputs = {{"mine", FramesFormat{}}};
  const v1::ConvertOptions message = wire::ToProto(options);
  ConvertOptions read;
  ASSERT_TRUE(wire::FromProto(message, &read).ok());
  EXPECT_EQ(read.outputs, options.outputs);
}

// The number of formats that `text` names: by their options, or by their fields
// of a request.
int FormatsNamed(const std::string& text) {
  const auto has = [&text](const std::string& name) {
    return text.find(name) != text.npos;
  };
  int named = 0;
  for (const Format& format : Formats()) {
    const std::string field(format.name);
    std::string type = field;
    type[0] = static_cast<char>(std::toupper(type[0]));
    if (has(type + "Format") || has("OutputRequest::k" + type) ||
        has("has_" + field + "()") || has("mutable_" + field + "()")) {
      ++named;
    }
  }
  return named;
}

// A source that names two formats has a list of formats, and needs a change for
// the next one. The compiler finds a format that these do not have.
TEST(ToyFormat, NoOtherSourceListsFormats) {
  std::vector<std::string> lists;
  for (const char* folder : {"lib", "server", "client"}) {
    for (const std::string& file : FilesBelow(SourceFile(folder))) {
      const std::string extension = fs::path(file).extension().string();
      if (extension != ".h" && extension != ".cc" && extension != ".inc") {
        continue;
      }
      const std::string path = std::string(folder) + "/" + file;
      if (FormatsNamed(ReadFile(SourceFile(path))) > 1) lists.push_back(path);
    }
  }
  EXPECT_THAT(lists,
              UnorderedElementsAre("lib/bvhmill/encode/output.h",
                                   // One encoder for three formats.
                                   "lib/bvhmill/encode/tensors.cc",
                                   "lib/bvhmill/wire/options.cc",
                                   // The two arrays that a picture is made of.
                                   "client/cli/picture/picture.cc",
                                   // Flags that only one format can check.
                                   "client/cli/options/option_flags.cc"));
}

}  // namespace
}  // namespace bvhmill::testing
