// Pipes in the data folder: opening one would wait for its other side, for
// ever.

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <memory>
#include <string>

#include "bvhmill/digest/sha256.h"
#include "server/store/file_ops.h"
#include "server/store/files/file_blob_store.h"
#include "tests/support/files.h"

namespace bvhmill::testing {
namespace {

using server::FileBlobStore;

TEST(PipesTest, APipeIsNoFile) {
  const TempDir dir;
  const std::string path = dir.File("pipe");
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  for (const int flags : {O_RDONLY, O_WRONLY, O_RDWR, O_RDWR | O_CREAT}) {
    server::OwnedFile file;
    EXPECT_TRUE(absl::IsInternal(server::OpenFile(path, flags, &file)))
        << flags;
    EXPECT_FALSE(file.valid());
  }
}

TEST(PipesTest, APipeIsNoBlobAndNoUpload) {
  const TempDir dir;
  std::unique_ptr<FileBlobStore> store;
  ASSERT_TRUE(
      FileBlobStore::Open(dir.path(), server::FolderUse::kAlone, {}, &store)
          .ok());
  const server::BlobName name = {"space", Sha256Of("blob")};
  const std::string folder =
      dir.File("blobs/space/" + name.digest.substr(0, 2));
  std::filesystem::create_directories(folder);
  ASSERT_EQ(mkfifo((folder + "/" + name.digest).c_str(), 0600), 0);
  std::unique_ptr<server::BlobReader> reader;
  EXPECT_TRUE(absl::IsInternal(store->Open(name, &reader)));
  const server::BlobName part = {"space", Sha256Of("upload")};
  const std::string path = dir.File("uploads/space-" + part.digest);
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  std::unique_ptr<server::BlobUpload> upload;
  EXPECT_TRUE(absl::IsInternal(store->StartUpload(part, &upload)));
}

}  // namespace
}  // namespace bvhmill::testing
