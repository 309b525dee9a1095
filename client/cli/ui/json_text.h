#pragma once

// JSON of the command line as text: values, messages of the API, and files with
// one object per line. All functions return UTF-8 without a line end.
//
//   lines.Put(JsonObject({{"file", JsonPath(path)},
//                         {"passes", JsonBool(passes)}}));

#include <google/protobuf/message.h>

#include <initializer_list>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "bvhmill/files/posix_files.h"
#include "client/cli/ui/console.h"

namespace bvhmill::client {

// `text` as a JSON string, with its quotes; bytes that are not UTF-8 are
// replaced as ToUtf8 does.
std::string JsonQuote(std::string_view text);

// The name of a file as a JSON string. Different names give different strings:
// a name that is not UTF-8 is "bytes:" and the name with \xNN in place of other
// bytes, as of KeyOfName (bvhmill/files/outputs.h).
std::string JsonPath(std::string_view path);

// The shortest number that reads back as `value`; "null" if it is not finite.
std::string JsonNumber(float value);
std::string JsonNumber(double value);

// "true" or "false".
std::string JsonBool(bool value);

// Keys with their values; the values are JSON already.
using JsonFields = std::initializer_list<std::pair<const char*, std::string>>;

// An object with `fields` in their order.
std::string JsonObject(JsonFields fields);

// An array with to_json(value), which is JSON already, for each of `values`.
template <typename T, typename ToJson>
std::string JsonArray(const T& values, const ToJson& to_json) {
  std::string out = "[";
  for (const auto& value : values) {
    if (out.size() > 1) out += ",";
    out += to_json(value);
  }
  return out + "]";
}

// An array of numbers.
template <typename T>
std::string JsonNumbers(const T& values) {
  return JsonArray(values, [](auto value) { return JsonNumber(value); });
}

// A message of the API as one line of JSON: each field under its name, numbers
// as numbers, enums by name. (protobuf's own JSON writes 64-bit integers as
// strings and leaves out fields that have their default.) Every field is
// present; a number that is not finite and a message that is not set are null.
// Requires that no field is a map, bytes, a member of a oneof, or a list of
// numbers or bools.
std::string MessageJson(const google::protobuf::Message& message);

// A file with one JSON object per line. Thread-safe once it is open.
class JsonLines {
 public:
  explicit JsonLines(Console* console) : console_(*console) {}

  // Opens the file `path`; "-" is stdout, "" writes nothing. Appends to a file
  // that exists if `append`, else replaces it if `replace`. INVALID_ARGUMENT
  // "PATH: why" if it exists and neither is set, or if it cannot be written.
  absl::Status Open(const std::string& path, bool replace, bool append);

  bool is_on_stdout() const { return to_stdout_; }
  bool is_open() const { return file_.valid() || to_stdout_; }

  // Writes `object` and a line end. Prints the first failure to stderr.
  void Put(std::string_view object);
  // True if a write to the file has failed; for stdout see
  // Console::data_lost. Not thread-safe with Put.
  bool failed() const { return failed_; }

 private:
  Console& console_;
  std::string path_;
  UniqueFd file_;
  bool to_stdout_ = false;
  std::mutex mutex_;
  bool failed_ = false;
};

}  // namespace bvhmill::client
