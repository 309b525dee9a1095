#include "client/clip_outputs.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <utility>

#include "bvhmill/base/status.h"
#include "bvhmill/encode/encoder.h"
#include "bvhmill/encode/npy.h"

namespace bvhmill::client {
namespace {

constexpr std::string_view kReportExtension = ".report.json";

absl::Status Refused(const std::string& path, std::string_view why) {
  return MakeStatus(absl::StatusCode::kFailedPrecondition,
                    path + ": " + std::string(why));
}

}  // namespace

ClipOutputs::ClipOutputs(const OutputDir& directory, const OutputRules& rules,
                         const std::string& base)
    : directory_(directory), rules_(rules) {
  const size_t slash = base.rfind('/');
  stem_ = base.substr(slash == std::string::npos ? 0 : slash + 1);
  if (slash != std::string::npos) below_ = base.substr(0, slash);
}

std::vector<std::string> ClipOutputs::Names() const {
  std::vector<std::string> names;
  for (const OutputRequest& request : rules_.requests) {
    names.push_back(stem_ + std::string(FormatOf(request.format).extension));
  }
  if (rules_.report) names.push_back(stem_ + std::string(kReportExtension));
  return names;
}

std::string ClipOutputs::PathOf(std::string_view name) const {
  std::string path = directory_.path();
  if (!path.ends_with('/')) path += '/';
  if (!below_.empty()) path += below_ + "/";
  return path.append(name);
}

absl::StatusOr<bool> ClipOutputs::Prepare() const {
  const absl::StatusOr<UniqueFd> parent = directory_.Descend(below_, false);
  if (absl::IsNotFound(parent.status())) return true;
  if (!parent.ok()) return parent.status();
  const std::vector<std::string> names = Names();
  size_t existing = 0;
  for (const std::string& name : names) {
    struct stat info = {};
    if (fstatat(parent->get(), name.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0) {
      continue;
    }
    if (rules_.inputs.contains(FileId(info.st_dev, info.st_ino))) {
      return Refused(PathOf(name), "is an input; choose another -o");
    }
    if (!rules_.force && !rules_.resume) {
      return Refused(PathOf(name), "exists; -f overwrites, --resume skips it");
    }
    ++existing;
  }
  return !rules_.resume || existing < names.size();
}

absl::Status ClipOutputs::Fail(std::string_view name,
                               const absl::Status& status) {
  if (!status.ok() && status_.ok()) {
    status_ = Refused(PathOf(name), MessageOf(status));
  }
  return status_;
}

absl::Status ClipOutputs::AddFile(const std::string& name) {
  if (!parent_.valid()) {
    absl::StatusOr<UniqueFd> parent = directory_.Descend(below_, true);
    if (!parent.ok()) return status_ = parent.status();
    parent_ = *std::move(parent);
  }
  absl::StatusOr<NewFile> file = NewFile::Create(parent_.get(), name);
  if (!file.ok()) return Fail(name, file.status());
  files_.push_back({name, *std::move(file), {}});
  return absl::OkStatus();
}

absl::Status ClipOutputs::Begin(const ClipInfo& /*info*/,
                                std::span<const OutputInfo> outputs) {
  const std::vector<std::string> names = Names();
  for (size_t i = 0; i < outputs.size(); ++i) {
    BVHMILL_RETURN_IF_ERROR(AddFile(names[i]));
    if (!outputs[i].tensor) continue;
    // A tensor travels bare; the header of the file is made here.
    files_[i].shape = outputs[i].tensor->shape;
    const std::string header = NpyHeader("<f4", files_[i].shape);
    BVHMILL_RETURN_IF_ERROR(Fail(names[i], files_[i].file.Append(header)));
  }
  return absl::OkStatus();
}

absl::Status ClipOutputs::Data(size_t output, std::string_view bytes) {
  Output& to = files_[output];
  return Fail(to.name, to.file.Append(bytes));
}

// A file may have fewer frames than it says, or more.
absl::Status ClipOutputs::CorrectShapes(const ConvertResult& result) {
  for (size_t i = 0; i < result.outputs.size(); ++i) {
    const auto& tensor = result.outputs[i].tensor;
    if (!tensor || tensor->shape == files_[i].shape) continue;
    const std::string header = NpyHeader("<f4", tensor->shape);
    if (header.size() != NpyHeader("<f4", files_[i].shape).size()) {
      return status_ = Refused(PathOf(files_[i].name),
                               "has another shape than was announced");
    }
    BVHMILL_RETURN_IF_ERROR(
        Fail(files_[i].name, files_[i].file.ReplaceHead(header)));
  }
  return absl::OkStatus();
}

absl::Status ClipOutputs::AddReport(std::string_view report) {
  if (!rules_.report || report.empty()) return absl::OkStatus();
  const std::string name = stem_ + std::string(kReportExtension);
  BVHMILL_RETURN_IF_ERROR(AddFile(name));
  BVHMILL_RETURN_IF_ERROR(Fail(name, files_.back().file.Append(report)));
  return Fail(name, files_.back().file.Append("\n"));
}

absl::Status ClipOutputs::CommitAll() {
  for (Output& output : files_) {
    BVHMILL_RETURN_IF_ERROR(Fail(output.name, output.file.Close()));
  }
  for (Output& output : files_) {
    const bool replace = rules_.force || rules_.resume;
    BVHMILL_RETURN_IF_ERROR(Fail(output.name, output.file.Commit(replace)));
    paths_.push_back(PathOf(output.name));
  }
  return absl::OkStatus();
}

absl::Status ClipOutputs::Commit(const ConvertResult& result,
                                 std::string_view report) {
  BVHMILL_RETURN_IF_ERROR(CorrectShapes(result));
  BVHMILL_RETURN_IF_ERROR(AddReport(report));
  return CommitAll();
}

absl::Status ClipOutputs::CommitReport(std::string_view report) {
  files_.clear();
  BVHMILL_RETURN_IF_ERROR(AddReport(report));
  return CommitAll();
}

}  // namespace bvhmill::client
