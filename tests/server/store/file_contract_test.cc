// The tests of blob_contract_test.cc with blobs as files.

#include <unistd.h>

#include <filesystem>
#include <utility>

#include "server/store/files/file_blob_store.h"
#include "tests/server/store/blob_contract.h"

namespace bvhmill::testing {
namespace {

using server::FileBlobStore;
using server::FolderUse;

class FileKind final : public BlobStoreKind {
 public:
  explicit FileKind(FolderUse use) : use_(use) {
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }
  ~FileKind() override { std::filesystem::remove_all(folder_); }

  std::unique_ptr<server::BlobStore> Open(
      const server::BlobQuota& quota) override {
    std::unique_ptr<FileBlobStore> store;
    if (!FileBlobStore::Open(folder_, use_, quota, &store).ok()) return nullptr;
    return store;
  }
  bool is_shared() const override { return use_ == FolderUse::kShared; }

 private:
  const FolderUse use_;
  // Tests of several processes run at once.
  const std::string folder_ =
      ::testing::TempDir() + "blob-contract-" + std::to_string(getpid());
};

BlobStoreMaker MakerOf(std::string name, FolderUse use) {
  return {std::move(name), [use](std::string* /*why*/) {
            return std::make_unique<FileKind>(use);
          }};
}

INSTANTIATE_TEST_SUITE_P(Files, BlobContract,
                         ::testing::Values(MakerOf("alone", FolderUse::kAlone),
                                           MakerOf("shared",
                                                   FolderUse::kShared)),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace bvhmill::testing
