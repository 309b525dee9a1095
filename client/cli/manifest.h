#pragma once

// The manifest of an output folder: which outputs were made there, of which
// inputs, with which options. A file of JSON objects, one a line, to which runs
// append:
//   {"clip":"a/walk","begun":[".csv"],"input":{"path":"/takes/a/walk.bvh"}}
//   {"clip":"a/walk","done":{".csv":4711},"options":"<sha256>",
//    "input":{"path":...,"size":...,"modified":...,"changed":...,
//             "sha256":...}}
// The first line is written before outputs get their names, the second one
// after that. The last lines about a clip count. A line that is no such object,
// as a run that was killed may leave it, is ignored.

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "absl/status/status.h"
#include "client/cli/io/file_state.h"
#include "client/cli/io/output_dir.h"

namespace bvhmill::client {

// The name of the file in the output folder.
inline constexpr std::string_view kManifestName = ".bvhmill-manifest.jsonl";

// The entry of one clip in the manifest.
struct MadeClip {
  // By their extensions: the size of an output that was made, or kUnknown for a
  // file of which no more is known than that bvhmill was to make it.
  static constexpr int64_t kUnknown = -1;
  std::map<std::string, int64_t> outputs;
  // True if they were made; the digests of options and input are then known.
  bool is_done = false;
  std::string options;
  FileState input;
};

// Clips are named by what their outputs have in common: the path below the
// folder, without extensions. Statuses are FAILED_PRECONDITION "PATH: why".
class Manifest {
 public:
  // `directory` is borrowed.
  explicit Manifest(const OutputDir* directory) : directory_(*directory) {}

  // Reads what earlier runs have written. O(size of the file). Call it before
  // the others, or not at all.
  absl::Status Read();

  // True if Read found no manifest: nothing is known of the outputs there.
  bool is_missing() const { return is_missing_; }

  // The entry that was read for `clip`; null if there is none.
  const MadeClip* Find(const std::string& clip) const;

  // Says that outputs of `clip` with these extensions are about to be made of
  // the file `input`. Thread-safe, as is Finish.
  absl::Status Begin(const std::string& clip,
                     const std::vector<std::string>& extensions,
                     const std::string& input);
  // Says that they were made.
  absl::Status Finish(const std::string& clip, const MadeClip& made);

 private:
  void ReadLine(std::string_view line);
  absl::Status Append(const std::string& line);
  absl::Status Open();
  std::string path() const;

  const OutputDir& directory_;
  std::unordered_map<std::string, MadeClip> clips_;
  std::mutex mutex_;
  // Appends to the file; opened when it is needed.
  UniqueFd file_;
  // The file ends within a line.
  bool is_torn_ = false;
  bool is_missing_ = false;
};

}  // namespace bvhmill::client
