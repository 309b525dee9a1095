// A store in S3 that starts, fails and is shared: what file stores have not.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <thread>

#include "server/store/s3/open_s3.h"
#include "server/store/s3/s3_client.h"
#include "tests/server/store/blob_calls.h"
#include "tests/server/store/s3/s3_kind.h"
#include "tests/support/fault_proxy.h"

namespace bvhmill::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using Kind = ProxyFault::Kind;

constexpr size_t kMiB = size_t{1} << 20;

class S3Store : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string why;
    s3_ = SharedS3(&why);
    if (s3_ == nullptr) GTEST_SKIP() << why;
    bucket_ = std::make_unique<S3Bucket>(*s3_);
    ASSERT_TRUE(bucket_->Open(&store_).ok());
  }
  // Opens a store with other options, which must fail.
  std::string WhyNot(const server::S3Options& options, absl::StatusCode code,
                     const std::string& reason) {
    std::unique_ptr<server::BlobStore> none;
    const absl::Status status = server::OpenS3BlobStore(
        options, bucket_->spool(), "tests", /*has_jobs=*/false, {}, &none);
    EXPECT_EQ(status.code(), code) << status;
    EXPECT_EQ(WhyOfStore(status), reason) << status;
    EXPECT_THAT(status.ToString(), Not(HasSubstr(bench::S3Process::kSecret)));
    return std::string(status.message());
  }

  bench::S3Process* s3_ = nullptr;
  std::unique_ptr<S3Bucket> bucket_;
  std::unique_ptr<server::BlobStore> store_;
};

TEST_F(S3Store, SaysWhyItCannotStart) {
  using absl::StatusCode;
  server::S3Options options = bucket_->options();
  options.address = "s3://no-such-bucket/prefix";
  EXPECT_THAT(
      WhyNot(options, StatusCode::kFailedPrecondition, "S3_BUCKET_MISSING"),
      HasSubstr("s3://no-such-bucket/prefix at http://127.0.0.1"));
  options = bucket_->options();
  options.endpoint = "http://127.0.0.1:1";
  EXPECT_THAT(WhyNot(options, StatusCode::kUnavailable, "BLOBS_UNAVAILABLE"),
              HasSubstr("connect"));
  options = bucket_->options();
  options.endpoint = s3_->tls_endpoint();
  EXPECT_THAT(WhyNot(options, StatusCode::kInternal, "STORE_FAULT"),
              HasSubstr("certificate"));
  const std::string file = bucket_->spool() + "/keys";
  options = bucket_->options();
  options.credentials_file = file;
  WhyNot(options, StatusCode::kFailedPrecondition, "S3_KEYS_MISSING");
  std::ofstream(file) << "aws_access_key_id = TESTKEY\n"
                         "aws_secret_access_key = WRONG\n";
  EXPECT_THAT(WhyNot(options, StatusCode::kFailedPrecondition, "S3_REFUSED"),
              HasSubstr("SignatureDoesNotMatch"));
  std::ofstream(file) << "aws_access_key_id = NOBODY\n"
                         "aws_secret_access_key = TESTSECRET\n";
  EXPECT_THAT(WhyNot(options, StatusCode::kFailedPrecondition, "S3_REFUSED"),
              HasSubstr("InvalidAccessKeyId"));
  s3_->RunAdmin(
      "user create --uid=guest --display-name=guest --access-key=GUEST "
      "--secret-key=GUESTSECRET");
  std::ofstream(file) << "aws_access_key_id = GUEST\n"
                         "aws_secret_access_key = GUESTSECRET\n";
  EXPECT_THAT(WhyNot(options, StatusCode::kFailedPrecondition, "S3_REFUSED"),
              HasSubstr("AccessDenied"));
}

TEST_F(S3Store, BelongsToOneDatabase) {
  std::unique_ptr<server::BlobStore> other;
  EXPECT_TRUE(bucket_->Open(&other).ok());
  EXPECT_EQ(WhyOfStore(bucket_->Open(&other, {}, "other")),
            "DATA_OF_ANOTHER_DATABASE");
  bucket_->options().address += "-2";
  EXPECT_TRUE(bucket_->Open(&other, {}, "other").ok());
}

TEST_F(S3Store, KeepsBytesFromOthersByTls) {
  bucket_->options().endpoint = s3_->tls_endpoint();
  bucket_->options().ca_file = s3_->certificate();
  std::unique_ptr<server::BlobStore> encrypted;
  const absl::Status opened = bucket_->Open(&encrypted);
  ASSERT_TRUE(opened.ok()) << opened;
  const std::string bytes = BlobBytes(9 * kMiB, 1);
  ASSERT_TRUE(UploadBlob(encrypted.get(), bytes).ok());
  EXPECT_EQ(ReadBlob(store_.get(), bytes), bytes);
  EXPECT_EQ(ReadBlob(encrypted.get(), bytes), bytes);
}

// A page of a list has 1000 objects.
TEST_F(S3Store, AListHasSeveralPages) {
  constexpr int kBlobs = 2100;
  std::vector<std::unique_ptr<server::NewBlob>> blobs;
  for (int i = 0; i < kBlobs; ++i) {
    blobs.push_back(MakeBlob(store_.get(), std::to_string(i)));
  }
  ASSERT_TRUE(CommitBlobs(store_.get(), blobs).ok());
  EXPECT_EQ(ListBlobs(store_.get()).size(), size_t{kBlobs});
}

TEST_F(S3Store, TwoServersMayUploadOneBlobAtOnce) {
  std::unique_ptr<server::BlobStore> other;
  ASSERT_TRUE(bucket_->Open(&other).ok());
  const std::string bytes = BlobBytes(18 * kMiB, 2);
  const std::string_view all = bytes;
  std::unique_ptr<server::BlobUpload> first;
  std::unique_ptr<server::BlobUpload> second;
  ASSERT_TRUE(store_->StartUpload(BlobNameOf(bytes), &first).ok());
  ASSERT_TRUE(AppendIn(first.get(), all.substr(0, 9 * kMiB), kMiB).ok());
  ASSERT_TRUE(other->StartUpload(BlobNameOf(bytes), &second).ok());
  ASSERT_TRUE(AppendIn(second.get(), all, kMiB).ok());
  ASSERT_TRUE(second->Finish().ok());
  ASSERT_TRUE(AppendIn(first.get(), all.substr(9 * kMiB), kMiB).ok());
  EXPECT_TRUE(first->Finish().ok());
  first = nullptr;
  EXPECT_EQ(WhyOfStore(UploadBlob(store_.get(), bytes)), "BLOB_EXISTS");
  EXPECT_EQ(ReadBlob(store_.get(), bytes), bytes);
}

// The object of a whole blob stays while another server sends wrong bytes.
TEST_F(S3Store, WrongBytesOfAnotherServerMakeNoBlob) {
  std::unique_ptr<server::BlobStore> other;
  ASSERT_TRUE(bucket_->Open(&other).ok());
  const std::string right = BlobBytes(18 * kMiB, 3);
  std::unique_ptr<server::BlobUpload> wrong;
  ASSERT_TRUE(other->StartUpload(BlobNameOf(right), &wrong).ok());
  ASSERT_TRUE(AppendIn(wrong.get(), BlobBytes(18 * kMiB, 4), kMiB).ok());
  ASSERT_TRUE(UploadBlob(store_.get(), right).ok());
  EXPECT_EQ(WhyOfStore(wrong->Finish()), "DIGEST_MISMATCH");
  EXPECT_EQ(ReadBlob(store_.get(), right), right);
}

TEST_F(S3Store, AFullStoreIsSaidToBeFull) {
  s3_->RunAdmin("quota set --quota-scope=bucket --uid=test --max-size=4M");
  s3_->RunAdmin("quota enable --quota-scope=bucket --uid=test");
  absl::Status refused;
  for (unsigned i = 0; i < 40 && refused.ok(); ++i) {
    refused = UploadBlob(store_.get(), BlobBytes(kMiB, 100 + i));
  }
  EXPECT_EQ(WhyOfStore(refused), "DISK_FULL") << refused;
  s3_->RunAdmin("quota disable --quota-scope=bucket --uid=test");
}

// Every request of these calls passes the proxy.
class S3ThroughProxy : public S3Store {
 protected:
  void SetUp() override {
    S3Store::SetUp();
    if (IsSkipped() || HasFatalFailure()) return;
    proxy_ = std::make_unique<FaultProxy>(s3_->port());
    bucket_->options().endpoint = proxy_->endpoint();
    ASSERT_TRUE(bucket_->Open(&store_).ok());
  }
  void TearDown() override { store_ = nullptr; }

  std::unique_ptr<FaultProxy> proxy_;
};

// A request of any kind that fails once or twice is repeated: the caller
// does not notice.
TEST_F(S3ThroughProxy, RequestsThatFailAreRepeated) {
  struct Case {
    Kind kind;
    size_t bytes;
  };
  unsigned seed = 200;
  for (const Case& c :
       {Case{Kind::kRefuse, 0}, Case{Kind::kSlowDown, 0},
        Case{Kind::kCutRequest, 100}, Case{Kind::kCutRequest, 5000},
        Case{Kind::kCutAnswer, 0}, Case{Kind::kCutAnswer, 40},
        Case{Kind::kCutAnswer, 700}}) {
    for (const char* const of : {"PUT", "GET", "HEAD", "DELETE"}) {
      SCOPED_TRACE(std::string(of) + " " + std::to_string(int(c.kind)) + " " +
                   std::to_string(c.bytes));
      const std::string large = BlobBytes(9 * kMiB, seed++);
      const std::string small = BlobBytes(50'000, seed++);
      proxy_->Set({.kind = c.kind, .of = of, .count = 2, .bytes = c.bytes});
      ASSERT_TRUE(UploadBlob(store_.get(), large).ok());
      proxy_->Set({.kind = c.kind, .of = of, .count = 1, .bytes = c.bytes});
      ASSERT_TRUE(UploadBlob(store_.get(), small).ok());
      std::vector<std::unique_ptr<server::NewBlob>> blobs;
      blobs.push_back(MakeBlob(store_.get(), large));
      blobs.push_back(MakeBlob(store_.get(), small));
      proxy_->Set({.kind = c.kind, .of = of, .count = 2, .bytes = c.bytes});
      ASSERT_TRUE(CommitBlobs(store_.get(), blobs).ok());
      proxy_->Set({.kind = c.kind, .of = of, .count = 1, .bytes = c.bytes});
      EXPECT_EQ(ReadBlob(store_.get(), large), large);
      proxy_->Set({.kind = c.kind, .of = of, .count = 2, .bytes = c.bytes});
      ASSERT_TRUE(HasBlob(store_.get(), small));
      EXPECT_EQ(ListBlobs(store_.get()).size(), 2u);
      ASSERT_TRUE(store_->Remove(BlobNameOf(large)).ok());
      ASSERT_TRUE(store_->Remove(BlobNameOf(small)).ok());
    }
  }
}

TEST_F(S3ThroughProxy, AnUploadSucceedsAfterAnOutage) {
  const std::string bytes = BlobBytes(20 * kMiB, 300);
  for (const char* const of : {"PUT /bucket", "HEAD /bucket"}) {
    SCOPED_TRACE(of);
    proxy_->Set(
        {.kind = Kind::kCutRequest, .of = of, .count = -1, .bytes = 100});
    const absl::Status failed = UploadBlob(store_.get(), bytes);
    EXPECT_EQ(WhyOfStore(failed), "BLOBS_UNAVAILABLE") << failed;
    proxy_->Set({});
    // Others were refused for a while, so that they did not wait.
    std::this_thread::sleep_for(std::chrono::seconds(3));
    EXPECT_FALSE(HasBlob(store_.get(), bytes));
    ASSERT_TRUE(UploadBlob(store_.get(), bytes).ok());
    EXPECT_EQ(ReadBlob(store_.get(), bytes), bytes);
    ASSERT_TRUE(store_->Remove(BlobNameOf(bytes)).ok());
  }
}

TEST_F(S3ThroughProxy, WhenTheStoreIsGoneCallsSaySo) {
  const std::string bytes = BlobBytes(1000, 400);
  ASSERT_TRUE(UploadBlob(store_.get(), bytes).ok());
  std::unique_ptr<server::BlobReader> reader;
  std::vector<std::unique_ptr<server::NewBlob>> blobs;
  blobs.push_back(MakeBlob(store_.get(), "other"));
  proxy_->Set({.kind = Kind::kRefuse, .count = -1});
  bool answer = false;
  int64_t used = StoreNowMs();
  EXPECT_EQ(WhyOfStore(store_->Find(BlobNameOf(bytes), &answer)),
            "BLOBS_UNAVAILABLE");
  EXPECT_EQ(WhyOfStore(store_->WasUsed(BlobNameOf(bytes), used, &answer)),
            "BLOBS_UNAVAILABLE");
  EXPECT_EQ(WhyOfStore(store_->Open(BlobNameOf(bytes), &reader)),
            "BLOBS_UNAVAILABLE");
  EXPECT_EQ(WhyOfStore(store_->Remove(BlobNameOf(bytes))), "BLOBS_UNAVAILABLE");
  EXPECT_EQ(WhyOfStore(store_->List([](const auto&) { return true; })),
            "BLOBS_UNAVAILABLE");
  EXPECT_EQ(WhyOfStore(CommitBlobs(store_.get(), blobs)), "BLOBS_UNAVAILABLE");
  EXPECT_EQ(WhyOfStore(UploadBlob(store_.get(), "more")), "BLOBS_UNAVAILABLE");
  proxy_->Set({.kind = Kind::kFull, .count = -1});
  std::this_thread::sleep_for(std::chrono::seconds(3));
  EXPECT_EQ(WhyOfStore(UploadBlob(store_.get(), "more")), "DISK_FULL");
  EXPECT_EQ(WhyOfStore(CommitBlobs(store_.get(), blobs)), "DISK_FULL");
}

}  // namespace
}  // namespace bvhmill::testing
