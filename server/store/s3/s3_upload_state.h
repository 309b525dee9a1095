#pragma once

// The state of an upload that is not complete, as an object of the store: any
// server goes on from it. The parts of an upload cannot be read back, so the
// state has the SHA-256 after them.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace bvhmill::server {

struct S3UploadState {
  // The name of the upload of parts; empty = there are no parts yet.
  std::string id;
  // The tags of the parts, each of which has kS3PartBytes.
  std::vector<std::string> tags;
  // The state of the digest after the parts; see Sha256::Save.
  std::string digest;
};

// The text of a state. In the object, the bytes that are in no part follow it.
std::string WriteUploadState(const S3UploadState& state);

// Reads a state from the beginning of `text`. `tail` is a view of the rest.
// False if the text is no state, e.g. that of a later version.
bool ReadUploadState(std::string_view text, S3UploadState* state,
                     std::string_view* tail);

}  // namespace bvhmill::server
