#pragma once

// The inputs that a command line names: files, directories, lists of paths and
// stdin. Also the format, compression and identity of a file.
//
//   InputOptions options{.paths = {"clips"}, .recursive = true};
//   auto inputs = CollectInputs(options, /*skip=*/std::nullopt, &cancel);
//   if (!inputs.ok()) return inputs.status();
//   DropRepeated(&*inputs);

#include <cstdint>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "bvhmill/base/cancel.h"
#include "bvhmill/pipeline/source_format.h"
#include "bvhmill/unpack/decoder.h"

namespace bvhmill {

struct InputOptions {
  // Files and directories; "-" is a clip on stdin.
  std::vector<std::string> paths;
  // File with one path a line, "-" for stdin; empty: none.
  std::string filelist;
  // The paths of the list end in a zero byte, as `find -print0` writes them.
  bool list_has_zeros = false;
  // Search directories. If false, a directory is an error.
  bool recursive = false;
  // Search directories that symbolic links name, too; each directory once.
  bool follow = false;
  // Patterns of fnmatch for the files of directories: those that match one of
  // `include`, or all if it is empty, but none of `exclude`. A pattern with a
  // slash is for the path below the directory, another one for the name. A
  // directory that matches one of `exclude` is not searched.
  std::vector<std::string> include;
  std::vector<std::string> exclude;
  // The format of all inputs; directories are searched for its files. None: the
  // format that the name of the file states, else BVH; directories are searched
  // for BVH.
  std::optional<SourceFormat> from;
};

struct Input {
  // The path as given or found. For stdin: "stdin" and the extension of its
  // format.
  std::string path;
  // The path of its outputs below the output directory, without extension: the
  // name of a file on the command line; the path below a directory that was
  // searched; the path in a list, without "/" at its beginning and without
  // "..".
  std::string base;
  bool is_stdin = false;
  // Size of the file when it was found; 0 if unknown.
  int64_t bytes = 0;
  // The reason why the input cannot be read; OK if it can.
  absl::Status status;
  SourceFormat format = SourceFormat::kBvh;
};

// Device and inode: equal for two names of one file.
using FileId = std::pair<uint64_t, uint64_t>;

// All inputs in the order of the command line; files of a directory are sorted
// by path. A search skips names that begin with a dot, links to directories,
// and the directory `skip`. The status of an input that cannot be read is an
// error. INVALID_ARGUMENT if the command line is wrong: no input, a directory
// without `recursive`, a list that cannot be read to its end or has more than
// 256 MiB, stdin twice. `cancel`, which may be null, ends the wait for a list
// from a pipe.
absl::StatusOr<std::vector<Input>> CollectInputs(const InputOptions& options,
                                                 std::optional<FileId> skip,
                                                 const CancelToken* cancel);

// Removes inputs whose RealName is that of an earlier input. Returns the paths
// that were removed.
std::vector<std::string> DropRepeated(std::vector<Input>* inputs);

// Identity of files.

// The id of the file at `path`, links followed; nullopt if no file exists.
std::optional<FileId> IdOfFile(const std::string& path);

// The ids of the files of `inputs` that exist, without stdin.
std::set<FileId> IdsOfFiles(const std::vector<Input>& inputs);

// The canonical path of the file `path`: absolute, with links to folders
// followed. A link to a file keeps its own name. The file need not exist.
std::filesystem::path RealName(const std::string& path);

// Formats by the name of a file, such as NAME.bvh, NAME.bvh.gz or
// NAME.anim.zst. Case is ignored. No file is opened.

// The format that the extension of `path` names, before .gz or .zst if it has
// one of these; nullopt if it names no format.
std::optional<SourceFormat> FormatOfName(std::string_view path);

// The compression that the extension of `path` names; kIdentity if `path` is
// not the name of a compressed clip.
Encoding EncodingOfName(std::string_view path);

// The compression of the file at `path`, which begins with `head`: by these
// bytes, or else by its name.
Encoding EncodingOfFile(std::string_view path, std::string_view head);

// `path` without .gz or .zst if it is the name of a compressed clip.
std::string_view WithoutPacking(std::string_view path);

// The name of the manifest of a folder of outputs, which is not an input.
inline constexpr std::string_view kManifestName = ".bvhmill-manifest.jsonl";

}  // namespace bvhmill
