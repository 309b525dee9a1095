#include "bench/support/corpus.h"

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

// A comb: joints 0, 6, 12, ... form the spine. Each of them has a branch of
// five joints.
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

struct Source {
  const char* name;
  const char* file;
};

constexpr Source kSources[] = {
    {"fixed", "DeepMotionEditing__deep-motion-editing__fixed.bvh"},
    {"cmu", "dzynin__bvhLoader-testground__133_24.bvh"},
    {"general", "JuJinHyeong__bvhviewer-webgl__punch.bvh"},
    {"daz", "CreativeInquiry__BVH-Examples__05_20-daz.bvh"},
    {"long", "kevinxie4c__motion-viewer__cmu_run_filtered.bvh"},
    {"repr", "KevinLTT__video2bvh__cxk.bvh"},
};

// One value as the take of that name writes it; `i` counts values.
std::string Write(const std::string& name, double value, int i) {
  const char* format = "%.6f";
  if (name == "cmu") format = i % 7 == 0 ? "%.0f" : "%.4f";
  if (name == "general" || name == "daz") format = "%.6g";
  if (name == "general" && i % 4 == 0) value *= 1e-6;
  if (name == "daz" && i % 3 == 0) value *= 1e-16;
  if (name == "long") format = i % 5 == 0 ? "%.11f" : "%.15g";
  if (name == "repr") format = "%.17g";
  if (name == "repr" && i % 4 == 0) value *= 1e-9;
  char number[64];
  const int size = std::snprintf(number, sizeof(number), format, value);
  return {number, static_cast<size_t>(size)};
}

std::string MakeRows(const std::string& name, int channels, int frames) {
  std::string out;
  for (int i = 0; i < channels * frames; ++i) {
    const int frame = i / channels;
    const int c = i % channels;
    out += Write(name, 60 * std::sin(0.02 * frame + 1.7 * c) + 0.1 * c, i);
    out += c + 1 < channels ? ' ' : '\n';
  }
  return out;
}

std::string Load(const std::string& name) {
  const char* data = std::getenv("BVHMILL_DATA");
  for (const Source& source : kSources) {
    if (data == nullptr || source.name != name) continue;
    std::string text = ReadFile(std::string(data) + "/bvh/" + source.file);
    std::erase(text, '\r');
    return text;
  }
  return "";
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

std::string Resize(const std::string& text, size_t bytes) {
  const size_t count = text.find(kFrames) + sizeof(kFrames) - 1;
  const size_t count_end = text.find('\n', count);
  const size_t rows = text.find('\n', text.find(kFrameTime)) + 1;
  const std::string head = text.substr(count_end, rows - count_end);
  std::string body;
  body.reserve(bytes + text.size());
  while (body.size() < bytes) {
    body.append(text, rows, std::string::npos);
    if (body.back() != '\n') body += '\n';
  }
  body.resize(body.rfind('\n', bytes - 1) + 1);
  const auto frames = std::count(body.begin(), body.end(), '\n');
  return text.substr(0, count) + " " + std::to_string(frames) + head + body;
}

Take MakeCorpus(const std::string& name, size_t bytes) {
  std::string text = Load(name);
  if (text.empty()) {
    constexpr int kJoints = 31;
    constexpr int kMadeFrames = 500;
    text = MakeHierarchy(kJoints) + "MOTION\nFrames: 500\n" +
           "Frame Time: 0.0083333\n" +
           MakeRows(name, 3 + 3 * kJoints, kMadeFrames);
  }
  return {name, Resize(text, bytes)};
}

}  // namespace bvhmill::bench
