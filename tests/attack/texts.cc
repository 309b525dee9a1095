#include "tests/attack/texts.h"

#include "bench/support/gzip.h"
#include "tests/support/pack.h"

namespace bvhmill::attack {
namespace {

constexpr char kOffset[] = "OFFSET 0 1 0\n";

std::string Leaf(const std::string& name) {
  return "JOINT " + name + "\n{\n" + kOffset + "CHANNELS 0\n}\n";
}

}  // namespace

std::string Times(const std::string& text, int64_t times) {
  std::string out;
  out.reserve(text.size() * static_cast<size_t>(times));
  for (int64_t i = 0; i < times; ++i) out += text;
  return out;
}

std::string Motion(int64_t frames, const std::string& row, int64_t rows,
                   const std::string& frame_time) {
  return "MOTION\nFrames: " + std::to_string(frames) +
         "\nFrame Time: " + frame_time + "\n" + Times(row + "\n", rows);
}

std::string HonestText() {
  constexpr size_t kBytes = 100'000;
  const std::string skeleton =
      "HIERARCHY\nROOT Hips\n{\nOFFSET 0 0 0\nCHANNELS 6 Xposition Yposition "
      "Zposition Zrotation Xrotation Yrotation\nJOINT Spine\n{\nOFFSET 0 5 0\n"
      "CHANNELS 3 Zrotation Xrotation Yrotation\nEnd Site\n{\nOFFSET 0 4 0\n"
      "}\n}\n}\n";
  const std::string row =
      "1.25 90.50 -3.75 10.125 20.25 30.0625 -5.5 6.25 7.125";
  const auto rows = static_cast<int64_t>(kBytes / row.size());
  return skeleton + Motion(rows, row, rows, "0.0333333");
}

std::string WideSkeleton(int64_t joints, const std::string& name,
                         int64_t channels) {
  return "HIERARCHY\nROOT r\n{\n" + std::string(kOffset) + "CHANNELS " +
         std::to_string(channels) + Times(" Zrotation", channels) + "\n" +
         Times(Leaf(name), joints - 1) + "}\n";
}

std::string ChainSkeleton(int64_t joints, const std::string& name,
                          const std::string& channels) {
  return "HIERARCHY\nROOT " + name + "\n{\n" + kOffset + channels +
         Times("JOINT " + name + "\n{\n" + kOffset + channels, joints - 1) +
         "End Site\n{\nOFFSET 0 1 0\n}\n" + Times("}\n", joints);
}

std::string Zstd(const std::string& text, int level) {
  return testing::Zstd(text, level);
}

std::string Gzip(const std::string& text) { return bench::Gzip(text); }

}  // namespace bvhmill::attack
