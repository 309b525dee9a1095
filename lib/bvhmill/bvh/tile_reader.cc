#include "bvhmill/bvh/tile_reader.h"

#include <algorithm>

#include "bvhmill/base/parallel.h"
#include "bvhmill/bvh/motion/motion_reader.h"
#include "bvhmill/bvh/rows/parallel_rows.h"
#include "bvhmill/bvh/rows/tile_scanner.h"
#include "bvhmill/bvh/rows/tile_sink.h"
#include "bvhmill/bvh/rows/whole_text.h"

namespace bvhmill {
namespace {

// Texts with fewer tiles are not faster with a second thread.
constexpr int64_t kFewTiles = 4;

class TileReading {
 public:
  TileReading(const ReadOptions& options, TileReceiver* receiver,
              TileWorkspace* workspace)
      : options_(options), receiver_(*receiver), workspace_(*workspace) {}

  // Reads regular rows from the beginning of `text`. Returns the bytes taken.
  size_t ReadTiles(std::string_view text, int64_t width, MotionReader* reader);
  // False if the receiver has stopped the reading.
  bool goes_on() const { return goes_on_; }

 private:
  const ReadOptions& options_;
  TileReceiver& receiver_;
  TileWorkspace& workspace_;
  bool goes_on_ = true;
};

size_t TileReading::ReadTiles(std::string_view text, int64_t width,
                              MotionReader* reader) {
  const auto scanned = static_cast<int64_t>(kMaxScannedLineBytes);
  if (width == 0 || Exceeds(scanned, options_.limits.max_line_bytes)) return 0;
  const size_t blank = BlankLines(text);
  const std::string_view before = text.substr(0, blank);
  reader->Skip(0, before, CountLineEnds(before));
  const std::string_view rows = text.substr(blank);
  TileScanner scanner(rows, width, reader->MaxFrames(rows.size()), options_,
                      &receiver_);
  if (options_.parallel == nullptr || scanner.tiles() < kFewTiles) {
    scanner.Work(0, &workspace_.tiles[0]);
  } else {
    options_.parallel->Run(options_.parallel->threads(), [&](int64_t i) {
      const auto worker = static_cast<size_t>(i);
      scanner.Work(static_cast<int>(i), &workspace_.tiles[worker]);
    });
  }
  goes_on_ = !scanner.refused();
  const RowsScan& taken = scanner.taken();
  reader->Skip(static_cast<int64_t>(taken.rows), rows.substr(0, taken.bytes),
               taken.lines);
  return blank + taken.bytes;
}

}  // namespace

bool IsShortText(std::string_view text) {
  constexpr size_t kTileBytes = 2 * size_t{kMaxTileValues};
  return text.size() <= static_cast<size_t>(kFewTiles - 1) * kTileBytes;
}

StreamResult ReadBvhTiles(std::string_view text, const ReadOptions& options,
                          IssueLog* log, TileReceiver* receiver,
                          TileWorkspace* workspace, ParsedClip* clip) {
  ParsedHeader header;
  const bool has_rows = ReadHeaderOf(text, options, log, &header, clip);
  Motion& motion = clip->motion;
  const bool is_wanted = !clip->skeleton_read ||
                         receiver->OnHeader({clip->source, motion.frame_time,
                                             header.header.frames.value_or(0)});
  clip->motion_read &= is_wanted;
  if (has_rows && is_wanted) {
    const auto workers = static_cast<size_t>(
        options.parallel == nullptr ? 1 : options.parallel->threads());
    workspace->tiles.resize(std::max(workspace->tiles.size(), workers));
    const Skeleton& skeleton = clip->source->skeleton;
    const auto width = static_cast<int64_t>(skeleton.channels.size());
    const std::string_view rows =
        text.substr(static_cast<size_t>(header.header.rows.offset));
    TileSink sink(receiver, width, &workspace->tiles[0]);
    MotionReader reader(header.header, skeleton, options, log, &sink);
    TileReading tiles(options, receiver, workspace);
    const size_t taken =
        reader.done() ? 0 : tiles.ReadTiles(rows, width, &reader);
    sink.StartAt(reader.frames());
    if (tiles.goes_on()) reader.Push(rows.substr(taken), /*ends_file=*/true);
    clip->motion_read &= tiles.goes_on() && sink.Flush() && reader.good();
    motion.frames = reader.frames();
  }
  return {clip->skeleton_read, clip->motion_read, motion.frames};
}

}  // namespace bvhmill
