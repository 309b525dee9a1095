// The texts of a store in S3: addresses, keys, answers, and the state of an
// upload. Expectations are from the documentation of S3, and answers as
// radosgw 16 gives them.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "bvhmill/base/status.h"
#include "bvhmill/digest/sha256.h"
#include "server/store/s3/s3_blob_store.h"
#include "server/store/s3/s3_client.h"
#include "server/store/s3/s3_options.h"

namespace bvhmill::testing {
namespace {

using ::testing::ElementsAre;

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

TEST(S3Xml, ReadsAPageOfUploads) {
  server::S3UploadPage page;
  ASSERT_TRUE(server::ReadUploadPage(
      "<ListMultipartUploadsResult><NextKeyMarker>p/m</NextKeyMarker>"
      "<NextUploadIdMarker>2~E</NextUploadIdMarker><IsTruncated>false"
      "</IsTruncated><Upload><Key>p/m</Key><UploadId>2~E</UploadId><Initiated>"
      "1970-01-01T00:00:01.000Z</Initiated></Upload>"
      "</ListMultipartUploadsResult>",
      &page));
  ASSERT_EQ(page.uploads.size(), 1u);
  EXPECT_EQ(page.uploads[0].id, "2~E");
  EXPECT_EQ(page.uploads[0].begun_ms, 1000);
  // The markers of the last page lead nowhere.
  EXPECT_EQ(page.next_key, "");
}

TEST(S3Xml, CompletesByTags) {
  EXPECT_EQ(server::CompletionOf({"\"a\"", "b&c"}),
            "<CompleteMultipartUpload><Part><PartNumber>1</PartNumber><ETag>"
            "\"a\"</ETag></Part><Part><PartNumber>2</PartNumber><ETag>b&amp;c"
            "</ETag></Part></CompleteMultipartUpload>");
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
           Case{404, "NoSuchUpload", StatusCode::kAborted, "S3_UPLOAD_LOST",
                false},
           Case{400, "InvalidPart", StatusCode::kAborted, "S3_UPLOAD_LOST",
                false},
           Case{416, "InvalidRange", StatusCode::kOutOfRange, "", false},
           Case{403, "SignatureDoesNotMatch", StatusCode::kFailedPrecondition,
                "S3_REFUSED", false},
           Case{403, "AccessDenied", StatusCode::kFailedPrecondition,
                "S3_REFUSED", false},
           Case{403, "QuotaExceeded", StatusCode::kResourceExhausted,
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

TEST(S3UploadState, IsReadAsItWasWritten) {
  server::S3UploadState state;
  state.id = "2~E";
  state.tags = {"\"a\"", "\"b\""};
  state.digest = Sha256Of("any");
  const std::string text = server::WriteUploadState(state) + "tail\n\nmore";
  server::S3UploadState read;
  std::string_view tail;
  ASSERT_TRUE(server::ReadUploadState(text, &read, &tail));
  EXPECT_EQ(read.id, "2~E");
  EXPECT_THAT(read.tags, ElementsAre("\"a\"", "\"b\""));
  EXPECT_EQ(read.digest, state.digest);
  EXPECT_EQ(tail, "tail\n\nmore");
  ASSERT_TRUE(
      server::ReadUploadState(server::WriteUploadState({}), &read, &tail));
  EXPECT_EQ(tail, "");
  // No beginning of it is one.
  const size_t end = text.size() - tail.size() - 10;
  for (size_t size = 0; size < end; ++size) {
    EXPECT_FALSE(server::ReadUploadState(text.substr(0, size), &read, &tail))
        << size;
  }
  for (const char* const wrong :
       {"bvhmill-upload 2\n\n", "bvhmill-upload 1\npart_bytes 7\n\n",
        "bvhmill-upload 1\nnew 1\n\n", "bvhmill-upload 1\npart a\n\n",
        "bvhmill-upload 1\nid a\ndigest b\npart c\n\n"}) {
    EXPECT_FALSE(server::ReadUploadState(wrong, &read, &tail)) << wrong;
  }
}

// The digest is that of FIPS 180-2 for "abc", and the same in pieces.
TEST(Sha256State, GoesOnWhereItWasSaved) {
  EXPECT_EQ(Sha256Of("abc"),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  const std::string bytes(100'000, 'q');
  for (const size_t at : {0, 64, 128, 99'968}) {
    Sha256 first;
    first.Add(std::string_view(bytes).substr(0, at));
    const std::string saved = first.Save();
    Sha256 second;
    second.Add("other bytes");
    ASSERT_TRUE(second.Restore(saved, static_cast<int64_t>(at)));
    second.Add(std::string_view(bytes).substr(at));
    EXPECT_EQ(second.Finish(), Sha256Of(bytes)) << at;
  }
  Sha256 within;
  within.Add("a");
  EXPECT_EQ(within.Save(), "");
  EXPECT_FALSE(within.Restore("no state", 64));
  EXPECT_FALSE(within.Restore(Sha256Of(""), 63));
}

}  // namespace
}  // namespace bvhmill::testing
