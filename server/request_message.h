#pragma once

// Where the message of a unary call lives.

#include <google/protobuf/arena.h>

#include <array>
#include <cstddef>

namespace bvhmill::server {

// In an arena: to take and free each of its parts by itself takes longer.
template <typename Request>
class RequestMessage {
 public:
  RequestMessage() : arena_(first_block_.data(), first_block_.size()) {
    message_ = google::protobuf::Arena::CreateMessage<Request>(&arena_);
  }
  RequestMessage(const RequestMessage&) = delete;
  RequestMessage& operator=(const RequestMessage&) = delete;

  Request* get() { return message_; }

 private:
  // Somewhat more than a request with usual options takes.
  static constexpr size_t kFirstBlock = size_t{2} << 10;

  alignas(8) std::array<char, kFirstBlock> first_block_;
  google::protobuf::Arena arena_;
  Request* message_;
};

}  // namespace bvhmill::server
