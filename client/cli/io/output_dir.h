#pragma once

// The folder of the outputs. No file is made outside of it.

#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "client/cli/io/inputs.h"
#include "client/cli/io/posix_files.h"

namespace bvhmill::client {

// True if `path` is relative, not empty and without "..": joined to any folder
// it stays below that folder.
bool StaysBelow(std::string_view path);

// `path` without "." and empty components.
std::string Normalized(std::string_view path);

// Thread-safe.
class OutputDir {
 public:
  // Opens `path`, which is made if it is missing, with its parents.
  // FAILED_PRECONDITION "PATH: why".
  static absl::StatusOr<OutputDir> Open(const std::string& path);

  // Opens the directory `below` ("" for this one), component by component,
  // without following symbolic links. Makes missing directories if `make`;
  // otherwise NOT_FOUND. FAILED_PRECONDITION "PATH: why". Requires that `below`
  // is "" or StaysBelow.
  absl::StatusOr<UniqueFd> Descend(std::string_view below, bool make) const;

  // As it was given.
  const std::string& path() const { return path_; }
  FileId id() const { return id_; }

 private:
  OutputDir(std::string path, UniqueFd fd, FileId id)
      : path_(std::move(path)), fd_(std::move(fd)), id_(id) {}

  std::string path_;
  UniqueFd fd_;
  FileId id_;
};

}  // namespace bvhmill::client
