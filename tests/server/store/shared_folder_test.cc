// Several stores of blobs on one folder, as servers that share it have them.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>

#include "bvhmill/base/status.h"
#include "bvhmill/digest/sha256.h"
#include "server/store/data_folder.h"
#include "tests/server/store/store_kinds.h"

namespace bvhmill::testing {
namespace {

using server::BlobName;
using server::BlobUpload;
using server::DataFolder;
using server::FileBlobStore;
using server::FolderUse;

int FilesIn(const std::string& folder) {
  int count = 0;
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(folder)) {
    count += entry.is_regular_file() ? 1 : 0;
  }
  return count;
}

class SharedFolder : public ::testing::Test {
 protected:
  SharedFolder() {
    std::filesystem::remove_all(path_);
    std::filesystem::create_directories(path_);
  }
  ~SharedFolder() override { std::filesystem::remove_all(path_); }

  std::unique_ptr<FileBlobStore> Open() const {
    std::unique_ptr<FileBlobStore> store;
    EXPECT_TRUE(
        FileBlobStore::Open(path_, FolderUse::kShared, {}, &store).ok());
    return store;
  }
  static BlobName NameOf(const std::string& bytes) {
    return {server::SpaceOf("a"), Sha256Of(bytes)};
  }
  static std::unique_ptr<server::NewBlob> Make(FileBlobStore* store,
                                               const std::string& bytes) {
    std::unique_ptr<server::NewBlob> blob;
    EXPECT_TRUE(store->Create(server::SpaceOf("a"), &blob).ok());
    EXPECT_TRUE(blob->Append(bytes).ok());
    blob->Finish();
    return blob;
  }
  static std::string ContentIn(FileBlobStore* store, const std::string& bytes) {
    std::unique_ptr<server::BlobReader> reader;
    std::string content;
    if (!store->Open(NameOf(bytes), &reader).ok()) return "none";
    EXPECT_TRUE(reader->Read(0, 1000, &content).ok());
    return content;
  }

  // Tests of several processes run at once.
  const std::string path_ =
      ::testing::TempDir() + "shared-folder-" + std::to_string(getpid());
};

TEST_F(SharedFolder, BlobsOfOneServerAreThereForTheOther) {
  const auto first = Open();
  const auto second = Open();
  // Both make the same blob, and others, at once.
  const auto ours = Make(first.get(), "same");
  const auto theirs = Make(second.get(), "same");
  const auto more = Make(second.get(), "more");
  server::NewBlob* const of_first[] = {ours.get()};
  server::NewBlob* const of_second[] = {theirs.get(), more.get()};
  ASSERT_TRUE(first->Commit(of_first).ok());
  ASSERT_TRUE(second->Commit(of_second).ok());
  bool exists = false;
  ASSERT_TRUE(first->Find(NameOf("more"), &exists).ok());
  EXPECT_TRUE(exists);
  EXPECT_EQ(ContentIn(first.get(), "more"), "more");
  EXPECT_EQ(ContentIn(second.get(), "same"), "same");
}

TEST_F(SharedFolder, AServerKeepsTheUnfinishedBlobsOfOthers) {
  const auto first = Open();
  const auto blob = Make(first.get(), "unfinished");
  const auto second = Open();
  ASSERT_TRUE(second->DropUploads(0).ok());
  server::NewBlob* const blobs[] = {blob.get()};
  ASSERT_TRUE(first->Commit(blobs).ok());
  EXPECT_EQ(ContentIn(second.get(), "unfinished"), "unfinished");
}

TEST_F(SharedFolder, UnfinishedBlobsOfAServerThatIsGoneAreRemoved) {
  // A server that was killed leaves files, and no lock.
  const std::string left = path_ + "/new/server-gone/3";
  std::filesystem::create_directories(left);
  std::filesystem::create_directories(path_ + "/blobs");
  std::FILE* const file = std::fopen((left + "/7").c_str(), "w");
  ASSERT_NE(file, nullptr);
  std::fclose(file);
  const auto store = Open();
  EXPECT_FALSE(std::filesystem::exists(path_ + "/new/server-gone"));
  // Its own lock.
  EXPECT_EQ(FilesIn(path_ + "/new"), 1);
}

TEST_F(SharedFolder, AnUploadGoesOnAtAnotherServer) {
  const auto first = Open();
  const auto second = Open();
  std::unique_ptr<BlobUpload> upload;
  ASSERT_TRUE(first->StartUpload(NameOf("two parts"), &upload).ok());
  ASSERT_TRUE(upload->Append("two ").ok());
  std::unique_ptr<BlobUpload> other;
  EXPECT_EQ(
      CallErrorOf(second->StartUpload(NameOf("two parts"), &other)).reason,
      "UPLOAD_RUNNING");
  // Nor is it dropped while it runs.
  ASSERT_TRUE(second->DropUploads(int64_t{1} << 50).ok());
  upload = nullptr;
  ASSERT_TRUE(second->StartUpload(NameOf("two parts"), &other).ok());
  EXPECT_EQ(other->committed_bytes(), 4);
  ASSERT_TRUE(other->Append("parts").ok());
  ASSERT_TRUE(other->Finish().ok());
  EXPECT_EQ(ContentIn(first.get(), "two parts"), "two parts");
  EXPECT_EQ(
      CallErrorOf(first->StartUpload(NameOf("two parts"), &upload)).reason,
      "BLOB_EXISTS");
}

class SharedDataFolder : public SharedFolder {
 protected:
  void SetUp() override {
    std::string why;
    postgres_ = SharedPostgres(&why);
    if (postgres_ == nullptr) GTEST_SKIP() << why;
  }
  absl::Status OpenWith(const std::string& address,
                        std::unique_ptr<DataFolder>* folder) const {
    return DataFolder::OpenShared(path_, address, {}, folder);
  }

  bench::PostgresProcess* postgres_ = nullptr;
};

TEST_F(SharedDataFolder, BelongsToOneDatabase) {
  const std::string ours = postgres_->NewDatabase("ours");
  std::unique_ptr<DataFolder> first;
  std::unique_ptr<DataFolder> second;
  ASSERT_TRUE(OpenWith(ours, &first).ok());
  EXPECT_TRUE(OpenWith(ours, &second).ok());
  std::unique_ptr<DataFolder> refused;
  EXPECT_EQ(
      CallErrorOf(OpenWith(postgres_->NewDatabase("theirs"), &refused)).reason,
      "DATA_OF_ANOTHER_DATABASE");
  EXPECT_EQ(CallErrorOf(DataFolder::Open(path_, {}, &refused)).reason,
            "DATA_IN_USE");
  first = nullptr;
  second = nullptr;
  EXPECT_EQ(CallErrorOf(DataFolder::Open(path_, {}, &refused)).reason,
            "DATA_OF_ANOTHER_DATABASE");
}

// A folder that is empty where the database has jobs is the place of a file
// system that is not mounted.
TEST_F(SharedDataFolder, IsNotMadeAnewForJobsThatHaveOne) {
  const std::string address = postgres_->NewDatabase("mounted");
  std::unique_ptr<DataFolder> folder;
  ASSERT_TRUE(OpenWith(address, &folder).ok());
  folder = nullptr;
  // Without jobs there is nothing to lose.
  std::filesystem::remove_all(path_);
  ASSERT_TRUE(OpenWith(address, &folder).ok());
  std::unique_ptr<BlobUpload> upload;
  ASSERT_TRUE(folder->blobs().StartUpload(NameOf("a"), &upload).ok());
  ASSERT_TRUE(upload->Append("a").ok());
  ASSERT_TRUE(upload->Finish().ok());
  upload = nullptr;
  server::NewJob job;
  job.items.push_back({.key = "a", .blob = Sha256Of("a")});
  server::JobInfo info;
  bool is_new = false;
  ASSERT_TRUE(folder->jobs().Create(job, 1, &info, &is_new).ok());
  folder = nullptr;
  const std::string away = path_ + "-away";
  std::filesystem::remove_all(away);
  std::filesystem::rename(path_, away);
  EXPECT_EQ(CallErrorOf(OpenWith(address, &folder)).reason, "DATA_NOT_MOUNTED");
  EXPECT_FALSE(std::filesystem::exists(path_));
  std::filesystem::create_directory(path_);
  EXPECT_EQ(CallErrorOf(OpenWith(address, &folder)).reason, "DATA_NOT_MOUNTED");
  EXPECT_TRUE(std::filesystem::is_empty(path_));
  std::ofstream(path_ + "/database")
      << postgres_->RunSql("mounted", "SELECT id FROM bvhmill.identity");
  EXPECT_EQ(CallErrorOf(OpenWith(address, &folder)).reason, "DATA_INCOMPLETE");
  // The operator says that the blobs were lost.
  std::filesystem::create_directories(path_ + "/blobs/lost");
  EXPECT_TRUE(OpenWith(address, &folder).ok());
  folder = nullptr;
  std::filesystem::remove_all(path_);
  std::filesystem::rename(away, path_);
  EXPECT_TRUE(OpenWith(address, &folder).ok());
}

// A new database would know none of the jobs whose blobs are there.
TEST_F(SharedDataFolder, BlobsWithoutTheNameOfTheirDatabaseAreRefused) {
  const std::string address = postgres_->NewDatabase("nameless");
  std::unique_ptr<DataFolder> folder;
  ASSERT_TRUE(OpenWith(address, &folder).ok());
  std::unique_ptr<BlobUpload> upload;
  ASSERT_TRUE(folder->blobs().StartUpload(NameOf("a"), &upload).ok());
  ASSERT_TRUE(upload->Append("a").ok());
  ASSERT_TRUE(upload->Finish().ok());
  upload = nullptr;
  folder = nullptr;
  std::filesystem::rename(path_ + "/database", path_ + "/away");
  for (const std::string& other : {address, postgres_->NewDatabase("anew")}) {
    EXPECT_EQ(CallErrorOf(OpenWith(other, &folder)).reason, "DATA_INCOMPLETE");
    EXPECT_FALSE(std::filesystem::exists(path_ + "/database"));
  }
  std::filesystem::rename(path_ + "/away", path_ + "/database");
  EXPECT_TRUE(OpenWith(address, &folder).ok());
}

TEST_F(SharedDataFolder, KeepsBlobsThatAnotherServerIsAboutToName) {
  const std::string address = postgres_->NewDatabase("names");
  std::unique_ptr<DataFolder> first;
  std::unique_ptr<DataFolder> second;
  ASSERT_TRUE(OpenWith(address, &first).ok());
  ASSERT_TRUE(OpenWith(address, &second).ok());
  std::unique_ptr<BlobUpload> upload;
  const std::string bytes = "a source";
  ASSERT_TRUE(first->blobs().StartUpload(NameOf(bytes), &upload).ok());
  ASSERT_TRUE(upload->Append(bytes).ok());
  ASSERT_TRUE(upload->Finish().ok());
  constexpr int64_t kEver = int64_t{1} << 50;
  int64_t count = -1;
  {
    server::NamesHeld names;
    ASSERT_TRUE(first->HoldNames(&names).ok());
    ASSERT_TRUE(second->Collect(kEver, &count).ok());
    EXPECT_EQ(count, 0);
    EXPECT_EQ(second->blobs().bytes(), server::CountedBytes(8));
  }
  ASSERT_TRUE(second->Collect(kEver, &count).ok());
  EXPECT_EQ(count, 1);
  EXPECT_EQ(second->blobs().bytes(), 0);
}

}  // namespace
}  // namespace bvhmill::testing
