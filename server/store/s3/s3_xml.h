#pragma once

// The answers of S3 that are XML, and one request. Elements that are not known
// are passed over; a namespace does not matter.

#include <cstdint>
#include <string>
#include <vector>

namespace bvhmill::server {

// The code of an <Error>, e.g. "NoSuchKey"; empty if the text is no <Error>.
std::string ErrorCodeIn(const std::string& xml);

// The content of <NAME> in the outermost element; empty if there is none.
std::string FieldIn(const std::string& xml, const char* name);

struct S3Object {
  std::string key;
  int64_t size = 0;
  // In milliseconds since 1970, by the clock of the store.
  int64_t modified_ms = 0;
};

// A page of ListObjectsV2.
struct S3ObjectPage {
  std::vector<S3Object> objects;
  // Where the next page begins; empty = this is the last one.
  std::string next;
};
// False if the text is no such page.
bool ReadObjectPage(const std::string& xml, S3ObjectPage* page);

struct S3RunningUpload {
  std::string key;
  std::string id;
  int64_t begun_ms = 0;
};

// A page of ListMultipartUploads.
struct S3UploadPage {
  std::vector<S3RunningUpload> uploads;
  // Where the next page begins; empty = this is the last one.
  std::string next_key;
  std::string next_id;
};
// False if the text is no such page.
bool ReadUploadPage(const std::string& xml, S3UploadPage* page);

// The request that completes an upload of parts with these tags, the first of
// which has the number 1.
std::string CompletionOf(const std::vector<std::string>& tags);

// Milliseconds since 1970 of a time such as 2026-01-31T23:59:59.999Z; 0 if the
// text is no such time.
int64_t TimeOf(const std::string& text);

}  // namespace bvhmill::server
