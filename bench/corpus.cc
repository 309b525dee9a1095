#include "bench/corpus.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>

namespace bvhmill::bench {
namespace {

constexpr char kFrames[] = "Frames:";
constexpr char kFrameTime[] = "Frame Time:";

// A comb: a spine with a branch of five joints at every fifth joint.
std::string MakeHierarchy(int joints) {
  std::string out =
      "HIERARCHY\nROOT j0\n{\nOFFSET 0 0 0\n"
      "CHANNELS 6 Xposition Yposition Zposition "
      "Zrotation Xrotation Yrotation\n";
  int open = 1;
  for (int i = 1; i < joints; ++i) {
    if (i % 6 == 0) {
      for (int k = 0; k < 5 && open > 1; ++k, --open) out += "}\n";
    }
    out += "JOINT j" + std::to_string(i) + "\n{\nOFFSET 1 5 0\n" +
           "CHANNELS 3 Zrotation Xrotation Yrotation\n";
    ++open;
  }
  for (; open > 0; --open) out += "}\n";
  return out;
}

void AppendRow(int channels, int frame, int decimals, std::string* out) {
  char number[32];
  for (int c = 0; c < channels; ++c) {
    const double value = 60 * std::sin(0.02 * frame + 1.7 * c) + 0.1 * c;
    const int size =
        std::snprintf(number, sizeof(number), "%.*f", decimals, value);
    out->append(number, static_cast<size_t>(size));
    out->push_back(c + 1 < channels ? ' ' : '\n');
  }
}

std::string ReadFile(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream out;
  out << in.rdbuf();
  return in ? out.str() : "";
}

Take Load(const std::string& name, const std::string& file, int decimals,
          size_t bytes) {
  const char* data = std::getenv("BVHMILL_DATA");
  std::string text;
  if (data != nullptr) text = ReadFile(std::string(data) + "/bvh/" + file);
  if (text.empty()) text = MakeTake(31, 500, decimals);
  return {name, Enlarge(text, bytes)};
}

}  // namespace

std::string MakeTake(int joints, int frames, int decimals) {
  std::string out = MakeHierarchy(joints);
  out +=
      "MOTION\nFrames: " + std::to_string(frames) + "\nFrame Time: 0.0083333\n";
  for (int frame = 0; frame < frames; ++frame) {
    AppendRow(3 + 3 * joints, frame, decimals, &out);
  }
  return out;
}

std::string Enlarge(const std::string& text, size_t bytes) {
  const size_t count = text.find(kFrames) + sizeof(kFrames) - 1;
  const size_t count_end = text.find('\n', count);
  const size_t rows = text.find('\n', text.find(kFrameTime)) + 1;
  const std::string body = text.substr(rows);
  const size_t times = std::max<size_t>(1, bytes / body.size());
  const long frames = std::strtol(text.c_str() + count, nullptr, 10);
  std::string out = text.substr(0, count) + " " +
                    std::to_string(frames * static_cast<long>(times)) +
                    text.substr(count_end, rows - count_end);
  out.reserve(out.size() + body.size() * times);
  for (size_t i = 0; i < times; ++i) out += body;
  return out;
}

std::vector<Take> Corpus(size_t bytes) {
  std::vector<Take> takes;
  takes.push_back(Load("fixed",
                       "DeepMotionEditing__deep-motion-editing__example.bvh", 6,
                       bytes));
  takes.push_back(
      Load("cmu", "dzynin__bvhLoader-testground__133_24.bvh", 4, bytes));
  return takes;
}

}  // namespace bvhmill::bench
