#pragma once

// Which clips a command line names.

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace bvhmill::client {

struct InputOptions {
  // Files and directories; "-" is a clip on stdin.
  std::vector<std::string> paths;
  // File with one path a line, "-" for stdin; empty = none.
  std::string filelist;
  // Walk directories.
  bool recursive = false;
  // The inputs are .anim files: those are taken below directories, instead of
  // clips.
  bool anim = false;
};

struct Input {
  // As given or found; "stdin.bvh" or "stdin.anim" for stdin.
  std::string path;
  // Where its outputs stand below the output directory, without extension: for
  // a file on the command line its name, for one below a directory the path
  // from there, for one of a list the path as it stands in the list.
  std::string base;
  bool is_stdin = false;
  // Size of the file when it was found; 0 if it is not known.
  int64_t bytes = 0;
  // Not OK: it cannot be read, for this reason.
  absl::Status status;
};

// True if `path` ends in ".anim", in any case.
bool IsAnimName(std::string_view path);

// Device and inode: tells if two names are one file.
using FileId = std::pair<uint64_t, uint64_t>;

// The file behind `path`, links followed; nothing if there is none.
std::optional<FileId> IdOfFile(const std::string& path);

// The files of `inputs` that exist, but stdin.
std::set<FileId> IdsOfFiles(const std::vector<Input>& inputs);

// All inputs, in the order of the command line; files of a directory sorted by
// path. In a walk, names that begin with a dot and links to directories are
// skipped, as is the directory `skip`. INVALID_ARGUMENT if the command line
// cannot be meant: a directory without `recursive`, an unreadable list, stdin
// twice.
absl::StatusOr<std::vector<Input>> CollectInputs(const InputOptions& options,
                                                 std::optional<FileId> skip);

}  // namespace bvhmill::client
