#include "bvhmill/base/call_error.h"

#include <cstring>
#include <utility>

#include "absl/strings/cord.h"
#include "bvhmill/base/status.h"

namespace bvhmill {
namespace {

constexpr char kPayload[] = "bvhmill.CallError";

// A payload is a list of strings, each after its length. It never leaves the
// process, so the order of bytes does not matter.
void Put(std::string_view text, std::string* out) {
  const uint64_t size = text.size();
  out->append(reinterpret_cast<const char*>(&size), sizeof(size));
  out->append(text);
}

std::string Take(std::string_view* in) {
  uint64_t size = 0;
  std::memcpy(&size, in->data(), sizeof(size));
  in->remove_prefix(sizeof(size));
  std::string text(in->substr(0, size));
  in->remove_prefix(size);
  return text;
}

std::string Pack(const CallError& error) {
  std::string out(reinterpret_cast<const char*>(&error.limit),
                  sizeof(error.limit));
  Put(error.reason, &out);
  Put(error.field, &out);
  Put(error.limit_name, &out);
  Put(error.message, &out);
  for (const auto& [name, value] : error.args) {
    Put(name, &out);
    Put(value, &out);
  }
  return out;
}

void Unpack(std::string_view in, CallError* error) {
  std::memcpy(&error->limit, in.data(), sizeof(error->limit));
  in.remove_prefix(sizeof(error->limit));
  error->reason = Take(&in);
  error->field = Take(&in);
  error->limit_name = Take(&in);
  error->message = Take(&in);
  while (!in.empty()) {
    std::string name = Take(&in);
    error->args.emplace_back(std::move(name), Take(&in));
  }
}

}  // namespace

absl::Status MakeCallError(CallError error) {
  absl::Status status = MakeStatus(
      error.code, error.field.empty() ? error.message
                                      : error.field + ": " + error.message);
  if (!status.ok()) status.SetPayload(kPayload, absl::Cord(Pack(error)));
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

absl::Status LimitError(std::string_view limit_name, int64_t limit,
                        std::string_view message, std::string_view field) {
  return MakeCallError({.code = absl::StatusCode::kResourceExhausted,
                        .reason = std::string(kLimitExceeded),
                        .field = std::string(field),
                        .limit_name = std::string(limit_name),
                        .limit = limit,
                        .message = std::string(message)});
}

absl::Status InsideField(std::string_view prefix, const absl::Status& status) {
  CallError error = CallErrorOf(status);
  error.field.insert(0, prefix);
  return MakeCallError(std::move(error));
}

std::string_view FindArg(const CallError& error, std::string_view name) {
  for (const auto& [key, value] : error.args) {
    if (key == name) return value;
  }
  return {};
}

}  // namespace bvhmill
