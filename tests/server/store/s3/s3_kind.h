#pragma once

// An S3-compatible store for the tests of this process, and buckets in it.

#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>

#include "bench/support/s3_process.h"
#include "server/store/s3/open_s3.h"
#include "server/store/s3/s3_client.h"

namespace bvhmill::testing {

// One store for all tests of this process; null with the reason if there is
// none. Its keys are in the environment then.
inline bench::S3Process* SharedS3(std::string* why) {
  static std::string reason;
  static const std::unique_ptr<bench::S3Process> s3 =
      bench::S3Process::Start(&reason);
  setenv("AWS_ACCESS_KEY_ID", bench::S3Process::kKey, 1);
  setenv("AWS_SECRET_ACCESS_KEY", bench::S3Process::kSecret, 1);
  *why = reason;
  return s3.get();
}

// A bucket of its own, and the folder of a server for bytes that wait.
class S3Bucket {
 public:
  explicit S3Bucket(const bench::S3Process& s3) {
    static std::atomic<int> next{0};
    options_.address = "s3://bucket" + std::to_string(next++);
    options_.endpoint = s3.endpoint();
    std::unique_ptr<server::S3Client> client;
    server::S3Answer answer;
    EXPECT_TRUE(server::S3Client::Make(options_, &client).ok());
    const absl::Status made = client->Send({.method = "PUT"}, &answer);
    EXPECT_TRUE(made.ok()) << made;
    options_.address += "/the/prefix";
    std::filesystem::create_directories(spool_);
  }
  ~S3Bucket() { std::filesystem::remove_all(spool_); }
  S3Bucket(const S3Bucket&) = delete;
  S3Bucket& operator=(const S3Bucket&) = delete;

  server::S3Options& options() { return options_; }
  const std::string& spool() const { return spool_; }

  absl::Status Open(std::unique_ptr<server::BlobStore>* store,
                    const server::BlobQuota& quota = {},
                    const std::string& identity = "tests") {
    *store = nullptr;
    return server::OpenS3BlobStore(options_, spool_, identity,
                                   /*has_jobs=*/false, quota, store);
  }
  // A client, to look at objects.
  std::unique_ptr<server::S3Client> Client() {
    std::unique_ptr<server::S3Client> client;
    EXPECT_TRUE(server::S3Client::Make(options_, &client).ok());
    return client;
  }

 private:
  server::S3Options options_;
  const std::string spool_ =
      ::testing::TempDir() + "s3-spool-" + std::to_string(getpid());
};

}  // namespace bvhmill::testing
