#include "server/store/s3/s3_credentials.h"

#include <sys/stat.h>

#include <cstdlib>
#include <sstream>

#include "bvhmill/base/call_error.h"
#include "bvhmill/base/status.h"
#include "bvhmill/settings/small_file.h"

namespace bvhmill::server {
namespace {

std::string Variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

std::string Trimmed(const std::string& text) {
  const size_t first = text.find_first_not_of(" \t\r");
  if (first == std::string::npos) return "";
  return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

absl::Status KeysMissing(const std::string& why) {
  return MakeCallError({.code = absl::StatusCode::kFailedPrecondition,
                        .reason = "S3_KEYS_MISSING",
                        .message = why});
}

bool AreEqual(const timespec& a, const timespec& b) {
  return a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec;
}

}  // namespace

absl::Status ReadS3Keys(const std::string& text, S3Keys* keys) {
  *keys = {};
  std::istringstream lines(text);
  bool counts = true;
  for (std::string line; std::getline(lines, line);) {
    line = Trimmed(line);
    if (line.starts_with('[')) counts = line == "[default]";
    const size_t equals = line.find('=');
    if (!counts || line.starts_with('#') || equals == std::string::npos) {
      continue;
    }
    const std::string name = Trimmed(line.substr(0, equals));
    const std::string value = Trimmed(line.substr(equals + 1));
    if (name == "aws_access_key_id") keys->id = value;
    if (name == "aws_secret_access_key") keys->secret = value;
    if (name == "aws_session_token") keys->token = value;
  }
  if (!keys->id.empty() && !keys->secret.empty()) return absl::OkStatus();
  return MakeStatus(absl::StatusCode::kInvalidArgument,
                    "has no aws_access_key_id and aws_secret_access_key");
}

absl::Status S3Credentials::ReadFile() {
  constexpr size_t kMaxBytes = size_t{1} << 20;
  // Calls wait for the keys: nothing is to wait for a pipe.
  CancelToken no_wait;
  no_wait.Cancel();
  const absl::StatusOr<std::string> text =
      ReadSmallFile(file_, kMaxBytes, &no_wait);
  if (!text.ok()) {
    return KeysMissing("cannot read the file of --s3-credentials");
  }
  const absl::Status read = ReadS3Keys(*text, &keys_);
  if (read.ok()) return absl::OkStatus();
  return KeysMissing("the file of --s3-credentials " +
                     std::string(MessageOf(read)));
}

absl::Status S3Credentials::Get(S3Keys* keys) {
  const std::lock_guard lock(mutex_);
  if (file_.empty()) {
    *keys = {Variable("AWS_ACCESS_KEY_ID"), Variable("AWS_SECRET_ACCESS_KEY"),
             Variable("AWS_SESSION_TOKEN")};
    return !keys->id.empty() && !keys->secret.empty()
               ? absl::OkStatus()
               : KeysMissing(
                     "--blobs needs keys: set AWS_ACCESS_KEY_ID and "
                     "AWS_SECRET_ACCESS_KEY, or give --s3-credentials");
  }
  struct stat found = {};
  if (stat(file_.c_str(), &found) != 0) {
    return KeysMissing("cannot read the file of --s3-credentials");
  }
  if (!AreEqual(found.st_mtim, read_)) {
    BVHMILL_RETURN_IF_ERROR(ReadFile());
    read_ = found.st_mtim;
  }
  *keys = keys_;
  return absl::OkStatus();
}

}  // namespace bvhmill::server
