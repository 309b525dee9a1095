#pragma once

// The manifest of an output folder: which outputs bvhmill has made there, from
// which inputs, with which options. A file with one JSON object per line; each
// run appends lines:
//   {"clip":"a/walk","begun":[".csv"],"input":{"path":"/takes/a/walk.bvh"}}
//   {"clip":"a/walk","done":{".csv":4711},"options":"<sha256>",
//    "input":{"path":...,"size":...,"modified":...,"changed":...,
//             "sha256":...}}
// The line with "begun" is written before outputs get their names, the line
// with "done" after that. The last lines about a clip are valid. Other lines,
// such as a torn line of a run that was killed, are ignored.

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
  // The size of each output by its extension; kUnknown if bvhmill began to make
  // it, but did not record the end.
  static constexpr int64_t kUnknown = -1;
  std::map<std::string, int64_t> outputs;
  // True if all outputs were made. The digests of options and input are then
  // known.
  bool is_done = false;
  std::string options;
  FileState input;
};

// The name of a clip is the path of its outputs below the folder, without
// extension. Statuses are FAILED_PRECONDITION "PATH: why".
class Manifest {
 public:
  // `directory` is borrowed.
  explicit Manifest(const OutputDir* directory) : directory_(*directory) {}

  // Reads the lines of earlier runs. O(size of the file). Call it first, or not
  // at all.
  absl::Status Read();

  // True if Read found no manifest, so that nothing is known about the outputs.
  bool is_missing() const { return is_missing_; }

  // The entry that was read for `clip`; null if there is none.
  const MadeClip* Find(const std::string& clip) const;

  // Records that outputs of `clip` with these extensions will be made from the
  // file `input`. Begin and Finish are thread-safe.
  absl::Status Begin(const std::string& clip,
                     const std::vector<std::string>& extensions,
                     const std::string& input);
  // Records that they were made.
  absl::Status Finish(const std::string& clip, const MadeClip& made);

 private:
  void ReadLine(std::string_view line);
  absl::Status Append(const std::string& line);
  absl::Status Open();
  std::string path() const;

  const OutputDir& directory_;
  std::unordered_map<std::string, MadeClip> clips_;
  std::mutex mutex_;
  // Open for appending; opened by the first Begin.
  UniqueFd file_;
  // True if the last line of the file has no end.
  bool is_torn_ = false;
  bool is_missing_ = false;
};

}  // namespace bvhmill::client
