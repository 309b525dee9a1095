#pragma once

// Objects that are sent in parts. The store shows an object only when it is
// completed; a part has 5 MiB at least, except the last one.
//
// Statuses: those of S3Client::Send.

#include <cstdint>
#include <string>
#include <vector>

#include "server/store/s3/s3_client.h"

namespace bvhmill::server {

// The largest blob has 640 parts of this size; a store takes 10,000 parts.
inline constexpr int64_t kS3PartBytes = int64_t{8} << 20;

struct S3Part {
  // From 1.
  int number = 0;
  const OwnedFile* file = nullptr;
  int64_t offset = 0;
  int64_t bytes = 0;
  // The SHA-256 of its bytes, in hexadecimal.
  std::string digest = {};
};

// Begins an upload of the object `key`, and sets `id` to its name.
absl::Status BeginParts(S3Client* client, const std::string& key,
                        std::string* id);
// Sends a part; the store compares its digest. `tag` names the part with these
// bytes: if another server sends other bytes under its number, the upload
// cannot be completed with this tag.
absl::Status PutPart(S3Client* client, const std::string& key,
                     const std::string& id, const S3Part& part,
                     std::string* tag);
// Makes the object of all parts with these tags, the first of which has the
// number 1.
absl::Status CompleteParts(S3Client* client, const std::string& key,
                           const std::string& id,
                           const std::vector<std::string>& tags);
// Ends an upload and drops its parts. OK if there is no such upload.
absl::Status AbortParts(S3Client* client, const std::string& key,
                        const std::string& id);

}  // namespace bvhmill::server
