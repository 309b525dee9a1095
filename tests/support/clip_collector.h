#pragma once

// Makes of streams and tiles what a reader of the whole text gives.

#include <cstdint>
#include <string_view>
#include <vector>

#include "bvhmill/bvh/parsed_clip.h"
#include "bvhmill/bvh/reader.h"
#include "bvhmill/bvh/stream_reader.h"
#include "bvhmill/bvh/tile_reader.h"

namespace bvhmill::testing {

// Keeps all that it gets.
class ClipCollector final : public TileReceiver {
 public:
  static constexpr size_t kMaxWorkers = 8;

  // Keeps the tile, so that OnTileInOrder can compare it.
  void OnTile(int worker, int64_t /*frames*/,
              std::span<const float> values) override {
    tiles_[static_cast<size_t>(worker)].assign(values.begin(), values.end());
  }
  bool OnTileInOrder(int worker, int64_t first_frame, int64_t frames,
                     std::span<const float> values) override {
    return OnFrames(first_frame, frames, values) &&
           values.size() == tiles_[static_cast<size_t>(worker)].size();
  }
  bool OnHeader(const ClipHeader& header) override {
    read_.clip.skeleton = header.skeleton();
    read_.clip.motion.frame_time = header.frame_time;
    read_.node_positions = header.source->node_positions;
    return true;
  }
  bool OnFrames(int64_t first_frame, int64_t frames,
                std::span<const float> values) override {
    auto& all = read_.clip.motion.values;
    in_order_ &= first_frame == frames_ && frames > 0 &&
                 values.size() == static_cast<size_t>(frames) *
                                      read_.clip.skeleton.channels.size();
    frames_ += frames;
    all.insert(all.end(), values.begin(), values.end());
    return true;
  }

  // Each call went on where the one before ended.
  bool in_order() const { return in_order_; }
  // The clip of a stream that ended with `result`.
  ReadResult Take(const StreamResult& result) {
    read_.skeleton_read = result.skeleton_read;
    read_.motion_read = result.motion_read;
    Motion& motion = read_.clip.motion;
    motion.frames = result.frames;
    motion.values.resize(static_cast<size_t>(result.frames) *
                         read_.clip.skeleton.channels.size());
    return std::move(read_);
  }

 private:
  ReadResult read_;
  int64_t frames_ = 0;
  bool in_order_ = true;
  std::vector<std::vector<float>> tiles_{kMaxWorkers};
};

// Reads `text` in pieces of `size(index)` bytes, the rest being the last.
template <typename Size>
ReadResult ReadInPieces(std::string_view text, const ReadOptions& options,
                        const Size& size, IssueLog* log) {
  ClipCollector collector;
  StreamReader reader(options, log, &collector);
  for (int64_t i = 0; !text.empty(); ++i) {
    const std::string_view piece = text.substr(0, size(i));
    reader.Push(piece);
    text.remove_prefix(piece.size());
  }
  ReadResult read = collector.Take(reader.Finish());
  if (!collector.in_order()) read.clip.motion.frames = -1;
  return read;
}

// Reads `text` by tiles.
inline ReadResult ReadInTiles(std::string_view text, const ReadOptions& options,
                              IssueLog* log) {
  ClipCollector collector;
  TileWorkspace workspace;
  ParsedClip parsed;
  ReadResult read = collector.Take(
      ReadBvhTiles(text, options, log, &collector, &workspace, &parsed));
  if (!collector.in_order()) read.clip.motion.frames = -1;
  return read;
}

}  // namespace bvhmill::testing
