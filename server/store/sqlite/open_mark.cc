#include "server/store/sqlite/open_mark.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <filesystem>

#include "bvhmill/base/status.h"
#include "server/store/file_ops.h"
#include "server/store/lost_data.h"

namespace bvhmill::server {
namespace {

constexpr char kMark[] = "-open";
constexpr char kLog[] = "-wal";
// A log of SQLite is never shorter after the first commit.
constexpr int64_t kLogHeaderBytes = 32;

// -1 if there is no such file.
int64_t SizeOf(const std::string& path) {
  struct stat found = {};
  return stat(path.c_str(), &found) == 0 ? int64_t{found.st_size} : -1;
}

absl::Status LostFile(const std::string& path) {
  const std::string name = std::filesystem::path(path).filename().native();
  return DataIncomplete("there are jobs or blobs, and the file " + name +
                        (SizeOf(path) < 0 ? " is missing" : " is empty"));
}

}  // namespace

bool HasOpenMark(const std::string& path) { return SizeOf(path + kMark) >= 0; }

absl::Status JobsLost() {
  return DataIncomplete("jobs.db has none of the tables of a server");
}

absl::Status CheckJobsThere(const std::string& path, bool may_begin) {
  const bool is_marked = HasOpenMark(path);
  if ((is_marked || !may_begin) && SizeOf(path) <= 0) return LostFile(path);
  return is_marked && SizeOf(path + kLog) < kLogHeaderBytes
             ? LostFile(path + kLog)
             : absl::OkStatus();
}

absl::Status SetOpenMark(const std::string& path) {
  OwnedFile file;
  return OpenFile(path + kMark, O_WRONLY | O_CREAT, &file);
}

absl::Status RemoveOpenMark(const std::string& path) {
  BVHMILL_RETURN_IF_ERROR(RemoveFile(path + kMark));
  return SyncFolder(std::filesystem::path(path).parent_path().native());
}

}  // namespace bvhmill::server
