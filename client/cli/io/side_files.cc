#include "client/cli/io/side_files.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <system_error>

#include "bvhmill/base/status.h"
#include "client/cli/manifest.h"
#include "client/cli/ui/text.h"

namespace bvhmill::client {
namespace {

absl::Status Refused(const SideFile& file, const std::string& why) {
  return MakeStatus(absl::StatusCode::kInvalidArgument,
                    file.option + ": " + Printable(file.path) + ": " + why);
}

bool NamesFile(const std::string& path) { return !path.empty() && path != "-"; }

// True if a file of this name is replaced. Devices and pipes only take bytes.
bool IsReplaced(const std::string& path) {
  std::error_code error;
  const std::filesystem::file_status found =
      std::filesystem::status(path, error);
  return !std::filesystem::exists(found) ||
         std::filesystem::is_regular_file(found);
}

// The same for all names of one file, also of one that does not exist.
std::string FileOf(const std::string& path) {
  std::error_code error;
  auto whole = std::filesystem::absolute(path, error);
  if (!error) whole = std::filesystem::weakly_canonical(whole, error);
  return error ? path : whole.native();
}

}  // namespace

absl::Status CheckSideFiles(std::span<const SideFile> files,
                            const std::set<FileId>& read,
                            const std::vector<Input>& inputs) {
  const std::set<FileId> clips = IdsOfFiles(inputs);
  std::map<std::string, std::string> options_of;
  for (const SideFile& file : files) {
    if (file.path == "-") {
      const auto [other, is_new] = options_of.emplace("-", file.option);
      if (is_new) continue;
      return MakeStatus(absl::StatusCode::kInvalidArgument,
                        file.option + " - is stdout, which takes that of " +
                            other->second + "; write one of them into a file");
    }
    if (!NamesFile(file.path) || !IsReplaced(file.path)) continue;
    const auto id = IdOfFile(file.path);
    const bool renews = id && id == IdOfFile(file.renews);
    if (id && clips.contains(*id)) {
      return Refused(file, "is an input; use another name");
    }
    if (id && !renews && read.contains(*id)) {
      return Refused(file, "is read by this command; use another name");
    }
    const auto [other, is_new] =
        options_of.emplace(FileOf(file.path), file.option);
    if (is_new) continue;
    return Refused(file,
                   "is the file of " + other->second + "; use another name");
  }
  return absl::OkStatus();
}

absl::Status CheckIsNoOutput(const SideFile& file, const std::string& folder,
                             const std::vector<std::string>& extensions,
                             const std::vector<Input>& inputs) {
  if (!NamesFile(file.path)) return absl::OkStatus();
  const std::filesystem::path name = std::filesystem::path(FileOf(file.path))
                                         .lexically_relative(FileOf(folder));
  if (name == kManifestName) {
    return Refused(file, "is the manifest of the outputs; use another name");
  }
  for (const Input& input : inputs) {
    const auto base = std::filesystem::path(input.base).lexically_normal();
    if (name.parent_path() != base.parent_path()) continue;
    const std::string stem = base.filename().native();
    const std::string whole = name.filename().native();
    if (!whole.starts_with(stem)) continue;
    const auto extension = std::find(extensions.begin(), extensions.end(),
                                     whole.substr(stem.size()));
    if (extension == extensions.end()) continue;
    return Refused(file, "is an output of " + Printable(input.path) +
                             "; use another name");
  }
  return absl::OkStatus();
}

}  // namespace bvhmill::client
