// Any bytes at all are read, or refused with a fault that has a place; what was
// read can be written and reads back as the same.

#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>

#include "bvhmill/bvh/hierarchy.h"
#include "bvhmill/bvh/parsed_clip.h"
#include "bvhmill/bvh/reader.h"
#include "bvhmill/bvh/writer.h"
#include "bvhmill/validate/validate.h"
#include "tests/support/one_thread.h"
#include "tests/validate/checked_parts.h"

namespace {

using bvhmill::Clip;
using bvhmill::IssueLog;
using bvhmill::Limits;
using bvhmill::ReadResult;

void Require(bool holds) {
  if (!holds) std::abort();
}

Limits SmallLimits() {
  Limits limits;
  limits.max_clip_bytes = 1 << 20;
  limits.max_frames = 1 << 16;
  return limits;
}

bool IsSameValue(float a, float b) {
  return std::memcmp(&a, &b, sizeof(a)) == 0 || (a != a && b != b);
}

bool AreSame(const Clip& a, const Clip& b) {
  if (a.motion.frames != b.motion.frames ||
      a.skeleton.channels != b.skeleton.channels ||
      a.skeleton.nodes.size() != b.skeleton.nodes.size()) {
    return false;
  }
  for (size_t i = 0; i < a.skeleton.nodes.size(); ++i) {
    const bvhmill::Node& x = a.skeleton.nodes[i];
    const bvhmill::Node& y = b.skeleton.nodes[i];
    if (x.parent != y.parent || x.kind != y.kind || x.offset != y.offset) {
      return false;
    }
  }
  for (size_t i = 0; i < a.motion.values.size(); ++i) {
    if (!IsSameValue(a.motion.values[i], b.motion.values[i])) return false;
  }
  return true;
}

// The hierarchy cache changes no result, with any text before. A first read
// keeps the text, a second one the parsed hierarchy, later ones use it.
void CheckCache(std::string_view text, const ReadResult& plain,
                int64_t logged) {
  static bvhmill::HierarchyCache cache;
  bvhmill::ReadOptions options{.limits = SmallLimits()};
  options.cache = &cache;
  // Into what was read before; the last time, that is what it is.
  static bvhmill::ParsedClip read;
  for (int i = 0; i < 4; ++i) {
    IssueLog log({});
    bvhmill::ReadBvhInto(text, options, &log, &read);
    Require(log.added() == logged && read.motion_read == plain.motion_read &&
            read.skeleton_read == plain.skeleton_read);
    if (!read.skeleton_read) continue;
    const Clip clip = bvhmill::ClipOf(std::move(read));
    Require(AreSame(clip, plain.clip));
  }
}

void CheckRoundTrip(const Clip& clip) {
  std::string text;
  bvhmill::StringSink sink(&text);
  Require(bvhmill::WriteBvh(clip, {}, &sink).ok());
  IssueLog log({});
  Limits limits = SmallLimits();
  limits.max_clip_bytes = 0;
  const ReadResult again = bvhmill::ReadBvh(text, {.limits = limits}, &log);
  Require(again.motion_read && AreSame(clip, again.clip));
}

void CheckRules(const bvhmill::Clip& clip, IssueLog* log) {
  bvhmill::testing::CheckedParts parts(clip);
  bvhmill::testing::OneThread parallel;
  bvhmill::Budget budget;
  static bvhmill::MotionMemory memory;
  Require(bvhmill::Validate(parts.checked(), /*with_data=*/true, &parallel,
                            &budget, &memory, log)
              .ok());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  IssueLog log({});
  ReadResult read = bvhmill::ReadBvh(text, {.limits = SmallLimits()}, &log);
  const bool good = read.skeleton_read && read.motion_read;
  CheckCache(text, read, log.added());
  Require(good == (log.faults() == 0));
  Require(read.clip.motion.values.size() ==
          static_cast<size_t>(read.clip.motion.frames) *
              read.clip.skeleton.channels.size());
  if (good) {
    CheckRules(read.clip, &log);
    CheckRoundTrip(read.clip);
  }
  const bvhmill::Report report =
      log.Finish(read.skeleton_read, read.motion_read);
  for (const bvhmill::Issue& issue : report.issues) {
    Require(issue.location.line.value_or(1) >= 1);
    Require(issue.location.byte_offset.value_or(0) <=
            static_cast<int64_t>(size));
    Require(!bvhmill::RenderIssue(issue).empty());
  }
  return 0;
}
