#include "bench/read/read_runs.h"

#include <malloc.h>

#include <algorithm>
#include <cstring>
#include <span>

#include "bench/read/read_baselines.h"
#include "bvhmill/bvh/stream_reader.h"
#include "bvhmill/text/rows.h"

namespace bvhmill::bench {
namespace {

constexpr size_t kPieceBytes = size_t{256} * 1024;
constexpr std::string_view kFrames = "Frames:";

// Bytes that malloc has handed out and not got back.
int64_t LiveBytes() {
  const struct mallinfo2 info = mallinfo2();
  return static_cast<int64_t>(info.uordblks + info.hblkhd);
}

// Drops what it gets, or keeps it.
class Receiver final : public ClipReceiver {
 public:
  explicit Receiver(std::vector<float>* values) : values_(values) {}
  bool OnHeader(const ClipHeader& /*heads*/) override { return true; }
  bool OnFrames(int64_t /*first*/, int64_t /*frames*/,
                std::span<const float> values) override {
    if (values_ == nullptr) return true;
    values_->insert(values_->end(), values.begin(), values.end());
    return true;
  }

 private:
  std::vector<float>* values_;
};

// Looks at the memory whenever a tile comes: all of a stream's is there then.
class MemoryWatcher final : public ClipReceiver {
 public:
  bool OnHeader(const ClipHeader& /*heads*/) override {
    peak_ = std::max(peak_, LiveBytes());
    return true;
  }
  bool OnFrames(int64_t /*first*/, int64_t /*frames*/,
                std::span<const float> /*values*/) override {
    peak_ = std::max(peak_, LiveBytes());
    return true;
  }
  int64_t peak() const { return peak_; }

 private:
  int64_t peak_ = 0;
};

void PushPieces(std::string_view text, StreamReader* reader) {
  for (; !text.empty();
       text.remove_prefix(std::min(kPieceBytes, text.size()))) {
    reader->Push(text.substr(0, kPieceBytes));
  }
}

int64_t FramesOf(StreamReader* reader) {
  const StreamResult result = reader->Finish();
  return result.motion_read ? result.frames : -1;
}

bool IsSame(std::span<const float> a, std::span<const float> b) {
  return a.size() == b.size() &&
         std::memcmp(a.data(), b.data(), a.size_bytes()) == 0;
}

}  // namespace

Subject::Subject(std::string bvh) : text(std::move(bvh)) {
  rows = std::string_view(text).substr(
      text.find('\n', text.find("Frame Time:")) + 1);
  IssueLog log({});
  const ReadResult read = ReadBvh(text, {}, &log);
  width = read.clip.skeleton.channels.size();
  values.resize(read.clip.motion.values.size());
}

void ReadWhole(std::string_view text, RowsTarget target, Parallel* parallel,
               ParsedClip* read) {
  IssueLog log({});
  ReadOptions options;
  options.target = target;
  options.parallel = parallel;
  ReadBvhInto(text, options, &log, read);
}

int64_t ReadStream(std::string_view text) {
  Receiver receiver(nullptr);
  IssueLog log({});
  StreamReader reader({}, &log, &receiver);
  PushPieces(text, &reader);
  return FramesOf(&reader);
}

int64_t PeakOfStream(const Subject& subject, int64_t times) {
  const std::string_view text = subject.text;
  const size_t count = text.find(kFrames) + kFrames.size();
  const auto frames =
      static_cast<int64_t>(subject.values.size() / subject.width) * times;
  const std::string head(text.substr(0, text.size() - subject.rows.size()));
  const std::string patched = head.substr(0, count) + " " +
                              std::to_string(frames) +
                              head.substr(head.find('\n', count));
  const int64_t before = LiveBytes();
  MemoryWatcher watcher;
  IssueLog log({});
  StreamReader reader({}, &log, &watcher);
  PushPieces(patched, &reader);
  for (int64_t i = 0; i < times; ++i) PushPieces(subject.rows, &reader);
  return FramesOf(&reader) == frames ? watcher.peak() - before : -1;
}

std::string FindDifference(const Subject& subject, Parallel* parallel) {
  std::vector<float> expected(subject.values.size());
  std::vector<float> values(subject.values.size());
  if (expected.empty()) return "nothing was read";
  ReadRowsByStrtof(subject.rows, expected);
  ReadRowsByFastFloat(subject.rows, values);
  if (!IsSame(values, expected)) return "fast_float";
  RowsWorkspace workspace;
  for (const RowsTarget target :
       {RowsTarget::kScalar, RowsTarget::kAvx2, RowsTarget::kAvx512}) {
    if (!IsSupported(target)) continue;
    std::fill(values.begin(), values.end(), -1.0F);
    ScanRows(target, subject.rows, subject.width, values, &workspace);
    if (!IsSame(values, expected)) {
      return std::string(RowsTargetName(target));
    }
  }
  for (Parallel* threads : {static_cast<Parallel*>(nullptr), parallel}) {
    ParsedClip read;
    ReadWhole(subject.text, BestRowsTarget(), threads, &read);
    if (!read.motion_read || !IsSame(read.motion.values, expected)) {
      return "the whole text";
    }
  }
  std::vector<float> streamed;
  Receiver receiver(&streamed);
  IssueLog log({});
  StreamReader reader({}, &log, &receiver);
  PushPieces(subject.text, &reader);
  return FramesOf(&reader) > 0 && IsSame(streamed, expected) ? ""
                                                             : "the stream";
}

}  // namespace bvhmill::bench
