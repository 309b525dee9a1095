// The manifest of a folder of outputs.

#include "client/cli/manifest.h"

#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "bvhmill/base/status.h"
#include "tests/support/files.h"

namespace bvhmill::testing {
namespace {

using client::MadeClip;
using client::Manifest;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

MadeClip SomeClip() {
  MadeClip made;
  made.outputs = {{".csv", 47}, {".npz", 11}};
  made.options = "0123";
  made.input = {"/takes/a.bvh", 5, 6, 7, "89ab"};
  return made;
}

class ManifestTest : public ::testing::Test {
 protected:
  ManifestTest()
      : folder_(*OutputDir::Open(place_.path())),
        path_(place_.File(std::string(kManifestName))) {}

  std::unique_ptr<Manifest> Read() {
    auto manifest = std::make_unique<Manifest>(&folder_);
    EXPECT_TRUE(manifest->Read().ok());
    return manifest;
  }

  const TempDir place_;
  const OutputDir folder_;
  const std::string path_;
};

TEST_F(ManifestTest, AClipThatIsDoneIsReadBack) {
  ASSERT_TRUE(Read()->Finish("a/walk", SomeClip()).ok());
  const auto manifest = Read();
  EXPECT_EQ(manifest->Find("a/run"), nullptr);
  const MadeClip* const made = manifest->Find("a/walk");
  ASSERT_NE(made, nullptr);
  EXPECT_TRUE(made->is_done);
  EXPECT_THAT(made->outputs, ElementsAre(Pair(".csv", 47), Pair(".npz", 11)));
  EXPECT_EQ(made->options, "0123");
  EXPECT_EQ(made->input.path, "/takes/a.bvh");
  EXPECT_EQ(made->input.size, 5);
  EXPECT_EQ(made->input.modified, 6);
  EXPECT_EQ(made->input.changed, 7);
  EXPECT_EQ(made->input.sha256, "89ab");
}

// The last line of a clip counts. Outputs that earlier lines name are known.
TEST_F(ManifestTest, AClipThatIsBegunAgainIsNotDone) {
  const auto first = Read();
  ASSERT_TRUE(first->Finish("a", SomeClip()).ok());
  ASSERT_TRUE(first->Begin("a", {".bvh", ".csv"}, "/takes/b.bvh").ok());
  EXPECT_EQ(first->Find("a"), nullptr);
  const auto second = Read();
  const MadeClip* made = second->Find("a");
  ASSERT_NE(made, nullptr);
  EXPECT_FALSE(made->is_done);
  EXPECT_EQ(made->input.path, "/takes/b.bvh");
  EXPECT_EQ(made->input.size, MadeClip::kUnknown);
  EXPECT_EQ(made->options, "");
  EXPECT_THAT(made->outputs,
              ElementsAre(Pair(".bvh", MadeClip::kUnknown),
                          Pair(".csv", MadeClip::kUnknown), Pair(".npz", 11)));
  MadeClip again = SomeClip();
  again.outputs = {{".csv", 48}};
  ASSERT_TRUE(second->Finish("a", again).ok());
  made = nullptr;
  const auto third = Read();
  made = third->Find("a");
  ASSERT_NE(made, nullptr);
  EXPECT_TRUE(made->is_done);
  EXPECT_THAT(made->outputs,
              ElementsAre(Pair(".bvh", MadeClip::kUnknown), Pair(".csv", 48),
                          Pair(".npz", MadeClip::kUnknown)));
}

TEST_F(ManifestTest, HasOneLineForEachStep) {
  Manifest manifest(&folder_);
  const std::string odd = "caf\xE9";
  ASSERT_TRUE(manifest.Begin(odd, {".csv", ".npz"}, "").ok());
  ASSERT_TRUE(manifest.Begin("b", {}, "/b").ok());
  ASSERT_TRUE(manifest.Finish(odd, SomeClip()).ok());
  EXPECT_EQ(ReadFile(path_),
            R"({"clip":"bytes:caf\\xE9","begun":[".csv",".npz"],)"
            R"("input":{"path":""}})"
            "\n"
            R"({"clip":"b","begun":[],"input":{"path":"/b"}})"
            "\n"
            R"({"clip":"bytes:caf\\xE9","done":{".csv":47,".npz":11},)"
            R"("options":"0123","input":{"path":"/takes/a.bvh","size":5,)"
            R"("modified":6,"changed":7,"sha256":"89ab"}})"
            "\n");
  EXPECT_NE(Read()->Find(odd), nullptr);
}

TEST_F(ManifestTest, ALineWithoutAnEndIsIgnoredAndEnded) {
  ASSERT_TRUE(Manifest(&folder_).Begin("a", {".csv"}, "").ok());
  const std::string lines = ReadFile(path_);
  WriteFile(path_, lines + R"({"clip":"b","done":{}})");
  const auto manifest = Read();
  EXPECT_NE(manifest->Find("a"), nullptr);
  EXPECT_EQ(manifest->Find("b"), nullptr);
  ASSERT_TRUE(manifest->Begin("c", {}, "").ok());
  ASSERT_TRUE(manifest->Begin("d", {}, "").ok());
  const auto next = Read();
  for (const char* clip : {"a", "b", "c", "d"}) {
    EXPECT_NE(next->Find(clip), nullptr) << clip;
  }
  EXPECT_EQ(ReadFile(path_).find("\n\n"), std::string::npos);
}

TEST_F(ManifestTest, AFirstByteWithoutAnEndIsEnded) {
  WriteFile(path_, "{");
  ASSERT_TRUE(Read()->Begin("a", {}, "").ok());
  EXPECT_NE(Read()->Find("a"), nullptr);
}

TEST_F(ManifestTest, OtherLinesAreIgnored) {
  WriteFile(path_,
            "rubbish\n\n[1]\n{}\n{\"clip\":7}\n{\"clip\":\"a\"}\n"
            "{\"done\":{},\"begun\":[\".csv\"]}\n"
            R"({"clip":"b","begun":[7,".csv"],"input":7,"options":7})"
            "\n"
            R"({"clip":"c","done":{".csv":"x",".npz":1.5},"input":)"
            R"({"path":7,"size":"5"}})"
            "\n");
  const auto manifest = Read();
  for (const char* clip : {"", "a", "7"}) {
    EXPECT_EQ(manifest->Find(clip), nullptr) << clip;
  }
  const MadeClip* const b = manifest->Find("b");
  ASSERT_NE(b, nullptr);
  EXPECT_THAT(b->outputs, ElementsAre(Pair(".csv", MadeClip::kUnknown)));
  EXPECT_EQ(b->input.path, "");
  const MadeClip* const c = manifest->Find("c");
  ASSERT_NE(c, nullptr);
  EXPECT_THAT(c->outputs, ElementsAre(Pair(".csv", MadeClip::kUnknown),
                                      Pair(".npz", MadeClip::kUnknown)));
  EXPECT_EQ(c->input.path, "");
  EXPECT_EQ(c->input.size, MadeClip::kUnknown);
}

// More than what is read at once.
TEST_F(ManifestTest, MayBeLong) {
  constexpr int kClips = 10'000;
  std::string lines;
  for (int i = 0; i < kClips; ++i) {
    lines +=
        R"({"clip":")" + std::to_string(i) + R"(","begun":[".csv"]})" + "\n";
  }
  WriteFile(path_, lines);
  const auto manifest = Read();
  for (int i = 0; i < kClips; ++i) {
    ASSERT_NE(manifest->Find(std::to_string(i)), nullptr) << i;
  }
}

TEST_F(ManifestTest, ANewOneStatesWhenItWasMade) {
  EXPECT_FALSE(Manifest(&folder_).IsOlder(0)) << "not read";
  const auto first = Read();
  EXPECT_TRUE(first->IsOlder(int64_t{1} << 62)) << "nothing is known";
  ASSERT_TRUE(first->Begin("a", {}, "").ok());
  ASSERT_TRUE(first->Begin("b", {}, "").ok());
  const std::string lines = ReadFile(path_);
  EXPECT_THAT(lines, ::testing::StartsWith(R"({"unknown_before":)"));
  EXPECT_EQ(lines.find("unknown", 5), std::string::npos);
  const auto second = Read();
  const int64_t time = std::stoll(lines.substr(lines.find(':') + 1));
  EXPECT_TRUE(second->IsOlder(time - 1));
  EXPECT_FALSE(second->IsOlder(time));
  ASSERT_TRUE(second->Begin("c", {}, "").ok());
  EXPECT_EQ(ReadFile(path_).rfind("unknown"), lines.find("unknown"));
}

TEST_F(ManifestTest, ThatOfAnotherRunMadeMeanwhileGetsNoTime) {
  const auto first = Read();
  const auto second = Read();
  ASSERT_TRUE(Manifest(&folder_).Begin("a", {}, "").ok());
  ASSERT_TRUE(first->Begin("b", {}, "").ok());
  EXPECT_EQ(ReadFile(path_).find("unknown"), std::string::npos);
  ASSERT_TRUE(second->Begin("c", {}, "").ok());
  ASSERT_TRUE(first->Begin("d", {}, "").ok());
  const auto all = Read();
  for (const char* clip : {"a", "b", "c", "d"}) {
    EXPECT_NE(all->Find(clip), nullptr) << clip;
  }
}

TEST_F(ManifestTest, IsNoLink) {
  std::filesystem::create_symlink("elsewhere", path_);
  Manifest manifest(&folder_);
  for (const absl::Status& status :
       {manifest.Read(), manifest.Begin("a", {}, "")}) {
    EXPECT_TRUE(absl::IsFailedPrecondition(status));
    EXPECT_THAT(std::string(MessageOf(status)),
                HasSubstr(path_ + ": cannot be"));
    EXPECT_THAT(std::string(MessageOf(status)), HasSubstr("symbolic link"));
  }
  EXPECT_FALSE(std::filesystem::exists(place_.File("elsewhere")));
}

// A pipe would keep it waiting, and a line without an end would take all
// memory.
TEST_F(ManifestTest, IsAFileWithLines) {
  ASSERT_EQ(mkfifo(path_.c_str(), 0600), 0);
  EXPECT_EQ(MessageOf(Manifest(&folder_).Read()),
            path_ + ": cannot be read: it is no file");
  ASSERT_EQ(unlink(path_.c_str()), 0);
  WriteFile(path_, "");
  ASSERT_EQ(truncate(path_.c_str(), off_t{1} << 30), 0);
  EXPECT_EQ(MessageOf(Manifest(&folder_).Read()),
            path_ + ": cannot be read: File too large");
}

TEST_F(ManifestTest, MayBeReadByAllWhomTheMaskOfTheProcessAllows) {
  const mode_t mask = umask(027);
  EXPECT_TRUE(Manifest(&folder_).Begin("a", {}, "").ok());
  umask(mask);
  struct stat info = {};
  ASSERT_EQ(stat(path_.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0640U);
}

TEST(OptionsDigestTest, DiffersWithEachPart) {
  ConvertOptions plain;
  ConvertOptions strict;
  strict.report.strict = true;
  const std::string first = client::OptionsDigest(plain, {}, "engine");
  EXPECT_EQ(first.size(), 64U);
  EXPECT_EQ(first, client::OptionsDigest(plain, {}, "engine"));
  EXPECT_NE(first, client::OptionsDigest(strict, {}, "engine"));
  EXPECT_NE(first, client::OptionsDigest(plain, {}, "engine2"));
  const std::string bvh =
      client::OptionsDigest(plain, SourceFormat::kBvh, "engine");
  EXPECT_NE(first, bvh);
  EXPECT_NE(bvh, client::OptionsDigest(plain, SourceFormat::kAnim, "engine"));
}

}  // namespace
}  // namespace bvhmill::testing
