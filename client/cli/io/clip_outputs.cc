#include "client/cli/io/clip_outputs.h"

#include <utility>

#include "bvhmill/base/status.h"
#include "bvhmill/encode/encode.h"
#include "bvhmill/encode/npy.h"
#include "client/cli/ui/text.h"

namespace bvhmill::client {

absl::Status ClipOutputs::Refused(const std::string& path,
                                  std::string_view why) {
  return MakeStatus(absl::StatusCode::kFailedPrecondition,
                    Printable(path) + ": " + std::string(why));
}

ClipOutputs::ClipOutputs(const OutputDir& directory, const OutputRules& rules,
                         const Input& input)
    : directory_(directory), rules_(rules), input_(input) {
  const size_t slash = input.base.rfind('/');
  stem_ = input.base.substr(slash == std::string::npos ? 0 : slash + 1);
  if (slash != std::string::npos) below_ = input.base.substr(0, slash);
  if (!rules.file_name.empty()) below_.clear();
}

std::vector<std::string> ExtensionsOf(
    const std::vector<OutputRequest>& requests, bool report) {
  std::vector<std::string> extensions;
  for (const OutputRequest& request : requests) {
    extensions.emplace_back(FormatOf(request.format).extension);
  }
  if (report) extensions.emplace_back(kReportExtension);
  return extensions;
}

std::string ClipOutputs::NameOf(std::string_view extension) const {
  return rules_.file_name.empty() ? stem_ + std::string(extension)
                                  : rules_.file_name;
}

std::string ClipOutputs::PathOf(std::string_view name) const {
  if (rules_.to_stdout != nullptr) return "stdout";
  std::string path = directory_.path();
  if (!rules_.file_name.empty() && path == ".") return std::string(name);
  if (!path.ends_with('/')) path += '/';
  if (!below_.empty()) path += below_ + "/";
  return path.append(name);
}

absl::Status ClipOutputs::Fail(std::string_view extension,
                               const absl::Status& status) {
  if (!status.ok() && status_.ok()) {
    status_ = Refused(PathOf(NameOf(extension)), MessageOf(status));
  }
  return status_;
}

absl::Status ClipOutputs::AddFile(const std::string& extension) {
  if (!parent_.valid()) {
    absl::StatusOr<UniqueFd> parent = directory_.Descend(below_, true);
    if (!parent.ok()) return status_ = parent.status();
    parent_ = *std::move(parent);
  }
  absl::StatusOr<NewFile> file =
      NewFile::Create(parent_.get(), NameOf(extension));
  if (!file.ok()) return Fail(extension, file.status());
  files_.push_back({extension, *std::move(file), {}});
  return absl::OkStatus();
}

absl::Status ClipOutputs::Begin(const ClipInfo& /*info*/,
                                std::span<const OutputInfo> outputs) {
  const std::vector<std::string> extensions =
      ExtensionsOf(rules_.requests, rules_.report);
  for (size_t i = 0; i < outputs.size(); ++i) {
    BVHMILL_RETURN_IF_ERROR(AddFile(extensions[i]));
    if (!outputs[i].tensor) continue;
    // A tensor travels bare; the header of the file is made here.
    files_[i].shape = outputs[i].tensor->shape;
    const std::string header = NpyHeader("<f4", files_[i].shape);
    BVHMILL_RETURN_IF_ERROR(Fail(extensions[i], files_[i].file.Append(header)));
  }
  return absl::OkStatus();
}

absl::Status ClipOutputs::Data(size_t output, std::string_view bytes) {
  Output& to = files_[output];
  return Fail(to.extension, to.file.Append(bytes));
}

// Drops the files of outputs that could not be made, and those of an earlier
// run in their place. The result may describe no outputs: all were made then.
absl::Status ClipOutputs::KeepMade(const ConvertResult& result) {
  if (result.outputs.empty()) return absl::OkStatus();
  std::vector<Output> kept;
  std::vector<std::string> failed;
  for (size_t i = 0; i < files_.size(); ++i) {
    const OutputInfo& output = result.outputs[i];
    if (!output.status.ok()) {
      failed.push_back(files_[i].extension);
      continue;
    }
    // The header of the file has the shape that Begin announced.
    if (output.tensor && output.tensor->shape != files_[i].shape) {
      return status_ = Refused(PathOf(NameOf(files_[i].extension)),
                               "has another shape than was announced");
    }
    kept.push_back(std::move(files_[i]));
  }
  files_ = std::move(kept);
  return failed.empty() ? absl::OkStatus() : RemoveEarlier(failed);
}

absl::Status ClipOutputs::AddReport(std::string_view report) {
  if (!rules_.report || report.empty()) return absl::OkStatus();
  const std::string extension(kReportExtension);
  BVHMILL_RETURN_IF_ERROR(AddFile(extension));
  BVHMILL_RETURN_IF_ERROR(Fail(extension, files_.back().file.Append(report)));
  return Fail(extension, files_.back().file.Append("\n"));
}

absl::Status ClipOutputs::SendToStdout() {
  for (Output& output : files_) {
    BVHMILL_RETURN_IF_ERROR(
        Fail(output.extension, output.file.Read([&](std::string_view bytes) {
          return rules_.to_stdout->PrintData(bytes);
        })));
    // A reader that has seen enough is no fault.
    if (rules_.to_stdout->data_lost()) {
      return status_ = Refused("stdout", "does not take all bytes");
    }
    paths_.emplace_back("-");
  }
  return absl::OkStatus();
}

absl::Status ClipOutputs::NameFiles() {
  for (Output& output : files_) {
    BVHMILL_RETURN_IF_ERROR(Fail(output.extension, output.file.Close()));
  }
  for (Output& output : files_) {
    BVHMILL_RETURN_IF_ERROR(Fail(
        output.extension, output.file.Commit(MayReplace(output.extension))));
    paths_.push_back(PathOf(NameOf(output.extension)));
  }
  return absl::OkStatus();
}

// A clip whose input has changed meanwhile is not done.
absl::Status ClipOutputs::CommitAll(bool is_done) {
  if (rules_.to_stdout != nullptr) return SendToStdout();
  if (rules_.manifest == nullptr || files_.empty()) return NameFiles();
  MadeClip made;
  std::vector<std::string> extensions;
  for (const Output& output : files_) {
    made.outputs[output.extension] = output.file.size();
    extensions.push_back(output.extension);
  }
  is_done = is_done && state_ && FinishDigest().ok();
  status_ = rules_.manifest->Begin(input_.base, extensions,
                                   state_ ? state_->path : "");
  BVHMILL_RETURN_IF_ERROR(status_);
  BVHMILL_RETURN_IF_ERROR(NameFiles());
  if (!is_done) return absl::OkStatus();
  made.options = rules_.options_digest;
  made.input = *state_;
  return status_ = rules_.manifest->Finish(input_.base, made);
}

absl::Status ClipOutputs::Commit(const ConvertResult& result,
                                 std::string_view report) {
  BVHMILL_RETURN_IF_ERROR(KeepMade(result));
  BVHMILL_RETURN_IF_ERROR(AddReport(report));
  return CommitAll(/*is_done=*/FirstFailure(result).ok());
}

absl::Status ClipOutputs::CommitReport(std::string_view report) {
  files_.clear();
  BVHMILL_RETURN_IF_ERROR(
      RemoveEarlier(ExtensionsOf(rules_.requests, rules_.report)));
  BVHMILL_RETURN_IF_ERROR(AddReport(report));
  return CommitAll(/*is_done=*/false);
}

}  // namespace bvhmill::client
