#include "tests/anim/walk_names.h"

#include <vector>

#include "bvhmill/edit/joint_map.h"
#include "tests/samples/samples.h"

namespace bvhmill::testing {

const std::map<std::string, std::string>& WalkJoints() {
  static const std::map<std::string, std::string> kJoints = {
      {"Hips", "mPelvis"},
      {"Spine", "mTorso"},
      {"Spine3", "mChest"},
      {"Neck", "mNeck"},
      {"Head", "mHead"},
      {"LeftShoulder", "mCollarLeft"},
      {"LeftArm", "mShoulderLeft"},
      {"LeftForeArm", "mElbowLeft"},
      {"LeftHand", "mWristLeft"},
      {"RightShoulder", "mCollarRight"},
      {"RightArm", "mShoulderRight"},
      {"RightForeArm", "mElbowRight"},
      {"RightHand", "mWristRight"},
      {"LeftUpLeg", "mHipLeft"},
      {"LeftLeg", "mKneeLeft"},
      {"LeftFoot", "mAnkleLeft"},
      {"LeftToeBase", "mFootLeft"},
      {"RightUpLeg", "mHipRight"},
      {"RightLeg", "mKneeRight"},
      {"RightFoot", "mAnkleRight"},
      {"RightToeBase", "mFootRight"}};
  return kJoints;
}

std::map<std::string, std::string> WalkNames(std::string_view map) {
  std::map<std::string, std::string> by_bone;
  const std::vector<JointMapRow> rows = FindJointMap(map).value();
  // Without a prefix, which is shorter.
  for (const JointMapRow& row : rows) {
    std::string& name = by_bone.emplace(row.target, row.source).first->second;
    if (row.source.size() < name.size()) name = row.source;
  }
  std::map<std::string, std::string> names;
  for (const samples::Joint& joint : samples::WalkCycle().joints) {
    const auto bone = WalkJoints().find(joint.name);
    const auto name =
        bone == WalkJoints().end() ? by_bone.end() : by_bone.find(bone->second);
    names[joint.name] =
        name == by_bone.end() ? "Extra" + joint.name : name->second;
  }
  return names;
}

}  // namespace bvhmill::testing
