// Files without a name, from which TLS reads keys that are replaced.

#include <fcntl.h>
#include <gmock/gmock.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "server/limits/memory.h"
#include "tests/server/limits/resources.h"
#include "tests/support/files.h"

namespace bvhmill::testing {
namespace {

using server::MemoryFile;

// The numbers of the open files of this process.
int64_t OpenFiles() {
  const std::filesystem::directory_iterator files("/proc/self/fd");
  return std::distance(begin(files), end(files));
}

int NumberOf(const MemoryFile& file) {
  const std::string path = file.path();
  return std::atoi(path.substr(path.rfind('/') + 1).c_str());
}

TEST(MemoryFileTest, EachPutReplacesTheContentAtTheSamePath) {
  MemoryFile file;
  ASSERT_TRUE(file.Put("the first content").ok());
  const std::string path = file.path();
  EXPECT_EQ(ReadFile(path), "the first content");
  for (const char* content : {"second", "", "the third is the longest one"}) {
    ASSERT_TRUE(file.Put(content).ok());
    EXPECT_EQ(file.path(), path);
    EXPECT_EQ(ReadFile(path), content);
  }
}

TEST(MemoryFileTest, AReaderSeesTheContentThatItOpened) {
  MemoryFile file;
  ASSERT_TRUE(file.Put("old").ok());
  std::ifstream reader(file.path());
  ASSERT_TRUE(file.Put("new").ok());
  std::string content;
  reader >> content;
  EXPECT_EQ(content, "old");
}

TEST(MemoryFileTest, LeavesNoFileOpen) {
  const int64_t before = OpenFiles();
  {
    MemoryFile file;
    EXPECT_EQ(OpenFiles(), before);
    for (int i = 0; i < 3; ++i) {
      ASSERT_TRUE(file.Put("content").ok());
      EXPECT_EQ(OpenFiles(), before + 1);
    }
  }
  EXPECT_EQ(OpenFiles(), before);
}

TEST(MemoryFileTest, ProgramsThatAreStartedDoNotGetTheFile) {
  MemoryFile file;
  for (int i = 0; i < 2; ++i) {
    ASSERT_TRUE(file.Put("content").ok());
    EXPECT_EQ(fcntl(NumberOf(file), F_GETFD), FD_CLOEXEC) << i;
  }
}

TEST(MemoryFileTest, APutThatFailsKeepsTheContent) {
  // Else a write beyond the limit ends the process.
  const auto before = std::signal(SIGXFSZ, SIG_IGN);
  MemoryFile file;
  ASSERT_TRUE(file.Put("content").ok());
  const int64_t open_files = OpenFiles();
  struct {
    __rlimit_resource resource;
    rlim_t limit;
  } const cases[] = {{RLIMIT_NOFILE, 0}, {RLIMIT_FSIZE, 4}};
  for (const auto& c : cases) {
    absl::Status status;
    {
      const SoftLimit limit(c.resource, c.limit);
      status = file.Put("another content");
    }
    EXPECT_TRUE(absl::IsResourceExhausted(status)) << c.resource;
    EXPECT_EQ(ReadFile(file.path()), "content");
    EXPECT_EQ(OpenFiles(), open_files);
  }
  std::signal(SIGXFSZ, before);
}

TEST(MemoryFileTest, AFirstPutThatFailsMayBeRepeated) {
  MemoryFile file;
  {
    const SoftLimit limit(RLIMIT_NOFILE, 0);
    EXPECT_TRUE(absl::IsResourceExhausted(file.Put("content")));
  }
  ASSERT_TRUE(file.Put("content").ok());
  EXPECT_EQ(ReadFile(file.path()), "content");
}

}  // namespace
}  // namespace bvhmill::testing
