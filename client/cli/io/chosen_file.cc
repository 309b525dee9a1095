#include "client/cli/io/chosen_file.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <filesystem>
#include <system_error>
#include <utility>

#include "bvhmill/base/status.h"

namespace bvhmill::client {
namespace {

absl::Status Failed(const std::string& why) {
  return MakeStatus(absl::StatusCode::kFailedPrecondition, why);
}

// True if bytes are written into what exists.
bool TakesBytes(const struct stat& info) {
  return !S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode);
}

}  // namespace

absl::StatusOr<ChosenFile> ChosenFile::Create(const std::string& path,
                                              bool force) {
  ChosenFile out;
  out.force_ = force;
  struct stat info = {};
  const bool exists = stat(path.c_str(), &info) == 0;
  if (exists && TakesBytes(info)) {
    out.existing_ = UniqueFd(open(path.c_str(), O_WRONLY | O_CLOEXEC));
    if (!out.existing_.valid()) return Failed(ErrnoText(errno));
    return out;
  }
  if (exists && !force) return Failed("exists; use -f or another name");
  std::filesystem::path target(path);
  if (exists) {
    std::error_code error;
    target = std::filesystem::canonical(path, error);
    if (error) return Failed(error.message());
  }
  const std::string folder = target.parent_path().string();
  out.folder_ = UniqueFd(open(folder.empty() ? "." : folder.c_str(),
                              O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!out.folder_.valid()) return Failed(ErrnoText(errno));
  auto file = NewFile::Create(out.folder_.get(), target.filename().string());
  BVHMILL_RETURN_IF_ERROR(file.status());
  out.file_.emplace(*std::move(file));
  return out;
}

absl::Status ChosenFile::Append(std::string_view bytes) {
  if (file_) return file_->Append(bytes);
  const int error = WriteAll(existing_.get(), bytes);
  return error == 0 ? absl::OkStatus() : Failed(ErrnoText(error));
}

absl::Status ChosenFile::Close() {
  if (file_) {
    BVHMILL_RETURN_IF_ERROR(file_->Close());
    return file_->Commit(force_);
  }
  const int error = existing_.Close();
  return error == 0 ? absl::OkStatus() : Failed(ErrnoText(error));
}

}  // namespace bvhmill::client
