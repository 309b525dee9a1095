#include "client/cli/ui/json_text.h"

#include <fcntl.h>
#include <google/protobuf/descriptor.h>
#include <sys/stat.h>

#include <array>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "bvhmill/base/status.h"
#include "bvhmill/base/text.h"
#include "bvhmill/files/outputs.h"

namespace bvhmill::client {
namespace {

std::string EscapedControl(char c) {
  std::array<char, 8> buffer = {};
  std::snprintf(buffer.data(), buffer.size(), "\\u%04x",
                static_cast<unsigned>(c));
  return buffer.data();
}

}  // namespace

std::string JsonQuote(std::string_view text) {
  std::string out = "\"";
  for (const char c : ToUtf8(text)) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (c >= 0 && c < ' ') {
      out += EscapedControl(c);
    } else {
      out += c;
    }
  }
  return PlainJson(out + '"');
}

std::string JsonPath(std::string_view path) {
  return JsonQuote(KeyOfName(path));
}

std::string JsonNumber(float value) {
  return std::isfinite(value) ? Shortest(value) : "null";
}

std::string JsonNumber(double value) {
  return std::isfinite(value) ? Shortest(value) : "null";
}

std::string JsonBool(bool value) { return value ? "true" : "false"; }

std::string JsonObject(JsonFields fields) {
  std::string out;
  for (const auto& [name, value] : fields) {
    out += (out.empty() ? "{\"" : ",\"") + std::string(name) + "\":" + value;
  }
  return out.empty() ? "{}" : out + "}";
}

namespace {

using Json = nlohmann::ordered_json;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

Json ToJson(const Message& message);

Json NumberOrNull(double value) {
  return std::isfinite(value) ? Json(value) : Json();
}

// The value `index` of a repeated field.
Json ItemToJson(const Message& message, const FieldDescriptor& field,
                int index) {
  const Reflection& from = *message.GetReflection();
  switch (field.cpp_type()) {
    case FieldDescriptor::CPPTYPE_MESSAGE:
      return ToJson(from.GetRepeatedMessage(message, &field, index));
    case FieldDescriptor::CPPTYPE_ENUM:
      return from.GetRepeatedEnum(message, &field, index)->name();
    default:
      return from.GetRepeatedString(message, &field, index);
  }
}

Json ListToJson(const Message& message, const FieldDescriptor& field) {
  Json out = Json::array();
  const int size = message.GetReflection()->FieldSize(message, &field);
  for (int i = 0; i < size; ++i) out.push_back(ItemToJson(message, field, i));
  return out;
}

Json MemberToJson(const Message& message, const FieldDescriptor& field) {
  const Reflection& from = *message.GetReflection();
  return from.HasField(message, &field)
             ? ToJson(from.GetMessage(message, &field))
             : Json();
}

Json ValueToJson(const Message& message, const FieldDescriptor& field) {
  const Reflection& from = *message.GetReflection();
  switch (field.cpp_type()) {
    case FieldDescriptor::CPPTYPE_INT32:
      return from.GetInt32(message, &field);
    case FieldDescriptor::CPPTYPE_INT64:
      return from.GetInt64(message, &field);
    case FieldDescriptor::CPPTYPE_UINT32:
      return from.GetUInt32(message, &field);
    case FieldDescriptor::CPPTYPE_UINT64:
      return from.GetUInt64(message, &field);
    case FieldDescriptor::CPPTYPE_FLOAT:
      return NumberOrNull(from.GetFloat(message, &field));
    case FieldDescriptor::CPPTYPE_DOUBLE:
      return NumberOrNull(from.GetDouble(message, &field));
    case FieldDescriptor::CPPTYPE_BOOL:
      return from.GetBool(message, &field);
    case FieldDescriptor::CPPTYPE_ENUM:
      return from.GetEnum(message, &field)->name();
    case FieldDescriptor::CPPTYPE_STRING:
      return from.GetString(message, &field);
    case FieldDescriptor::CPPTYPE_MESSAGE:
      return MemberToJson(message, field);
  }
  return {};
}

Json ToJson(const Message& message) {
  const auto& descriptor = *message.GetDescriptor();
  Json out = Json::object();
  for (int i = 0; i < descriptor.field_count(); ++i) {
    const FieldDescriptor& field = *descriptor.field(i);
    out[field.name()] = field.is_repeated() ? ListToJson(message, field)
                                            : ValueToJson(message, field);
  }
  return out;
}

}  // namespace

std::string MessageJson(const Message& message) {
  // Texts of a server may not be UTF-8: replace the bytes instead of a throw.
  return PlainJson(
      ToJson(message).dump(-1, ' ', false, Json::error_handler_t::replace));
}

namespace {

absl::Status Refused(const std::string& path, const std::string& why) {
  return MakeStatus(absl::StatusCode::kInvalidArgument,
                    Printable(path) + ": " + why);
}

}  // namespace

absl::Status JsonLines::Open(const std::string& path, bool replace,
                             bool append) {
  path_ = path;
  to_stdout_ = path == "-";
  if (path.empty() || to_stdout_) return absl::OkStatus();
  struct stat info = {};
  const bool is_kept = !replace && !append && stat(path.c_str(), &info) == 0 &&
                       S_ISREG(info.st_mode);
  if (is_kept)
    return Refused(path, "exists; use -f, --resume to append, or another name");
  const int how = append ? O_APPEND : O_TRUNC;
  file_ =
      UniqueFd(open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | how, 0666));
  if (file_.valid()) return absl::OkStatus();
  return Refused(path, "cannot be written: " + ErrnoText(errno));
}

void JsonLines::Put(std::string_view object) {
  const std::string line = std::string(object) + "\n";
  if (to_stdout_) {
    console_.PrintData(line);
    return;
  }
  const std::lock_guard lock(mutex_);
  if (!file_.valid() || failed_) return;
  const int error = WriteAll(file_.get(), line);
  if (error == 0) return;
  failed_ = true;
  console_.PrintDiagnostics("bvhmill: " + Printable(path_) +
                            ": cannot be written: " + ErrnoText(error) + "\n");
}

}  // namespace bvhmill::client
