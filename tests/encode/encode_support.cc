#include "tests/encode/encode_support.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "bvhmill/kinematics/fk_job.h"

namespace bvhmill::testing {
namespace {

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
  job.Run();
  return out;
}

Encoded Encode(const Clip& clip, const FormatOptions& format,
               Parallel* parallel, const SourceSpace& space) {
  const Plan plan = MakePlan(clip.skeleton, {});
  IssueLog log({});
  EncodeContext context;
  context.clip = &clip;
  context.plan = &plan;
  PoseWorkspace poses;
  context.poses = &poses;
  context.log = &log;
  context.parallel = parallel;
  context.meters_per_unit = space.meters_per_unit;
  context.up_axis = space.up_axis;
  Encoded out;
  const int64_t least =
      DescribeFormat(format, clip.skeleton, clip.motion.frames, &out.info);
  out.info.media_type = FormatOf(format).media_type;
  StringSink sink(&out.bytes);
  out.status = Encode(format, context, &sink);
  out.report = log.Finish(true, true);
  const auto size = static_cast<int64_t>(out.bytes.size());
  if (out.status.ok()) {
    EXPECT_LE(least, size);
    EXPECT_EQ(out.info.size_bytes, out.info.size_bytes < 0 ? -1 : size);
  }
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
