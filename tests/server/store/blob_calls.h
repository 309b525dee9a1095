#pragma once

// Short calls of a store of blobs, for tests.

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "bvhmill/base/status.h"
#include "bvhmill/digest/sha256.h"
#include "server/store/blob_store.h"

namespace bvhmill::testing {

inline server::BlobName BlobNameOf(const std::string& bytes) {
  return {server::SpaceOf("a"), Sha256Of(bytes)};
}

inline std::string WhyOfStore(const absl::Status& status) {
  return CallErrorOf(status).reason;
}

// Bytes that differ for each seed.
inline std::string BlobBytes(size_t size, unsigned seed) {
  std::mt19937_64 random(seed);
  std::string bytes(size, '\0');
  for (size_t at = 0; at < size; at += sizeof(uint64_t)) {
    const uint64_t word = random();
    std::memcpy(bytes.data() + at, &word, std::min(sizeof(word), size - at));
  }
  return bytes;
}

inline int64_t StoreNowMs() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

inline absl::Status AppendIn(server::BlobUpload* upload, std::string_view bytes,
                             size_t piece) {
  absl::Status status;
  for (; status.ok() && !bytes.empty();
       bytes.remove_prefix(std::min(piece, bytes.size()))) {
    status = upload->Append(bytes.substr(0, piece));
  }
  return status;
}

// Uploads what the store lacks of `bytes`, in pieces.
inline absl::Status UploadBlob(server::BlobStore* store,
                               const std::string& bytes, size_t piece = 300'000,
                               int64_t max_space_bytes = 0) {
  std::unique_ptr<server::BlobUpload> upload;
  absl::Status status = store->StartUpload(BlobNameOf(bytes), &upload);
  if (!status.ok()) return status;
  upload->set_max_space_bytes(max_space_bytes);
  const auto from = static_cast<size_t>(upload->committed_bytes());
  status = AppendIn(upload.get(), std::string_view(bytes).substr(from), piece);
  return status.ok() ? upload->Finish() : status;
}

inline std::unique_ptr<server::NewBlob> MakeBlob(server::BlobStore* store,
                                                 const std::string& bytes) {
  std::unique_ptr<server::NewBlob> blob;
  EXPECT_TRUE(store->Create(server::SpaceOf("a"), &blob).ok());
  const size_t half = bytes.size() / 2;
  EXPECT_TRUE(blob->Append(std::string_view(bytes).substr(0, half)).ok());
  EXPECT_TRUE(blob->Append(std::string_view(bytes).substr(half)).ok());
  blob->Finish();
  return blob;
}

inline absl::Status CommitBlobs(
    server::BlobStore* store,
    const std::vector<std::unique_ptr<server::NewBlob>>& blobs) {
  std::vector<server::NewBlob*> all;
  for (const auto& blob : blobs) all.push_back(blob.get());
  return store->Commit(all);
}

// All bytes of the blob; "NONE" if there is none, "FAULT" on an error.
inline std::string ReadBlob(server::BlobStore* store,
                            const server::BlobName& name,
                            size_t piece = 262'144) {
  std::unique_ptr<server::BlobReader> reader;
  const absl::Status opened = store->Open(name, &reader);
  if (!opened.ok()) return absl::IsNotFound(opened) ? "NONE" : "FAULT";
  std::string all;
  for (std::string part; static_cast<int64_t>(all.size()) < reader->size();) {
    const auto at = static_cast<int64_t>(all.size());
    if (!reader->Read(at, piece, &part).ok() || part.empty()) return "FAULT";
    all += part;
  }
  return all;
}

inline std::string ReadBlob(server::BlobStore* store,
                            const std::string& bytes) {
  return ReadBlob(store, BlobNameOf(bytes));
}

inline bool HasBlob(server::BlobStore* store, const std::string& bytes) {
  bool exists = false;
  EXPECT_TRUE(store->Find(BlobNameOf(bytes), &exists).ok());
  return exists;
}

// All blobs by digest.
inline std::map<std::string, server::BlobEntry> ListBlobs(
    server::BlobStore* store) {
  std::map<std::string, server::BlobEntry> all;
  const absl::Status listed = store->List([&](const server::BlobEntry& entry) {
    EXPECT_TRUE(all.emplace(entry.name.digest, entry).second);
    return true;
  });
  EXPECT_TRUE(listed.ok()) << listed;
  return all;
}

}  // namespace bvhmill::testing
