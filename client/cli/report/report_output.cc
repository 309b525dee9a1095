#include "client/cli/report/report_output.h"

#include <utility>

#include "bvhmill/base/status.h"
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
  if (path == "-") return absl::OkStatus();
  auto file = ChosenFile::Create(path, force);
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
  return status_.ok() ? status_ : Failed(path_, MessageOf(status_));
}

}  // namespace bvhmill::client
