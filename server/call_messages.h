#pragma once

// Where the messages of a unary call live.

#include <google/protobuf/arena.h>

#include <array>
#include <cstddef>

namespace bvhmill::server {

// In an arena: a result holds some hundred small strings and lists, and to take
// and free each by itself costs as much as to read the clip.
template <typename Request, typename Response>
class CallMessages {
 public:
  CallMessages() : arena_(first_block_.data(), first_block_.size()) {
    using google::protobuf::Arena;
    request_ = Arena::CreateMessage<Request>(&arena_);
    response_ = Arena::CreateMessage<Response>(&arena_);
  }
  CallMessages(const CallMessages&) = delete;
  CallMessages& operator=(const CallMessages&) = delete;

  Request* request() { return request_; }
  Response* response() { return response_; }

 private:
  // Somewhat more than a result of a human skeleton takes.
  static constexpr size_t kFirstBlock = size_t{14} << 10;

  alignas(8) std::array<char, kFirstBlock> first_block_;
  google::protobuf::Arena arena_;
  Request* request_;
  Response* response_;
};

}  // namespace bvhmill::server
