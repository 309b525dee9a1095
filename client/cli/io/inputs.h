#pragma once

// The inputs that a command line names.

#include <cstdint>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "bvhmill/base/cancel.h"
#include "bvhmill/pipeline/source_format.h"

namespace bvhmill::client {

struct InputOptions {
  // Files and directories; "-" is a clip on stdin.
  std::vector<std::string> paths;
  // File with one path a line, "-" for stdin; empty = none.
  std::string filelist;
  // Walk directories.
  bool recursive = false;
  // The format of all inputs; directories are searched for its files. None: by
  // the name of the file, and BVH if it names no format; directories are
  // searched for BVH.
  std::optional<SourceFormat> from;
};

struct Input {
  // The path as given or found; "stdin" and the extension of its format for
  // stdin.
  std::string path;
  // The path of its outputs below the output directory, without extension: the
  // name of a file on the command line; the path below a directory that was
  // searched; the path in a list.
  std::string base;
  bool is_stdin = false;
  // Size of the file when it was found; 0 if it is unknown.
  int64_t bytes = 0;
  // The error for which the input cannot be read; OK if it can.
  absl::Status status;
  SourceFormat format = SourceFormat::kBvh;
};

// Device and inode: equal for two names of one file.
using FileId = std::pair<uint64_t, uint64_t>;

// The id of the file at `path`, links followed; none if no file exists.
std::optional<FileId> IdOfFile(const std::string& path);

// The ids of the files of `inputs` that exist, without stdin.
std::set<FileId> IdsOfFiles(const std::vector<Input>& inputs);

// The absolute name of the file `path`, the same for all ways to it: links to
// folders are followed. A link to a file keeps its own name. The file need not
// exist.
std::filesystem::path RealName(const std::string& path);

// Removes inputs that name a file of an earlier input once more, also by
// another way; see RealName. Returns the paths that were removed.
std::vector<std::string> DropRepeated(std::vector<Input>* inputs);

// All inputs in the order of the command line; files of a directory are sorted
// by path. A search skips names that begin with a dot, links to directories,
// and the directory `skip`. An input that cannot be read gets an error as its
// status. INVALID_ARGUMENT if the command line is wrong: no input, a directory
// without `recursive`, a list that cannot be read to its end or has more than
// 256 MiB, stdin twice. `cancel`, which may be null, ends the wait for a list
// that comes from a pipe.
absl::StatusOr<std::vector<Input>> CollectInputs(const InputOptions& options,
                                                 std::optional<FileId> skip,
                                                 const CancelToken* cancel);

}  // namespace bvhmill::client
