#pragma once

// The folder of the outputs of a command, the names of outputs in it, and their
// keys. No output is written outside of the folder, and no two inputs have
// outputs of the same name.
//
//   auto dir = OutputDir::Open("out");
//   if (!dir.ok()) return dir.status();
//   ClaimOutputs(&inputs);
//   ... dir->Descend("walks/slow", /*make=*/true) ...

#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "bvhmill/files/inputs.h"
#include "bvhmill/files/posix_files.h"

namespace bvhmill {

// The folder of the outputs. Thread-safe.
class OutputDir {
 public:
  // Opens `path`. Makes it and its parents if they are missing.
  // FAILED_PRECONDITION "PATH: why".
  static absl::StatusOr<OutputDir> Open(const std::string& path);

  // Opens the directory `below` ("" for this one), component by component,
  // without following symbolic links. Makes missing directories if `make`;
  // otherwise NOT_FOUND. FAILED_PRECONDITION "PATH: why". Requires that `below`
  // is "" or StaysBelow.
  absl::StatusOr<UniqueFd> Descend(std::string_view below, bool make) const;

  // The argument of Open.
  const std::string& path() const { return path_; }
  FileId id() const { return id_; }

 private:
  OutputDir(std::string path, UniqueFd fd, FileId id)
      : path_(std::move(path)), fd_(std::move(fd)), id_(id) {}

  std::string path_;
  UniqueFd fd_;
  FileId id_;
};

// The path of the input for each base of outputs that is in use.
using OutputClaims = std::unordered_map<std::string, std::string>;

// Sets Input::status to FAILED_PRECONDITION for each input whose outputs would
// be outside the output folder, or would have the names of outputs of an
// earlier input. Normalizes Input::base of the others, and adds them to
// `claims`. Ignores inputs whose status is an error already.
void ClaimOutputs(std::vector<Input>* inputs, OutputClaims* claims);

// The same for all inputs of a command.
inline void ClaimOutputs(std::vector<Input>* inputs) {
  OutputClaims claims;
  ClaimOutputs(inputs, &claims);
}

// True if `path` is relative, not empty and without "..": joined to any folder
// it stays below that folder.
bool StaysBelow(std::string_view path);

// `path` without "." and empty components.
std::string Normalized(std::string_view path);

// Keys of items: the names of outputs, which are bytes, as UTF-8. Different
// names have different keys.
//
//   a name of UTF-8                       the name
//   "caf" and the byte E9                 bytes:caf\xE9

// The key of `name`: the name itself if it is UTF-8 and does not begin with
// "bytes:".
std::string KeyOfName(std::string_view name);

// The name of a key. A key that does not begin with "bytes:", or that has a
// byte which is neither plain nor a valid escape, is the name itself.
std::string NameOfKey(std::string_view key);

}  // namespace bvhmill
