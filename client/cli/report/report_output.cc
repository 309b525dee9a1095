#include "client/cli/report/report_output.h"

#include <fcntl.h>

#include <cerrno>
#include <filesystem>

#include "bvhmill/base/status.h"
#include "client/cli/io/inputs.h"
#include "client/cli/ui/text.h"

namespace bvhmill::client {
namespace {

absl::Status Failed(const std::string& path, std::string_view why) {
  return MakeStatus(absl::StatusCode::kFailedPrecondition,
                    Printable(path) + ": " + std::string(why));
}

}  // namespace

absl::Status ReportOutput::Open(const std::string& path, bool force) {
  path_ = path;
  force_ = force;
  if (path == "-") return absl::OkStatus();
  if (!force && IdOfFile(path)) {
    return Failed(path, "exists; use -f or another name");
  }
  const std::filesystem::path whole(path);
  const std::string folder = whole.parent_path().string();
  folder_ = UniqueFd(open(folder.empty() ? "." : folder.c_str(),
                          O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!folder_.valid()) return Failed(path, ErrnoText(errno));
  auto file = NewFile::Create(folder_.get(), whole.filename().string());
  if (!file.ok()) return Failed(path, MessageOf(file.status()));
  file_.emplace(*std::move(file));
  return absl::OkStatus();
}

bool ReportOutput::Put(std::string_view text) {
  if (!file_) return console_.PrintData(text);
  if (status_.ok()) status_ = file_->Append(text);
  return status_.ok();
}

absl::Status ReportOutput::Close() {
  if (!file_) return absl::OkStatus();
  if (status_.ok()) status_ = file_->Close();
  if (status_.ok()) status_ = file_->Commit(force_);
  return status_.ok() ? status_ : Failed(path_, MessageOf(status_));
}

}  // namespace bvhmill::client
