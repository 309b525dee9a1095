// Blobs in a real S3-compatible store (radosgw) on this machine, which keeps
// them in memory: outputs as the runner of jobs stores them, uploads as callers
// send them, and reads. Each compares the bytes before it counts. The twin is
// the store of files in a temporary folder.

#include <benchmark/benchmark.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "bench/support/metrics.h"
#include "bench/support/s3_process.h"
#include "bvhmill/digest/sha256.h"
#include "server/store/files/file_blob_store.h"
#include "server/store/s3/open_s3.h"
#include "server/store/s3/s3_client.h"

namespace bvhmill::bench {
namespace {

using server::BlobStore;
using Clock = std::chrono::steady_clock;

constexpr int kSmallBlobs = 256;
constexpr size_t kSmallBytes = size_t{1} << 20;
constexpr size_t kLargeBytes = size_t{256} << 20;
constexpr size_t kPieceBytes = size_t{256} << 10;
constexpr int kRepetitions = 3;

std::string RandomBytes(size_t size) {
  static std::mt19937_64 random(1);
  std::string bytes(size, '\0');
  for (size_t at = 0; at < size; at += sizeof(uint64_t)) {
    const uint64_t word = random();
    std::memcpy(bytes.data() + at, &word, sizeof(word));
  }
  return bytes;
}

server::BlobName NameOf(const std::string& bytes) {
  return {server::SpaceOf(""), Sha256Of(bytes)};
}

bool IsStored(BlobStore* store, const std::string& bytes) {
  std::unique_ptr<server::BlobReader> reader;
  if (!store->Open(NameOf(bytes), &reader).ok()) return false;
  std::string piece;
  for (size_t at = 0; at < bytes.size(); at += piece.size()) {
    const absl::Status read =
        reader->Read(static_cast<int64_t>(at), kPieceBytes, &piece);
    if (!read.ok() || piece.empty()) return false;
    if (bytes.compare(at, piece.size(), piece) != 0) return false;
  }
  return true;
}

// Outputs of 256 items, 64 of which are stored at once.
bool StoreOutputs(BlobStore* store, const std::vector<std::string>& all) {
  constexpr size_t kAtOnce = 64;
  std::vector<std::unique_ptr<server::NewBlob>> blobs;
  std::vector<server::NewBlob*> pointers;
  for (const std::string& bytes : all) {
    auto& blob = blobs.emplace_back();
    if (!store->Create(server::SpaceOf(""), &blob).ok()) return false;
    if (!blob->Append(bytes).ok()) return false;
    blob->Finish();
    pointers.push_back(blob.get());
    if (pointers.size() < kAtOnce) continue;
    if (!store->Commit(pointers).ok()) return false;
    pointers.clear();
  }
  return store->Commit(pointers).ok();
}

bool UploadLarge(BlobStore* store, const std::string& bytes) {
  std::unique_ptr<server::BlobUpload> upload;
  if (!store->StartUpload(NameOf(bytes), &upload).ok()) return false;
  for (size_t at = 0; at < bytes.size(); at += kPieceBytes) {
    const auto piece = std::string_view(bytes).substr(at, kPieceBytes);
    if (!upload->Append(piece).ok()) return false;
  }
  return upload->Finish().ok();
}

template <typename Work>
void Time(benchmark::State* state, const char* counter, size_t bytes,
          const Work& work) {
  const auto begin = Clock::now();
  if (!work()) state->SkipWithError("the store has failed");
  const std::chrono::duration<double> took = Clock::now() - begin;
  state->counters[counter] = 1e-6 * static_cast<double>(bytes) / took.count();
}

void RunStore(BlobStore* store, benchmark::State* state) {
  const size_t small_bytes = kSmallBlobs * kSmallBytes;
  while (state->KeepRunning()) {
    std::vector<std::string> small;
    for (int i = 0; i < kSmallBlobs; ++i) {
      small.push_back(RandomBytes(kSmallBytes));
    }
    const std::string large = RandomBytes(kLargeBytes);
    Time(state, "outputs_mb_per_s", small_bytes,
         [&] { return StoreOutputs(store, small); });
    Time(state, "upload_mb_per_s", kLargeBytes,
         [&] { return UploadLarge(store, large); });
    Time(state, "read_small_mb_per_s", small_bytes, [&] {
      return std::all_of(
          small.begin(), small.end(),
          [&](const std::string& bytes) { return IsStored(store, bytes); });
    });
    Time(state, "read_large_mb_per_s", kLargeBytes,
         [&] { return IsStored(store, large); });
    for (const std::string& bytes : small) {
      static_cast<void>(store->Remove(NameOf(bytes)));
    }
    static_cast<void>(store->Remove(NameOf(large)));
  }
}

void Register(const char* name, BlobStore* store) {
  benchmark::RegisterBenchmark(
      name, [store](benchmark::State& state) { RunStore(store, &state); })
      ->UseRealTime()
      ->Iterations(1)
      ->Repetitions(kRepetitions)
      ->Unit(benchmark::kMillisecond);
}

int Fail(const std::string& why) {
  std::cerr << "s3_bench: " << why << "\n";
  return 1;
}

int RunIn(const std::string& folder, int argc, char** argv) {
  std::unique_ptr<server::FileBlobStore> files;
  if (!server::FileBlobStore::Open(folder, server::FolderUse::kShared, {},
                                   &files)
           .ok()) {
    return Fail("no folder for files");
  }
  std::string why;
  const auto s3 = S3Process::Start(&why);
  if (s3 == nullptr) return Fail(why + "; see ./dev test s3");
  setenv("AWS_ACCESS_KEY_ID", S3Process::kKey, 1);
  setenv("AWS_SECRET_ACCESS_KEY", S3Process::kSecret, 1);
  server::S3Options options;
  options.address = "s3://bench";
  options.endpoint = s3->endpoint();
  std::unique_ptr<server::S3Client> client;
  server::S3Answer answer;
  std::unique_ptr<server::BlobStore> blobs;
  if (!server::S3Client::Make(options, &client).ok() ||
      !client->Send({.method = "PUT"}, &answer).ok() ||
      !server::OpenS3BlobStore(options, folder, "bench", /*has_jobs=*/false, {},
                               &blobs)
           .ok()) {
    return Fail("the store makes no bucket");
  }
  Register("s3.radosgw", blobs.get());
  Register("s3.files", files.get());
  return RunBenchmarks(
      argc, argv, [](Metrics*) {}, /*rounds=*/1);
}

}  // namespace
}  // namespace bvhmill::bench

int main(int argc, char** argv) {
  const std::string folder = std::filesystem::temp_directory_path().native() +
                             "/bvhmill-s3-bench-" + std::to_string(getpid());
  std::filesystem::create_directories(folder);
  const int exit_code = bvhmill::bench::RunIn(folder, argc, argv);
  std::filesystem::remove_all(folder);
  return exit_code;
}
