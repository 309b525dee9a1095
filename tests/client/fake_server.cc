#include "tests/client/fake_server.h"

#include <grpcpp/support/byte_buffer.h>

#include <utility>

#include "bvhmill/v1/server_service.pb.h"
#include "tests/wire/coverage.h"

namespace bvhmill::testing {
namespace {

grpc::ByteBuffer BufferOf(const std::string& bytes) {
  const grpc::Slice slice(bytes);
  return {&slice, 1};
}

std::string BytesOf(const grpc::ByteBuffer& buffer) {
  std::vector<grpc::Slice> slices;
  if (!buffer.Dump(&slices).ok()) return {};
  std::string bytes;
  for (const grpc::Slice& slice : slices) {
    bytes.append(reinterpret_cast<const char*>(slice.begin()), slice.size());
  }
  return bytes;
}

}  // namespace

class FakeServer::Call final : public FakeCall {
 public:
  explicit Call(FakeServer* server) : server_(*server), stream_(&context_) {}
  ~Call() override {
    queue_.Shutdown();
    void* tag = nullptr;
    bool ok = false;
    while (queue_.Next(&tag, &ok)) {
    }
  }

  void Request() {
    server_.service_.RequestCall(&context_, &stream_, &queue_,
                                 server_.queue_.get(), this);
  }
  void Finish(const grpc::Status& status) {
    stream_.Finish(status, this);
    Done();
  }

  std::string method() const override {
    const std::string& path = context_.method();
    return path.substr(path.rfind('/') + 1);
  }
  std::string header(const std::string& name) const override {
    const auto found = context_.client_metadata().find(name);
    if (found == context_.client_metadata().end()) return {};
    return {found->second.begin(), found->second.end()};
  }
  std::optional<std::string> Read() override {
    grpc::ByteBuffer buffer;
    stream_.Read(&buffer, this);
    if (!Done()) return std::nullopt;
    return BytesOf(buffer);
  }
  bool Write(const std::string& bytes) override {
    stream_.Write(BufferOf(bytes), this);
    return Done();
  }
  void BeSilent() override {
    while (!server_.WaitForEnd(std::chrono::hours(1))) {
    }
  }
  void Sleep(std::chrono::milliseconds time) override {
    server_.WaitForEnd(time);
  }

 private:
  // Waits for the operation that was started.
  bool Done() {
    void* tag = nullptr;
    bool ok = false;
    return queue_.Next(&tag, &ok) && ok;
  }

  FakeServer& server_;
  grpc::GenericServerContext context_;
  grpc::CompletionQueue queue_;
  grpc::GenericServerAsyncReaderWriter stream_;
};

FakeServer::FakeServer(Handler handler) : handler_(std::move(handler)) {
  grpc::ServerBuilder builder;
  int port = 0;
  builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(),
                           &port);
  builder.SetMaxReceiveMessageSize(-1);
  builder.RegisterAsyncGenericService(&service_);
  queue_ = builder.AddCompletionQueue();
  server_ = builder.BuildAndStart();
  address_ = "127.0.0.1:" + std::to_string(port);
  accepting_ = std::thread([this] { Accept(); });
}

FakeServer::~FakeServer() {
  {
    const std::lock_guard lock(mutex_);
    stops_ = true;
  }
  stopped_.notify_all();
  server_->Shutdown(std::chrono::system_clock::now());
  queue_->Shutdown();
  accepting_.join();
  for (std::thread& thread : threads_) thread.join();
}

int FakeServer::calls(const std::string& method) const {
  const std::lock_guard lock(mutex_);
  const auto found = calls_.find(method);
  return found == calls_.end() ? 0 : found->second;
}

void FakeServer::Accept() {
  auto next = std::make_unique<Call>(this);
  next->Request();
  void* tag = nullptr;
  bool ok = false;
  while (queue_->Next(&tag, &ok) && ok) {
    auto call = std::exchange(next, std::make_unique<Call>(this));
    next->Request();
    // Only this thread adds threads, and it ends before they are joined.
    threads_.emplace_back(
        [this, held = std::move(call)]() mutable { Run(std::move(held)); });
  }
}

void FakeServer::Run(std::unique_ptr<Call> call) {
  {
    const std::lock_guard lock(mutex_);
    ++calls_[call->method()];
  }
  call->Finish(handler_(call.get()));
}

bool FakeServer::WaitForEnd(std::chrono::milliseconds time) {
  std::unique_lock lock(mutex_);
  return stopped_.wait_for(lock, time, [this] { return stops_; });
}

std::string InfoBytes(const std::string& limits) {
  auto info = ParseText<v1::GetServerInfoResponse>(
      "server_version: 'fake' api_packages: 'bvhmill.v1' rules_version: '1' "
      "encodings: CONTENT_ENCODING_IDENTITY");
  ParseTextInto(limits, info.mutable_limits());
  return info.SerializeAsString();
}

}  // namespace bvhmill::testing
