// The texts of a store in S3: addresses, keys and answers. Expectations are
// from the documentation of S3, and answers as radosgw 16 gives them.

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "bvhmill/base/status.h"
#include "server/store/s3/s3_client.h"
#include "server/store/s3/s3_options.h"

namespace bvhmill::testing {
namespace {

TEST(S3Address, HasABucketAndAPrefix) {
  struct Case {
    const char* address;
    const char* bucket;
    const char* prefix;
  };
  for (const Case& c :
       {Case{"s3://takes", "takes", ""}, Case{"s3://takes/", "takes", ""},
        Case{"s3://takes/a", "takes", "a/"},
        Case{"s3://my.takes-1/a/b_c/", "my.takes-1", "a/b_c/"}}) {
    server::S3Place place;
    ASSERT_TRUE(server::ReadS3Address(c.address, &place).ok()) << c.address;
    EXPECT_EQ(place.bucket, c.bucket);
    EXPECT_EQ(place.prefix, c.prefix);
  }
  for (const char* const wrong :
       {"", "takes", "s3:/takes", "http://takes", "s3://", "s3:///a", "s3://ab",
        "s3://a b", "s3://takes/a//b", "s3://takes/../b", "s3://takes/a/.",
        "s3://takes/a b", "s3://takes/a%2f", "s3://takes/a?b"}) {
    server::S3Place place;
    EXPECT_FALSE(server::ReadS3Address(wrong, &place).ok()) << wrong;
  }
}

TEST(S3Address, TheEndpointOfAwsIsThatOfTheRegion) {
  std::string endpoint;
  ASSERT_TRUE(server::ReadS3Endpoint({}, &endpoint).ok());
  EXPECT_EQ(endpoint, "https://s3.us-east-1.amazonaws.com");
  server::S3Options options;
  options.endpoint = "http://store.example:7480/";
  ASSERT_TRUE(server::ReadS3Endpoint(options, &endpoint).ok());
  EXPECT_EQ(endpoint, "http://store.example:7480");
  for (const char* const wrong :
       {"store.example", "ftp://store.example", "http://", "http://a/b",
        "http://user@a", "http://a b"}) {
    options.endpoint = wrong;
    EXPECT_FALSE(server::ReadS3Endpoint(options, &endpoint).ok()) << wrong;
  }
  options = {};
  options.region = "eu west";
  EXPECT_FALSE(server::ReadS3Endpoint(options, &endpoint).ok());
}

TEST(S3Keys, AreInLines) {
  server::S3Keys keys;
  ASSERT_TRUE(server::ReadS3Keys("# ours\n[other]\naws_access_key_id = no\n"
                                 "[default]\n aws_access_key_id=ID\r\n"
                                 "aws_secret_access_key = a/b+c=\n"
                                 "aws_session_token = T\n[last]\n"
                                 "aws_secret_access_key = no\n",
                                 &keys)
                  .ok());
  EXPECT_EQ(keys.id, "ID");
  EXPECT_EQ(keys.secret, "a/b+c=");
  EXPECT_EQ(keys.token, "T");
  EXPECT_FALSE(server::ReadS3Keys("aws_access_key_id = ID\n", &keys).ok());
  EXPECT_FALSE(server::ReadS3Keys("", &keys).ok());
}

TEST(S3Keys, OfAFileAreReadAgainWhenItChanges) {
  const std::string path =
      ::testing::TempDir() + "s3-keys-" + std::to_string(getpid());
  const auto write = [&](const std::string& id, int second) {
    std::ofstream(path) << "aws_access_key_id = " << id
                        << "\naws_secret_access_key = s\n";
    std::filesystem::last_write_time(
        path, std::filesystem::file_time_type(std::chrono::seconds(second)));
  };
  server::S3Credentials credentials(path);
  server::S3Keys keys;
  const absl::Status missing = credentials.Get(&keys);
  EXPECT_EQ(CallErrorOf(missing).reason, "S3_KEYS_MISSING");
  write("one", 1000);
  ASSERT_TRUE(credentials.Get(&keys).ok());
  EXPECT_EQ(keys.id, "one");
  write("two", 2000);
  ASSERT_TRUE(credentials.Get(&keys).ok());
  EXPECT_EQ(keys.id, "two");
  std::filesystem::remove(path);
  EXPECT_FALSE(credentials.Get(&keys).ok());
}

TEST(S3Xml, ReadsAPageOfObjects) {
  server::S3ObjectPage page;
  ASSERT_TRUE(server::ReadObjectPage(
      R"(<?xml version="1.0" encoding="UTF-8"?><ListBucketResult xmlns=)"
      R"("http://s3.amazonaws.com/doc/2006-03-01/"><Name>bkt</Name>)"
      R"(<IsTruncated>true</IsTruncated><Contents><Key>p/a&amp;b</Key>)"
      R"(<LastModified>2026-11-25T10:10:27.548Z</LastModified>)"
      R"(<ETag>&quot;5d41&quot;</ETag><Size>5000000000</Size></Contents>)"
      R"(<Contents><Key>c</Key><Size>0</Size></Contents>)"
      R"(<NextContinuationToken>1+/=</NextContinuationToken>)"
      R"(</ListBucketResult>)",
      &page));
  ASSERT_EQ(page.objects.size(), 2u);
  EXPECT_EQ(page.objects[0].key, "p/a&b");
  EXPECT_EQ(page.objects[0].size, 5'000'000'000);
  // date -u -d 2026-11-25T10:10:27 +%s
  EXPECT_EQ(page.objects[0].modified_ms, 1'795'601'427'548);
  EXPECT_EQ(page.next, "1+/=");
  EXPECT_FALSE(server::ReadObjectPage("", &page));
  EXPECT_FALSE(server::ReadObjectPage("<html>no</html>", &page));
  EXPECT_FALSE(server::ReadObjectPage("<ListBucketResult><Con", &page));
}

TEST(S3Xml, ReadsTheCodeOfAnError) {
  EXPECT_EQ(server::ErrorCodeIn("<Error><Code>NoSuchKey</Code></Error>"),
            "NoSuchKey");
  EXPECT_EQ(server::ErrorCodeIn("<Other><Code>NoSuchKey</Code></Other>"), "");
  EXPECT_EQ(server::ErrorCodeIn("no xml"), "");
}

TEST(S3Faults, HaveReasons) {
  struct Case {
    int status;
    const char* code;
    absl::StatusCode expected;
    const char* reason;
    bool may_repeat;
  };
  using absl::StatusCode;
  for (const Case& c : {
           Case{200, "", StatusCode::kOk, "", false},
           Case{204, "", StatusCode::kOk, "", false},
           Case{200, "InternalError", StatusCode::kUnavailable,
                "BLOBS_UNAVAILABLE", true},
           Case{503, "SlowDown", StatusCode::kUnavailable, "BLOBS_UNAVAILABLE",
                true},
           Case{500, "", StatusCode::kUnavailable, "BLOBS_UNAVAILABLE", true},
           Case{400, "RequestTimeout", StatusCode::kUnavailable,
                "BLOBS_UNAVAILABLE", true},
           Case{404, "NoSuchKey", StatusCode::kNotFound, "", false},
           Case{404, "", StatusCode::kNotFound, "", false},
           Case{404, "NoSuchBucket", StatusCode::kFailedPrecondition,
                "S3_BUCKET_MISSING", false},
           Case{416, "InvalidRange", StatusCode::kOutOfRange, "", false},
           Case{403, "SignatureDoesNotMatch", StatusCode::kFailedPrecondition,
                "S3_REFUSED", false},
           Case{403, "AccessDenied", StatusCode::kFailedPrecondition,
                "S3_REFUSED", false},
           Case{403, "QuotaExceeded", StatusCode::kResourceExhausted,
                "DISK_FULL", false},
           Case{400, "EntityTooLarge", StatusCode::kResourceExhausted,
                "DISK_FULL", false},
           Case{507, "", StatusCode::kResourceExhausted, "DISK_FULL", false},
           Case{301, "PermanentRedirect", StatusCode::kInternal, "STORE_FAULT",
                false},
           Case{400, "InvalidArgument", StatusCode::kInternal, "STORE_FAULT",
                false},
       }) {
    const absl::Status status = server::StatusOfAnswer(c.status, c.code);
    EXPECT_EQ(status.code(), c.expected) << c.status << c.code;
    EXPECT_EQ(status.ok() ? "" : CallErrorOf(status).reason, c.reason);
    EXPECT_EQ(server::MayRepeat(c.status, c.code), c.may_repeat)
        << c.status << c.code;
  }
}

}  // namespace
}  // namespace bvhmill::testing
