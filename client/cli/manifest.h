#pragma once

// The manifest of an output folder records which outputs bvhmill has made
// there, from which inputs, with which options. `convert --resume` skips a clip
// if the manifest says that its outputs are up to date.
//
// It is a file with one JSON object per line. Each run appends lines:
//   {"clip":"a/walk","begun":[".csv"],"input":{"path":"/takes/a/walk.bvh"}}
//   {"clip":"a/walk","done":{".csv":4711},"options":"<sha256>",
//    "input":{"path":...,"size":...,"modified":...,"changed":...,
//             "sha256":...}}
//   {"clip":"a/walk","deleted":[".csv"]}
// The digest "sha256" is empty unless the run had --resume, or the input was
// just made. If a run with --resume finds no manifest, it makes one whose first
// line is its creation time, in nanoseconds since 1970:
//   {"unknown_before":1764190000000000000}
// The manifest has no record of outputs modified before that time.
//
// The line with "begun" is written before the outputs are renamed into place,
// the line with "done" after that, and the line with "deleted" after the
// outputs of a clip that is gone were deleted: they are not listed any more.
// The last line about a clip states its input, its options and whether it is
// done. A clip's outputs are the union over all its lines; only the last line
// with "done" gives sizes. A clip's name that is not UTF-8 is written as
// KeyOfName encodes it (files/outputs.h). Other lines, such as an incomplete
// line of a run that was killed, are ignored.

#include <google/protobuf/message_lite.h>

#include <cstdint>
#include <ctime>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "absl/status/status.h"
#include "bvhmill/base/cancel.h"
#include "bvhmill/files/outputs.h"
#include "bvhmill/pipeline/options.h"
#include "bvhmill/pipeline/source_format.h"

namespace bvhmill::client {

// A regular file at one moment. Two states tell whether the file has changed.
struct FileState {
  // Absolute, links followed.
  std::string path;
  int64_t size = 0;
  // Nanoseconds since 1970. `changed` is 0 if the last change is so recent that
  // another change could get the same time.
  int64_t modified = 0;
  int64_t changed = 0;
  // Hexadecimal; empty until it is computed.
  std::string sha256;
};

// The nanoseconds since 1970 of a time such as st_mtim.
int64_t NanosecondsOf(const timespec& time);

// The state of the file `path`, without its digest. Nothing if it is no regular
// file.
std::optional<FileState> StateOfFile(const std::string& path);

// Computes the digest; reads the whole file. FAILED_PRECONDITION if the file
// cannot be read, or is not as it was when `state` was taken. CANCELLED.
absl::Status AddDigest(const CancelToken* cancel, FileState* state);

// FAILED_PRECONDITION if the size or the times of the file are not those of
// `state`.
absl::Status CheckUnchanged(const FileState& state);

// Sets `is_same` to true if the file of `now` has the bytes that the file of
// `then` had. If path, size and times are equal and the change time is known,
// the files count as equal. If the sizes differ, they do not. Otherwise
// compares digests, and computes now->sha256 if `then` has one. If `then` has
// no digest, or the file of `now` cannot be read, they do not count as equal.
// The only error is CANCELLED.
absl::Status HasSameBytes(const FileState& then, const CancelToken* cancel,
                          FileState* now, bool* is_same);

// The entry of one clip in the manifest.
struct MadeClip {
  // The size of each output in bytes by its extension, such as ".csv"; kUnknown
  // if bvhmill began to make it, but did not record the end, or made it before
  // the last line with "done".
  static constexpr int64_t kUnknown = -1;
  std::map<std::string, int64_t> outputs;
  // True if the last line about the clip has "done": the outputs of that line
  // were made, and `options` and `input` are known.
  bool is_done = false;
  // SHA-256 of the options, in hexadecimal digits.
  std::string options;
  FileState input;
};

// The manifest of one folder. The name of a clip is the path of its outputs
// below the folder, without extension. Statuses are FAILED_PRECONDITION "PATH:
// why".
class Manifest {
 public:
  // `directory` is borrowed.
  explicit Manifest(const OutputDir* directory) : directory_(*directory) {}

  // Locks the folder until this object dies, or the process: alone, or together
  // with other runs that are not alone. A system that cannot lock folders does
  // not keep runs apart.
  absl::Status Lock(bool alone);

  // Reads the lines of earlier runs. O(size of the file). Call it first, or not
  // at all.
  absl::Status Read();

  // True if an output that was modified at this time, in nanoseconds since
  // 1970, is older than the manifest, so that nothing is known about it. False
  // if Read was not called.
  bool IsOlder(int64_t modified) const {
    return is_missing_ || modified < unknown_before_;
  }

  // The entry that Read found for `clip`; null if there is none. Begin and
  // Finish do not change it. Valid as long as the manifest. Thread-safe after
  // Read.
  const MadeClip* Find(const std::string& clip) const;

  // All entries that Read found, by the KeyOfName of the clip.
  const std::unordered_map<std::string, MadeClip>& clips() const {
    return clips_;
  }

  // Records that outputs of `clip` with these extensions (".csv") will be made
  // from the file `input`, a path as in FileState; "" for stdin. Begin and
  // Finish are thread-safe. Each appends one line by one write, so other
  // processes may append, too. The line is not synced to the disk.
  absl::Status Begin(const std::string& clip,
                     const std::vector<std::string>& extensions,
                     const std::string& input);
  // Records that they were made.
  absl::Status Finish(const std::string& clip, const MadeClip& made);
  // Records that an output was deleted. `clip` is a key of clips().
  absl::Status Forget(const std::string& clip, const std::string& extension);

 private:
  void ReadLine(std::string_view line);
  absl::Status Append(const std::string& line);
  absl::Status Open();
  std::string path() const;

  const OutputDir& directory_;
  std::unordered_map<std::string, MadeClip> clips_;
  UniqueFd lock_;
  std::mutex mutex_;
  // Open for appending; opened by the first Begin or Finish.
  UniqueFd file_;
  // True if the last line of the file has no end.
  bool is_torn_ = false;
  // Read found no manifest.
  bool is_missing_ = false;
  // The time that the manifest states; 0 if it states none.
  int64_t unknown_before_ = 0;
  // The line that states it, until it is written.
  std::string head_;
};

// The digest, in hexadecimal, of all facts except the input that determine the
// outputs: the options without their limits, the format `from` of all inputs
// (none: it follows from their names), the version of this program, and
// `engine`, the version of the program that converts. Runs with equal digests
// make the same outputs of the same input.
std::string OptionsDigest(const ConvertOptions& options,
                          std::optional<SourceFormat> from,
                          std::string_view engine);

// The serialized `message`. Equal messages have equal bytes: the entries of
// maps are sorted.
std::string InFixedOrder(const google::protobuf::MessageLite& message);

}  // namespace bvhmill::client
