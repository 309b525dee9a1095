#include "tests/samples/biped.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace bvhmill::samples {
namespace {

struct Part {
  const char* name;
  Vec3 offset;  // cm; on the left side where the part has two
};

// A figure as four chains, each ending in an End Site at `end`.
struct Plan {
  std::vector<Part> spine;  // hips to chest
  std::vector<Part> neck;   // from the chest
  Vec3 head_end;
  std::vector<Part> arm;  // from the chest
  Vec3 arm_end;
  std::vector<Part> leg;  // from the hips
  Vec3 leg_end;
};

const Plan& DetailedPlan() {
  static const Plan plan = {
      .spine = {{"Hips", {0, 0, 0}},
                {"Spine", {0, 7, -1}},
                {"Spine1", {0, 10, -1}},
                {"Spine2", {0, 11, 0}},
                {"Spine3", {0, 11, 0.5}}},
      .neck = {{"Neck", {0, 12, 0}}, {"Neck1", {0, 5, 1}}, {"Head", {0, 5, 1}}},
      .head_end = {0, 19, 1},
      .arm = {{"Shoulder", {3, 8, 2}},
              {"Arm", {15, 0, -2}},
              {"ForeArm", {29, 0, 0}},
              {"Hand", {26, 0, 0}},
              {"HandMiddle1", {8.5, 0, 0}}},
      .arm_end = {9, 0, 0},
      .leg = {{"UpLeg", {9, -4, 0}},
              {"Leg", {0, -43, 0}},
              {"Foot", {0, -43, 0}},
              {"ToeBase", kBall}},
      .leg_end = {0, -1, 7},
  };
  return plan;
}

const Plan& ClassicPlan() {
  static const Plan plan = {
      .spine = {{"Hips", {0, 0, 0}}, {"Chest", {0, 20, -1}}},
      .neck = {{"Neck", {0, 31, -1}}, {"Head", {0, 10, 2}}},
      .head_end = {0, 19, 1},
      .arm = {{"Collar", {3, 27, 1}},
              {"Shoulder", {15, 0, -2}},
              {"Elbow", {29, 0, 0}},
              {"Wrist", {26, 0, 0}}},
      .arm_end = {17, 0, 0},
      .leg = {{"Hip", {9, -4, 0}},
              {"Knee", {0, -43, 0}},
              {"Ankle", {0, -43, 0}}},
      .leg_end = {0, -7, 18},
  };
  return plan;
}

Vec3 OnSide(const Vec3& left, double sign) {
  return {sign * left.x, left.y, left.z};
}

// Appends `parts` as a chain under `parent`; returns their indices.
std::vector<int> AddChain(const std::vector<Part>& parts,
                          const std::string& prefix, double sign, int parent,
                          const std::string& channels,
                          std::vector<Joint>* joints) {
  std::vector<int> chain;
  for (const Part& part : parts) {
    chain.push_back(static_cast<int>(joints->size()));
    joints->push_back({.name = prefix + part.name,
                       .parent = parent,
                       .offset = OnSide(part.offset, sign),
                       .channels = channels});
    parent = chain.back();
  }
  return chain;
}

Biped BuildBiped(const Plan& plan, const std::string& rotations,
                 const std::string& prefix) {
  Biped biped;
  std::vector<Joint>& joints = biped.joints;
  biped.spine = AddChain(plan.spine, prefix, 1, -1, rotations, &joints);
  joints[0].channels = "xyz" + rotations;
  const int chest = biped.spine.back();
  biped.spine.erase(biped.spine.begin());
  biped.neck = AddChain(plan.neck, prefix, 1, chest, rotations, &joints);
  joints.back().end_site = plan.head_end;
  for (const int side : {kLeft, kRight}) {
    const std::string sided = prefix + (side == kLeft ? "Left" : "Right");
    biped.arms[side] =
        AddChain(plan.arm, sided, Sign(side), chest, rotations, &joints);
    joints.back().end_site = OnSide(plan.arm_end, Sign(side));
  }
  for (const int side : {kLeft, kRight}) {
    const std::string sided = prefix + (side == kLeft ? "Left" : "Right");
    biped.legs[side] =
        AddChain(plan.leg, sided, Sign(side), 0, rotations, &joints);
    joints.back().end_site = OnSide(plan.leg_end, Sign(side));
  }
  return biped;
}

Mat3 Bend(const Vec3& degrees, double share) {
  return RotateY(share * degrees.y) * RotateX(share * degrees.x) *
         RotateZ(share * degrees.z);
}

// A mirror image keeps rotations about X and reverses those about Y and Z.
void SolveArm(const std::vector<int>& chain, const ArmPose& arm, double sign,
              Pose* pose) {
  pose->rotations[chain[1]] = RotateX(-arm.swing) * RotateZ(sign * arm.raise);
  pose->rotations[chain[2]] = RotateY(-sign * arm.elbow);
  pose->rotations[chain[3]] = RotateZ(-sign * arm.wrist) * RotateX(arm.twist);
}

// The frame of a bone that lies along -Y at rest and now along `direction`,
// bending about `hinge` (unit vectors, perpendicular).
Mat3 BoneFrame(const Vec3& direction, const Vec3& hinge) {
  const Vec3 up = -1 * direction;
  return FromColumns(hinge, up, Cross(hinge, up));
}

// The cosine of the angle at the hip or ankle in the triangle of the leg.
double LegCosine(double bone, double other, double reach) {
  const double cosine =
      (bone * bone + reach * reach - other * other) / (2 * bone * reach);
  return std::clamp(cosine, -1.0, 1.0);
}

void SolveLeg(const Biped& biped, int side, const BodyPose& body, Pose* pose) {
  const std::vector<int>& chain = biped.legs[side];
  const LegPose& leg = body.legs[side];
  const double thigh = Length(biped.joints[chain[1]].offset);
  const double shank = Length(biped.joints[chain[2]].offset);
  const Vec3 hip = body.hips + body.pelvis * biped.joints[chain[0]].offset;
  const Vec3 line = Normalized(leg.ankle - hip);
  const double reach =
      std::min(Length(leg.ankle - hip), 0.9995 * (thigh + shank));
  // The knee bends about the axis across the foot, made square to the leg.
  const Vec3 across = leg.foot * Vec3{1, 0, 0};
  const Vec3 hinge = Normalized(across - Dot(across, line) * line);
  const Vec3 front = Cross(line, hinge);
  const double at_hip = LegCosine(thigh, shank, reach);
  const double at_ankle = LegCosine(shank, thigh, reach);
  const Mat3 thigh_frame =
      BoneFrame(at_hip * line + std::sqrt(1 - at_hip * at_hip) * front, hinge);
  const Mat3 shank_frame = BoneFrame(
      at_ankle * line - std::sqrt(1 - at_ankle * at_ankle) * front, hinge);
  pose->rotations[chain[0]] = Transposed(body.pelvis) * thigh_frame;
  pose->rotations[chain[1]] = Transposed(thigh_frame) * shank_frame;
  pose->rotations[chain[2]] = Transposed(shank_frame) * leg.foot;
  if (chain.size() > 3) pose->rotations[chain[3]] = RotateX(leg.toe);
}

}  // namespace

Biped DetailedBiped(const std::string& rotations) {
  return BuildBiped(DetailedPlan(), rotations, "");
}

Biped ClassicBiped(const std::string& rotations, const std::string& prefix) {
  return BuildBiped(ClassicPlan(), rotations, prefix);
}

LegPose PlantedFoot(const Vec3& ankle, double yaw, double pitch) {
  const Mat3 flat = RotateY(yaw);
  const Mat3 foot = flat * RotateX(pitch);
  const Vec3& pivot = pitch < 0 ? kHeel : kBall;
  return {.ankle = ankle + flat * pivot - foot * pivot,
          .foot = foot,
          .toe = std::min(0.0, -pitch)};
}

Pose SolveBody(const Biped& biped, const BodyPose& body) {
  Pose pose = RestPose(biped.joints);
  pose.positions[0] = body.hips;
  pose.rotations[0] = body.pelvis;
  const double share = 1.0 / static_cast<double>(biped.spine.size());
  for (const int joint : biped.spine) {
    pose.rotations[joint] = Bend(body.chest, share);
  }
  pose.rotations[biped.neck.front()] = Bend(body.head, 0.5);
  pose.rotations[biped.neck.back()] = Bend(body.head, 0.5);
  for (const int side : {kLeft, kRight}) {
    SolveArm(biped.arms[side], body.arms[side], Sign(side), &pose);
    SolveLeg(biped, side, body, &pose);
  }
  return pose;
}

}  // namespace bvhmill::samples
