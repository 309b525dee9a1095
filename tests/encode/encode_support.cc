#include "tests/encode/encode_support.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "bvhmill/kinematics/fk_job.h"

namespace bvhmill::testing {
namespace {

// The arrays that `needs` asks for, of some frames of the clip.
std::vector<std::vector<float>> ArraysOf(const Clip& clip,
                                         const EncoderNeeds& needs) {
  std::vector<std::vector<float>> arrays;
  for (const PoseArray& array : needs.arrays) {
    arrays.push_back(PosesOf(clip, array));
  }
  return arrays;
}

std::vector<std::span<const float>> SpansOf(
    const std::vector<std::vector<float>>& arrays) {
  return {arrays.begin(), arrays.end()};
}

// Frames [first, first + frames) of `clip`.
Clip Slice(const Clip& clip, int64_t first, int64_t frames) {
  Clip slice = {clip.skeleton, {frames, clip.motion.frame_time, {}}};
  const auto columns = static_cast<int64_t>(clip.skeleton.channels.size());
  const auto begin = clip.motion.values.begin() + first * columns;
  slice.motion.values.assign(begin, begin + frames * columns);
  return slice;
}

void AppendUtf8(uint32_t c, std::string* out) {
  if (c < 0x80) {
    *out += static_cast<char>(c);
    return;
  }
  const int tails = c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
  constexpr int kLeads[] = {0, 0xC0, 0xE0, 0xF0};
  *out += static_cast<char>(kLeads[tails] | (c >> (6 * tails)));
  for (int i = tails - 1; i >= 0; --i) {
    *out += static_cast<char>(0x80 | ((c >> (6 * i)) & 0x3F));
  }
}

}  // namespace

std::vector<float> PosesOf(const Clip& clip, const PoseArray& array) {
  const Plan plan = MakePlan(clip.skeleton, {});
  std::vector<float> out(static_cast<size_t>(
      clip.motion.frames * RowsOf(array, clip.skeleton) * WidthOf(array)));
  FkJob job;
  job.plan = &plan;
  job.frames = clip.motion.frames;
  job.values = clip.motion.values;
  job.with_end_sites = array.with_end_sites;
  job.layout = array.layout;
  job.rotation_kind = array.rotation_kind;
  (array.kind == PoseKind::kPositions        ? job.positions
   : array.kind == PoseKind::kLocalRotations ? job.local_rotations
                                             : job.world_rotations) = out;
  EXPECT_NE(array.kind, PoseKind::kVelocities);
  EXPECT_TRUE(job.Validate().ok()) << job.Validate();
  SolveReference<double>(job);
  return out;
}

Encoded Encode(const Clip& clip, const FormatOptions& format,
               int64_t tile_frames) {
  EncodeContext context = {&clip.skeleton, clip.motion.frames,
                           clip.motion.frame_time};
  IssueLog log({});
  context.log = &log;
  context.clip = &clip;
  const auto encoder = MakeEncoder({"", format});
  const EncoderNeeds& needs = encoder->Needs();
  Encoded out;
  encoder->Describe(context, &out.info);
  out.info.media_type = FormatOf(format).media_type;
  StringSink sink(&out.bytes);
  out.status = encoder->Begin(context, &sink);
  for (int64_t first = 0; first < context.frames && out.status.ok();
       first += tile_frames) {
    const int64_t frames = std::min(tile_frames, context.frames - first);
    const Clip slice = Slice(clip, first, frames);
    const auto arrays = needs.full_arrays ? std::vector<std::vector<float>>{}
                                          : ArraysOf(slice, needs);
    out.status = encoder->Add({first, frames, slice.motion.values},
                              SpansOf(arrays), &sink);
  }
  const auto wholes = needs.full_arrays ? ArraysOf(clip, needs)
                                        : std::vector<std::vector<float>>{};
  if (out.status.ok()) out.status = encoder->End(SpansOf(wholes), &sink);
  out.report = log.Finish(true, true);
  return out;
}

Npy ReadNpy(std::string_view bytes) {
  Npy out;
  EXPECT_TRUE(bytes.starts_with(std::string_view("\x93NUMPY\x01\x00", 8)));
  if (bytes.size() < 10) return out;
  const size_t size = static_cast<uint8_t>(bytes[8]) +
                      256 * static_cast<size_t>(static_cast<uint8_t>(bytes[9]));
  EXPECT_EQ((10 + size) % 64, 0);
  EXPECT_LE(10 + size, bytes.size());
  const std::string head(bytes.substr(10, size));
  const auto between = [&](std::string_view from, std::string_view to) {
    const size_t start = head.find(from) + from.size();
    return head.substr(start, head.find(to, start) - start);
  };
  out.dtype = between("'descr': '", "'");
  out.shape = "(" + between("'shape': (", ")") + ")";
  out.data = bytes.substr(std::min(bytes.size(), 10 + size));
  return out;
}

std::vector<std::string> Strings(const Npy& npy) {
  EXPECT_TRUE(npy.dtype.starts_with("<U")) << npy.dtype;
  const size_t width = std::stoul(npy.dtype.substr(2));
  const auto letters = Numbers<uint32_t>(npy.data);
  EXPECT_GT(width, 0);
  EXPECT_EQ(letters.size() % width, 0);
  std::vector<std::string> out;
  for (size_t i = 0; i < letters.size(); ++i) {
    if (i % width == 0) out.emplace_back();
    if (letters[i] != 0) AppendUtf8(letters[i], &out.back());
  }
  return out;
}

}  // namespace bvhmill::testing
