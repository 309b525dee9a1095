// Searches for clips that cost more than they draw: a conversion must not take
// more memory than it was granted, nor more time than its limit on work.

#include <time.h>

#include <algorithm>
#include <cstdio>
#include <string>
#include <string_view>

#include "bvhmill/pipeline/convert.h"
#include "tests/fuzz/bytes.h"
#include "tests/fuzz/support/any_options.h"
#include "tests/fuzz/support/counted_memory.h"

namespace {

using bvhmill::ConvertOptions;
using bvhmill::fuzz::Bytes;
using bvhmill::fuzz::Choices;
using bvhmill::fuzz::Require;

// A text of a few bytes of choices, up to the sizes that limits allow.
struct Shape {
  // Joints below each other, then joints beside each other at their end.
  size_t chain = 0;
  size_t leaves = 0;
  size_t name_bytes = 1;
  // All joints are called alike, or not.
  bool same_names = false;
  bool end_sites = false;
  // Channels of most joints, and of one of them.
  size_t channels = 0;
  size_t most_channels = 0;
  size_t frames = 0;
  size_t declared_frames = 0;
  std::string frame_time;
};

// Small numbers mostly; up to 2^`most_bits`.
size_t TakeSize(size_t most_bits, Bytes* bytes) {
  const size_t bits = bytes->Below(most_bits + 1);
  return bytes->Below(size_t{1} << std::min<size_t>(bits, 16))
         << (bits > 16 ? bits - 16 : 0);
}

Shape TakeShape(Bytes* bytes) {
  constexpr std::string_view kTimes[] = {"0.01", "1e-9", "1e9", "0"};
  Shape shape;
  shape.chain = TakeSize(13, bytes);
  shape.leaves = TakeSize(14, bytes);
  shape.name_bytes = 1 + TakeSize(11, bytes);
  shape.same_names = bytes->OneIn(2);
  shape.end_sites = bytes->OneIn(2);
  shape.channels = bytes->OneIn(2) ? 0 : bytes->Below(7);
  shape.most_channels = bytes->OneIn(4) ? TakeSize(17, bytes) : 3;
  shape.frames = TakeSize(12, bytes);
  shape.declared_frames = bytes->OneIn(2) ? shape.frames : TakeSize(26, bytes);
  shape.frame_time = kTimes[bytes->Below(std::size(kTimes))];
  return shape;
}

void AppendChannels(size_t count, std::string* text) {
  constexpr std::string_view kNames[] = {" Xrotation", " Yrotation",
                                         " Zrotation", " Xposition"};
  *text += "CHANNELS " + std::to_string(count);
  for (size_t i = 0; i < count; ++i) *text += kNames[i % std::size(kNames)];
  *text += '\n';
}

// Opens a joint; the first one is the root.
void AppendJoint(const Shape& shape, size_t index, std::string* text) {
  *text += index == 0 ? "ROOT " : "JOINT ";
  *text += std::string(shape.name_bytes, 'n');
  if (!shape.same_names) *text += std::to_string(index);
  *text += "\n{\nOFFSET 0 1 0\n";
  AppendChannels(index == 0 ? shape.most_channels : shape.channels, text);
}

void AppendEnd(const Shape& shape, std::string* text) {
  if (shape.end_sites) *text += "End Site\n{\nOFFSET 0 1 0\n}\n";
}

void AppendRows(const Shape& shape, size_t width, std::string* text) {
  constexpr size_t kMaxBytes = size_t{1} << 18;
  const size_t most = text->size() + kMaxBytes;
  for (size_t i = 0; i < shape.frames && text->size() < most; ++i) {
    for (size_t k = 0; k < width; ++k) *text += (i + k) % 2 == 0 ? "0 " : "9 ";
    *text += '\n';
  }
}

std::string TextOf(const Shape& shape) {
  constexpr size_t kMaxNames = size_t{1} << 19;
  std::string text = "HIERARCHY\n";
  size_t joints = 1;
  AppendJoint(shape, 0, &text);
  size_t depth = 1;
  for (; depth <= shape.chain && text.size() < kMaxNames; ++depth) {
    AppendJoint(shape, joints++, &text);
  }
  AppendEnd(shape, &text);
  for (size_t i = 0; i < shape.leaves && text.size() < 2 * kMaxNames; ++i) {
    AppendJoint(shape, joints++, &text);
    AppendEnd(shape, &text);
    text += "}\n";
  }
  for (size_t i = 0; i < depth; ++i) text += "}\n";
  text += "MOTION\nFrames: " + std::to_string(shape.declared_frames) +
          "\nFrame Time: " + shape.frame_time + "\n";
  AppendRows(shape, shape.most_channels + (joints - 1) * shape.channels, &text);
  return text;
}

// The names of many joints, or one name often.
std::vector<std::string> TakeNames(const std::vector<std::string>& names,
                                   Bytes* bytes) {
  std::vector<std::string> out;
  if (names.empty()) return out;
  const size_t count = TakeSize(14, bytes);
  const bool same = bytes->OneIn(2);
  for (size_t i = 0; i < count; ++i) {
    out.push_back(names[same ? 0 : i % names.size()]);
  }
  return out;
}

// Lists of edits that are as long as limits allow.
void AddLists(const std::vector<std::string>& names, Bytes* bytes,
              bvhmill::ClipEdits* edits) {
  const std::vector<std::string> taken = TakeNames(names, bytes);
  const std::string name(1 + TakeSize(12, bytes), 'x');
  switch (bytes->Below(5)) {
    case 0:
      edits->drop = taken;
      break;
    case 1:
      edits->keep = taken;
      break;
    case 2:
      for (const std::string& old : taken) {
        edits->rename.emplace_back(old, name);
      }
      break;
    case 3:
      for (const std::string& old : taken) {
        edits->joint_map_rows.push_back({old, name});
      }
      break;
    default:
      if (!names.empty()) edits->rename = {{names[0], name}};
  }
}

// N outputs of one kind cost N times the cost of one.
void RepeatOutputs(size_t times, ConvertOptions* options) {
  if (options->outputs.empty()) return;
  const bvhmill::OutputRequest first = options->outputs[0];
  for (size_t i = 0; i < times; ++i) {
    options->outputs.push_back({"more" + std::to_string(i), first.format});
  }
}

constexpr int64_t kMaxMemory = int64_t{256} << 20;
constexpr int64_t kMaxWork = 100'000'000;
constexpr int64_t kMaxWorkPerByte = 100;

// Adds up what a conversion asks for, and keeps nothing.
class CountingReceiver final : public bvhmill::OutputReceiver {
 public:
  absl::Status Hold(int64_t bytes) override {
    held_ += bytes;
    most_held = std::max(most_held, held_);
    return absl::OkStatus();
  }
  absl::Status Begin(
      const bvhmill::ClipInfo& /*info*/,
      std::span<const bvhmill::OutputInfo> /*outputs*/) override {
    return absl::OkStatus();
  }
  absl::Status Data(size_t /*output*/, std::string_view /*bytes*/) override {
    return absl::OkStatus();
  }
  int64_t most_held = 0;

 private:
  int64_t held_ = 0;
};

double CpuSeconds() {
  timespec time = {};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) +
         1e-9 * static_cast<double>(time.tv_nsec);
}

void Run(std::string_view text, const ConvertOptions& options, bool in_pieces,
         CountingReceiver* receiver) {
  bvhmill::ConvertResult result;
  if (!in_pieces) {
    bvhmill::Converter().ConvertInto(text, options, receiver, nullptr, &result);
    return;
  }
  constexpr size_t kPiece = size_t{64} << 10;
  bvhmill::Converter worker;
  bvhmill::Conversion clip(&worker, options, receiver, nullptr, &result);
  for (size_t at = 0; at < text.size(); at += kPiece) {
    clip.Add(text.substr(at, kPiece));
  }
  clip.Finish();
}

// Beyond what was asked for: what measures have of error, and what a thread
// keeps for any clip.
void CheckMemory(int64_t taken, int64_t held) {
  constexpr int64_t kSlack = int64_t{16} << 20;
  const int64_t most = held + held / 5 + kSlack;
  if (taken > most) {
    std::fprintf(stderr, "took %ld bytes, asked for %ld\n", taken, held);
  }
  Require(taken <= most);
}

// Far beyond: a sanitizer is slow, and so is a machine with much to do.
void CheckTime(double seconds, size_t text_bytes) {
  constexpr double kSlower = 60;
  constexpr double kSlack = 10;
  const auto work =
      static_cast<double>(kMaxWork) +
      static_cast<double>(kMaxWorkPerByte) * static_cast<double>(text_bytes);
  if (seconds > kSlack + kSlower * 1e-9 * work) {
    std::fprintf(stderr, "took %f s for %f s of work\n", seconds, 1e-9 * work);
  }
  Require(seconds <= kSlack + kSlower * 1e-9 * work);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  Bytes bytes(data, size);
  Choices choices(1 + bytes.Take<uint16_t>());
  const bool in_pieces = bytes.OneIn(2);
  const std::string text = TextOf(TakeShape(&bytes));
  const std::vector<std::string> names = bvhmill::fuzz::NamesIn(text);
  ConvertOptions options = bvhmill::fuzz::AnyOptions(names, &choices);
  if (bytes.OneIn(2)) AddLists(names, &bytes, &options.edits);
  if (bytes.OneIn(4)) RepeatOutputs(bytes.Below(12), &options);
  options.limits = {};
  options.limits.max_clip_memory_bytes = kMaxMemory;
  options.limits.max_clip_work = kMaxWork;
  options.limits.max_clip_work_per_byte = kMaxWorkPerByte;
  CountingReceiver receiver;
  bvhmill::fuzz::ResetPeak();
  const int64_t before = bvhmill::fuzz::LiveBytes();
  const double start = CpuSeconds();
  Run(text, options, in_pieces, &receiver);
  CheckTime(CpuSeconds() - start, text.size());
  CheckMemory(bvhmill::fuzz::PeakBytes() - before, receiver.most_held);
  return 0;
}
