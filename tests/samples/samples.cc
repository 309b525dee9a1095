#include "tests/samples/samples.h"

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "tests/samples/biped.h"
#include "tests/samples/motions.h"

namespace bvhmill::samples {
namespace {

Take BipedTake(std::string name, Biped biped, BodyPose (*motion)(double)) {
  Take take;
  take.name = std::move(name);
  take.joints = biped.joints;
  take.pose = [biped = std::move(biped), motion](double seconds) {
    return SolveBody(biped, motion(seconds));
  };
  return take;
}

// Two skeletons as one list; the second keeps its own ROOT.
std::vector<Joint> Joined(std::vector<Joint> joints,
                          const std::vector<Joint>& second) {
  const int shift = static_cast<int>(joints.size());
  for (Joint joint : second) {
    if (joint.parent >= 0) joint.parent += shift;
    joints.push_back(std::move(joint));
  }
  return joints;
}

Pose Joined(Pose pose, const Pose& second) {
  pose.rotations.insert(pose.rotations.end(), second.rotations.begin(),
                        second.rotations.end());
  pose.positions.insert(pose.positions.end(), second.positions.begin(),
                        second.positions.end());
  return pose;
}

}  // namespace

Take WalkCycle() {
  Take take = BipedTake("walk_cycle.bvh", DetailedBiped("ZXY"), WalkBody);
  take.frames = 120;
  take.layout.frame_time = "0.016667";
  return take;
}

Take TwoDancers() {
  const Biped sway = ClassicBiped("ZXY", "Sway_");
  const Biped turn = ClassicBiped("YXZ", "Turn_");
  Take take;
  take.name = "two_dancers.bvh";
  take.joints = Joined(sway.joints, turn.joints);
  take.pose = [sway, turn](double seconds) {
    return Joined(SolveBody(sway, SwayBody(70, seconds)),
                  SolveBody(turn, TurnBody(-70, seconds)));
  };
  take.frame_time = 1.0 / 30;
  take.frames = 120;
  take.layout.frame_time = "0.033333";
  take.layout.offset_decimals = 2;
  take.layout.row_decimals = 2;
  return take;
}

Take MixedOrders() {
  constexpr const char* kOrders[] = {"YXZ", "XYZ", "XZY", "YZX", "ZXY", "ZYX"};
  Take take = BipedTake("mixed_orders.bvh", DetailedBiped("ZXY"), WalkBody);
  for (size_t i = 0; i < take.joints.size(); ++i) {
    take.joints[i].channels = kOrders[i % 6];
  }
  take.joints[0].channels += "xyz";
  // The walk never turns these joints about the axes left out here.
  take.joints[FindJoint(take.joints, "LeftLeg")].channels = "X";
  take.joints[FindJoint(take.joints, "LeftHand")].channels = "ZX";
  take.joints[FindJoint(take.joints, "Neck1")].channels = "";
  take.frames = 60;
  take.layout.frame_time = "0.016667";
  take.layout.row_decimals = 6;
  return take;
}

Take SixChannels() {
  Take take = BipedTake("six_channels.bvh", DetailedBiped("ZYX"), SquatBody);
  for (Joint& joint : take.joints) joint.channels = "xyzZYX";
  take.joints[0].offset = SquatBody(0).hips;
  take.frames = 60;
  take.frame_time = 1.0 / 30;
  take.layout.frame_time = "0.033333";
  take.layout.header_gap = "\t";
  take.layout.trailing = " ";
  take.layout.offset_decimals = 6;
  take.layout.row_decimals = 6;
  return take;
}

Take CrlfEndSite() {
  Take take =
      BipedTake("crlf_end_site.bvh", ClassicBiped("ZXY", ""), GreetBody);
  take.frames = 45;
  take.frame_time = 1.0 / 30;
  take.layout = {.newline = "\r\n",
                 .end_site = "End site",
                 .frame_time = ".0333333",
                 .number_gap = "\t",
                 .trailing = " \t",
                 .row_decimals = 6,
                 .exponents = true};
  return take;
}

Take StaticPose() {
  Take take = BipedTake("static_pose.bvh", DetailedBiped("ZXY"),
                        [](double) { return CalibrationBody(); });
  take.layout.frame_time = "0.033333";
  take.layout.offset_decimals = 2;
  take.layout.row_decimals = 2;
  return take;
}

std::vector<Take> AllTakes() {
  return {WalkCycle(),   HandWave(),    TwoDancers(), MixedOrders(),
          SixChannels(), CrlfEndSite(), StaticPose()};
}

}  // namespace bvhmill::samples
