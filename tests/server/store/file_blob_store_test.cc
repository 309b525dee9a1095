// Blobs as files: what they count for, and what is left after faults.

#include "server/store/files/file_blob_store.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <functional>

#include "bvhmill/base/status.h"
#include "bvhmill/digest/sha256.h"
#include "server/store/fault_points.h"
#include "tests/support/memory_folder.h"

namespace bvhmill::testing {
namespace {

using server::BlobUpload;
using server::Effect;
using server::Fault;
using server::FaultPoints;
using server::FileBlobStore;
using server::FolderUse;

class FileBlobs : public ::testing::Test {
 protected:
  FileBlobs() {
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }
  ~FileBlobs() override { std::filesystem::remove_all(folder_); }
  void TearDown() override { FaultPoints::Disarm(); }

  void Open(const server::BlobQuota& quota = {},
            FolderUse use = FolderUse::kAlone) {
    store_ = nullptr;
    ASSERT_TRUE(FileBlobStore::Open(folder_, use, quota, &store_).ok());
  }
  static server::BlobName Name(const std::string& bytes) {
    return {"space", Sha256Of(bytes)};
  }
  std::unique_ptr<BlobUpload> Start(const std::string& bytes) {
    std::unique_ptr<BlobUpload> upload;
    const absl::Status started = store_->StartUpload(Name(bytes), &upload);
    EXPECT_TRUE(started.ok()) << started;
    return upload;
  }
  absl::Status Upload(const std::string& bytes) {
    const std::unique_ptr<BlobUpload> upload = Start(bytes);
    const absl::Status written = upload->Append(bytes);
    return written.ok() ? upload->Finish() : written;
  }
  absl::Status Output(const std::string& bytes) {
    std::unique_ptr<server::NewBlob> blob;
    absl::Status status = store_->Create("space", &blob);
    if (status.ok()) status = blob->Append(bytes);
    if (!status.ok()) return status;
    blob->Finish();
    server::NewBlob* const blobs[] = {blob.get()};
    return store_->Commit(blobs);
  }
  // The blobs "0" to "15", which are not stored.
  std::vector<std::unique_ptr<server::NewBlob>> SixteenOutputs() {
    std::vector<std::unique_ptr<server::NewBlob>> blobs(16);
    for (size_t i = 0; i < blobs.size(); ++i) {
      EXPECT_TRUE(store_->Create("space", &blobs[i]).ok());
      EXPECT_TRUE(blobs[i]->Append(std::to_string(i)).ok());
      blobs[i]->Finish();
    }
    return blobs;
  }
  static server::BlobName Numbered(int i) { return Name(std::to_string(i)); }
  static std::vector<server::NewBlob*> Pointers(
      const std::vector<std::unique_ptr<server::NewBlob>>& blobs) {
    std::vector<server::NewBlob*> all;
    for (const auto& blob : blobs) all.push_back(blob.get());
    return all;
  }
  // Other bytes than those, and of SixteenOutputs, of the same folder.
  static std::string BesideOf(const std::string& bytes) {
    const std::string folder = Sha256Of(bytes).substr(0, 2);
    int i = 16;
    while (Sha256Of(std::to_string(i)).substr(0, 2) != folder) ++i;
    return std::to_string(i);
  }
  int64_t SyncsOfFind(const std::string& bytes) {
    bool exists = false;
    FaultPoints::Arm({.only = Effect::kSync});
    EXPECT_TRUE(store_->Find(Name(bytes), &exists).ok());
    EXPECT_TRUE(exists);
    return FaultPoints::Disarm();
  }
  std::string PathOf(const std::string& bytes) const {
    const std::string digest = Sha256Of(bytes);
    return folder_ + "/blobs/space/" + digest.substr(0, 2) + "/" + digest;
  }
  std::string UploadPath(const std::string& bytes) const {
    return folder_ + "/uploads/space-" + Sha256Of(bytes);
  }

  // On a slow disk a store synchronizes files one by one for a while.
  const std::string folder_ =
      MemoryFolder() + "file-blobs-" + std::to_string(getpid());
  std::unique_ptr<FileBlobStore> store_;
};

TEST_F(FileBlobs, UploadsLeaveRoomForOutputs) {
  Open({.max_bytes = 80'000});
  EXPECT_TRUE(Upload(std::string(60'000, 'a')).ok());
  const absl::Status refused = Upload(std::string(11'000, 'b'));
  EXPECT_EQ(CallErrorOf(refused).reason, "DISK_FULL");
  EXPECT_EQ(CallErrorOf(refused).limit_name, "max_data_bytes");
  EXPECT_TRUE(Output(std::string(11'000, 'b')).ok());
  EXPECT_EQ(CallErrorOf(store_->CheckRoom("space", 0)).limit_name,
            "max_data_bytes");
  EXPECT_EQ(CallErrorOf(Output(std::string(11'000, 'c'))).limit_name,
            "max_data_bytes");
}

TEST_F(FileBlobs, SmallFilesCountForTheirPartOfTheDisk) {
  Open({.max_bytes = 8 * 4096});
  for (int i = 0; i < 7; ++i) EXPECT_TRUE(Upload(std::to_string(i)).ok());
  EXPECT_EQ(CallErrorOf(Upload("x")).reason, "DISK_FULL");
  EXPECT_TRUE(Output("y").ok());
  EXPECT_EQ(CallErrorOf(Output("z")).reason, "DISK_FULL");
  EXPECT_EQ(store_->bytes(), 8 * 4096);
  Open();
  EXPECT_EQ(store_->bytes(), 8 * 4096);
  ASSERT_TRUE(store_->Remove(Name("y")).ok());
  EXPECT_EQ(store_->bytes(), 7 * 4096);
  // Also the blob without bytes.
  ASSERT_TRUE(Upload("").ok());
  EXPECT_EQ(store_->bytes(), 8 * 4096);
}

TEST_F(FileBlobs, AnUploadOfABlobThatAnOutputHasMadeCountsOnce) {
  Open();
  ASSERT_TRUE(Output("first").ok());
  const int64_t one = store_->bytes();
  const std::unique_ptr<BlobUpload> upload = Start("other");
  ASSERT_TRUE(upload->Append("other").ok());
  ASSERT_TRUE(Output("other").ok());
  EXPECT_TRUE(upload->Finish().ok());
  EXPECT_EQ(upload->committed_bytes(), 5);
  EXPECT_EQ(store_->bytes(), 2 * one);
}

TEST_F(FileBlobs, AnUploadWithoutBytesLeavesNoFile) {
  Open();
  EXPECT_EQ(Start("a")->committed_bytes(), 0);
  EXPECT_FALSE(std::filesystem::exists(UploadPath("a")));
  EXPECT_EQ(store_->bytes(), 0);
}

TEST_F(FileBlobs, ASlowUploadIsUsedWhenItEnds) {
  Open();
  const std::string bytes = "slow";
  EXPECT_TRUE(Start(bytes)->Append(bytes).ok());
  const timespec old[2] = {{1000, 0}, {1000, 0}};
  ASSERT_EQ(utimensat(AT_FDCWD, UploadPath(bytes).c_str(), old, 0), 0);
  ASSERT_TRUE(Start(bytes)->Finish().ok());
  bool was_used = false;
  ASSERT_TRUE(store_->WasUsed(Name(bytes), 2'000'000, &was_used).ok());
  EXPECT_TRUE(was_used);
}

TEST_F(FileBlobs, BytesWhoseFsyncFailedAreNotBelieved) {
  Open();
  const std::string bytes = "lost";
  const auto upload = Start(bytes);
  ASSERT_TRUE(upload->Append(bytes).ok());
  FaultPoints::Arm({.at = 1, .fault = Fault::kIoError, .only = Effect::kSync});
  EXPECT_FALSE(upload->Finish().ok());
  FaultPoints::Disarm();
  EXPECT_FALSE(std::filesystem::exists(UploadPath(bytes)));
  EXPECT_EQ(store_->bytes(), 0);
  EXPECT_EQ(Start(bytes)->committed_bytes(), 0);
  EXPECT_TRUE(Upload(bytes).ok());
}

// A call waits for the disk as often as the table says, and fails if one of the
// waits does.
TEST_F(FileBlobs, NothingIsAcknowledgedBeforeItIsOnTheDisk) {
  using Call = std::function<absl::Status(const std::string& bytes)>;
  const Call upload = [this](const std::string& bytes) {
    return Upload(bytes);
  };
  const Call output = [this](const std::string& bytes) {
    return Output(bytes);
  };
  const struct {
    const char* name;
    Call call;
    // A blob that is there before.
    std::string before;
    int64_t syncs;
  } kCases[] = {
      // The file; the names of its space, of its folder, and its own.
      {"a first upload", upload, "", 4},
      {"a first output", output, "", 4},
      // Its folder is known.
      {"an upload beside another", upload, BesideOf("a"), 2},
      {"an output beside another", output, BesideOf("a"), 2},
      {"an output that exists", output, "a", 0},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.name);
    for (int64_t at = 1; at <= c.syncs + 1; ++at) {
      std::filesystem::remove_all(folder_);
      std::filesystem::create_directories(folder_);
      Open();
      if (!c.before.empty()) {
        ASSERT_TRUE(Upload(c.before).ok());
      }
      FaultPoints::Arm(
          {.at = at, .fault = Fault::kIoError, .only = Effect::kSync});
      const absl::Status status = c.call("a");
      EXPECT_EQ(FaultPoints::Disarm(), std::min(at, c.syncs)) << at;
      EXPECT_EQ(status.ok(), at > c.syncs) << at;
    }
  }
}

// Many outputs wait for the disk twice, and not once for each: for their
// contents and, after that, for their names.
TEST_F(FileBlobs, ManyOutputsAreOnTheDiskWhenTheyAreStored) {
  if (!server::SyncsReportErrors()) GTEST_SKIP() << "the kernel is too old";
  for (int64_t at = 1; at <= 3; ++at) {
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
    Open();
    // Their folders are there.
    ASSERT_TRUE(store_->Commit(Pointers(SixteenOutputs())).ok());
    for (int i = 0; i < 16; ++i) ASSERT_TRUE(store_->Remove(Numbered(i)).ok());
    const auto blobs = SixteenOutputs();
    FaultPoints::Arm(
        {.at = at, .fault = Fault::kIoError, .only = Effect::kSync});
    const absl::Status status = store_->Commit(Pointers(blobs));
    EXPECT_EQ(FaultPoints::Disarm(), std::min<int64_t>(at, 2)) << at;
    EXPECT_EQ(status.ok(), at > 2) << at;
    bool exists = false;
    FaultPoints::Arm({.only = Effect::kSync});
    ASSERT_TRUE(store_->Find(Numbered(0), &exists).ok());
    // Names that may not be on the disk are not believed.
    EXPECT_EQ(FaultPoints::Disarm(), at == 2 ? 1 : 0) << at;
    EXPECT_EQ(exists, at > 1) << at;
  }
}

// Names that a process before has made may not be on the disk yet.
TEST_F(FileBlobs, ANameIsBelievedWhenItIsOnTheDisk) {
  Open();
  const std::string beside = BesideOf("a");
  ASSERT_TRUE(Upload("a").ok());
  EXPECT_EQ(SyncsOfFind("a"), 0);
  Open();
  EXPECT_EQ(SyncsOfFind("a"), 1);
  EXPECT_EQ(SyncsOfFind("a"), 0);
  // The last fsync of an output is that of its name, which may be lost.
  FaultPoints::Arm({.at = 4, .fault = Fault::kIoError, .only = Effect::kSync});
  EXPECT_FALSE(Output(beside).ok());
  FaultPoints::Disarm();
  EXPECT_EQ(SyncsOfFind("a"), 1);
}

TEST_F(FileBlobs, ANameThatAnotherCallIsMakingIsSyncedBeforeItIsBelieved) {
  Open();
  const std::string beside = BesideOf("a");
  ASSERT_TRUE(Upload(beside).ok());
  EXPECT_EQ(SyncsOfFind(beside), 0);
  // The second sync is that of the folder: the blob has its name then.
  FaultPoints::Arm({.at = 2, .only = Effect::kSync, .meanwhile = [&] {
                      bool exists = false;
                      EXPECT_TRUE(store_->Find(Name("a"), &exists).ok());
                      EXPECT_TRUE(exists);
                    }});
  EXPECT_TRUE(Output("a").ok());
  EXPECT_EQ(FaultPoints::Disarm(), 3) << "Find has synced the folder, too";
}

TEST_F(FileBlobs, ANameThatAFailedCallHasMadeIsSyncedBeforeItIsBelieved) {
  Open();
  ASSERT_TRUE(Upload(BesideOf("0")).ok());
  const auto blobs = SixteenOutputs();
  // The second blob gets no name.
  FaultPoints::Arm(
      {.at = 2, .fault = Fault::kIoError, .only = Effect::kRename});
  EXPECT_FALSE(store_->Commit(Pointers(blobs)).ok());
  FaultPoints::Disarm();
  EXPECT_EQ(SyncsOfFind("0"), 1);
}

TEST_F(FileBlobs, FilesOfOutputsThatWereNotStoredAreRemovedAtTheNextStart) {
  Open();
  const std::string left = folder_ + "/new/3/7";
  std::ofstream(left) << "left";
  Open();
  EXPECT_FALSE(std::filesystem::exists(left));
}

// A file that cannot be made, or is not stored, gives its bytes back to the
// quota.
TEST_F(FileBlobs, OutputsThatFailCountForNothing) {
  Open();
  std::unique_ptr<server::NewBlob> blob;
  FaultPoints::Arm({.at = 1, .fault = Fault::kIoError, .only = Effect::kOpen});
  EXPECT_FALSE(store_->Create("space", &blob).ok());
  FaultPoints::Disarm();
  EXPECT_EQ(store_->bytes(), 0);
  ASSERT_TRUE(store_->Create("space", &blob).ok());
  ASSERT_TRUE(blob->Append(std::string(10'000, 'x')).ok());
  EXPECT_EQ(store_->bytes(), server::CountedBytes(10'000));
  blob = nullptr;
  EXPECT_EQ(store_->bytes(), 0);
}

TEST_F(FileBlobs, OldUploadsAreDroppedUnlessTheyRun) {
  Open();
  ASSERT_TRUE(Start("old")->Append("old").ok());
  ASSERT_TRUE(Start("new")->Append("new").ok());
  const auto running = Start("runs");
  ASSERT_TRUE(running->Append("runs").ok());
  const timespec old[2] = {{1000, 0}, {1000, 0}};
  for (const char* name : {"old", "runs"}) {
    ASSERT_EQ(utimensat(AT_FDCWD, UploadPath(name).c_str(), old, 0), 0);
  }
  ASSERT_TRUE(store_->DropUploads(2'000'000).ok());
  EXPECT_FALSE(std::filesystem::exists(UploadPath("old")));
  EXPECT_TRUE(std::filesystem::exists(UploadPath("new")));
  EXPECT_TRUE(std::filesystem::exists(UploadPath("runs")));
  EXPECT_EQ(store_->bytes(), server::CountedBytes(3) + server::CountedBytes(4));
}

// From the very moment on.
TEST_F(FileBlobs, ABlobWasUsedSinceTheTimeOfItsLastUse) {
  Open();
  ASSERT_TRUE(Upload("a").ok());
  const timespec used[2] = {{1000, 0}, {1000, 0}};
  ASSERT_EQ(utimensat(AT_FDCWD, PathOf("a").c_str(), used, 0), 0);
  for (const int64_t since : {999'999, 1'000'000, 1'000'001}) {
    bool was_used = false;
    ASSERT_TRUE(store_->WasUsed(Name("a"), since, &was_used).ok());
    EXPECT_EQ(was_used, since <= 1'000'000) << since;
  }
  // To look for it is a use.
  bool was_used = false;
  ASSERT_TRUE(store_->Find(Name("a"), &was_used).ok());
  ASSERT_TRUE(store_->WasUsed(Name("a"), 1'000'001, &was_used).ok());
  EXPECT_TRUE(was_used);
}

TEST_F(FileBlobs, AResumedUploadIsReadInParts) {
  Open();
  const std::string bytes(size_t{10} << 20, 'x');
  EXPECT_TRUE(Start(bytes)->Append(bytes.substr(1)).ok());
  const auto upload = Start(bytes);
  // Known before anything is read.
  EXPECT_EQ(upload->committed_bytes(), static_cast<int64_t>(bytes.size()) - 1);
  int parts = 0;
  for (bool is_ready = false; !is_ready; ++parts) {
    ASSERT_TRUE(upload->Prepare(&is_ready).ok());
  }
  EXPECT_EQ(parts, 3);
  EXPECT_TRUE(upload->Append(bytes.substr(0, 1)).ok());
  EXPECT_TRUE(upload->Finish().ok());
}

// Sixteen outputs, which several threads write if the folder is shared.
TEST_F(FileBlobs, OutputsAreStoredWithoutFurtherThreads) {
  Open({}, FolderUse::kShared);
  const auto blobs = SixteenOutputs();
  const std::vector<server::NewBlob*> all = Pointers(blobs);
  FaultPoints::Arm(
      {.at = 2, .fault = Fault::kNoMemory, .only = Effect::kStartThread});
  EXPECT_TRUE(store_->Commit(all).ok());
  EXPECT_GE(FaultPoints::Disarm(), 2);
  for (size_t i = 0; i < blobs.size(); ++i) {
    bool exists = false;
    ASSERT_TRUE(store_->Find(Name(std::to_string(i)), &exists).ok());
    EXPECT_TRUE(exists);
  }
}

// It is over as soon as others close some: calls may be repeated.
TEST(FileFaults, TooManyOpenFilesAreNoFaultOfTheDisk) {
  for (const int error : {EMFILE, ENFILE}) {
    const absl::Status fault = server::FileFault("open", "f", error);
    EXPECT_TRUE(absl::IsUnavailable(fault));
    EXPECT_EQ(FindArg(CallErrorOf(fault), "retry_after_ms"), "1000");
  }
  EXPECT_TRUE(absl::IsInternal(server::FileFault("open", "f", EIO)));
}

}  // namespace
}  // namespace bvhmill::testing
