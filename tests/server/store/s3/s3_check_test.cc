// The check of data whose blobs are in S3: what it finds, and that it only
// reads.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "bvhmill/base/status.h"
#include "bvhmill/digest/sha256.h"
#include "server/store/check_data.h"
#include "server/store/data_folder.h"
#include "server/store/s3/s3_blob_store.h"
#include "server/store/s3/s3_client.h"
#include "tests/crash/crash_work.h"
#include "tests/server/store/s3/s3_kind.h"
#include "tests/server/store/store_kinds.h"

namespace bvhmill::testing {
namespace {

using server::DataCheck;
using ::testing::Contains;
using ::testing::IsEmpty;
using ::testing::SizeIs;

// A bucket and a database with one job that is over.
class S3Check : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string why;
    s3_ = SharedS3(&why);
    if (s3_ == nullptr) GTEST_SKIP() << why;
    if (!CanTest("postgres", &why)) GTEST_SKIP() << why;
    bucket_ = std::make_unique<S3Bucket>(*s3_);
    database_ = NewDatabase();
    Open();
    std::string id;
    ASSERT_TRUE(RunWholeJob(folder_.get(), "s", &id).ok());
  }

  static std::string NewDatabase() {
    static int databases = 0;
    std::string why;
    return SharedPostgres(&why)->NewDatabase("s3_check_" +
                                             std::to_string(++databases));
  }
  void Open() {
    const absl::Status opened = server::DataFolder::OpenWithS3(
        bucket_->spool(), database_, bucket_->options(), {}, &folder_);
    ASSERT_TRUE(opened.ok()) << opened;
  }
  DataCheck Check() {
    DataCheck check;
    const absl::Status status =
        server::CheckDataInS3(bucket_->options(), database_, &check);
    EXPECT_TRUE(status.ok()) << status;
    return check;
  }
  std::string ReasonOfCheck(const std::string& database) {
    DataCheck check;
    const absl::Status status =
        server::CheckDataInS3(bucket_->options(), database, &check);
    return CallErrorOf(status).reason;
  }
  // All objects of the bucket, with their times.
  std::vector<std::string> Objects() {
    server::S3Answer answer;
    server::S3ObjectPage page;
    EXPECT_TRUE(
        bucket_->Client()->Send({.query = {{"list-type", "2"}}}, &answer).ok());
    EXPECT_TRUE(server::ReadObjectPage(answer.body, &page));
    std::vector<std::string> all;
    for (const server::S3Object& object : page.objects) {
      all.push_back(object.key + " " + std::to_string(object.modified_ms));
    }
    return all;
  }

  bench::S3Process* s3_ = nullptr;
  std::unique_ptr<S3Bucket> bucket_;
  std::string database_;
  std::unique_ptr<server::DataFolder> folder_;
};

TEST_F(S3Check, FindsNothingInGoodDataAndChangesNothing) {
  const std::vector<std::string> before = Objects();
  const DataCheck check = Check();
  EXPECT_THAT(check.faults, IsEmpty());
  EXPECT_EQ(check.jobs, 1);
  EXPECT_EQ(check.items, kItems);
  EXPECT_EQ(check.results, kItems);
  EXPECT_EQ(check.blobs, 2 * kItems);
  EXPECT_EQ(check.unnamed, 0);
  EXPECT_THAT(before, SizeIs(2 * kItems + 1));
  EXPECT_EQ(Objects(), before);
}

TEST_F(S3Check, FindsBlobsThatAreTornLostOrNamedByNoJob) {
  ASSERT_TRUE(UploadSource(folder_.get(), "of no job").ok());
  server::S3Answer answer;
  ASSERT_TRUE(bucket_->Client()
                  ->Send({.method = "PUT",
                          .key = server::BlobKey(SourceName(SourceOf("s", 1))),
                          .text = "torn"},
                         &answer)
                  .ok());
  ASSERT_TRUE(folder_->blobs().Remove(SourceName(SourceOf("s", 2))).ok());
  const DataCheck check = Check();
  EXPECT_THAT(check.faults, SizeIs(2));
  EXPECT_THAT(check.faults, Contains(::testing::HasSubstr("has other bytes")));
  EXPECT_THAT(check.faults, Contains(::testing::HasSubstr("item 2: its blob")));
  EXPECT_EQ(check.unnamed, 1);
}

TEST_F(S3Check, RefusesAPrefixOfNoServerOrOfOthers) {
  EXPECT_EQ(ReasonOfCheck(""), "DATA_OF_ANOTHER_DATABASE");
  EXPECT_EQ(ReasonOfCheck(NewDatabase()), "DATA_MISSING");
  const std::string other = NewDatabase();
  {
    std::unique_ptr<server::JobStore> jobs;
    std::string identity;
    ASSERT_TRUE(server::OpenPostgresJobStore(other, &jobs, &identity).ok());
  }
  EXPECT_EQ(ReasonOfCheck(other), "DATA_OF_ANOTHER_DATABASE");
  const size_t objects = Objects().size();
  bucket_->options().address += "/empty";
  EXPECT_EQ(ReasonOfCheck(database_), "DATA_MISSING");
  folder_.reset();
  EXPECT_EQ(CallErrorOf(server::DataFolder::OpenWithS3(
                            bucket_->spool(), database_, bucket_->options(), {},
                            &folder_))
                .reason,
            "DATA_MISSING");
  // No identity was written.
  EXPECT_THAT(Objects(), SizeIs(objects));
}

// The blobs of jobs, or the object that names their database, are lost.
TEST_F(S3Check, AServerRefusesAPrefixOfWhichAPartIsLost) {
  const auto open = [this](const std::string& database) {
    folder_.reset();
    return CallErrorOf(
               server::DataFolder::OpenWithS3(bucket_->spool(), database,
                                              bucket_->options(), {}, &folder_))
        .reason;
  };
  const auto put = [this](const std::string& key) {
    server::S3Answer answer;
    EXPECT_TRUE(
        bucket_->Client()
            ->Send({.method = "PUT", .key = key, .text = "lost"}, &answer)
            .ok());
  };
  const auto lose_blobs = [&] {
    std::vector<server::BlobName> all;
    EXPECT_TRUE(folder_->blobs()
                    .List([&](const server::BlobEntry& entry) {
                      all.push_back(entry.name);
                      return true;
                    })
                    .ok());
    for (const server::BlobName& name : all) {
      EXPECT_TRUE(folder_->blobs().Remove(name).ok());
    }
  };
  lose_blobs();
  EXPECT_EQ(open(database_), "DATA_INCOMPLETE");
  // The operator says that they were lost.
  put("blobs/lost");
  EXPECT_EQ(open(database_), "");
  bucket_->options().address += "/nameless";
  put("blobs/lost");
  EXPECT_EQ(open(NewDatabase()), "DATA_INCOMPLETE");
  EXPECT_EQ(open(database_), "DATA_MISSING");
}

// A store that does not answer is no fault of the data.
TEST_F(S3Check, EndsWhereTheStoreDoesNotAnswer) {
  bucket_->options().endpoint = "http://127.0.0.1:1";
  EXPECT_EQ(ReasonOfCheck(database_), "BLOBS_UNAVAILABLE");
}

}  // namespace
}  // namespace bvhmill::testing
