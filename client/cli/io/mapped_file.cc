#include "client/cli/io/mapped_file.h"

#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <mutex>

namespace bvhmill::client {
namespace {

// The file that this thread reads. The kernel sends SIGBUS to the thread that
// reads a page which its file does not have any more.
thread_local MappedFile* mapped_here = nullptr;

void OnBus(int /*signal*/, siginfo_t* info, void* /*context*/) {
  if (mapped_here != nullptr && mapped_here->FillPage(info->si_addr)) return;
  // Another fault: it comes again, and ends the program.
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

}  // namespace bvhmill::client
