#include "server/store/reserve.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cstdint>

#include "server/store/file_ops.h"

namespace bvhmill::server {
namespace {

// The log of a database for the removal of a job of some thousand items.
constexpr int64_t kReserveBytes = int64_t{16} << 20;
constexpr char kReserveName[] = "/reserve";

int64_t FreeBytes(const std::string& folder) {
  struct statvfs disk = {};
  return statvfs(folder.c_str(), &disk) == 0
             ? static_cast<int64_t>(disk.f_bavail) *
                   static_cast<int64_t>(disk.f_frsize)
             : 0;
}

}  // namespace

void KeepReserve(const std::string& folder) {
  const std::string path = folder + kReserveName;
  struct stat found = {};
  if (stat(path.c_str(), &found) == 0 && found.st_size >= kReserveBytes) return;
  if (FreeBytes(folder) < 4 * kReserveBytes) return;
  const OwnedFile file(
      open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (file.valid() && fallocate(file.get(), 0, 0, kReserveBytes) != 0) {
    unlink(path.c_str());
  }
}

bool GiveUpReserve(const std::string& folder) {
  return unlink((folder + kReserveName).c_str()) == 0;
}

void MakeRoom(const std::string& folder) {
  if (FreeBytes(folder) < kReserveBytes) GiveUpReserve(folder);
}

}  // namespace bvhmill::server
