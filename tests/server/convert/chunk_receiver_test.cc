// Chunks of outputs, and the memory that is drawn for them.

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "server/convert/receivers.h"

namespace bvhmill::testing {
namespace {

constexpr int64_t kChunk = int64_t{256} << 10;
constexpr int64_t kKb = int64_t{1} << 10;
constexpr int64_t kMb = int64_t{1} << 20;

struct Chunk {
  int64_t offset;
  int64_t bytes;
  size_t capacity;
};

// A receiver of one output that keeps the chunks and grants `limit` bytes.
class Chunks {
 public:
  Chunks()
      : receiver_(
            kChunk,
            {.begin = [](const ClipInfo&, std::span<const OutputInfo>) {},
             .chunk =
                 [this](size_t, int64_t offset, std::string data) {
                   chunks.push_back({offset, static_cast<int64_t>(data.size()),
                                     data.capacity()});
                 }},
            [this](int64_t bytes) { return Grant(bytes); }) {
    EXPECT_TRUE(receiver_.Begin({}, std::vector<OutputInfo>(1)).ok());
  }

  absl::Status Make(int64_t bytes) {
    return receiver_.Data(0, std::string(static_cast<size_t>(bytes), 'x'));
  }
  int64_t TotalBytes() const {
    int64_t bytes = 0;
    for (const Chunk& chunk : chunks) bytes += chunk.bytes;
    return bytes;
  }
  server::ChunkReceiver& receiver() { return receiver_; }

  std::vector<Chunk> chunks;
  int64_t held = 0;
  int64_t limit = int64_t{1} << 40;

 private:
  absl::Status Grant(int64_t bytes) {
    if (held + bytes > limit) return absl::ResourceExhaustedError("busy");
    held += bytes;
    return absl::OkStatus();
  }

  server::ChunkReceiver receiver_;
};

TEST(ChunkReceiverTest, DrawsTheMemoryOfChunks) {
  Chunks chunks;
  EXPECT_TRUE(chunks.Make(4 * kMb).ok());
  ASSERT_EQ(chunks.chunks.size(), 16U);
  EXPECT_EQ(chunks.held, 4 * kMb);
  for (size_t i = 0; i < chunks.chunks.size(); ++i) {
    EXPECT_EQ(chunks.chunks[i].bytes, kChunk);
    EXPECT_EQ(chunks.chunks[i].offset, static_cast<int64_t>(i) * kChunk);
  }
}

TEST(ChunkReceiverTest, DrawsMemoryOfSmallOutputsInSteps) {
  Chunks chunks;
  EXPECT_TRUE(chunks.Make(1).ok());
  EXPECT_EQ(chunks.held, 64 * kKb);
  EXPECT_TRUE(chunks.Make(64 * kKb - 1).ok());
  EXPECT_EQ(chunks.held, 64 * kKb);
  EXPECT_TRUE(chunks.Make(1).ok());
  EXPECT_EQ(chunks.held, 128 * kKb);
  EXPECT_EQ(chunks.TotalBytes(), 0);
  chunks.receiver().Flush();
  EXPECT_EQ(chunks.TotalBytes(), 64 * kKb + 1);
}

TEST(ChunkReceiverTest, ARefusalOfMemoryEndsTheOutputs) {
  Chunks chunks;
  chunks.limit = 2 * kMb;
  EXPECT_TRUE(chunks.Make(2 * kMb).ok());
  EXPECT_FALSE(chunks.Make(kMb).ok());
  chunks.limit = 8 * kMb;
  // The first refusal stays.
  EXPECT_FALSE(chunks.Make(kMb).ok());
  EXPECT_EQ(chunks.receiver().refused().message(), "busy");
  EXPECT_EQ(chunks.held, 2 * kMb);
  // Memory can still be given back.
  EXPECT_TRUE(chunks.receiver().Hold(-kMb).ok());
  EXPECT_EQ(chunks.held, kMb);
}

TEST(ChunkReceiverTest, DrawsOnlyWhatItHasNotDrawn) {
  Chunks chunks;
  EXPECT_TRUE(chunks.Make(40 * kKb).ok());
  EXPECT_TRUE(chunks.Make(100 * kKb).ok());
  EXPECT_EQ(chunks.held, 140 * kKb);
}

TEST(ChunkReceiverTest, AChunkWaitsUntilItIsFull) {
  Chunks chunks;
  EXPECT_TRUE(chunks.Make(kChunk - 1).ok());
  EXPECT_EQ(chunks.chunks.size(), 0U);
  EXPECT_TRUE(chunks.Make(1).ok());
  EXPECT_EQ(chunks.chunks.size(), 1U);
  // There is nothing to flush.
  chunks.receiver().Flush();
  EXPECT_EQ(chunks.chunks.size(), 1U);
}

// Only its bytes are counted.
TEST(ChunkReceiverTest, AShortLastChunkTakesLittleMemory) {
  Chunks chunks;
  EXPECT_TRUE(chunks.Make(kChunk + kKb).ok());
  chunks.receiver().Flush();
  ASSERT_EQ(chunks.chunks.size(), 2U);
  EXPECT_EQ(chunks.chunks[1].bytes, kKb);
  EXPECT_LE(chunks.chunks[1].capacity, static_cast<size_t>(2 * kKb));
}

TEST(ChunkReceiverTest, GivesMemoryOfTheConversionBack) {
  Chunks chunks;
  EXPECT_TRUE(chunks.receiver().Hold(kMb).ok());
  EXPECT_TRUE(chunks.receiver().Hold(-kMb).ok());
  EXPECT_EQ(chunks.held, 0);
}

}  // namespace
}  // namespace bvhmill::testing
