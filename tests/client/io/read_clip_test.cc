// The bytes of clips, from files and from pipes, up to a limit.

#include "client/cli/io/read_clip.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include <optional>
#include <string>
#include <thread>
#include <utility>

#include "bvhmill/base/status.h"
#include "bvhmill/files/posix_files.h"
#include "tests/support/files.h"
#include "tests/support/pack.h"

namespace bvhmill::testing {
namespace {

using client::ClipText;
using ::testing::StartsWith;

Input InputAt(const std::string& path) {
  Input input;
  input.path = path;
  return input;
}

// A pipe, and a thread that writes bytes to it. The destructor reads the bytes
// that are left, so that the thread ends.
class FilledPipe {
 public:
  FilledPipe(const std::string& path, const std::string& bytes)
      : reader_(open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC)),
        writer_([path, bytes] { WriteFile(path, bytes); }) {}
  ~FilledPipe() {
    fcntl(reader_.get(), F_SETFL, 0);
    std::string rest(4096, ' ');
    while (read(reader_.get(), rest.data(), rest.size()) > 0) {
    }
  }
  FilledPipe(const FilledPipe&) = delete;
  FilledPipe& operator=(const FilledPipe&) = delete;

 private:
  // Without a reader, a write would end the process.
  const UniqueFd reader_;
  const std::jthread writer_;
};

// The end of the bytes of a pipe is not known before it comes.
TEST(ReadClipTest, TakesAllBytesUpToTheLimit) {
  const std::string bytes = std::string(150'000, 'a') + "end";
  const auto size = static_cast<int64_t>(bytes.size());
  const TempDir folder;
  const std::string file = folder.File("file");
  const std::string pipe = folder.File("pipe");
  WriteFile(file, bytes);
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  const std::pair<int64_t, bool> cases[] = {
      {0, true},    {1, false},       {65'536, false},  {size - 1, false},
      {size, true}, {size + 1, true}, {10 * size, true}};
  for (const auto& [limit, is_taken] : cases) {
    for (const std::string& path : {file, pipe}) {
      std::optional<FilledPipe> filled;
      if (path == pipe) filled.emplace(pipe, bytes);
      ClipText text;
      const absl::Status status =
          client::ReadClip(InputAt(path), limit, nullptr, &text);
      if (is_taken) {
        EXPECT_TRUE(status.ok()) << status;
        EXPECT_EQ(client::ViewOf(text), bytes) << path << " " << limit;
      } else {
        EXPECT_TRUE(absl::IsResourceExhausted(status)) << path << " " << limit;
      }
    }
  }
}

TEST(ReadClipTest, ACancelledWaitForAPipeEnds) {
  const TempDir folder;
  const std::string pipe = folder.File("pipe");
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  CancelToken cancel;
  const std::jthread user([&] { cancel.Cancel(); });
  ClipText text;
  EXPECT_TRUE(
      absl::IsCancelled(client::ReadClip(InputAt(pipe), 0, &cancel, &text)));
}

TEST(ReadClipTest, AFileIsNotReadForOneWhoHasCancelled) {
  const TempDir folder;
  WriteFile(folder.File("file"), "bytes");
  CancelToken cancel;
  cancel.Cancel();
  ClipText text;
  EXPECT_TRUE(absl::IsCancelled(
      client::ReadClip(InputAt(folder.File("file")), 0, &cancel, &text)));
}

TEST(ReadClipTest, PackedBytesAreReplacedByTheirText) {
  const std::string bytes = std::string(150'000, 'a') + "end";
  const auto size = static_cast<int64_t>(bytes.size());
  const std::string packed = Gzip(bytes);
  CancelToken cancelled;
  cancelled.Cancel();
  struct {
    std::string packed;
    int64_t limit;
    const CancelToken* cancel;
    absl::StatusCode code;
  } const cases[] = {
      {packed, 0, nullptr, absl::StatusCode::kOk},
      {packed, size, nullptr, absl::StatusCode::kOk},
      {packed, size - 1, nullptr, absl::StatusCode::kResourceExhausted},
      {packed.substr(0, 100), 0, nullptr, absl::StatusCode::kNotFound},
      {"rubbish", 0, nullptr, absl::StatusCode::kNotFound},
      {packed, 0, &cancelled, absl::StatusCode::kCancelled}};
  for (const auto& c : cases) {
    ClipText text(c.packed.begin(), c.packed.end());
    const absl::Status status =
        client::UnpackClip(Encoding::kGzip, c.limit, c.cancel, &text);
    EXPECT_EQ(status.code(), c.code) << status;
    if (status.ok()) {
      EXPECT_EQ(client::ViewOf(text), bytes);
    } else if (c.code == absl::StatusCode::kNotFound) {
      EXPECT_THAT(std::string(MessageOf(status)),
                  StartsWith("cannot be read: "));
    }
  }
}

TEST(ReadClipTest, TheFirstBytesStateThePacking) {
  Input input = InputAt("stdin.bvh.gz");
  EXPECT_EQ(client::EncodingOf(input, "HIERARCHY"), Encoding::kGzip);
  EXPECT_EQ(client::EncodingOf(input, "\x28\xb5\x2f\xfd"), Encoding::kZstd);
  input.path = "a.bvh";
  EXPECT_EQ(client::EncodingOf(input, "\x1f\x8b\x08"), Encoding::kGzip);
  EXPECT_EQ(client::EncodingOf(input, ""), Encoding::kIdentity);
  input.is_stdin = true;
  EXPECT_EQ(client::EncodingOf(input, "\x1f\x8b\x08"), Encoding::kGzip);
  EXPECT_EQ(client::EncodingOf(input, "HIERARCHY"), Encoding::kIdentity);
}

}  // namespace
}  // namespace bvhmill::testing
