#pragma once

// The part of absl::Status that the library uses, for WebAssembly: abseil does
// not build without threads. Names, values and meaning are those of abseil.

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/cord.h"

namespace absl {

enum class StatusCode : int {
  kOk = 0,
  kCancelled = 1,
  kUnknown = 2,
  kInvalidArgument = 3,
  kDeadlineExceeded = 4,
  kNotFound = 5,
  kAlreadyExists = 6,
  kPermissionDenied = 7,
  kResourceExhausted = 8,
  kFailedPrecondition = 9,
  kAborted = 10,
  kOutOfRange = 11,
  kUnimplemented = 12,
  kInternal = 13,
  kUnavailable = 14,
  kDataLoss = 15,
  kUnauthenticated = 16,
};

class [[nodiscard]] Status {
 public:
  Status() = default;
  // kOk makes OK and drops the message.
  Status(StatusCode code, std::string_view message) {
    if (code == StatusCode::kOk) return;
    state_ = std::make_shared<const State>(
        State{code, std::string(message), Payloads()});
  }

  bool ok() const { return state_ == nullptr; }
  StatusCode code() const { return ok() ? StatusCode::kOk : state_->code; }
  std::string_view message() const {
    return ok() ? std::string_view() : state_->message;
  }

  // Does nothing if the status is OK.
  void SetPayload(std::string_view url, Cord payload) {
    if (ok()) return;
    State state = *state_;
    std::erase_if(state.payloads,
                  [url](const auto& entry) { return entry.first == url; });
    state.payloads.emplace_back(url, std::move(payload));
    state_ = std::make_shared<const State>(std::move(state));
  }
  std::optional<Cord> GetPayload(std::string_view url) const {
    if (ok()) return std::nullopt;
    for (const auto& [name, payload] : state_->payloads) {
      if (name == url) return payload;
    }
    return std::nullopt;
  }

  void Update(const Status& other) {
    if (ok()) *this = other;
  }
  void IgnoreError() const {}

 private:
  using Payloads = std::vector<std::pair<std::string, Cord>>;
  struct State {
    StatusCode code;
    std::string message;
    Payloads payloads;
  };
  // Null: OK.
  std::shared_ptr<const State> state_;
};

inline Status OkStatus() { return {}; }
inline bool IsFailedPrecondition(const Status& status) {
  return status.code() == StatusCode::kFailedPrecondition;
}
inline bool IsInvalidArgument(const Status& status) {
  return status.code() == StatusCode::kInvalidArgument;
}

}  // namespace absl
