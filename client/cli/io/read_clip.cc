#include "client/cli/io/read_clip.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <mutex>
#include <string>

#include "bvhmill/base/limits.h"
#include "bvhmill/base/status.h"
#include "bvhmill/files/inputs.h"
#include "bvhmill/files/posix_files.h"

namespace bvhmill::client {
namespace {

// The file that this thread reads. The kernel sends SIGBUS to the thread that
// reads a page beyond the end of the file.
thread_local MappedFile* mapped_here = nullptr;

void OnBus(int /*signal*/, siginfo_t* info, void* /*context*/) {
  if (mapped_here != nullptr && mapped_here->FillPage(info->si_addr)) return;
  // Another fault: it occurs again, and ends the program.
  signal(SIGBUS, SIG_DFL);
}

void HandleBus() {
  static std::once_flag once;
  std::call_once(once, [] {
    struct sigaction action = {};
    action.sa_sigaction = &OnBus;
    action.sa_flags = SA_SIGINFO;
    sigaction(SIGBUS, &action, nullptr);
  });
}

int64_t PageBytes() {
  static const int64_t bytes = sysconf(_SC_PAGESIZE);
  return bytes;
}

char* Writable(std::string_view bytes) {
  return const_cast<char*>(bytes.data());
}

}  // namespace

std::unique_ptr<MappedFile> MappedFile::Map(int fd, int64_t bytes) {
  HandleBus();
  const auto size = static_cast<size_t>(bytes);
  void* const memory = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, fd, 0);
  if (memory == MAP_FAILED) return nullptr;
  madvise(memory, size, MADV_SEQUENTIAL);
  return std::unique_ptr<MappedFile>(
      new MappedFile({static_cast<const char*>(memory), size}));
}

MappedFile::MappedFile(std::string_view bytes) : bytes_(bytes) {
  mapped_here = this;
}

MappedFile::~MappedFile() {
  mapped_here = nullptr;
  munmap(Writable(bytes_), bytes_.size());
}

void MappedFile::Release(int64_t bytes) {
  const int64_t whole = bytes / PageBytes() * PageBytes();
  if (whole <= released_) return;
  madvise(Writable(bytes_) + released_, static_cast<size_t>(whole - released_),
          MADV_DONTNEED);
  released_ = whole;
}

bool MappedFile::FillPage(void* place) {
  const auto at = reinterpret_cast<uintptr_t>(place);
  const auto begin = reinterpret_cast<uintptr_t>(bytes_.data());
  if (at < begin || at >= begin + bytes_.size()) return false;
  was_cut_ = true;
  const auto page = static_cast<uintptr_t>(PageBytes());
  return mmap(reinterpret_cast<void*>(at / page * page), page, PROT_READ,
              MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != MAP_FAILED;
}

namespace {

constexpr int kPollMilliseconds = 50;
// The size of the first read of a pipe.
constexpr size_t kFirstRead = size_t{64} << 10;

absl::Status CannotRead(int error) {
  return MakeStatus(absl::StatusCode::kNotFound,
                    "cannot be read: " + ErrnoText(error));
}

absl::Status TooLarge(int64_t max_bytes) {
  return MakeStatus(
      absl::StatusCode::kResourceExhausted,
      "more than max_clip_bytes = " + std::to_string(max_bytes) + " bytes");
}

// Waits until `fd` can be read; false if cancelled before.
bool WaitReadable(int fd, const CancelToken* cancel) {
  pollfd waiting = {fd, POLLIN, 0};
  while (poll(&waiting, 1, kPollMilliseconds) == 0) {
    if (IsCancelled(cancel)) return false;
  }
  return !IsCancelled(cancel);
}

// The next size of the buffer for a text of which `size` bytes are read: the
// size of the file and one byte, whose read finds the end; for a pipe, twice
// the bytes so far. At most one byte above the limit.
size_t NextCapacity(size_t size, int64_t file_bytes, int64_t max_bytes) {
  const auto expected = static_cast<size_t>(file_bytes) + 1;
  const size_t room =
      size < expected ? expected : std::max(kFirstRead, size * 2);
  if (max_bytes <= 0) return room;
  return std::min(room, static_cast<size_t>(max_bytes) + 1);
}

absl::Status ReadAll(int fd, int64_t file_bytes, int64_t max_bytes,
                     const CancelToken* cancel, ClipText* text) {
  size_t size = 0;
  text->clear();
  while (true) {
    if (size == text->size()) {
      text->resize(NextCapacity(size, file_bytes, max_bytes));
    }
    if (!WaitReadable(fd, cancel)) {
      return MakeStatus(absl::StatusCode::kCancelled, "cancelled");
    }
    const ssize_t got = read(fd, text->data() + size, text->size() - size);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return CannotRead(errno);
    if (got == 0) break;
    size += static_cast<size_t>(got);
    if (Exceeds(static_cast<int64_t>(size), max_bytes)) {
      return TooLarge(max_bytes);
    }
  }
  text->resize(size);
  return absl::OkStatus();
}

// Opens a file without a wait for the writer of a pipe: the user can cancel a
// wait for bytes, but not a wait in open(). Invalid, with errno, on failure.
UniqueFd OpenAtOnce(const std::string& path) {
  UniqueFd file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!file.valid()) return file;
  const int flags = fcntl(file.get(), F_GETFL);
  if (flags >= 0) fcntl(file.get(), F_SETFL, flags & ~O_NONBLOCK);
  return file;
}

// Appends to a text. Fails if the user cancels.
class TextSink final : public Sink {
 public:
  TextSink(const CancelToken* cancel, ClipText* text)
      : cancel_(cancel), text_(*text) {}
  absl::Status Append(std::string_view bytes) override {
    if (IsCancelled(cancel_)) {
      return MakeStatus(absl::StatusCode::kCancelled, "cancelled");
    }
    text_.append(bytes.begin(), bytes.end());
    return absl::OkStatus();
  }

 private:
  const CancelToken* cancel_;
  ClipText& text_;
};

}  // namespace

absl::Status ReadClip(const Input& input, int64_t max_bytes,
                      const CancelToken* cancel, ClipText* bytes) {
  UniqueFd file;
  if (!input.is_stdin) {
    file = OpenAtOnce(input.path);
    if (!file.valid()) return CannotRead(errno);
  }
  const int fd = input.is_stdin ? STDIN_FILENO : file.get();
  struct stat info = {};
  if (fstat(fd, &info) != 0) return CannotRead(errno);
  const int64_t file_bytes = S_ISREG(info.st_mode) ? info.st_size : 0;
  if (Exceeds(file_bytes, max_bytes)) return TooLarge(max_bytes);
  return ReadAll(fd, file_bytes, max_bytes, cancel, bytes);
}

std::unique_ptr<MappedFile> MapLongClip(const Input& input, int64_t max_bytes) {
  constexpr int64_t kLong = int64_t{16} << 20;
  if (input.is_stdin || input.bytes < kLong) return nullptr;
  const UniqueFd file = OpenAtOnce(input.path);
  struct stat info = {};
  if (!file.valid() || fstat(file.get(), &info) != 0) return nullptr;
  const bool is_long = S_ISREG(info.st_mode) && info.st_size >= kLong &&
                       !Exceeds(info.st_size, max_bytes);
  return is_long ? MappedFile::Map(file.get(), info.st_size) : nullptr;
}

Encoding EncodingOf(const Input& input, std::string_view bytes) {
  return EncodingOfFile(input.is_stdin ? "" : input.path, bytes);
}

absl::Status CannotUnpack(std::string_view why) {
  return MakeStatus(absl::StatusCode::kNotFound,
                    "cannot be read: " + std::string(why));
}

absl::Status UnpackClip(Encoding encoding, int64_t max_bytes,
                        const CancelToken* cancel, ClipText* text) {
  ClipText packed;
  packed.swap(*text);
  TextSink sink(cancel, text);
  const absl::Status status =
      Unpack(encoding, ViewOf(packed), max_bytes, &sink);
  if (absl::IsResourceExhausted(status)) return TooLarge(max_bytes);
  if (!absl::IsInvalidArgument(status)) return status;
  return CannotUnpack(MessageOf(status));
}

}  // namespace bvhmill::client
