#pragma once

// A client of an S3-compatible store: signed requests by libcurl (SigV4), the
// texts of S3 in XML, and errors as statuses.
//
//   std::unique_ptr<S3Client> client;
//   BVHMILL_RETURN_IF_ERROR(S3Client::Make(options, &client));
//   S3Answer answer;
//   BVHMILL_RETURN_IF_ERROR(client->Send({.key = "blobs/a"}, &answer));
//   Use(answer.body);
//
// The signature covers the SHA-256 of the body, so the store refuses bytes that
// were damaged in transit. The client keeps connections open and reuses them.

#include <curl/curl.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "server/store/file_ops.h"
#include "server/store/s3/s3_options.h"

namespace bvhmill::server {

struct S3Request {
  // GET, HEAD, PUT or DELETE.
  const char* method = "GET";
  // The key below the prefix; empty = the bucket itself.
  std::string key = {};
  // Names and values. The signature requires that they are sorted.
  std::map<std::string, std::string> query = {};
  // "name: value"
  std::vector<std::string> headers = {};
  // FIRST-LAST, in bytes; empty = all.
  std::string range = {};
  // The body: a text, or the first bytes of a file.
  std::string text = {};
  const OwnedFile* file = nullptr;
  int64_t file_bytes = 0;
  // The SHA-256 of the body in hexadecimal. May be empty if there is no file.
  std::string digest = {};
  // A longer body of the answer is an error.
  size_t max_answer_bytes = size_t{4} << 20;
  // An attempt fails if it transfers less than 256 bytes a second for this
  // time.
  int timeout_seconds = 20;
};

struct S3Answer {
  int status = 0;
  std::string body;
  // Bytes of the object; -1 = unknown.
  int64_t size = -1;
  // The times of the last change and of the answer, by the clock of the store:
  // milliseconds since 1970, in whole seconds; 0 = unknown.
  int64_t modified_ms = 0;
  int64_t now_ms = 0;
};

// Thread-safe.
class S3Client {
 public:
  // Connects at the first request. INVALID_ARGUMENT for a wrong address or
  // endpoint.
  static absl::Status Make(const S3Options& options,
                           std::unique_ptr<S3Client>* client);

  // Sends a request, and waits for its answer. Repeats the request with growing
  // pauses if the store does not answer or is busy: at most four times, and not
  // after ten seconds. The last attempt may take the timeout of the request
  // beyond that. So a request must be safe to repeat. After the last attempt
  // other requests fail at once, for a time that doubles from 50 ms to 2 s, so
  // that threads do not wait for a store that is down.
  //
  // NOT_FOUND: no such object. OUT_OF_RANGE: the range begins after its end.
  // FAILED_PRECONDITION: S3_REFUSED, S3_BUCKET_MISSING, S3_KEYS_MISSING.
  // UNAVAILABLE, BLOBS_UNAVAILABLE. RESOURCE_EXHAUSTED, DISK_FULL. INTERNAL,
  // STORE_FAULT. No message names a host.
  absl::Status Send(const S3Request& request, S3Answer* answer);

  const S3Place& place() const { return place_; }

 private:
  using Clock = std::chrono::steady_clock;
  struct Free {
    void operator()(CURL* handle) const { curl_easy_cleanup(handle); }
  };
  using Handle = std::unique_ptr<CURL, Free>;

  S3Client(const S3Options& options, S3Place place, std::string endpoint)
      : options_(options),
        place_(std::move(place)),
        endpoint_(std::move(endpoint)),
        credentials_(options.credentials_file) {}

  absl::Status SendOnce(const S3Request& request, S3Answer* answer,
                        bool* may_repeat);
  CURLcode Perform(const S3Request& request, const S3Keys& keys,
                   S3Answer* answer);
  std::string UrlOf(const S3Request& request) const;
  Handle Take();
  void GiveBack(Handle handle);
  bool IsRefused();
  void Count(const absl::Status& status);

  const S3Options options_;
  const S3Place place_;
  const std::string endpoint_;
  S3Credentials credentials_;
  std::mutex mutex_;
  // The members below require the mutex.
  std::vector<Handle> idle_;
  Clock::time_point refused_until_;
  Clock::duration pause_{};
};

// The texts of S3 in XML. Readers ignore unknown elements and namespaces.

// An object in a list.
struct S3Object {
  std::string key;
  int64_t size = 0;
  // In milliseconds since 1970, by the clock of the store.
  int64_t modified_ms = 0;
};

// A page of ListObjectsV2.
struct S3ObjectPage {
  std::vector<S3Object> objects;
  // The beginning of the next page; empty = this is the last one.
  std::string next;
};
// False if the text is no such page.
bool ReadObjectPage(const std::string& xml, S3ObjectPage* page);

// The code of an <Error>, e.g. "NoSuchKey"; empty if the text is no <Error>.
std::string ErrorCodeIn(const std::string& xml);

// Errors of the store as statuses: see S3Client::Send.

// UNAVAILABLE, BLOBS_UNAVAILABLE with the message `why`, which must not name a
// host.
absl::Status BlobsUnavailable(const std::string& why);

// The status of an answer with an HTTP status and the code of its <Error>,
// which may be empty. OK from 200 to 299 without a code.
absl::Status StatusOfAnswer(int http_status, const std::string& code);

// True if the same request may succeed later.
bool MayRepeat(int http_status, const std::string& code);

// `status` for callers of the server: FAILED_PRECONDITION, which only the
// operator can resolve, becomes UNAVAILABLE, BLOBS_UNAVAILABLE. Others stay.
absl::Status ForCallers(const absl::Status& status);

}  // namespace bvhmill::server
