// Reports and other files that the command line names replace no other file.

#include <gmock/gmock.h>

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "bvhmill/base/status.h"
#include "client/cli/io/new_file.h"
#include "tests/support/files.h"

namespace bvhmill::testing {
namespace {

using client::SideFile;
using ::testing::HasSubstr;

TEST(SideFilesTest, AreNoOutputsOfClips) {
  const TempDir place;
  std::vector<Input> inputs(3);
  inputs[0].base = "take";
  inputs[1].base = "a/./walk";
  inputs[2].base = "x.y";
  const std::pair<const char*, bool> cases[] = {
      {"out/take.csv", true},
      {"out/./take.csv", true},
      {"out/a/../take.npz", true},
      {"out/a/walk.npz", true},
      {"out/x.y.csv", true},
      {"out/.bvhmill-manifest.jsonl", true},
      {"out/a/.bvhmill-manifest.jsonl", false},
      {"out/a/take.csv", false},
      {"out/walk.npz", false},
      {"out/take.bvh", false},
      {"out/take", false},
      {"out/mytake.csv", false},
      {"take.csv", false}};
  for (const auto& [path, is_refused] : cases) {
    const absl::Status status =
        client::CheckIsNoOutput({"--option", place.File(path)},
                                place.File("out"), {".csv", ".npz"}, inputs);
    EXPECT_EQ(absl::IsInvalidArgument(status), is_refused) << path;
    EXPECT_EQ(status.ok(), !is_refused) << path;
  }
}

TEST(SideFilesTest, AreNoFilesThatAreRead) {
  const TempDir place;
  const std::string clip = place.File("clip");
  const std::string list = place.File("list");
  const std::string fresh = place.File("fresh");
  WriteFile(clip, "");
  WriteFile(list, "");
  std::vector<Input> inputs(1);
  inputs[0].path = clip;
  const std::set<FileId> read = {*IdOfFile(list)};
  struct {
    std::vector<SideFile> files;
    const char* why;
  } const cases[] = {
      {{{"--a", fresh}}, ""},
      {{{"--a", clip}}, "is an input"},
      {{{"--a", clip, clip}}, "is an input"},
      {{{"--a", list}}, "is read by this command"},
      {{{"--a", list, list}}, ""},
      {{{"--a", list, clip}}, "is read by this command"},
      {{{"--a", fresh}, {"--b", place.File("./fresh")}}, "is the file of --a"},
      {{{"--a", fresh}, {"--b", place.File("other")}}, ""},
      {{{"--a", "-"}, {"--b", fresh}}, ""},
      {{{"--a", "-"}, {"--b", "-"}}, "is stdout, which takes that of --a"},
      {{{"--a", ""}, {"--b", ""}}, ""},
      {{{"--a", "/dev/null"}, {"--b", "/dev/null"}}, ""}};
  for (const auto& c : cases) {
    const absl::Status status = client::CheckSideFiles(c.files, read, inputs);
    EXPECT_EQ(status.ok(), std::string(c.why).empty()) << status << c.why;
    EXPECT_THAT(std::string(MessageOf(status)), HasSubstr(c.why));
  }
}

}  // namespace
}  // namespace bvhmill::testing
