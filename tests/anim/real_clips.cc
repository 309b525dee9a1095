#include "tests/anim/real_clips.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "bvhmill/anim/avatar/avatar.h"
#include "bvhmill/bvh/reader.h"
#include "bvhmill/edit/edit_clip.h"
#include "bvhmill/edit/joint_map.h"
#include "tests/samples/samples.h"
#include "tests/support/files.h"

namespace bvhmill::testing {
namespace {

int Known(const Clip& clip) {
  int known = 0;
  for (const Node& node : clip.skeleton.nodes) {
    known += !IsEndSite(node) && FindAvatarJoint(node.name) >= 0 ? 1 : 0;
  }
  return known;
}

Clip Renamed(Clip clip) {
  Clip best = clip;
  for (const std::string_view map : JointMapNames()) {
    Clip renamed = clip;
    ClipEdits edits;
    edits.joint_map = map;
    if (!EditClip(edits, {}, {}, nullptr, &renamed, nullptr).ok()) continue;
    if (Known(renamed) > Known(best)) best = std::move(renamed);
  }
  return best;
}

void Cut(Clip* clip) {
  constexpr double kMaxSeconds = 59;
  Motion& motion = clip->motion;
  if (!HasRate(motion.frame_time)) return;
  const auto most =
      static_cast<int64_t>(std::min(kMaxSeconds / motion.frame_time, 60'000.0));
  motion.frames = std::min(motion.frames, most);
  motion.values.resize(static_cast<size_t>(motion.frames) *
                       clip->skeleton.channels.size());
}

RealClip MakeClip(std::string name, std::string_view text) {
  IssueLog log({});
  ReadResult read = ReadBvh(text, {}, &log);
  EXPECT_TRUE(read.motion_read) << name;
  Cut(&read.clip);
  return {std::move(name), Renamed(std::move(read.clip))};
}

}  // namespace

std::vector<RealClip> SampleClips() {
  std::vector<RealClip> clips;
  for (const samples::Take& take : samples::AllTakes()) {
    std::ostringstream text;
    samples::WriteBvh(take, text);
    clips.push_back(MakeClip(take.name, text.str()));
  }
  return clips;
}

std::vector<RealClip> RealClips() {
  std::vector<RealClip> clips;
  if (RealData().empty()) return clips;
  for (const std::string folder : {"/anim/golden", "/bvh"}) {
    for (const std::string& path : FilesIn(RealData() + folder, ".bvh")) {
      IssueLog log({});
      ReadResult read = ReadBvh(ReadFile(path), {}, &log);
      if (!read.motion_read || read.clip.motion.frames < 1) continue;
      Cut(&read.clip);
      clips.push_back(
          {path.substr(path.rfind('/') + 1), Renamed(std::move(read.clip))});
    }
  }
  return clips;
}

}  // namespace bvhmill::testing
