#include "client/cli/io/clip_outputs.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

#include "bvhmill/base/status.h"
#include "bvhmill/base/text.h"
#include "bvhmill/encode/encode.h"
#include "bvhmill/encode/npy.h"

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
    // The engine sends a tensor without the header of its file.
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

// Drops the files of outputs that could not be made, and removes the files of
// an earlier run with their names. A result without outputs means that all were
// made.
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
    // It is no error if the reader of stdout closes it early.
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

// Commits all files. The manifest records the clip as done only if `is_done`
// and if the input did not change during the conversion.
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

// The outputs that exist before the conversion: which of them are up to date,
// and which may be replaced.

absl::StatusOr<ClipOutputs::Existing> ClipOutputs::FindExisting() const {
  Existing existing;
  const absl::StatusOr<UniqueFd> parent = directory_.Descend(below_, false);
  if (absl::IsNotFound(parent.status())) return existing;
  if (!parent.ok()) return parent.status();
  for (const std::string& extension :
       ExtensionsOf(rules_.requests, rules_.report)) {
    const std::string name = NameOf(extension);
    struct stat info = {};
    if (fstatat(parent->get(), name.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0) {
      continue;
    }
    if (rules_.inputs.contains(FileId(info.st_dev, info.st_ino))) {
      return Refused(PathOf(name), "is an input; use another -o");
    }
    if (rules_.read.contains(FileId(info.st_dev, info.st_ino))) {
      return Refused(PathOf(name), "is read by this command; use another -o");
    }
    existing[extension] = info;
  }
  return existing;
}

absl::StatusOr<bool> ClipOutputs::Prepare(const CancelToken* cancel) {
  cancel_ = cancel;
  if (rules_.to_stdout != nullptr) return true;
  if (!input_.is_stdin) state_ = StateOfFile(input_.path);
  if (rules_.manifest != nullptr) made_ = rules_.manifest->Find(input_.base);
  const absl::StatusOr<Existing> existing = FindExisting();
  if (!existing.ok()) return existing.status();
  bool is_done = false;
  if (rules_.resume) {
    BVHMILL_RETURN_IF_ERROR(IsDone(*existing, &is_done));
  }
  if (is_done) return false;
  if (!rules_.force) BVHMILL_RETURN_IF_ERROR(CheckOwner(*existing));
  StartDigest();
  return true;
}

// Starts to compute the digest of a large input, beside its conversion. Only a
// run with --resume needs one: a later run compares size and times first.
void ClipOutputs::StartDigest() {
  constexpr int64_t kLarge = int64_t{4} << 20;
  if (!rules_.resume || !state_ || state_->size < kLarge) return;
  if (Exceeds(state_->size, rules_.max_clip_bytes)) return;
  try {
    digest_ = std::async(std::launch::async,
                         [this] { return AddDigest(cancel_, &*state_); });
  } catch (const std::system_error&) {
    // No thread can be started: FinishDigest computes it.
  }
}

// FAILED_PRECONDITION if the input has changed since Prepare. The digest is
// also needed if the last change is so recent that another change could get the
// same time.
absl::Status ClipOutputs::FinishDigest() {
  if (digest_.valid()) return digest_.get();
  const bool needs_digest = rules_.resume || state_->changed == 0;
  return needs_digest ? AddDigest(cancel_, &*state_) : CheckUnchanged(*state_);
}

// True if the manifest does not know the output, which is older than it. Only
// the time of the output then tells whether it is up to date.
bool ClipOutputs::IsUnknown(const struct stat& output) const {
  return rules_.manifest != nullptr && made_ == nullptr && state_ &&
         rules_.manifest->IsOlder(NanosecondsOf(output.st_mtim));
}

// True if the output is unknown and older than the input.
bool ClipOutputs::IsStale(const struct stat& output) const {
  return IsUnknown(output) && NanosecondsOf(output.st_mtim) < state_->modified;
}

// True if all outputs exist and are unknown, and none is older than the input.
bool ClipOutputs::AreNewer(const Existing& existing) const {
  for (const std::string& extension :
       ExtensionsOf(rules_.requests, rules_.report)) {
    const auto file = existing.find(extension);
    if (file == existing.end() || !IsUnknown(file->second)) return false;
    if (IsStale(file->second)) return false;
  }
  return true;
}

absl::Status ClipOutputs::IsDone(const Existing& existing, bool* is_done) {
  if (made_ == nullptr) {
    *is_done = AreNewer(existing);
    return absl::OkStatus();
  }
  if (!made_->is_done || !state_) return absl::OkStatus();
  if (made_->options != rules_.options_digest) return absl::OkStatus();
  for (const std::string& extension :
       ExtensionsOf(rules_.requests, rules_.report)) {
    const auto file = existing.find(extension);
    const auto made = made_->outputs.find(extension);
    const bool is_there =
        file != existing.end() && made != made_->outputs.end() &&
        S_ISREG(file->second.st_mode) && file->second.st_size == made->second;
    if (!is_there) return absl::OkStatus();
  }
  return HasSameBytes(made_->input, cancel_, &*state_, is_done);
}

// True for an output that a resumed run replaces.
bool ClipOutputs::IsOfEarlierRun(const std::string& extension) const {
  if (stale_.contains(extension)) return true;
  return rules_.resume && made_ != nullptr &&
         made_->outputs.contains(extension);
}

bool ClipOutputs::MayReplace(const std::string& extension) const {
  return rules_.force || IsOfEarlierRun(extension);
}

absl::Status ClipOutputs::RemoveEarlier(
    std::span<const std::string> extensions) {
  const absl::StatusOr<UniqueFd> parent = directory_.Descend(below_, false);
  if (absl::IsNotFound(parent.status())) return absl::OkStatus();
  if (!parent.ok()) return status_ = parent.status();
  for (const std::string& extension : extensions) {
    if (!IsOfEarlierRun(extension)) continue;
    const std::string name = NameOf(extension);
    if (unlinkat(parent->get(), name.c_str(), 0) == 0 || errno == ENOENT) {
      continue;
    }
    return status_ = Refused(PathOf(name),
                             "is not that of the clip any more, "
                             "and cannot be removed: " +
                                 ErrnoText(errno));
  }
  return absl::OkStatus();
}

std::string ClipOutputs::OtherWays() const {
  if (!rules_.file_name.empty()) return " or another name";
  return rules_.manifest == nullptr ? " or another folder"
                                    : ", --resume or another folder";
}

// Refuses to replace outputs that exist. A resumed run may replace those that
// the manifest names as made of this input.
absl::Status ClipOutputs::CheckOwner(const Existing& existing) {
  for (const auto& [extension, info] : existing) {
    const std::string path = PathOf(NameOf(extension));
    if (!rules_.resume) {
      exists_ = true;
      return Refused(path, "exists; use -f" + OtherWays());
    }
    if (IsStale(info)) {
      stale_.insert(extension);
      continue;
    }
    if (!MayReplace(extension)) {
      return Refused(path,
                     "exists, and the manifest of the folder does not name it; "
                     "use -f or another folder");
    }
    const std::string& earlier = made_->input.path;
    if (state_ && !earlier.empty() && earlier != ToUtf8(state_->path)) {
      return Refused(path, "was made of " + Printable(earlier) +
                               "; use -f or another folder");
    }
  }
  return absl::OkStatus();
}

}  // namespace bvhmill::client
