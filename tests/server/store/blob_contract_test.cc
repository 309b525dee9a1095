// The contract of all stores of blobs; see blob_contract.h.

#include "tests/server/store/blob_contract.h"

#include <atomic>
#include <thread>

#include "tests/server/store/blob_calls.h"
#include "tests/support/eventually.h"

namespace bvhmill::testing {
namespace {

constexpr size_t kMiB = size_t{1} << 20;
// Around the sizes at which stores send bytes in another way.
constexpr size_t kSizes[] = {0,
                             1,
                             64,
                             100'000,
                             kMiB - 1,
                             kMiB,
                             kMiB + 1,
                             8 * kMiB - 1,
                             8 * kMiB,
                             8 * kMiB + 1,
                             16 * kMiB,
                             16 * kMiB + 1,
                             20 * kMiB + 7};
constexpr int64_t kHourMs = 3'600'000;

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(BlobContract);

TEST_P(BlobContract, OutputsAreThereWhenTheyAreCommitted) {
  std::vector<std::string> all;
  std::vector<std::unique_ptr<server::NewBlob>> blobs;
  for (const size_t size : kSizes) {
    all.push_back(BlobBytes(size, 1));
    blobs.push_back(MakeBlob(store_.get(), all.back()));
    EXPECT_EQ(blobs.back()->name(), BlobNameOf(all.back()));
    EXPECT_EQ(blobs.back()->size(), static_cast<int64_t>(size));
    EXPECT_FALSE(HasBlob(store_.get(), all.back()));
  }
  ASSERT_TRUE(CommitBlobs(store_.get(), blobs).ok());
  blobs.clear();
  for (const std::string& bytes : all) {
    EXPECT_EQ(ReadBlob(store_.get(), bytes), bytes) << bytes.size();
    EXPECT_EQ(ReadBlob(Other(), bytes), bytes) << bytes.size();
  }
}

TEST_P(BlobContract, UploadsAreThereWhenTheyAreFinished) {
  for (const size_t size : kSizes) {
    const std::string bytes = BlobBytes(size, 2);
    ASSERT_TRUE(UploadBlob(store_.get(), bytes).ok()) << size;
    EXPECT_EQ(ReadBlob(store_.get(), bytes), bytes) << size;
    EXPECT_EQ(WhyOfStore(UploadBlob(Other(), bytes)), "BLOB_EXISTS") << size;
  }
}

TEST_P(BlobContract, AnUploadGoesOnWhereItEnded) {
  if (!kind_->keeps_uploads()) GTEST_SKIP() << "uploads begin anew";
  const std::string bytes = BlobBytes(20 * kMiB, 3);
  for (const size_t end :
       {size_t{3}, 8 * kMiB, 8 * kMiB + 5, 17 * kMiB, 20 * kMiB}) {
    server::BlobStore* const store = Other();
    std::unique_ptr<server::BlobUpload> upload;
    ASSERT_TRUE(store->StartUpload(BlobNameOf(bytes), &upload).ok());
    const auto from = static_cast<size_t>(upload->committed_bytes());
    ASSERT_TRUE(AppendIn(upload.get(),
                         std::string_view(bytes).substr(from, end - from),
                         1'000'000)
                    .ok());
    EXPECT_EQ(upload->committed_bytes(), static_cast<int64_t>(end));
    upload = nullptr;
    ASSERT_TRUE(store_->StartUpload(BlobNameOf(bytes), &upload).ok());
    EXPECT_EQ(upload->committed_bytes(), static_cast<int64_t>(end));
    upload = nullptr;
  }
  EXPECT_FALSE(HasBlob(store_.get(), bytes));
  ASSERT_TRUE(UploadBlob(store_.get(), bytes).ok());
  EXPECT_EQ(ReadBlob(Other(), bytes), bytes);
}

TEST_P(BlobContract, AnUploadThatEndedEarlyLeavesNoBlob) {
  const std::string bytes = BlobBytes(9 * kMiB, 27);
  std::unique_ptr<server::BlobUpload> upload;
  ASSERT_TRUE(store_->StartUpload(BlobNameOf(bytes), &upload).ok());
  ASSERT_TRUE(
      AppendIn(upload.get(), std::string_view(bytes).substr(0, 8 * kMiB), kMiB)
          .ok());
  upload = nullptr;
  EXPECT_FALSE(HasBlob(store_.get(), bytes));
  ASSERT_TRUE(store_->StartUpload(BlobNameOf(bytes), &upload).ok());
  EXPECT_EQ(upload->committed_bytes(),
            kind_->keeps_uploads() ? static_cast<int64_t>(8 * kMiB) : 0);
  upload = nullptr;
  ASSERT_TRUE(UploadBlob(store_.get(), bytes).ok());
  EXPECT_EQ(ReadBlob(Other(), bytes), bytes);
}

TEST_P(BlobContract, OneUploadOfABlobRunsAtATime) {
  const std::string bytes = BlobBytes(1000, 4);
  std::unique_ptr<server::BlobUpload> upload;
  std::unique_ptr<server::BlobUpload> second;
  ASSERT_TRUE(store_->StartUpload(BlobNameOf(bytes), &upload).ok());
  EXPECT_EQ(WhyOfStore(store_->StartUpload(BlobNameOf(bytes), &second)),
            "UPLOAD_RUNNING");
  upload = nullptr;
  EXPECT_TRUE(store_->StartUpload(BlobNameOf(bytes), &second).ok());
}

TEST_P(BlobContract, OtherBytesAreRefusedAndDropped) {
  for (const size_t size : {size_t{1000}, 8 * kMiB, 9 * kMiB}) {
    const std::string right = BlobBytes(size, 5);
    std::unique_ptr<server::BlobUpload> upload;
    ASSERT_TRUE(store_->StartUpload(BlobNameOf(right), &upload).ok());
    ASSERT_TRUE(AppendIn(upload.get(), BlobBytes(size, 6), kMiB).ok());
    EXPECT_EQ(WhyOfStore(upload->Finish()), "DIGEST_MISMATCH");
    upload = nullptr;
    EXPECT_EQ(store_->bytes(), 0);
    EXPECT_FALSE(HasBlob(store_.get(), right));
    ASSERT_TRUE(store_->StartUpload(BlobNameOf(right), &upload).ok());
    EXPECT_EQ(upload->committed_bytes(), 0);
    upload = nullptr;
    ASSERT_TRUE(UploadBlob(store_.get(), right).ok());
    EXPECT_EQ(store_->bytes(),
              server::CountedBytes(static_cast<int64_t>(size)));
    ASSERT_TRUE(store_->Remove(BlobNameOf(right)).ok());
  }
}

TEST_P(BlobContract, SpacesAreApart) {
  const std::string bytes = BlobBytes(500, 7);
  ASSERT_TRUE(UploadBlob(store_.get(), bytes).ok());
  const server::BlobName names[] = {BlobNameOf(bytes),
                                    {server::SpaceOf("other"), Sha256Of(bytes)},
                                    BlobNameOf("not there")};
  std::vector<bool> exist;
  ASSERT_TRUE(store_->FindAll(names, &exist).ok());
  EXPECT_EQ(exist, (std::vector<bool>{true, false, false}));
  EXPECT_EQ(ReadBlob(store_.get(), names[1]), "NONE");
}

TEST_P(BlobContract, EqualBlobsAreOne) {
  const std::string bytes = BlobBytes(4000, 8);
  std::vector<std::unique_ptr<server::NewBlob>> blobs;
  blobs.push_back(MakeBlob(store_.get(), bytes));
  blobs.push_back(MakeBlob(store_.get(), bytes));
  ASSERT_TRUE(CommitBlobs(store_.get(), blobs).ok());
  blobs.clear();
  EXPECT_EQ(ListBlobs(store_.get()).size(), 1u);
  EXPECT_EQ(store_->bytes(), server::CountedBytes(4000));
}

TEST_P(BlobContract, WhatIsNotCommittedLeavesNothing) {
  const std::string bytes = BlobBytes(9 * kMiB, 9);
  { const auto blob = MakeBlob(store_.get(), bytes); }
  EXPECT_EQ(store_->bytes(), 0);
  EXPECT_TRUE(ListBlobs(store_.get()).empty());
}

TEST_P(BlobContract, AQuotaRefusesByItsName) {
  // Uploads may have 70,000 of them.
  Reopen({.max_bytes = 80'000});
  ASSERT_TRUE(UploadBlob(store_.get(), BlobBytes(60'000, 10)).ok());
  const absl::Status refused = UploadBlob(store_.get(), BlobBytes(11'000, 11));
  EXPECT_EQ(WhyOfStore(refused), "DISK_FULL");
  EXPECT_EQ(CallErrorOf(refused).limit_name, "max_data_bytes");
  EXPECT_TRUE(UploadBlob(store_.get(), BlobBytes(10'000, 12)).ok());
  EXPECT_EQ(WhyOfStore(UploadBlob(store_.get(), BlobBytes(1, 14))),
            "DISK_FULL");
  std::unique_ptr<server::NewBlob> blob;
  ASSERT_TRUE(store_->Create("a", &blob).ok());
  EXPECT_TRUE(blob->Append(std::string(10'000, 'x')).ok());
  EXPECT_EQ(WhyOfStore(blob->Append("one more")), "DISK_FULL");
  // No disk has so much free space.
  Reopen({.min_free_bytes = int64_t{1} << 60});
  const absl::Status full = UploadBlob(store_.get(), BlobBytes(10, 13));
  EXPECT_EQ(CallErrorOf(full).limit_name, "min_free_disk_bytes");
}

TEST_P(BlobContract, AShareRefusesUploadsOfItsSpaceAlone) {
  constexpr int64_t kMost = 100'000;
  ASSERT_TRUE(UploadBlob(store_.get(), BlobBytes(60'000, 20)).ok());
  ASSERT_TRUE(
      UploadBlob(store_.get(), BlobBytes(30'000, 21), kMost, kMost).ok());
  for (const size_t piece : {size_t{1000}, size_t{kMost}}) {
    const absl::Status refused =
        UploadBlob(store_.get(), BlobBytes(15'000, 22), piece, kMost);
    EXPECT_TRUE(absl::IsResourceExhausted(refused)) << refused;
    EXPECT_EQ(WhyOfStore(refused), "LIMIT_EXCEEDED");
    EXPECT_EQ(CallErrorOf(refused).limit_name, "max_data_bytes_per_caller");
    EXPECT_EQ(CallErrorOf(refused).limit, kMost);
    EXPECT_NE(CallErrorOf(refused).args[0].second, "");
  }
  // The bytes that came before the refusal are dropped.
  EXPECT_EQ(store_->bytes(), 90'000);
  EXPECT_TRUE(store_->CheckRoom(server::SpaceOf("a"), kMost).ok());
  // Another caller is not concerned.
  EXPECT_TRUE(store_->CheckRoom(server::SpaceOf("b"), 10).ok());
  // Outputs are stored all the same, and count.
  std::vector<std::unique_ptr<server::NewBlob>> blobs;
  blobs.push_back(MakeBlob(store_.get(), BlobBytes(11'000, 23)));
  ASSERT_TRUE(CommitBlobs(store_.get(), blobs).ok());
  blobs.clear();
  const absl::Status full = store_->CheckRoom(server::SpaceOf("a"), kMost);
  EXPECT_EQ(CallErrorOf(full).limit_name, "max_data_bytes_per_caller");
  // A removed blob makes room.
  ASSERT_TRUE(store_->Remove(BlobNameOf(BlobBytes(60'000, 20))).ok());
  EXPECT_TRUE(
      UploadBlob(store_.get(), BlobBytes(15'000, 22), kMost, kMost).ok());
}

TEST_P(BlobContract, AShareIsHeldBesideConcurrentUploads) {
  constexpr int64_t kMost = 100'000;
  std::atomic<int> stored = 0;
  {
    std::vector<std::jthread> threads;
    for (unsigned thread = 0; thread < 8; ++thread) {
      threads.emplace_back([&, thread] {
        for (unsigned i = 0; i < 4; ++i) {
          const std::string bytes = BlobBytes(10'000, 2000 + 4 * thread + i);
          if (UploadBlob(store_.get(), bytes, 10'000, kMost).ok()) ++stored;
        }
      });
    }
  }
  EXPECT_EQ(stored, 10);
  EXPECT_EQ(store_->bytes(), kMost);
}

TEST_P(BlobContract, AnUploadThatGoesOnCountsWhole) {
  if (!kind_->keeps_uploads()) GTEST_SKIP() << "uploads begin anew";
  const std::string bytes = BlobBytes(10 * kMiB, 24);
  const auto most = static_cast<int64_t>(10 * kMiB) - 1;
  const auto begin = [&] {
    std::unique_ptr<server::BlobUpload> upload;
    EXPECT_TRUE(store_->StartUpload(BlobNameOf(bytes), &upload).ok());
    upload->set_max_space_bytes(most);
    return upload;
  };
  const std::string_view all = bytes;
  ASSERT_TRUE(AppendIn(begin().get(), all.substr(0, 9 * kMiB), kMiB).ok());
  const auto upload = begin();
  ASSERT_EQ(upload->committed_bytes(), static_cast<int64_t>(9 * kMiB));
  EXPECT_EQ(WhyOfStore(AppendIn(upload.get(), all.substr(9 * kMiB), kMiB)),
            "LIMIT_EXCEEDED");
  EXPECT_FALSE(HasBlob(store_.get(), bytes));
}

TEST_P(BlobContract, ACountOfAllStoresKeepsTheShares) {
  ASSERT_TRUE(UploadBlob(Other(), BlobBytes(60'000, 25)).ok());
  // A store that others use as well learns of it by a list.
  server::SpaceBytes bytes;
  for (const auto& [digest, entry] : ListBlobs(store_.get())) {
    bytes[entry.name.space] += server::CountedBytes(entry.size);
  }
  store_->SetBytes(bytes);
  EXPECT_EQ(WhyOfStore(UploadBlob(store_.get(), BlobBytes(50'000, 26), kMiB,
                                  /*max_space_bytes=*/100'000)),
            "LIMIT_EXCEEDED");
}

TEST_P(BlobContract, ABlobCountsAsUsedWhenItIsAskedFor) {
  const std::string bytes = BlobBytes(100, 14);
  const int64_t before = StoreNowMs();
  ASSERT_TRUE(UploadBlob(store_.get(), bytes).ok());
  bool was_used = false;
  ASSERT_TRUE(
      store_->WasUsed(BlobNameOf(bytes), before - 1000, &was_used).ok());
  EXPECT_TRUE(was_used);
  ASSERT_TRUE(
      store_->WasUsed(BlobNameOf(bytes), before + kHourMs, &was_used).ok());
  EXPECT_FALSE(was_used);
  ASSERT_TRUE(store_->WasUsed(BlobNameOf("none"), 0, &was_used).ok());
  EXPECT_FALSE(was_used);
  const int64_t first = ListBlobs(store_.get()).begin()->second.used_ms;
  // Times may be in whole seconds.
  EXPECT_TRUE(Eventually([&] {
    EXPECT_TRUE(HasBlob(store_.get(), bytes));
    return ListBlobs(store_.get()).begin()->second.used_ms > first;
  }));
  EXPECT_EQ(ReadBlob(store_.get(), bytes), bytes);
}

TEST_P(BlobContract, AListHasAllBlobs) {
  const std::string one = BlobBytes(700, 15);
  const std::string two = BlobBytes(800, 16);
  ASSERT_TRUE(UploadBlob(store_.get(), one).ok());
  ASSERT_TRUE(UploadBlob(store_.get(), two).ok());
  // An upload is no blob.
  std::unique_ptr<server::BlobUpload> upload;
  ASSERT_TRUE(store_->StartUpload(BlobNameOf("more"), &upload).ok());
  ASSERT_TRUE(upload->Append("mo").ok());
  upload = nullptr;
  const auto all = ListBlobs(store_.get());
  ASSERT_EQ(all.size(), 2u);
  const server::BlobEntry& entry = all.at(Sha256Of(two));
  EXPECT_EQ(entry.name, BlobNameOf(two));
  EXPECT_EQ(entry.size, 800);
  EXPECT_NEAR(static_cast<double>(entry.used_ms),
              static_cast<double>(StoreNowMs()), 60'000);
  int count = 0;
  ASSERT_TRUE(store_
                  ->List([&](const server::BlobEntry&) {
                    ++count;
                    return false;
                  })
                  .ok());
  EXPECT_EQ(count, 1);
}

TEST_P(BlobContract, WhatWasRemovedIsGone) {
  const std::string bytes = BlobBytes(3 * kMiB, 17);
  ASSERT_TRUE(UploadBlob(store_.get(), bytes).ok());
  EXPECT_EQ(store_->bytes(),
            server::CountedBytes(static_cast<int64_t>(bytes.size())));
  std::unique_ptr<server::BlobReader> reader;
  ASSERT_TRUE(store_->Open(BlobNameOf(bytes), &reader).ok());
  ASSERT_TRUE(store_->Remove(BlobNameOf(bytes)).ok());
  EXPECT_TRUE(store_->Remove(BlobNameOf(bytes)).ok());
  EXPECT_EQ(store_->bytes(), 0);
  EXPECT_FALSE(HasBlob(store_.get(), bytes));
  EXPECT_EQ(ReadBlob(Other(), bytes), "NONE");
  // A reader goes on to the end, or finds nothing.
  std::string part;
  const absl::Status read = reader->Read(2 * kMiB, 100, &part);
  if (read.ok()) {
    EXPECT_EQ(part, bytes.substr(2 * kMiB, 100));
  } else {
    EXPECT_TRUE(absl::IsNotFound(read)) << read;
  }
  reader = nullptr;
  ASSERT_TRUE(UploadBlob(store_.get(), bytes).ok());
  EXPECT_EQ(ReadBlob(store_.get(), bytes), bytes);
}

TEST_P(BlobContract, OldUploadsAreDropped) {
  if (!kind_->keeps_uploads()) GTEST_SKIP() << "uploads begin anew";
  const std::string bytes = BlobBytes(10 * kMiB, 18);
  const auto begin = [&] {
    std::unique_ptr<server::BlobUpload> upload;
    EXPECT_TRUE(store_->StartUpload(BlobNameOf(bytes), &upload).ok());
    return upload;
  };
  ASSERT_TRUE(
      AppendIn(begin().get(), std::string_view(bytes).substr(0, 9 * kMiB), kMiB)
          .ok());
  ASSERT_TRUE(store_->DropUploads(StoreNowMs() - kHourMs).ok());
  EXPECT_EQ(begin()->committed_bytes(), static_cast<int64_t>(9 * kMiB));
  ASSERT_TRUE(store_->DropUploads(StoreNowMs() + kHourMs).ok());
  EXPECT_EQ(begin()->committed_bytes(), 0);
  EXPECT_TRUE(UploadBlob(store_.get(), bytes).ok());
}

TEST_P(BlobContract, OneUploadIsDroppedUnlessItRuns) {
  const server::BlobName name = BlobNameOf("abc");
  std::unique_ptr<server::BlobUpload> upload;
  ASSERT_TRUE(store_->StartUpload(name, &upload).ok());
  ASSERT_TRUE(upload->Append("ab").ok());
  EXPECT_TRUE(absl::IsAborted(store_->DropUpload(name)));
  upload = nullptr;
  EXPECT_TRUE(store_->DropUpload(name).ok());
  ASSERT_TRUE(store_->StartUpload(name, &upload).ok());
  EXPECT_EQ(upload->committed_bytes(), 0);
}

TEST_P(BlobContract, SizesAreFound) {
  ASSERT_TRUE(UploadBlob(store_.get(), "").ok());
  ASSERT_TRUE(UploadBlob(store_.get(), "abc").ok());
  std::vector<int64_t> sizes;
  const std::vector names = {BlobNameOf(""), BlobNameOf("abc"),
                             BlobNameOf("none")};
  ASSERT_TRUE(store_->FindSizes(names, &sizes).ok());
  EXPECT_EQ(sizes, (std::vector<int64_t>{0, 3, 0}));
}

TEST_P(BlobContract, AnUploadThatRunsIsNotDropped) {
  const std::string bytes = BlobBytes(10 * kMiB, 19);
  std::unique_ptr<server::BlobUpload> upload;
  ASSERT_TRUE(store_->StartUpload(BlobNameOf(bytes), &upload).ok());
  ASSERT_TRUE(
      AppendIn(upload.get(), std::string_view(bytes).substr(0, 9 * kMiB), kMiB)
          .ok());
  ASSERT_TRUE(store_->DropUploads(StoreNowMs() + kHourMs).ok());
  ASSERT_TRUE(
      AppendIn(upload.get(), std::string_view(bytes).substr(9 * kMiB), kMiB)
          .ok());
  ASSERT_TRUE(upload->Finish().ok());
  EXPECT_EQ(ReadBlob(store_.get(), bytes), bytes);
}

TEST_P(BlobContract, ManyThreadsStoreAndReadAtOnce) {
  constexpr unsigned kThreads = 8;
  constexpr unsigned kEach = 12;
  {
    std::vector<std::jthread> threads;
    for (unsigned thread = 0; thread < kThreads; ++thread) {
      threads.emplace_back([&, thread] {
        for (unsigned i = 0; i < kEach; ++i) {
          const std::string bytes =
              BlobBytes(1000 + 777 * i, 1000 + kEach * thread + i);
          if (i % 2 == 0) {
            EXPECT_TRUE(UploadBlob(store_.get(), bytes).ok());
          } else {
            std::vector<std::unique_ptr<server::NewBlob>> blobs;
            blobs.push_back(MakeBlob(store_.get(), bytes));
            EXPECT_TRUE(CommitBlobs(store_.get(), blobs).ok());
          }
          EXPECT_EQ(ReadBlob(store_.get(), bytes), bytes);
        }
      });
    }
  }
  EXPECT_EQ(ListBlobs(store_.get()).size(), size_t{kThreads} * kEach);
}

}  // namespace
}  // namespace bvhmill::testing
