// Uploads that wait for their next message: the server keeps none of the bytes
// that it has stored.

#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "bvhmill/digest/sha256.h"
#include "bvhmill/v1/blob_service.grpc.pb.h"
#include "tests/attack/server_process.h"

namespace bvhmill::attack {
namespace {

constexpr int kUploads = 48;
constexpr int64_t kMessageBytes = int64_t{8} << 20;
constexpr int64_t kMaxKeptBytes = int64_t{200} << 20;

class WaitingUploads : public ::testing::Test {
 protected:
  ~WaitingUploads() override {
    for (const Upload& upload : uploads_) upload.context->TryCancel();
    uploads_.clear();
    server_ = nullptr;
    std::filesystem::remove_all(folder_);
  }

  void Start() {
    std::string error;
    ServerOptions options;
    options.program = BVHMILL_BIN "/bvhmilld";
    options.flags = {"--log", "off", "--data-dir", folder_};
    server_ = std::make_unique<ServerProcess>(options, &error);
    ASSERT_EQ(error, "");
    stub_ = v1::BlobService::NewStub(grpc::CreateChannel(
        server_->address(), grpc::InsecureChannelCredentials()));
  }

  // Begins an upload of a blob that is never complete.
  bool Begin(int number) {
    Upload& upload = uploads_.emplace_back();
    upload.context = std::make_unique<grpc::ClientContext>();
    upload.response = std::make_unique<v1::WriteBlobResponse>();
    upload.stream =
        stub_->WriteBlob(upload.context.get(), upload.response.get());
    v1::WriteBlobRequest request;
    request.set_blob("blobs/" + Sha256Of(std::to_string(number)));
    request.set_data(std::string(kMessageBytes, 'x'));
    return upload.stream->Write(request);
  }

  struct Upload {
    std::unique_ptr<grpc::ClientContext> context;
    std::unique_ptr<v1::WriteBlobResponse> response;
    std::unique_ptr<grpc::ClientWriter<v1::WriteBlobRequest>> stream;
  };

  const std::string folder_ =
      ::testing::TempDir() + "waiting-uploads-" + std::to_string(getpid());
  std::unique_ptr<ServerProcess> server_;
  std::unique_ptr<v1::BlobService::Stub> stub_;
  std::vector<Upload> uploads_;
};

TEST_F(WaitingUploads, KeepNoMessageThatIsStored) {
  Start();
  const auto is_received = [&](int uploads) {
    return FetchMetric(server_->metrics_address(),
                       "bvhmill_received_bytes_total") >=
           static_cast<double>(uploads * kMessageBytes);
  };
  ASSERT_TRUE(Begin(0));
  const int64_t idle = server_->resident();
  // One after the other: the allocator may keep the blocks of messages that
  // came at the same time.
  for (int i = 1; i < kUploads; ++i) {
    ASSERT_TRUE(testing::Eventually([&] { return is_received(i); })) << i;
    ASSERT_TRUE(Begin(i)) << i;
  }
  ASSERT_TRUE(testing::Eventually([&] { return is_received(kUploads); }));
  EXPECT_TRUE(testing::Eventually([&] {
    return server_->resident() - idle <= kMaxKeptBytes;
  })) << server_->resident() - idle;
}

}  // namespace
}  // namespace bvhmill::attack
