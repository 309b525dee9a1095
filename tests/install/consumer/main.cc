// A program of somebody else: BVH text in, positions out.

#include <bvhmill/pipeline/convert.h>

#include <cmath>
#include <cstring>
#include <iostream>

constexpr char kClip[] =
    "HIERARCHY\nROOT Hips\n{\nOFFSET 0 0 0\nCHANNELS 6 Xposition Yposition "
    "Zposition Zrotation Xrotation Yrotation\nJOINT Knee\n{\nOFFSET 0 2 0\n"
    "CHANNELS 3 Zrotation Xrotation Yrotation\nEnd Site\n{\nOFFSET 0 1 0\n}\n"
    "}\n}\nMOTION\nFrames: 2\nFrame Time: 0.01\n0 1 2 0 0 0 0 0 0\n"
    "4 5 6 90 0 0 0 0 0\n";

int main() {
  bvhmill::ConvertOptions options;
  options.outputs = {{"", bvhmill::PositionsFormat{}}};
  bvhmill::StringReceiver receiver;
  const bvhmill::ConvertResult result =
      bvhmill::Convert(kClip, options, &receiver, nullptr);
  if (!result.status.ok()) return 1;
  const std::string& bytes = receiver.data()[0];
  for (size_t row = 0; row * 12 < bytes.size(); ++row) {
    float at[3];
    std::memcpy(at, bytes.data() + row * 12, 12);
    std::cout << (row % 2 == 0 ? "Hips" : "Knee");
    for (const float x : at) std::cout << ' ' << std::lround(x);
    std::cout << '\n';
  }
}
