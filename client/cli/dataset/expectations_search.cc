#include "client/cli/dataset/expectations_search.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <system_error>
#include <utility>

#include "bvhmill/base/status.h"
#include "client/cli/dataset/expectations_file.h"
#include "client/cli/ui/text.h"

namespace bvhmill::client {
namespace {

namespace fs = std::filesystem;

// Files of expectations by the folders of clips. Looks at each folder once.
class Search {
 public:
  // The file for the clips of `folder`, an absolute path; empty if there is
  // none.
  std::string FileFor(const fs::path& folder) {
    std::vector<std::string> passed;
    std::string file;
    for (fs::path here = folder;; here = here.parent_path()) {
      const auto known = files_.find(here.native());
      if (known != files_.end()) {
        file = known->second;
        break;
      }
      passed.push_back(here.native());
      std::error_code error;
      // A link that leads nowhere is an error of the file, not its absence.
      if (fs::exists(fs::symlink_status(here / kExpectationsName, error))) {
        file = (here / kExpectationsName)
                   .lexically_proximate(fs::current_path(error))
                   .generic_string();
        break;
      }
      if (!here.has_relative_path()) break;
    }
    for (const std::string& name : passed) files_.emplace(name, file);
    return file;
  }

 private:
  std::map<std::string, std::string> files_;
};

// The folder of a clip as an absolute path; the working folder for stdin.
fs::path FolderOf(const Input& input) {
  std::error_code error;
  const fs::path path = input.is_stdin ? "stdin" : input.path;
  return fs::absolute(path, error).lexically_normal().parent_path();
}

}  // namespace

absl::StatusOr<ClipExpectations> ClipExpectations::Find(
    const ExpectationsFlags& flags, const std::vector<Input>& inputs,
    const CancelToken* cancel) {
  ClipExpectations found;
  found.by_input_.assign(inputs.size(), -1);
  if (flags.none) return found;
  Search search;
  std::map<std::string, int> places;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const std::string path =
        flags.file.empty() ? search.FileFor(FolderOf(inputs[i])) : flags.file;
    if (path.empty()) continue;
    const auto [it, is_new] =
        places.emplace(path, static_cast<int>(found.files_.size()));
    found.by_input_[i] = it->second;
    if (!is_new) continue;
    auto file = ReadExpectations(path, cancel);
    if (!file.ok()) return file.status();
    found.files_.push_back(*std::move(file));
  }
  return found;
}

absl::Status ClipExpectations::ReadSkeletons(
    const std::function<absl::StatusOr<JointList>(const std::string& path)>&
        read) {
  for (Expectations& file : files_) {
    if (!file.skeleton || file.skeleton->file.empty()) continue;
    const std::string& path = file.skeleton->file;
    auto joints = read(path);
    if (!joints.ok()) {
      return MakeStatus(absl::StatusCode::kInvalidArgument,
                        file.skeleton->place +
                            ": skeleton: " + Printable(path) + ": " +
                            std::string(MessageOf(joints.status())));
    }
    file.skeleton->joints = *std::move(joints);
  }
  return absl::OkStatus();
}

const Expectations* ClipExpectations::Of(size_t input) const {
  const int place = by_input_[input];
  return place < 0 ? nullptr : &files_[static_cast<size_t>(place)];
}

std::vector<std::string> ClipExpectations::Paths() const {
  std::vector<std::string> paths;
  for (const Expectations& file : files_) paths.push_back(file.path);
  std::sort(paths.begin(), paths.end());
  return paths;
}

std::vector<std::string> ClipExpectations::ReadPaths() const {
  std::vector<std::string> paths = Paths();
  for (const Expectations& file : files_) {
    if (file.skeleton) paths.push_back(file.skeleton->file);
  }
  return paths;
}

}  // namespace bvhmill::client
