// A stream gives the issues and frames of the whole text, with any cuts and
// with any earlier content of its hierarchy cache.

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string>
#include <string_view>

#include "bvhmill/bvh/hierarchy.h"
#include "bvhmill/bvh/reader.h"
#include "bvhmill/encode/report_json.h"
#include "tests/support/read_in_pieces.h"

namespace {

using bvhmill::IssueLog;
using bvhmill::ReadOptions;
using bvhmill::ReadResult;

void Require(bool holds) {
  if (!holds) std::abort();
}

std::string JsonOf(const ReadResult& read, IssueLog* log) {
  const bvhmill::Report report =
      log->Finish(read.skeleton_read, read.motion_read);
  return bvhmill::ReportJson("", report, {});
}

void RequireSame(const bvhmill::Clip& a, const bvhmill::Clip& b) {
  Require(a.motion.frames == b.motion.frames);
  Require(a.skeleton.channels == b.skeleton.channels);
  Require(a.skeleton.nodes.size() == b.skeleton.nodes.size());
  Require(a.motion.values.size() == b.motion.values.size());
  // Bit for bit: both read the same words with the same code.
  Require(a.motion.values.empty() ||
          std::memcmp(a.motion.values.data(), b.motion.values.data(),
                      a.motion.values.size() * sizeof(float)) == 0);
}

}  // namespace

// The last two bytes choose limits and pieces, so that any file is a seed.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 2) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data), size - 2);
  const uint8_t* choice = data + size - 2;
  ReadOptions options;
  options.limits.max_frames = 1 << 16;
  if ((choice[0] & 1) != 0) options.limits.max_line_bytes = 40;
  if ((choice[0] & 2) != 0) options.limits.max_header_bytes = 200;
  if ((choice[0] & 4) != 0) options.limits.max_frames = 2;
  if ((choice[0] & 8) != 0) options.limits.max_clip_bytes = 300;
  if ((choice[0] & 16) != 0) options.look_ahead_bytes = choice[0];
  IssueLog whole_log({});
  const ReadResult whole = bvhmill::ReadBvh(text, options, &whole_log);
  std::minstd_rand random(choice[1]);
  const auto most = static_cast<uint32_t>(1 + choice[1] * choice[1]);
  static bvhmill::HierarchyCache cache;
  options.cache = &cache;
  IssueLog log({});
  const ReadResult read = bvhmill::testing::ReadInPieces(
      text, options, [&](int64_t) { return 1 + random() % most; }, &log);
  Require(read.skeleton_read == whole.skeleton_read);
  Require(read.motion_read == whole.motion_read);
  Require(JsonOf(read, &log) == JsonOf(whole, &whole_log));
  if (read.skeleton_read) RequireSame(read.clip, whole.clip);
  return 0;
}
