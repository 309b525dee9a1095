#include "client/cli/ui/json_lines.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>

#include "bvhmill/base/status.h"
#include "client/cli/ui/text.h"

namespace bvhmill::client {
namespace {

absl::Status Refused(const std::string& path, const std::string& why) {
  return MakeStatus(absl::StatusCode::kInvalidArgument,
                    Printable(path) + ": " + why);
}

}  // namespace

absl::Status JsonLines::Open(const std::string& path, bool replace,
                             bool append) {
  path_ = path;
  to_stdout_ = path == "-";
  if (path.empty() || to_stdout_) return absl::OkStatus();
  struct stat info = {};
  const bool is_kept = !replace && !append && stat(path.c_str(), &info) == 0 &&
                       S_ISREG(info.st_mode);
  if (is_kept)
    return Refused(path, "exists; use -f, --resume to append, or another name");
  const int how = append ? O_APPEND : O_TRUNC;
  file_ =
      UniqueFd(open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | how, 0666));
  if (file_.valid()) return absl::OkStatus();
  return Refused(path, "cannot be written: " + ErrnoText(errno));
}

void JsonLines::Put(std::string_view object) {
  const std::string line = std::string(object) + "\n";
  if (to_stdout_) {
    console_.PrintData(line);
    return;
  }
  const std::lock_guard lock(mutex_);
  if (!file_.valid() || failed_) return;
  const int error = WriteAll(file_.get(), line);
  if (error == 0) return;
  failed_ = true;
  console_.PrintDiagnostics("bvhmill: " + Printable(path_) +
                            ": cannot be written: " + ErrnoText(error) + "\n");
}

}  // namespace bvhmill::client
