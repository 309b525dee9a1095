// The tests of blob_contract_test.cc with blobs in an S3-compatible store.

#include "tests/server/store/blob_contract.h"
#include "tests/server/store/s3/s3_kind.h"

namespace bvhmill::testing {
namespace {

class S3Kind final : public BlobStoreKind {
 public:
  explicit S3Kind(const bench::S3Process& s3) : bucket_(s3) {}

  std::unique_ptr<server::BlobStore> Open(
      const server::BlobQuota& quota) override {
    std::unique_ptr<server::BlobStore> store;
    const absl::Status opened = bucket_.Open(&store, quota);
    EXPECT_TRUE(opened.ok()) << opened;
    return store;
  }
  bool is_shared() const override { return true; }
  bool keeps_uploads() const override { return false; }

 private:
  S3Bucket bucket_;
};

std::unique_ptr<BlobStoreKind> MakeS3Kind(std::string* why) {
  bench::S3Process* const s3 = SharedS3(why);
  if (s3 == nullptr) return nullptr;
  return std::make_unique<S3Kind>(*s3);
}

INSTANTIATE_TEST_SUITE_P(S3, BlobContract,
                         ::testing::Values(BlobStoreMaker{"s3", &MakeS3Kind}),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace bvhmill::testing
