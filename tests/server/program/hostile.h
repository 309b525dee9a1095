#pragma once

// A server process for hostile peers. Its memory and its open files are
// compared with those before the test.

#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "bench/server/load_client.h"
#include "bench/server/server_process.h"
#include "tests/server/fixture.h"

namespace bvhmill::testing {

class HostileTest : public ::testing::Test {
 protected:
  // Measures what the server holds when it has done some work.
  void Start(const std::vector<std::string>& more = {}) {
    std::vector<std::string> args = {"--listen", "127.0.0.1:0", "--log", "off"};
    args.insert(args.end(), more.begin(), more.end());
    process_ =
        std::make_unique<bench::ServerProcess>(BVHMILL_BIN "/bvhmilld", args);
    ExpectServes();
    mb_ = process_->Mb();
    files_ = OpenFiles();
  }

  int OpenFiles() const {
    const auto all = std::filesystem::directory_iterator(
        "/proc/" + std::to_string(process_->pid()) + "/fd");
    return static_cast<int>(std::distance(begin(all), end(all)));
  }

  // Over a connection of its own.
  grpc::Status Serves() const {
    const auto stub = bench::Connect(process_->address());
    grpc::ClientContext context;
    context.set_deadline(std::chrono::system_clock::now() +
                         std::chrono::seconds(60));
    v1::ConvertClipResponse response;
    return stub->ConvertClip(&context, PositionsRequest(SmallClip(10)),
                             &response);
  }

  void ExpectServes() const {
    const grpc::Status status = Serves();
    EXPECT_TRUE(status.ok()) << status.error_message();
  }

  // Sanitizers take memory of their own.
  void ExpectTook(double most_mb) const {
    const double took = process_->PeakMb() - mb_;
    EXPECT_TRUE(BVHMILL_SANITIZED != 0 || took < most_mb) << took;
  }

  // The number of open files is that of before, and at most one more for a
  // connection of the test.
  void ExpectClosed() const {
    EXPECT_TRUE(Eventually([&] { return OpenFiles() <= files_ + 1; }))
        << OpenFiles() << " files are open, " << files_ << " before";
  }

  std::unique_ptr<bench::ServerProcess> process_;
  double mb_ = 0;
  int files_ = 0;
};

}  // namespace bvhmill::testing
