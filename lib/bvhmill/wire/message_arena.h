#pragma once

// Where messages that do not live long are made.

#include <google/protobuf/arena.h>

#include <array>
#include <cstddef>

namespace bvhmill::wire {

// To take and free each part of a message by itself takes longer. One thread at
// a time; the messages go with it.
class MessageArena {
 public:
  MessageArena() : arena_(first_block_.data(), first_block_.size()) {}
  MessageArena(const MessageArena&) = delete;
  MessageArena& operator=(const MessageArena&) = delete;

  template <typename Message>
  Message* Make() {
    return google::protobuf::Arena::CreateMessage<Message>(&arena_);
  }

 private:
  // Somewhat more than a request with usual options takes, or the result of a
  // clean clip.
  static constexpr size_t kFirstBlock = size_t{2} << 10;

  alignas(8) std::array<char, kFirstBlock> first_block_;
  google::protobuf::Arena arena_;
};

}  // namespace bvhmill::wire
