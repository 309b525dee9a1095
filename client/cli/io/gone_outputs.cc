#include "client/cli/io/gone_outputs.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <iterator>
#include <set>
#include <system_error>
#include <utility>

#include "bvhmill/base/status.h"
#include "bvhmill/base/text.h"

namespace bvhmill::client {
namespace {

namespace fs = std::filesystem;

// True if the file of the manifest does not exist. The manifest has the text of
// a name that is not UTF-8, so a file whose name has that text counts, too.
bool IsGone(const fs::path& path) {
  std::error_code error;
  if (fs::exists(fs::symlink_status(path, error))) return false;
  const bool is_missing = error == std::errc::no_such_file_or_directory ||
                          error == std::errc::not_a_directory;
  if (!is_missing || !path.has_relative_path()) return false;
  if (!fs::is_directory(path.parent_path(), error)) {
    return IsGone(path.parent_path());
  }
  fs::directory_iterator entry(path.parent_path(), error);
  for (; !error && entry != fs::directory_iterator(); entry.increment(error)) {
    const std::string name = entry->path().filename().native();
    if (ToUtf8(name) == path.filename().native()) return false;
  }
  return !error;
}

// The folder of the outputs of a clip, and the name in it without extension.
std::pair<std::string, std::string> FolderAndStem(const std::string& clip) {
  const std::string name = NameOfKey(clip);
  const size_t slash = name.rfind('/');
  if (slash == name.npos) return {"", name};
  return {name.substr(0, slash), name.substr(slash + 1)};
}

// True if the output is as it was made, and this run does not read it.
bool IsOurs(const OutputDir& directory, const OutputRules& rules,
            const std::string& clip, const std::string& extension,
            int64_t size) {
  const auto [below, stem] = FolderAndStem(clip);
  const absl::StatusOr<UniqueFd> parent = directory.Descend(below, false);
  if (!parent.ok()) return false;
  struct stat info = {};
  const std::string name = stem + extension;
  if (fstatat(parent->get(), name.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0) {
    return false;
  }
  const FileId id(info.st_dev, info.st_ino);
  return S_ISREG(info.st_mode) && !rules.inputs.contains(id) &&
         !rules.read.contains(id) &&
         (size == MadeClip::kUnknown || size == info.st_size);
}

}  // namespace

std::vector<GoneOutput> FindGone(const OutputDir& directory,
                                 const Manifest& manifest,
                                 const OutputRules& rules,
                                 const std::vector<Input>& inputs) {
  std::set<std::string> kept;
  for (const Input& input : inputs) kept.insert(KeyOfName(input.base));
  std::string folder = directory.path();
  if (!folder.ends_with('/')) folder += '/';
  std::vector<GoneOutput> gone;
  for (const auto& [clip, made] : manifest.clips()) {
    const std::string name = NameOfKey(clip);
    // A clip of stdin has no path.
    if (kept.contains(clip) || !StaysBelow(name) || made.input.path.empty()) {
      continue;
    }
    std::vector<GoneOutput> outputs;
    for (const std::string& extension :
         ExtensionsOf(rules.requests, rules.report)) {
      const auto output = made.outputs.find(extension);
      if (output == made.outputs.end()) continue;
      if (!IsOurs(directory, rules, clip, extension, output->second)) continue;
      outputs.push_back({clip, extension, folder + name + extension});
    }
    if (outputs.empty() || !IsGone(made.input.path)) continue;
    std::move(outputs.begin(), outputs.end(), std::back_inserter(gone));
  }
  std::sort(
      gone.begin(), gone.end(),
      [](const GoneOutput& a, const GoneOutput& b) { return a.path < b.path; });
  return gone;
}

absl::Status DeleteGone(const OutputDir& directory, const GoneOutput& output,
                        Manifest* manifest) {
  const auto [below, stem] = FolderAndStem(output.clip);
  const absl::StatusOr<UniqueFd> parent = directory.Descend(below, false);
  if (!parent.ok()) return parent.status();
  const std::string name = stem + output.extension;
  if (unlinkat(parent->get(), name.c_str(), 0) != 0 && errno != ENOENT) {
    return MakeStatus(
        absl::StatusCode::kFailedPrecondition,
        Printable(output.path) + ": cannot be deleted: " + ErrnoText(errno));
  }
  return manifest->Forget(output.clip, output.extension);
}

}  // namespace bvhmill::client
