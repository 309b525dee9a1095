// Any text becomes an .anim, or is refused, as the viewer does it and by the
// other profile; what the latter makes keeps its bounds and is accepted.

#include <algorithm>
#include <cstdlib>
#include <string_view>

#include "bvhmill/anim/clip_to_anim.h"
#include "bvhmill/anim/format/anim_file.h"
#include "bvhmill/anim/viewer/viewer_import.h"
#include "bvhmill/bvh/reader.h"

namespace {

using bvhmill::AnimMotion;
using bvhmill::IssueLog;

void Require(bool holds) {
  if (!holds) std::abort();
}

bool Uploads(const AnimMotion& motion) {
  IssueLog log({});
  bvhmill::AnimReadResult result;
  Require(bvhmill::CheckAnim(motion, &result, &log).ok());
  Require(result.read);
  return result.uploads;
}

// Options by the length of the text.
bvhmill::ClipToAnimOptions OptionsFor(size_t size) {
  bvhmill::ClipToAnimOptions options;
  if (size % 2 == 1) options.reference = bvhmill::AnimReference::kFirstFrame;
  options.joint_positions = size % 3 == 1;
  options.match_limbs = size % 4 == 1;
  options.scale_to_avatar = size % 5 == 1;
  options.max_bytes = size % 7 == 1 ? 1000 : 0;
  return options;
}

bool Says(IssueLog* log, std::string_view code) {
  const bvhmill::Report report = log->Finish(true, true);
  return std::any_of(
      report.issues.begin(), report.issues.end(),
      [&](const bvhmill::Issue& issue) { return issue.code == code; });
}

void CheckClip(const bvhmill::Clip& clip, size_t size) {
  IssueLog log({});
  AnimMotion motion;
  const bool taken = bvhmill::ImportAsViewer(clip, &motion, &log).ok();
  Require(taken == (log.faults() == 0));
  if (taken && motion.joints.size() <= bvhmill::kMaxAnimJoints) {
    Uploads(motion);
  }
  IssueLog best_log({});
  bvhmill::ClipToAnimResult result;
  Require(bvhmill::ClipToAnim(clip, OptionsFor(size), &result, &best_log).ok());
  Require(result.converted == (best_log.faults() == 0));
  if (result.converted) {
    constexpr float kNoise = 1.005F;
    Require(result.degrees <= result.max_degrees * kNoise ||
            Says(&best_log, "ANIM_BOUND_MISSED"));
    Require(Uploads(result.motion) ||
            bvhmill::AnimBytes(result.motion) > bvhmill::kMaxAnimUploadBytes);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  IssueLog log({});
  AnimMotion motion;
  bvhmill::ImportTextAsViewer(text, &motion, &log);
  bvhmill::Limits limits;
  limits.max_frames = 1 << 12;
  limits.max_joints = 300;
  IssueLog read_log({});
  const bvhmill::ReadResult read =
      bvhmill::ReadBvh(text, {.limits = limits}, &read_log);
  if (read.skeleton_read && read.motion_read) CheckClip(read.clip, size);
  return 0;
}
