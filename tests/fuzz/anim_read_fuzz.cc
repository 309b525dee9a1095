// Any bytes at all are read as .anim, or refused with a fault that has a place;
// what was read can be written, reads back as the same, can be edited and
// turned into a clip.

#include <cstdlib>
#include <string>
#include <string_view>

#include "bvhmill/anim/anim_to_clip.h"
#include "bvhmill/anim/format/anim_file.h"
#include "bvhmill/base/sink.h"

namespace {

using bvhmill::AnimMotion;
using bvhmill::AnimReadResult;
using bvhmill::IssueLog;

void Require(bool holds) {
  if (!holds) std::abort();
}

std::string BytesOf(const AnimMotion& motion) {
  std::string bytes;
  bvhmill::StringSink sink(&bytes);
  Require(bvhmill::WriteAnim(motion, &sink).ok());
  Require(bytes.size() == bvhmill::AnimBytes(motion));
  return bytes;
}

// By their bytes: a NaN is not equal to itself.
void CheckRoundTrip(const AnimMotion& motion) {
  const std::string bytes = BytesOf(motion);
  IssueLog log({});
  const AnimReadResult again = bvhmill::ReadAnim(bytes, {}, &log);
  Require(again.read && BytesOf(again.motion) == bytes);
}

void CheckMotionEdits(AnimMotion motion) {
  const std::string before = BytesOf(motion);
  const auto half = motion.duration / 2;
  if (bvhmill::TrimAnim(half / 2, half, &motion).ok()) {
    Require(motion.duration > 0);
  }
  bvhmill::MirrorAnim(&motion);
  bvhmill::ResaveAsViewer(&motion);
  CheckRoundTrip(motion);
}

void CheckClip(const AnimMotion& motion) {
  IssueLog log({});
  bvhmill::Clip clip;
  Require(bvhmill::AnimToClip(motion, {}, &clip, &log).ok());
  Require(clip.motion.values.size() == static_cast<size_t>(clip.motion.frames) *
                                           clip.skeleton.channels.size());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  IssueLog log({});
  const AnimReadResult result = bvhmill::ReadAnim(bytes, {}, &log);
  Require(result.read || log.faults() > 0);
  Require(result.plays == (log.faults() == 0));
  Require(result.plays || !result.uploads);
  const bvhmill::Report report = log.Finish(true, result.read);
  for (const bvhmill::Issue& issue : report.issues) {
    Require(issue.location.byte_offset.value_or(-1) >= 0);
    Require(*issue.location.byte_offset <= static_cast<int64_t>(size));
    Require(!bvhmill::RenderIssue(issue).empty());
  }
  if (!result.read) return 0;
  CheckRoundTrip(result.motion);
  CheckMotionEdits(result.motion);
  constexpr size_t kShort = 10'000;
  if (size < kShort) CheckClip(result.motion);
  return 0;
}
