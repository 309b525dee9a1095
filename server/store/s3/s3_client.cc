#include "server/store/s3/s3_client.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <pugixml.hpp>
#include <random>
#include <string_view>
#include <thread>
#include <utility>

#include "bvhmill/base/status.h"
#include "bvhmill/digest/sha256.h"
#include "server/store/fault_points.h"

namespace bvhmill::server {
namespace {

constexpr int kRequestTimeout = 408;
constexpr int kTooManyRequests = 429;
constexpr int kNoStorage = 507;

constexpr std::string_view kFull[] = {"QuotaExceeded", "InsufficientStorage",
                                      "XMinioStorageFull",
                                      "InsufficientCapacity", "EntityTooLarge"};
// The store is busy, or bytes were lost or damaged in transit.
constexpr std::string_view kRepeat[] = {
    "SlowDown",         "InternalError",  "ServiceUnavailable",
    "RequestTimeout",   "IncompleteBody", "XAmzContentSHA256Mismatch",
    "OperationAborted", "BadDigest",      "ConcurrentModification",
    "TooManyRequests",
};

template <size_t kSize>
bool IsOneOf(const std::string_view (&all)[kSize], const std::string& code) {
  return std::find(std::begin(all), std::end(all), code) != std::end(all);
}

absl::Status Precondition(const char* reason, const std::string& message) {
  return MakeCallError({.code = absl::StatusCode::kFailedPrecondition,
                        .reason = reason,
                        .message = message});
}

std::string Described(int http_status, const std::string& code) {
  return "HTTP " + std::to_string(http_status) +
         (code.empty() ? "" : ", " + code);
}

absl::Status RefusedBy(const std::string& code, const std::string& described) {
  if (code == "InvalidAccessKeyId" || code == "SignatureDoesNotMatch") {
    return Precondition("S3_REFUSED",
                        "the store of blobs does not take the keys of the "
                        "server (" +
                            described + ")");
  }
  if (code == "RequestTimeTooSkewed") {
    return Precondition("S3_REFUSED",
                        "the clocks of the server and of the store of blobs "
                        "differ by too much (" +
                            described + ")");
  }
  return Precondition("S3_REFUSED",
                      "the store of blobs refuses the server (" + described +
                          "): its keys may be wrong or lack a right");
}

// True if the same request may succeed later.
bool MayRepeat(CURLcode code) {
  switch (code) {
    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_COULDNT_CONNECT:
    case CURLE_WEIRD_SERVER_REPLY:
    case CURLE_PARTIAL_FILE:
    case CURLE_OPERATION_TIMEDOUT:
    case CURLE_SSL_CONNECT_ERROR:
    case CURLE_GOT_NOTHING:
    case CURLE_SEND_ERROR:
    case CURLE_RECV_ERROR:
    case CURLE_HTTP2:
    case CURLE_HTTP2_STREAM:
      return true;
    default:
      return false;
  }
}

// The status of a failed transfer. The text of libcurl for a code names no
// host.
absl::Status StatusOfTransfer(CURLcode code) {
  const std::string why = curl_easy_strerror(code);
  if (MayRepeat(code)) {
    return BlobsUnavailable("the store of blobs does not answer (" + why + ")");
  }
  return MakeCallError(
      {.code = absl::StatusCode::kInternal,
       .reason = "STORE_FAULT",
       .message = "the server cannot use the store of blobs (" + why + ")"});
}

// The outermost element; empty if the text is no XML.
pugi::xml_node Parse(const std::string& xml, pugi::xml_document* document) {
  const auto parsed = document->load_buffer(xml.data(), xml.size());
  return parsed ? document->document_element() : pugi::xml_node();
}

bool IsNamed(const pugi::xml_node& node, const std::string& name) {
  return node.name() == name;
}

// Milliseconds since 1970 of a time such as 2026-01-31T23:59:59.999Z; 0 if the
// text is no such time.
int64_t TimeOf(const std::string& text) {
  std::tm time = {};
  int milliseconds = 0;
  const int read = std::sscanf(
      text.c_str(), "%4d-%2d-%2dT%2d:%2d:%2d.%3d", &time.tm_year, &time.tm_mon,
      &time.tm_mday, &time.tm_hour, &time.tm_min, &time.tm_sec, &milliseconds);
  constexpr int kWithoutFraction = 6;
  if (read < kWithoutFraction) return 0;
  time.tm_year -= 1900;
  time.tm_mon -= 1;
  return int64_t{timegm(&time)} * 1000 + milliseconds;
}

}  // namespace

absl::Status BlobsUnavailable(const std::string& why) {
  return MakeCallError({.code = absl::StatusCode::kUnavailable,
                        .reason = "BLOBS_UNAVAILABLE",
                        .args = {{"retry_after_ms", "1000"}},
                        .message = why});
}

absl::Status StatusOfAnswer(int http_status, const std::string& code) {
  const std::string described = Described(http_status, code);
  if (code.empty() && http_status >= 200 && http_status < 300) {
    return absl::OkStatus();
  }
  if (code == "NoSuchBucket") {
    return Precondition("S3_BUCKET_MISSING",
                        "the store of blobs has no such bucket");
  }
  if (IsOneOf(kFull, code) || http_status == kNoStorage) {
    return MakeCallError({.code = absl::StatusCode::kResourceExhausted,
                          .reason = "DISK_FULL",
                          .args = {{"retry_after_ms", "30000"}},
                          .message = "the store of blobs is full"});
  }
  if (MayRepeat(http_status, code)) {
    return BlobsUnavailable("the store of blobs cannot answer now (" +
                            described + ")");
  }
  if (http_status == 404) return MakeStatus(absl::StatusCode::kNotFound, "");
  if (http_status == 416) return MakeStatus(absl::StatusCode::kOutOfRange, "");
  if (http_status == 401 || http_status == 403) {
    return RefusedBy(code, described);
  }
  return MakeCallError(
      {.code = absl::StatusCode::kInternal,
       .reason = "STORE_FAULT",
       .message =
           "the server cannot use the store of blobs (" + described + ")"});
}

bool MayRepeat(int http_status, const std::string& code) {
  if (http_status == kNoStorage) return false;
  return http_status >= 500 || http_status == kTooManyRequests ||
         http_status == kRequestTimeout || IsOneOf(kRepeat, code);
}

absl::Status ForCallers(const absl::Status& status) {
  return absl::IsFailedPrecondition(status)
             ? BlobsUnavailable(std::string(MessageOf(status)))
             : status;
}

std::string ErrorCodeIn(const std::string& xml) {
  pugi::xml_document document;
  const pugi::xml_node root = Parse(xml, &document);
  return IsNamed(root, "Error") ? root.child_value("Code") : "";
}

bool ReadObjectPage(const std::string& xml, S3ObjectPage* page) {
  *page = {};
  pugi::xml_document document;
  const pugi::xml_node root = Parse(xml, &document);
  if (!IsNamed(root, "ListBucketResult")) return false;
  for (const pugi::xml_node& entry : root.children("Contents")) {
    S3Object& object = page->objects.emplace_back();
    object.key = entry.child_value("Key");
    object.size = entry.child("Size").text().as_llong();
    object.modified_ms = TimeOf(entry.child_value("LastModified"));
  }
  if (root.child("IsTruncated").text().as_bool()) {
    page->next = root.child_value("NextContinuationToken");
  }
  return true;
}

namespace {

using std::chrono::milliseconds;

constexpr int kMaxTries = 5;
constexpr milliseconds kFirstBackoff(100);
constexpr std::chrono::seconds kLongestTrying(10);
constexpr milliseconds kFirstPause(50);
constexpr milliseconds kLongestPause(2000);
constexpr long kConnectMs = 3000;
// The slowest transfer: see S3Request::timeout_seconds.
constexpr long kSlowestBytes = 256;
constexpr long kBufferBytes = 256L << 10;
constexpr size_t kMaxIdle = 32;

// One transfer of a request.
struct Transfer {
  const S3Request& request;
  S3Answer& answer;
  int64_t sent = 0;
  // All headers of the answer were received.
  bool has_headers = false;
};

int64_t BodyBytes(const S3Request& request) {
  return request.file == nullptr ? static_cast<int64_t>(request.text.size())
                                 : request.file_bytes;
}

size_t ReadBody(char* to, size_t unit, size_t count, void* context) {
  auto* const transfer = static_cast<Transfer*>(context);
  const S3Request& request = transfer->request;
  const auto size = static_cast<size_t>(std::min<int64_t>(
      static_cast<int64_t>(unit * count), BodyBytes(request) - transfer->sent));
  if (size == 0) return 0;
  if (request.file == nullptr) {
    std::memcpy(to, request.text.data() + transfer->sent, size);
    transfer->sent += static_cast<int64_t>(size);
    return size;
  }
  const ssize_t got = pread(request.file->get(), to, size, transfer->sent);
  // The file is shorter than file_bytes, or cannot be read.
  if (got <= 0) return CURL_READFUNC_ABORT;
  transfer->sent += got;
  return static_cast<size_t>(got);
}

// libcurl sends the body again, on another connection.
int SeekBody(void* context, curl_off_t offset, int origin) {
  if (origin != SEEK_SET) return CURL_SEEKFUNC_CANTSEEK;
  static_cast<Transfer*>(context)->sent = offset;
  return CURL_SEEKFUNC_OK;
}

size_t WriteBody(char* from, size_t unit, size_t count, void* context) {
  auto* const transfer = static_cast<Transfer*>(context);
  const size_t size = unit * count;
  std::string& body = transfer->answer.body;
  if (body.size() + size > transfer->request.max_answer_bytes) return 0;
  body.append(from, size);
  return size;
}

int64_t TimeIn(const std::string& value) {
  const time_t time = curl_getdate(value.c_str(), nullptr);
  return time < 0 ? 0 : int64_t{time} * 1000;
}

void ReadHeader(std::string name, const std::string& value, S3Answer* answer) {
  std::transform(name.begin(), name.end(), name.begin(),
                 [](unsigned char c) { return std::tolower(c); });
  if (name == "date") answer->now_ms = TimeIn(value);
  if (name == "last-modified") answer->modified_ms = TimeIn(value);
  if (name == "content-length" && answer->size < 0) {
    answer->size = std::atoll(value.c_str());
  }
  // bytes 0-99/1000
  const size_t slash = value.find('/');
  if (name == "content-range" && slash != std::string::npos) {
    answer->size = std::atoll(value.c_str() + slash + 1);
  }
}

size_t TakeHeader(char* from, size_t unit, size_t count, void* context) {
  auto* const transfer = static_cast<Transfer*>(context);
  std::string_view line(from, unit * count);
  const size_t colon = line.find(':');
  if (line.starts_with("HTTP/")) {
    // A later answer of the same transfer, e.g. after "100 Continue".
    transfer->answer = {};
    transfer->has_headers = false;
  } else if (line == "\r\n") {
    transfer->has_headers = true;
  } else if (colon != std::string_view::npos) {
    std::string value(line.substr(colon + 1));
    value.erase(0, value.find_first_not_of(" \t"));
    value.erase(value.find_last_not_of(" \t\r\n") + 1);
    ReadHeader(std::string(line.substr(0, colon)), value, &transfer->answer);
  }
  return unit * count;
}

std::string Encoded(const std::string& text) {
  constexpr std::string_view kPlain = "-._~";
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isalnum(byte) != 0 || kPlain.find(c) != kPlain.npos) {
      out += c;
    } else {
      out += '%';
      out += kDigits[byte >> 4];
      out += kDigits[byte & 15];
    }
  }
  return out;
}

// The headers of one request.
class Headers {
 public:
  ~Headers() { curl_slist_free_all(list_); }
  void Add(const std::string& line) {
    curl_slist* const longer = curl_slist_append(list_, line.c_str());
    if (longer != nullptr) list_ = longer;
  }
  curl_slist* list() { return list_; }

 private:
  curl_slist* list_ = nullptr;
};

void SetMethod(CURL* handle, const S3Request& request, Transfer* transfer) {
  const std::string_view method = request.method;
  if (method == "HEAD") {
    curl_easy_setopt(handle, CURLOPT_NOBODY, 1L);
  } else if (method == "PUT") {
    curl_easy_setopt(handle, CURLOPT_UPLOAD, 1L);
    curl_easy_setopt(handle, CURLOPT_INFILESIZE_LARGE,
                     curl_off_t{BodyBytes(request)});
    curl_easy_setopt(handle, CURLOPT_READFUNCTION, &ReadBody);
    curl_easy_setopt(handle, CURLOPT_READDATA, transfer);
    curl_easy_setopt(handle, CURLOPT_SEEKFUNCTION, &SeekBody);
    curl_easy_setopt(handle, CURLOPT_SEEKDATA, transfer);
  } else if (method != "GET") {
    curl_easy_setopt(handle, CURLOPT_CUSTOMREQUEST, request.method);
  }
}

void SetTransport(CURL* handle, int timeout_seconds) {
  curl_easy_setopt(handle, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(handle, CURLOPT_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(handle, CURLOPT_PATH_AS_IS, 1L);
  curl_easy_setopt(handle, CURLOPT_CONNECTTIMEOUT_MS, kConnectMs);
  curl_easy_setopt(handle, CURLOPT_LOW_SPEED_LIMIT, kSlowestBytes);
  curl_easy_setopt(handle, CURLOPT_LOW_SPEED_TIME, long{timeout_seconds});
  curl_easy_setopt(handle, CURLOPT_TCP_KEEPALIVE, 1L);
  curl_easy_setopt(handle, CURLOPT_BUFFERSIZE, kBufferBytes);
  curl_easy_setopt(handle, CURLOPT_UPLOAD_BUFFERSIZE, kBufferBytes);
}

// Half of the backoff is random, so that threads do not repeat at one time.
void WaitBefore(int next_try) {
  static thread_local std::minstd_rand random{std::random_device{}()};
  const milliseconds most = kFirstBackoff * (1 << (next_try - 1));
  const milliseconds half = most / 2;
  std::this_thread::sleep_for(
      half + milliseconds(random() % static_cast<unsigned>(half.count())));
}

absl::Status StatusOfArmed(Fault fault) {
  const int full = 507;
  const int broken = 400;
  return StatusOfAnswer(fault == Fault::kNoSpace ? full : broken, "");
}

}  // namespace

absl::Status S3Client::Make(const S3Options& options,
                            std::unique_ptr<S3Client>* client) {
  static const CURLcode ready = curl_global_init(CURL_GLOBAL_DEFAULT);
  if (ready != CURLE_OK) return StatusOfTransfer(ready);
  S3Place place;
  std::string endpoint;
  BVHMILL_RETURN_IF_ERROR(ReadS3Address(options.address, &place));
  BVHMILL_RETURN_IF_ERROR(ReadS3Endpoint(options, &endpoint));
  client->reset(new S3Client(options, place, endpoint));
  return absl::OkStatus();
}

// The bucket is in the path, not in the name of the host: all stores support
// that.
std::string S3Client::UrlOf(const S3Request& request) const {
  std::string url = endpoint_ + "/" + place_.bucket;
  if (!request.key.empty()) url += "/" + place_.prefix + request.key;
  char separator = '?';
  for (const auto& [name, value] : request.query) {
    url += separator + Encoded(name) + "=" + Encoded(value);
    separator = '&';
  }
  return url;
}

S3Client::Handle S3Client::Take() {
  {
    const std::lock_guard lock(mutex_);
    if (!idle_.empty()) {
      Handle handle = std::move(idle_.back());
      idle_.pop_back();
      return handle;
    }
  }
  return Handle(curl_easy_init());
}

void S3Client::GiveBack(Handle handle) {
  const std::lock_guard lock(mutex_);
  if (idle_.size() < kMaxIdle) idle_.push_back(std::move(handle));
}

CURLcode S3Client::Perform(const S3Request& request, const S3Keys& keys,
                           S3Answer* answer) {
  Handle owned = Take();
  CURL* const handle = owned.get();
  if (handle == nullptr) return CURLE_OUT_OF_MEMORY;
  // Keeps the connections.
  curl_easy_reset(handle);
  Transfer transfer{request, *answer};
  SetTransport(handle, request.timeout_seconds);
  SetMethod(handle, request, &transfer);
  Headers headers;
  headers.Add("x-amz-content-sha256: " + (request.digest.empty()
                                              ? Sha256Of(request.text)
                                              : request.digest));
  if (!keys.token.empty()) headers.Add("x-amz-security-token: " + keys.token);
  for (const std::string& header : request.headers) headers.Add(header);
  const std::string signer = "aws:amz:" + options_.region + ":s3";
  const std::string url = UrlOf(request);
  curl_easy_setopt(handle, CURLOPT_URL, url.c_str());
  curl_easy_setopt(handle, CURLOPT_AWS_SIGV4, signer.c_str());
  curl_easy_setopt(handle, CURLOPT_USERNAME, keys.id.c_str());
  curl_easy_setopt(handle, CURLOPT_PASSWORD, keys.secret.c_str());
  curl_easy_setopt(handle, CURLOPT_HTTPHEADER, headers.list());
  curl_easy_setopt(handle, CURLOPT_WRITEFUNCTION, &WriteBody);
  curl_easy_setopt(handle, CURLOPT_WRITEDATA, &transfer);
  curl_easy_setopt(handle, CURLOPT_HEADERFUNCTION, &TakeHeader);
  curl_easy_setopt(handle, CURLOPT_HEADERDATA, &transfer);
  if (!request.range.empty()) {
    curl_easy_setopt(handle, CURLOPT_RANGE, request.range.c_str());
  }
  if (!options_.ca_file.empty()) {
    curl_easy_setopt(handle, CURLOPT_CAINFO, options_.ca_file.c_str());
  }
  const CURLcode code = curl_easy_perform(handle);
  long status = 0;
  curl_easy_getinfo(handle, CURLINFO_RESPONSE_CODE, &status);
  answer->status = static_cast<int>(status);
  if (code != CURLE_OK) return code;
  GiveBack(std::move(owned));
  // libcurl accepts truncated headers as complete.
  return transfer.has_headers ? CURLE_OK : CURLE_PARTIAL_FILE;
}

absl::Status S3Client::SendOnce(const S3Request& request, S3Answer* answer,
                                bool* may_repeat) {
  *may_repeat = false;
  *answer = {};
  const Fault fault = FaultPoints::Reach(Effect::kRequest);
  if (fault != Fault::kNone) return StatusOfArmed(fault);
  S3Keys keys;
  BVHMILL_RETURN_IF_ERROR(credentials_.Get(&keys));
  const CURLcode sent = Perform(request, keys, answer);
  if (sent != CURLE_OK) {
    *may_repeat = MayRepeat(sent);
    return StatusOfTransfer(sent);
  }
  // The content of an object may look like an <Error>.
  const bool is_object =
      std::string_view(request.method) == "GET" && answer->status < 300;
  const std::string code = is_object ? "" : ErrorCodeIn(answer->body);
  *may_repeat = MayRepeat(answer->status, code);
  return StatusOfAnswer(answer->status, code);
}

bool S3Client::IsRefused() {
  const std::lock_guard lock(mutex_);
  return Clock::now() < refused_until_;
}

void S3Client::Count(const absl::Status& status) {
  const std::lock_guard lock(mutex_);
  if (!absl::IsUnavailable(status)) {
    pause_ = {};
    return;
  }
  pause_ = std::clamp<Clock::duration>(2 * pause_, kFirstPause, kLongestPause);
  refused_until_ = Clock::now() + pause_;
}

absl::Status S3Client::Send(const S3Request& request, S3Answer* answer) {
  if (IsRefused()) {
    return BlobsUnavailable("the store of blobs does not answer");
  }
  const auto end = Clock::now() + kLongestTrying;
  absl::Status status;
  for (int i = 1; i <= kMaxTries; ++i) {
    bool may_repeat = false;
    status = SendOnce(request, answer, &may_repeat);
    if (!may_repeat || i == kMaxTries || Clock::now() >= end) break;
    WaitBefore(i);
  }
  Count(status);
  return status;
}

}  // namespace bvhmill::server
