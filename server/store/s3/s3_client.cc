#include "server/store/s3/s3_client.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string_view>
#include <thread>
#include <utility>

#include "bvhmill/base/status.h"
#include "bvhmill/digest/sha256.h"
#include "server/store/fault_points.h"
#include "server/store/s3/s3_faults.h"
#include "server/store/s3/s3_xml.h"

namespace bvhmill::server {
namespace {

using std::chrono::milliseconds;

constexpr int kMaxTries = 5;
constexpr milliseconds kFirstBackoff(100);
constexpr std::chrono::seconds kLongestTrying(10);
constexpr milliseconds kFirstPause(50);
constexpr milliseconds kLongestPause(2000);
constexpr long kConnectMs = 3000;
// Slower than this for the patience of a request, the store counts as gone.
constexpr long kSlowestBytes = 256;
constexpr long kBufferBytes = 256L << 10;
constexpr size_t kMaxIdle = 32;

// One transfer of a request.
struct Transfer {
  const S3Request& request;
  S3Answer& answer;
  int64_t sent = 0;
  // All headers of the answer have come.
  bool has_headers = false;
};

int64_t BodyBytes(const S3Request& request) {
  return static_cast<int64_t>(request.text.size()) + request.file_bytes;
}

size_t ReadBody(char* to, size_t unit, size_t count, void* context) {
  auto* const transfer = static_cast<Transfer*>(context);
  const S3Request& request = transfer->request;
  const auto text = static_cast<int64_t>(request.text.size());
  const int64_t room = static_cast<int64_t>(unit * count);
  const int64_t left = BodyBytes(request) - transfer->sent;
  int64_t got = 0;
  if (transfer->sent < text) {
    got = std::min(room, text - transfer->sent);
    std::memcpy(to, request.text.data() + transfer->sent,
                static_cast<size_t>(got));
  } else if (left > 0) {
    got = pread(request.file->get(), to,
                static_cast<size_t>(std::min(room, left)),
                request.file_offset + transfer->sent - text);
    // The file is shorter than was said, or cannot be read.
    if (got <= 0) return CURL_READFUNC_ABORT;
  }
  transfer->sent += got;
  return static_cast<size_t>(got);
}

// libcurl begins again, on another connection.
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
  if (name == "etag") answer->tag = value;
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
  } else if (method == "PUT" || method == "POST") {
    curl_easy_setopt(handle, CURLOPT_UPLOAD, 1L);
    curl_easy_setopt(handle, CURLOPT_INFILESIZE_LARGE,
                     curl_off_t{BodyBytes(request)});
    curl_easy_setopt(handle, CURLOPT_CUSTOMREQUEST, request.method);
    curl_easy_setopt(handle, CURLOPT_READFUNCTION, &ReadBody);
    curl_easy_setopt(handle, CURLOPT_READDATA, transfer);
    curl_easy_setopt(handle, CURLOPT_SEEKFUNCTION, &SeekBody);
    curl_easy_setopt(handle, CURLOPT_SEEKDATA, transfer);
  } else if (method != "GET") {
    curl_easy_setopt(handle, CURLOPT_CUSTOMREQUEST, request.method);
  }
}

void SetTransport(CURL* handle, int patience_seconds) {
  curl_easy_setopt(handle, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(handle, CURLOPT_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(handle, CURLOPT_PATH_AS_IS, 1L);
  curl_easy_setopt(handle, CURLOPT_CONNECTTIMEOUT_MS, kConnectMs);
  curl_easy_setopt(handle, CURLOPT_LOW_SPEED_LIMIT, kSlowestBytes);
  curl_easy_setopt(handle, CURLOPT_LOW_SPEED_TIME, long{patience_seconds});
  curl_easy_setopt(handle, CURLOPT_TCP_KEEPALIVE, 1L);
  curl_easy_setopt(handle, CURLOPT_BUFFERSIZE, kBufferBytes);
  curl_easy_setopt(handle, CURLOPT_UPLOAD_BUFFERSIZE, kBufferBytes);
}

// Half of the time is random, so that threads do not come back together.
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

// By path, not by the name of the host: every store knows that.
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
  // Connections stay.
  curl_easy_reset(handle);
  Transfer transfer{request, *answer};
  SetTransport(handle, request.patience_seconds);
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
  // libcurl takes headers that are cut off for all of them.
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
  // An object is no error, though it may look like one.
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
