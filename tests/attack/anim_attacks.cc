// Small requests for .anim files that would take much memory or time.

#include <string>
#include <vector>

#include "bvhmill/anim/avatar/avatar.h"
#include "bvhmill/anim/format/anim_file.h"
#include "bvhmill/base/sink.h"
#include "tests/attack/clip_case.h"
#include "tests/attack/texts.h"

namespace bvhmill::attack {
namespace {

using Request = v1::ConvertClipRequest;

constexpr int kMaxOutputs = 16;
constexpr char kThree[] = "CHANNELS 3 Zrotation Xrotation Yrotation\n";

std::vector<std::string> BoneNames() {
  std::vector<std::string> names;
  for (const AvatarJoint& joint : AvatarJoints()) {
    names.emplace_back(joint.name);
  }
  return names;
}

// A joint below the last one that is open.
std::string Open(const std::string& name) {
  return "JOINT " + name + "\n{\nOFFSET 0 1 0\n" + kThree;
}

// The avatar's joints in one chain, then others below, `joints` in all.
std::string AvatarChain(int joints) {
  std::string out =
      "HIERARCHY\nROOT mPelvis\n{\nOFFSET 0 0 0\n" + std::string(kThree);
  const std::vector<std::string> names = BoneNames();
  for (int i = 1; i < joints; ++i) {
    out += Open(static_cast<size_t>(i) < names.size()
                    ? names[static_cast<size_t>(i)]
                    : "x");
  }
  return out + Times("}\n", joints);
}

Request ManyAnims(v1::AnimProfile profile) {
  constexpr int kJoints = 1'500;
  constexpr int kFrames = 15'000;
  Request request = ZstdRequest(
      AvatarChain(kJoints) +
      Motion(kFrames, Times("0 ", int64_t{3} * kJoints), kFrames, "0.003"));
  for (int i = 0; i < kMaxOutputs; ++i) {
    AddOutput(&request)->mutable_anim()->set_profile(profile);
  }
  return request;
}

Request SixteenAnims() { return ManyAnims(v1::ANIM_PROFILE_BEST); }
Request SixteenViewerAnims() { return ManyAnims(v1::ANIM_PROFILE_VIEWER); }

// Two chains below one root; the avatar's joints stand at their ends in turn,
// so that the way from one to the next leads through the root.
std::string TwoChains() {
  constexpr int kLength = 9'800;
  const std::vector<std::string> names = BoneNames();
  std::string out =
      "HIERARCHY\nROOT mPelvis\n{\nOFFSET 0 0 0\n" + std::string(kThree);
  for (size_t chain = 0; chain < 2; ++chain) {
    const std::string link = "JOINT x\n{\nOFFSET 0 1 0\nCHANNELS 0\n";
    out += Times(link, kLength);
    int open = kLength;
    for (size_t i = 1 + chain; i < names.size() && open < 9'950; i += 2) {
      out += Open(names[i]);
      ++open;
    }
    out += Times("}\n", open);
  }
  return out + "}\n";
}

Request LongWays() {
  const std::string skeleton = TwoChains();
  const auto columns = static_cast<int64_t>(3 * BoneNames().size());
  Request request = ZstdRequest(
      skeleton + Motion(10'000, Times("1 ", columns), 10'000, "0.005"));
  for (int i = 0; i < kMaxOutputs; ++i) AddOutput(&request)->mutable_anim();
  return request;
}

// Curves that no bound can follow, in a file of few bytes.
Request TightBytes() {
  constexpr int kJoints = 100;
  constexpr int kFrames = 5'000;
  std::string rows;
  for (int i = 0; i < kFrames; ++i) {
    rows += Times(i % 2 == 0 ? "90 -45 0 " : "-80 60 170 ", kJoints) + "\n";
  }
  Request request = ZstdRequest(AvatarChain(kJoints) +
                                "MOTION\nFrames: " + std::to_string(kFrames) +
                                "\nFrame Time: 0.01\n" + rows);
  for (int i = 0; i < kMaxOutputs; ++i) {
    v1::AnimFormat* anim = AddOutput(&request)->mutable_anim();
    anim->set_max_bytes(1'000 + i);
    anim->set_match_limbs(true);
  }
  return request;
}

// An .anim of a few KB that is a minute of all bones at 120 frames a second.
Request LongAnimSource() {
  constexpr int kSteps = 7'200;
  constexpr int kPrimes[] = {1, 7, 101, 1'009, 2'003, 3'001, 4'001, 7'193};
  AnimMotion motion;
  motion.duration = 60;
  for (const AvatarJoint& joint : AvatarJoints()) {
    if (joint.kind != AvatarJointKind::kBone) continue;
    motion.joints.push_back({std::string(joint.name), -1, {}, {}});
    for (const int prime : kPrimes) {
      const auto time = static_cast<uint16_t>(prime * 65'535.0 / kSteps);
      const auto code = static_cast<uint16_t>(30'000 + prime);
      motion.joints.back().rotations.push_back({time, code, 32'767, code});
      motion.joints.back().positions.push_back({time, code, code, 32'767});
    }
  }
  std::string bytes;
  StringSink sink(&bytes);
  static_cast<void>(WriteAnim(motion, &sink));
  Request request = ZstdRequest(bytes);
  request.mutable_source()->set_format(v1::SOURCE_FORMAT_ANIM);
  for (int i = 0; i < kMaxOutputs; ++i) AddOutput(&request)->mutable_csv();
  return request;
}

const ClipCase kCases[] = {
    {"anim-16", "16 anim of 1,500 joints and 15,000 frames", SixteenAnims,
     Route::kStream},
    {"anim-16-call", "the same in a call", SixteenAnims},
    {"anim-16-viewer", "the same of the profile VIEWER", SixteenViewerAnims,
     Route::kStream},
    {"anim-16-cancelled", "given up after 100 ms", SixteenAnims, Route::kStream,
     false, 100},
    {"anim-long-ways", "the avatar's joints at the ends of two chains of 9,900",
     LongWays, Route::kStream},
    {"anim-long-ways-cancelled", "given up after 100 ms", LongWays,
     Route::kConvert, false, 100},
    {"anim-long-ways-validate", "ValidateClip of the same", LongWays,
     Route::kValidate},
    {"anim-tight-bytes", "16 anim whose bounds are raised until they fit",
     TightBytes, Route::kStream},
    {"anim-source", "16 csv of an .anim that is a minute of all bones",
     LongAnimSource, Route::kStream},
    {"anim-source-validate", "ValidateClip of the same", LongAnimSource,
     Route::kValidate}};

}  // namespace

std::vector<ClipCase> AnimCases() {
  return {std::begin(kCases), std::end(kCases)};
}

std::vector<Attack> AnimAttacks() {
  std::vector<Attack> out;
  for (const ClipCase& clip : kCases) out.push_back(ToAttack(clip));
  return out;
}

}  // namespace bvhmill::attack
