#include "tests/allocations/chain.h"

#include <cmath>

namespace bvhmill::testing {

// Names are too long to stand in a string object.
std::string ChainText(int turn, int frames) {
  std::string text = "HIERARCHY\n";
  for (int i = 0; i < kChainJoints; ++i) {
    text += i == 0 ? "ROOT " : "JOINT ";
    text += "a_joint_with_a_rather_long_name_" + std::to_string(i);
    text += "\n{\nOFFSET 0 1 0\n";
    text += i == 0 ? "CHANNELS 6 Xposition Yposition Zposition" : "CHANNELS 3";
    text += " Zrotation Xrotation Yrotation\n";
  }
  text += "End Site\n{\nOFFSET 0 1 0\n}\n";
  for (int i = 0; i < kChainJoints; ++i) text += "}\n";
  text += "MOTION\nFrames: " + std::to_string(frames) + "\nFrame Time: 0.01\n";
  for (int frame = 0; frame < frames; ++frame) {
    for (int c = 0; c < 3 + 3 * kChainJoints; ++c) {
      const double swing = std::sin(0.3 * frame + c);
      text += std::to_string(turn + (c < 3 ? 0.1 : 10) * swing) + " ";
    }
    text += "\n";
  }
  return text;
}

}  // namespace bvhmill::testing
