#include "tests/attack/attack.h"

#include <grpcpp/grpcpp.h>

#include <chrono>

namespace bvhmill::attack {

void Target::Stop() {
  stopped_ = true;
  const std::lock_guard lock(mutex_);
  for (grpc::ClientContext* context : running_) context->TryCancel();
}

void Target::Sleep(int milliseconds) const {
  constexpr int kStep = 10;
  for (int slept = 0; slept < milliseconds && !stopped(); slept += kStep) {
    std::this_thread::sleep_for(std::chrono::milliseconds(kStep));
  }
}

std::unique_ptr<v1::ClipService::Stub> Target::Connect() const {
  grpc::ChannelArguments arguments;
  arguments.SetMaxReceiveMessageSize(-1);
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  arguments.SetInt(GRPC_ARG_ENABLE_RETRIES, 0);
  return v1::ClipService::NewStub(grpc::CreateCustomChannel(
      address_, grpc::InsecureChannelCredentials(), arguments));
}

void Target::Call(const std::function<void(grpc::ClientContext*)>& call) {
  grpc::ClientContext context;
  {
    const std::lock_guard lock(mutex_);
    if (stopped_) return;
    running_.insert(&context);
  }
  ++calls_;
  call(&context);
  const std::lock_guard lock(mutex_);
  running_.erase(&context);
}

void Repeat(int count, Target* target, const std::function<void(int)>& work) {
  std::vector<std::thread> threads;
  for (int i = 0; i < count; ++i) {
    threads.emplace_back([&, i] {
      while (!target->stopped()) {
        work(i);
        // A server that is gone answers at once.
        target->Sleep(10);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

std::vector<Attack> AllAttacks() {
  std::vector<Attack> out;
  for (const auto& list : {ClipAttacks(), AnimAttacks(), StreamAttacks(),
                           PeerAttacks(), FloodAttacks()}) {
    out.insert(out.end(), list.begin(), list.end());
  }
  return out;
}

}  // namespace bvhmill::attack
