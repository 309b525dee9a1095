// The inputs that a command line names.

#include "bvhmill/files/inputs.h"

#include <gmock/gmock.h>
#include <sys/stat.h>

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "bvhmill/base/status.h"
#include "bvhmill/files/outputs.h"
#include "client/cli/manifest.h"
#include "tests/support/files.h"

namespace bvhmill::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;
namespace fs = std::filesystem;

class InputsTest : public ::testing::Test {
 protected:
  std::string File(const std::string& name, size_t bytes = 3) const {
    const std::string path = place_.File(name);
    fs::create_directories(fs::path(path).parent_path());
    WriteFile(path, std::string(bytes, 'a'));
    return path;
  }
  // "PATH|BASE|BYTES", or "PATH|why".
  std::vector<std::string> Collect(const InputOptions& options,
                                   std::optional<FileId> skip = {}) {
    const auto inputs = CollectInputs(options, skip, nullptr);
    if (!inputs.ok()) return {std::string(MessageOf(inputs.status()))};
    std::vector<std::string> lines;
    const size_t folder = place_.path().size() + 1;
    for (const Input& input : *inputs) {
      const std::string path = input.path.starts_with(place_.path() + "/")
                                   ? input.path.substr(folder)
                                   : input.path;
      lines.push_back(path + "|" +
                      (input.status.ok()
                           ? input.base + "|" + std::to_string(input.bytes)
                           : std::string(MessageOf(input.status))));
    }
    return lines;
  }

  const TempDir place_;
};

TEST_F(InputsTest, OfPathsHaveTheNamesOfTheFiles) {
  InputOptions options;
  options.paths = {File("b/one.bvh", 7),
                   File("a.BVH.gz", 5),
                   File("plain"),
                   File(".bvh"),
                   place_.File("none"),
                   File(std::string(kManifestName)),
                   "-"};
  EXPECT_THAT(Collect(options),
              ElementsAre("b/one.bvh|one|7", "a.BVH.gz|a|5", "plain|plain|3",
                          ".bvh|.bvh|3", StartsWith("none|cannot be read: "),
                          HasSubstr("it is the manifest of a folder"),
                          "stdin.bvh|stdin|0"));
}

TEST_F(InputsTest, OfAFolderAreSortedAfterThoseBeforeIt) {
  File("in/b.bvh");
  File("in/a/c.bvh", 9);
  File("in/a/d.anim");
  File("in/.hidden.bvh");
  File("in/out/e.bvh");
  fs::create_directory_symlink("a", place_.File("in/link"));
  fs::create_symlink("nowhere", place_.File("in/a/x.bvh"));
  ASSERT_EQ(mkfifo(place_.File("in/a/fifo.bvh").c_str(), 0600), 0);
  fs::create_directory(place_.File("empty"));
  InputOptions options;
  options.recursive = true;
  options.paths = {File("z.bvh"), place_.File("in/"), place_.File("empty")};
  EXPECT_THAT(
      Collect(options, IdOfFile(place_.File("in/out"))),
      ElementsAre("z.bvh|z|3", "in/a/c.bvh|a/c|9", "in/a/x.bvh|a/x|0",
                  "in/b.bvh|b|3", "empty|cannot be read: no *.bvh below it"));
  options.from = SourceFormat::kAnim;
  options.paths = {place_.File("in")};
  EXPECT_THAT(Collect(options), ElementsAre("in/a/d.anim|a/d|3"));
  options.recursive = false;
  EXPECT_THAT(Collect(options),
              ElementsAre(HasSubstr("-r takes the .anim files below it")));
}

TEST_F(InputsTest, OfAListKeepTheirFolders) {
  const std::string one = File("a/one.bvh", 8);
  const std::string hidden = File("a/.bvh");
  const std::string list = place_.File("list");
  WriteFile(list, one + "\r\n \t\n\n" + hidden + "\n" + place_.path() + "\n" +
                      std::string("a\0b\n", 4));
  InputOptions options;
  options.filelist = list;
  const auto inputs = CollectInputs(options, {}, nullptr);
  ASSERT_TRUE(inputs.ok());
  ASSERT_EQ(inputs->size(), 4U);
  EXPECT_EQ("/" + (*inputs)[0].base + ".bvh", one);
  EXPECT_EQ((*inputs)[0].bytes, 8);
  EXPECT_EQ("/" + (*inputs)[1].base, hidden);
  EXPECT_THAT(std::string(MessageOf((*inputs)[2].status)),
              HasSubstr("it is a directory"));
  EXPECT_THAT(std::string(MessageOf((*inputs)[3].status)),
              HasSubstr("a zero byte"));
  options.paths = {one};
  WriteFile(list, " \n");
  EXPECT_THAT(Collect(options),
              ElementsAre("a/one.bvh|one|8",
                          "list|cannot be read: the list names no clip"));
}

TEST_F(InputsTest, TheFormatIsTheStatedOneOrFollowsFromTheName) {
  InputOptions options;
  options.paths = {File("a.anim"), File("b.bvh"), File("c.txt")};
  for (const bool is_stated : {false, true}) {
    if (is_stated) options.from = SourceFormat::kAnim;
    const auto inputs = CollectInputs(options, {}, nullptr);
    ASSERT_TRUE(inputs.ok());
    ASSERT_EQ(inputs->size(), 3U);
    const SourceFormat other =
        is_stated ? SourceFormat::kAnim : SourceFormat::kBvh;
    EXPECT_EQ((*inputs)[0].format, SourceFormat::kAnim);
    EXPECT_EQ((*inputs)[1].format, other);
    EXPECT_EQ((*inputs)[2].format, other);
  }
}

TEST_F(InputsTest, StdinIsNamedOnce) {
  InputOptions options;
  EXPECT_THAT(Collect(options), ElementsAre(HasSubstr("INPUT is missing")));
  options.paths = {"-", "-"};
  EXPECT_THAT(Collect(options), ElementsAre("stdin is named twice"));
  options.paths = {"-"};
  options.filelist = "-";
  EXPECT_THAT(Collect(options), ElementsAre("stdin is named twice"));
}

TEST_F(InputsTest, NamesOfOneFileAreDroppedButTheFirst) {
  const std::string one = File("a/one.bvh");
  fs::create_directory_symlink("a", place_.File("way"));
  fs::create_symlink("one.bvh", place_.File("a/link.bvh"));
  std::vector<Input> inputs;
  for (const std::string& path :
       {one, place_.File("a/../a/./one.bvh"), place_.File("way/one.bvh"),
        place_.File("a/link.bvh"), place_.File("none"), place_.File("none")}) {
    inputs.emplace_back().path = path;
  }
  for (int i = 0; i < 2; ++i) {
    Input& input = inputs.emplace_back();
    input.path = "stdin.bvh";
    input.is_stdin = true;
  }
  EXPECT_EQ(IdsOfFiles(inputs).size(), 1U);
  EXPECT_THAT(DropRepeated(&inputs),
              ElementsAre(place_.File("a/../a/./one.bvh"),
                          place_.File("way/one.bvh"), place_.File("none")));
  EXPECT_EQ(inputs.size(), 5U);
}

TEST_F(InputsTest, OutputsOfTwoInputsHaveDifferentNames) {
  struct {
    const char* base;
    bool is_bad;
    const char* normalized;
    const char* why;
  } const cases[] = {{"a", false, "a", ""},
                     {"./a", false, "./a", "gives the same outputs as path0"},
                     {"b//c/.", false, "b/c", ""},
                     {"b/c", false, "b/c", "the same outputs as path2"},
                     {"../a", false, "../a", "would leave the output"},
                     {"/a", false, "/a", "would leave the output"},
                     {"d", true, "d", "missing"},
                     {"d", false, "d", ""}};
  std::vector<Input> inputs;
  for (const auto& c : cases) {
    Input& input = inputs.emplace_back();
    input.path = "path" + std::to_string(inputs.size() - 1);
    input.base = c.base;
    if (c.is_bad) input.status = absl::NotFoundError("missing");
  }
  ClaimOutputs(&inputs);
  for (size_t i = 0; i < inputs.size(); ++i) {
    const std::string why(MessageOf(inputs[i].status));
    EXPECT_EQ(why.empty(), std::string(cases[i].why).empty()) << i;
    EXPECT_THAT(why, HasSubstr(cases[i].why));
    if (why.empty()) {
      EXPECT_EQ(inputs[i].base, cases[i].normalized);
    }
  }
}

}  // namespace
}  // namespace bvhmill::testing
