// The part of ClipOutputs that looks at the outputs that exist.

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "bvhmill/base/status.h"
#include "bvhmill/base/utf8.h"
#include "client/cli/io/clip_outputs.h"
#include "client/cli/ui/text.h"

namespace bvhmill::client {

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

// Computes the digest of a large input during its conversion. Only a run with
// --resume needs one: a later run compares size and times first.
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

// FAILED_PRECONDITION if the input has changed since it was looked at. A change
// so recent that another could get the same time needs the digest, too.
absl::Status ClipOutputs::FinishDigest() {
  if (digest_.valid()) return digest_.get();
  const bool needs_digest = rules_.resume || state_->changed == 0;
  return needs_digest ? AddDigest(cancel_, &*state_) : CheckUnchanged(*state_);
}

// True if the output is older than the manifest, so that its time alone tells
// whether it is up to date.
bool ClipOutputs::IsUnknown(const struct stat& output) const {
  return rules_.manifest != nullptr && made_ == nullptr && state_ &&
         rules_.manifest->IsOlder(NanosecondsOf(output.st_mtim));
}

// True if nothing is known of the output, and it is older than the input.
bool ClipOutputs::IsStale(const struct stat& output) const {
  return IsUnknown(output) && NanosecondsOf(output.st_mtim) < state_->modified;
}

// True if all outputs exist, nothing is known of them, and none is older than
// the input.
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

// Refuses to replace what a resumed run has not made of this input.
absl::Status ClipOutputs::CheckOwner(const Existing& existing) {
  for (const auto& [extension, info] : existing) {
    const std::string path = PathOf(NameOf(extension));
    if (!rules_.resume) {
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
