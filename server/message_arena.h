#pragma once

// Messages of unary calls in an arena for each call: a result holds some
// hundred small strings and lists, and to take and free each by itself costs
// as much as to read the clip.

#include <google/protobuf/arena.h>
#include <grpcpp/support/message_allocator.h>

#include <array>

namespace bvhmill::server {

// Lives as long as the server. Safe for use by many threads.
template <typename Request, typename Response>
class MessageArenas final : public grpc::MessageAllocator<Request, Response> {
 public:
  grpc::MessageHolder<Request, Response>* AllocateMessages() override {
    return new Call;
  }

 private:
  // Somewhat more than a result of a human skeleton takes.
  static constexpr size_t kFirstBlock = size_t{14} << 10;

  // Deletes itself when gRPC is done with the call.
  class Call final : public grpc::MessageHolder<Request, Response> {
   public:
    Call() : arena_(first_block_.data(), first_block_.size()) {
      using google::protobuf::Arena;
      this->set_request(Arena::CreateMessage<Request>(&arena_));
      this->set_response(Arena::CreateMessage<Response>(&arena_));
    }

    void Release() override { delete this; }

   private:
    alignas(8) std::array<char, kFirstBlock> first_block_;
    google::protobuf::Arena arena_;
  };
};

}  // namespace bvhmill::server
