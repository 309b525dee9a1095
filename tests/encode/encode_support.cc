#include "tests/encode/encode_support.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "bvhmill/kinematics/fk_job.h"

namespace bvhmill::testing {
namespace {

std::vector<float> Positions(const Clip& clip, const Plan& plan,
                             bool with_end_sites) {
  std::vector<float> out(static_cast<size_t>(clip.motion.frames *
                                             RowsOf(plan, with_end_sites) * 3));
  FkJob job;
  job.plan = &plan;
  job.frames = clip.motion.frames;
  job.values = clip.motion.values;
  job.with_end_sites = with_end_sites;
  job.positions = out;
  SolveReference<double>(job);
  return out;
}

std::vector<float> LocalRotations(const Clip& clip, const Plan& plan) {
  std::vector<float> out(
      static_cast<size_t>(clip.motion.frames * RowsOf(plan, false) * 4));
  FkJob job;
  job.plan = &plan;
  job.frames = clip.motion.frames;
  job.values = clip.motion.values;
  job.local_rotations = out;
  SolveReference<double>(job);
  return out;
}

// The frames of `tile` of an array with `width` values a frame.
std::span<const float> Slice(std::span<const float> all, size_t width,
                             const PoseTile& tile) {
  return all.subspan(static_cast<size_t>(tile.first_frame) * width,
                     static_cast<size_t>(tile.frames) * width);
}

PoseTile TileOf(const Clip& clip, const Poses& poses, const EncoderNeeds& needs,
                int64_t first, int64_t frames) {
  const auto joints = static_cast<size_t>(JointCount(clip.skeleton));
  const size_t nodes = clip.skeleton.nodes.size();
  PoseTile tile;
  tile.first_frame = first;
  tile.frames = frames;
  tile.values = Slice(clip.motion.values, clip.skeleton.channels.size(), tile);
  if (needs.joint_positions) {
    tile.joint_positions = Slice(poses.joint_positions, joints * 3, tile);
  }
  if (needs.node_positions) {
    tile.node_positions = Slice(poses.node_positions, nodes * 3, tile);
  }
  if (needs.local_rotations) {
    tile.local_rotations = Slice(poses.local_rotations, joints * 4, tile);
  }
  return tile;
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

Poses PosesOf(const Clip& clip) {
  const Plan plan = MakePlan(clip.skeleton, {});
  return {Positions(clip, plan, false), Positions(clip, plan, true),
          LocalRotations(clip, plan)};
}

Encoded Encode(const Clip& clip, const FormatOptions& format,
               int64_t tile_frames) {
  const EncodeContext context = {&clip.skeleton, clip.motion.frames,
                                 clip.motion.frame_time};
  const Poses poses = PosesOf(clip);
  const auto encoder = MakeEncoder({"", format});
  Encoded out;
  out.info = encoder->Describe(context);
  StringSink sink(&out.bytes);
  out.status = encoder->Begin(context, &sink);
  for (int64_t first = 0; first < context.frames && out.status.ok();
       first += tile_frames) {
    const int64_t frames = std::min(tile_frames, context.frames - first);
    out.status = encoder->Add(
        TileOf(clip, poses, encoder->Needs(), first, frames), &sink);
  }
  if (out.status.ok()) out.status = encoder->End(&sink);
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
