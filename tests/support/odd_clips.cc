#include "tests/support/odd_clips.h"

#include <cmath>

#include "tests/support/files.h"

namespace bvhmill::testing {
namespace {

constexpr char kSix[] =
    "CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation "
    "Yrotation\n";
constexpr char kThree[] = "CHANNELS 3 Zrotation Xrotation Yrotation\n";

std::string Times(const std::string& text, int times) {
  std::string out;
  for (int i = 0; i < times; ++i) out += text;
  return out;
}

std::string Open(const std::string& label, const std::string& offset,
                 const std::string& channels) {
  return label + "\n{\nOFFSET " + offset + "\n" + channels;
}

std::string EndSite(const std::string& offset) {
  return "End Site\n{\nOFFSET " + offset + "\n}\n";
}

std::string Leaf(const std::string& label, const std::string& channels) {
  return Open(label, "1 2 -0.5", channels) + EndSite("0 1 0.25") + "}\n";
}

std::string Motion(int frames, const std::string& rows,
                   const std::string& frame_time = "0.02") {
  return "MOTION\nFrames: " + std::to_string(frames) +
         "\nFrame Time: " + frame_time + "\n" + rows;
}

// Rows whose values differ by frame and column.
std::string Rows(int frames, int columns) {
  std::string out;
  for (int frame = 0; frame < frames; ++frame) {
    for (int column = 0; column < columns; ++column) {
      const double angle = 0.13 * frame * (1 + column % 5) + 0.7 * column;
      out += std::to_string(80 * std::sin(angle)) + " ";
    }
    out += '\n';
  }
  return out;
}

// A root with a joint: nine columns.
std::string Pair() {
  return "HIERARCHY\n" + Open("ROOT Hips", "0 0 0", kSix) +
         Leaf("JOINT Spine", kThree) + "}\n";
}

// A joint "Hips" alone: three columns.
std::string Single() { return "HIERARCHY\n" + Leaf("ROOT Hips", kThree); }

std::string Chain(int joints) {
  std::string out = "HIERARCHY\n" + Open("ROOT J0", "0 0 0", kThree);
  for (int i = 1; i < joints; ++i) {
    out += Open("JOINT J" + std::to_string(i), "0.5 1 0", kThree);
  }
  return out + EndSite("0 1 0") + Times("}\n", joints);
}

std::string Wide(int children, bool equal_names) {
  std::string out = "HIERARCHY\n" + Open("ROOT Root", "0 0 0", kSix);
  for (int i = 0; i < children; ++i) {
    const std::string name = equal_names ? "Arm" : "Arm" + std::to_string(i);
    out += Leaf("JOINT " + name, kThree);
  }
  return out + "}\n";
}

std::string Roots(int count) {
  std::string out = "HIERARCHY\n";
  for (int i = 0; i < count; ++i) {
    out += Leaf("ROOT R" + std::to_string(i), kSix);
  }
  return out;
}

// A leg and a spine by the avatar's own names.
std::string Avatar() {
  return "HIERARCHY\n" + Open("ROOT mPelvis", "0 0 0", kSix) +
         Open("JOINT mTorso", "0 10 0", kThree) +
         Open("JOINT mChest", "0 12 0", kThree) + Leaf("JOINT mNeck", kThree) +
         "}\n}\n" + Open("JOINT mHipLeft", "4 -2 0", kThree) +
         Open("JOINT mKneeLeft", "0 -18 0", kThree) +
         Leaf("JOINT mAnkleLeft", kThree) + "}\n}\n" +
         Open("JOINT mHipRight", "-4 -2 0", kThree) +
         Leaf("JOINT mKneeRight", kThree) + "}\n}\n";
}

// Names that the built-in maps know.
std::string Person() {
  return "HIERARCHY\n" + Open("ROOT Hips", "0 38 0", kSix) +
         Open("JOINT Spine", "0 4 0", kThree) +
         Open("JOINT LeftArm", "6 8 0", kThree) +
         Leaf("JOINT LeftForeArm", kThree) + "}\n}\n" +
         Open("JOINT LeftUpLeg", "4 -2 0", kThree) +
         Leaf("JOINT LeftLeg", kThree) + "}\n}\n";
}

void AddBrokenRows(std::vector<OddClip>* out) {
  const std::string good = "1 2 3\n";
  const struct {
    const char* name;
    std::string rows;
  } cases[] = {{"nan values", "1 nan 3\n" + good + "NaN nan -nan\n"},
               {"infinite values", "inf 2 -inf\n1 Infinity 2\n" + good},
               {"values beyond floats", "1e39 -1e39 1e400\n" + good + good},
               {"values near the largest float", Times("3e38 -3e38 3e38\n", 3)},
               {"tiny values", "1e-46 -1e-320 1e-999\n" + good + good},
               {"a short row", good + "1 2\n" + good},
               {"a long row", good + "1 2 3 4\n" + good},
               {"words in rows", good + "1 two 3\n" + good},
               {"a row that is cut", good + good + "1 2"},
               {"nothing but blanks", " \n\t\n  \n"},
               {"all in one line", "1 2 3 4 5 6 7 8 9\n"}};
  for (const auto& c : cases) {
    out->push_back({c.name, Single() + Motion(3, c.rows)});
  }
}

void AddFrameCounts(std::vector<OddClip>* out) {
  const std::string row = "1 2 3 4 5 6 7 8 9\n";
  const struct {
    const char* name;
    std::string motion;
  } cases[] = {
      {"two frames", Motion(2, row + row)},
      {"no frames", Motion(0, "")},
      {"no frames, and rows", Motion(0, row + row)},
      {"no frames and no frame time", "MOTION\nFrames: 0\n"},
      {"one frame", Motion(1, row)},
      {"frames without rows", Motion(5, "")},
      {"fewer rows than stated", Motion(5, row + row)},
      {"more rows than stated", Motion(1, row + row + row)},
      {"no motion", ""},
      {"motion alone", "MOTION\n"},
      {"negative frames", Motion(-3, row)},
      {"no time between frames", Motion(3, row + row + row, "0")},
      {"negative time between frames", Motion(3, row + row + row, "-0.1")},
      {"time that is no number", Motion(3, row + row + row, "nan")},
      {"a long time between frames", Motion(3, row + row + row, "1e30")},
      {"a short time between frames", Motion(3, row + row + row, "1e-30")}};
  for (const auto& c : cases) out->push_back({c.name, Pair() + c.motion});
}

void AddSkeletons(std::vector<OddClip>* out) {
  const std::string bare = "HIERARCHY\nROOT a\n{\nOFFSET 0 0 0\n}\n";
  const std::string still = "HIERARCHY\n" +
                            Open("ROOT a", "1 2 3", "CHANNELS 0\n") +
                            Leaf("JOINT b", "CHANNELS 0\n") + "}\n";
  const struct {
    const char* name;
    std::string skeleton;
    int columns;
  } cases[] = {{"one joint without channels", bare, 0},
               {"no channels", still, 0},
               {"one joint", Single(), 3},
               {"ten roots", Roots(10), 60},
               {"a deep chain", Chain(300), 900},
               {"a wide skeleton", Wide(300, false), 906},
               {"equal names", Wide(12, true), 42},
               {"the avatar", Avatar(), 30},
               {"a person", Person(), 21}};
  for (const auto& c : cases) {
    for (const int frames : {9, 0, 1, 2}) {
      out->push_back({c.name + (", " + std::to_string(frames) + " frames"),
                      c.skeleton + Motion(frames, Rows(frames, c.columns))});
    }
  }
  out->push_back({"many frames", Single() + Motion(700, Rows(700, 3))});
  out->push_back(
      {"many frames of a person", Person() + Motion(200, Rows(200, 21))});
}

}  // namespace

std::vector<OddClip> MadeOddClips() {
  std::vector<OddClip> out = {{"empty", ""},
                              {"blanks", " \n\t \r\n"},
                              {"one letter", "H"},
                              {"zeros", std::string(100, '\0')},
                              {"the first word", "HIERARCHY\n"}};
  AddFrameCounts(&out);
  AddBrokenRows(&out);
  AddSkeletons(&out);
  return out;
}

std::vector<OddClip> OddClips() {
  std::vector<OddClip> out;
  for (const char* folder : {"cases", "golden", "malformed"}) {
    for (const std::string& path : FilesIn(TestData(folder), ".bvh")) {
      out.push_back({path.substr(path.rfind('/') + 1), ReadFile(path)});
    }
  }
  for (OddClip& clip : MadeOddClips()) out.push_back(std::move(clip));
  return out;
}

}  // namespace bvhmill::testing
