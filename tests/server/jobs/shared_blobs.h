#pragma once

// Where the blobs of servers that share their jobs are: in one folder or, if
// the test is built for that, in an S3-compatible store.

#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/status/status.h"
#include "server/store/check_data.h"

#ifdef BVHMILL_TEST_S3
#include "bench/support/s3_process.h"
#include "server/store/s3/s3_client.h"
#endif

namespace bvhmill::testing {

#ifdef BVHMILL_TEST_S3
// The store of all tests of this process; null with the reason.
inline bench::S3Process* SharedStore(std::string* why) {
  static std::string reason;
  static const std::unique_ptr<bench::S3Process> s3 =
      bench::S3Process::Start(&reason);
  setenv("AWS_ACCESS_KEY_ID", bench::S3Process::kKey, 1);
  setenv("AWS_SECRET_ACCESS_KEY", bench::S3Process::kSecret, 1);
  if (why != nullptr) *why = reason;
  return s3.get();
}

// Where the blobs of the servers are.
class SharedBlobs {
 public:
  bool Start(std::string* why) {
    s3_ = SharedStore(why);
    if (s3_ == nullptr) return false;
    static int next = 0;
    options_.address = "s3://jobs" + std::to_string(next++);
    options_.endpoint = s3_->endpoint();
    std::unique_ptr<server::S3Client> client;
    server::S3Answer answer;
    const absl::Status made = server::S3Client::Make(options_, &client);
    options_.address += "/a";
    return made.ok() &&
           client->Send({.method = "PUT", .timeout_seconds = 60}, &answer).ok();
  }
  std::vector<std::string> Flags() const {
    return {"--blobs", options_.address, "--s3-endpoint", options_.endpoint};
  }
  absl::Status Check(const std::string& /*folder*/, const std::string& database,
                     server::DataCheck* check) const {
    return server::CheckDataInS3(options_, database, check);
  }
  static constexpr int kVictims = 1;
  void Kill() {
    s3_->KillGateway();
    std::this_thread::sleep_for(std::chrono::milliseconds(500));
    ASSERT_TRUE(s3_->StartGateway());
  }

 private:
  bench::S3Process* s3_ = nullptr;
  server::S3Options options_;
};
#else
class SharedBlobs {
 public:
  static bool Start(std::string* /*why*/) { return true; }
  static std::vector<std::string> Flags() { return {}; }
  static absl::Status Check(const std::string& folder,
                            const std::string& database,
                            server::DataCheck* check) {
    return server::CheckData(folder, database, check);
  }
  static constexpr int kVictims = 0;
  static void Kill() {}
};
#endif

}  // namespace bvhmill::testing
