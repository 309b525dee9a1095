#include "bvhmill/base/status.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

#include "absl/strings/cord.h"

namespace bvhmill {
namespace {

constexpr char kPayload[] = "bvhmill.CallError";

// A payload is a list of strings, each as "length:text,". It is readable in a
// printed status.
void Put(std::string_view text, std::string* out) {
  out->append(std::to_string(text.size())).append(":").append(text).append(",");
}

std::string Take(std::string_view* in) {
  size_t size = 0;
  const char* const colon =
      std::from_chars(in->data(), in->data() + in->size(), size).ptr;
  in->remove_prefix(static_cast<size_t>(colon - in->data()) + 1);
  std::string text(in->substr(0, size));
  in->remove_prefix(size + 1);
  return text;
}

std::string Pack(const CallError& error) {
  std::string out;
  Put(error.reason, &out);
  Put(error.field, &out);
  Put(error.limit_name, &out);
  Put(std::to_string(error.limit), &out);
  Put(error.message, &out);
  for (const auto& [name, value] : error.args) {
    Put(name, &out);
    Put(value, &out);
  }
  return out;
}

void Unpack(std::string_view in, CallError* error) {
  error->reason = Take(&in);
  error->field = Take(&in);
  error->limit_name = Take(&in);
  const std::string limit = Take(&in);
  std::from_chars(limit.data(), limit.data() + limit.size(), error->limit);
  error->message = Take(&in);
  while (!in.empty()) {
    std::string name = Take(&in);
    error->args.emplace_back(std::move(name), Take(&in));
  }
}

// True if a code and a message represent `error` completely.
bool IsPlain(const CallError& error) {
  return error.reason.empty() && error.field.empty() &&
         error.limit_name.empty() && error.args.empty();
}

}  // namespace

absl::Status MakeCallError(CallError error) {
  absl::Status status = MakeStatus(
      error.code,
      error.field.empty() ? error.message : error.field + ": " + error.message);
  if (!status.ok() && !IsPlain(error)) {
    status.SetPayload(kPayload, absl::Cord(Pack(error)));
  }
  return status;
}

CallError CallErrorOf(const absl::Status& status) {
  CallError error;
  error.code = status.code();
  if (const auto payload = status.GetPayload(kPayload)) {
    Unpack(std::string(*payload), &error);
  } else {
    error.message = MessageOf(status);
  }
  return error;
}

absl::Status InvalidField(std::string_view field, std::string_view message) {
  return MakeCallError({.code = absl::StatusCode::kInvalidArgument,
                        .reason = std::string(kFieldInvalid),
                        .field = std::string(field),
                        .message = std::string(message)});
}

absl::Status LimitError(std::string_view limit_name, int64_t limit,
                        std::string_view message, std::string_view field) {
  return MakeCallError({.code = absl::StatusCode::kResourceExhausted,
                        .reason = std::string(kLimitExceeded),
                        .field = std::string(field),
                        .limit_name = std::string(limit_name),
                        .limit = limit,
                        .message = std::string(message)});
}

absl::Status InsideField(std::string_view path, const absl::Status& status) {
  CallError error = CallErrorOf(status);
  if (!error.field.empty()) error.field.insert(0, ".");
  error.field.insert(0, path);
  return MakeCallError(std::move(error));
}

std::string_view FindArg(const CallError& error, std::string_view name) {
  for (const auto& [key, value] : error.args) {
    if (key == name) return value;
  }
  return {};
}

ErrorArgs MetadataOf(const CallError& error) {
  ErrorArgs metadata;
  if (!error.field.empty()) metadata.emplace_back("field", error.field);
  if (!error.limit_name.empty()) {
    metadata.emplace_back("limit_name", error.limit_name);
    metadata.emplace_back("limit", std::to_string(error.limit));
  }
  metadata.insert(metadata.end(), error.args.begin(), error.args.end());
  return metadata;
}

void SetMetadata(ErrorArgs metadata, CallError* error) {
  const auto take = [&metadata](std::string_view name) {
    std::optional<std::string> value;
    const auto at =
        std::find_if(metadata.begin(), metadata.end(),
                     [&](const auto& part) { return part.first == name; });
    if (at == metadata.end()) return value;
    value = std::move(at->second);
    metadata.erase(at);
    return value;
  };
  const std::optional<std::string> field = take("field");
  const std::optional<std::string> name = take("limit_name");
  const std::optional<std::string> limit = take("limit");
  int64_t number = 0;
  if (limit) {
    std::from_chars(limit->data(), limit->data() + limit->size(), number);
  }
  // A limit that is no number, or has no name, stays in the args. So does an
  // empty value.
  const bool is_whole =
      name.value_or("") != "" && limit && std::to_string(number) == *limit;
  error->field = field.value_or("");
  error->limit_name = is_whole ? *name : "";
  error->limit = is_whole ? number : 0;
  if (field && field->empty()) metadata.emplace_back("field", "");
  if (name && !is_whole) metadata.emplace_back("limit_name", *name);
  if (limit && !is_whole) metadata.emplace_back("limit", *limit);
  error->args = std::move(metadata);
}

}  // namespace bvhmill
