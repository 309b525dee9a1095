#include "tests/faults/corpus.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <utility>

#include "bvhmill/base/sink.h"
#include "bvhmill/bvh/reader.h"
#include "bvhmill/bvh/writer.h"
#include "bvhmill/pipeline/convert.h"
#include "tests/samples/natural.h"

namespace bvhmill::faults {
namespace {

Clip Read(const std::string& text) {
  IssueLog log({});
  return ReadBvh(text, {}, &log).clip;
}

std::string TextOf(const Clip& clip) {
  std::string text;
  StringSink sink(&text);
  // A string takes all bytes.
  (void)WriteBvh(clip, {}, &sink);
  return text;
}

std::string TextOf(const samples::Take& take) {
  std::ostringstream text;
  samples::WriteBvh(take, text);
  return text.str();
}

std::string ReadFile(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

bool IsOfUse(const CleanClip& clip) {
  const Motion& motion = clip.clip.motion;
  if (motion.frames < 60 || motion.frames > 2000) return false;
  if (!(motion.frame_time > 0.0079 && motion.frame_time < 0.051)) return false;
  const ConvertResult result = Convert(clip.text, {}, nullptr, nullptr);
  return result.report.verdict == Verdict::kValid;
}

// Another clip on the same skeleton.
const Clip* OtherMotion(const std::vector<CleanClip>& clips, size_t index) {
  const Skeleton& own = clips[index].clip.skeleton;
  for (size_t i = 0; i < clips.size(); ++i) {
    const Skeleton& skeleton = clips[i].clip.skeleton;
    if (i == index || skeleton.channels != own.channels ||
        skeleton.nodes.size() != own.nodes.size()) {
      continue;
    }
    const bool same = std::equal(
        own.nodes.begin(), own.nodes.end(), skeleton.nodes.begin(),
        [](const Node& a, const Node& b) { return a.offset == b.offset; });
    if (same) return &clips[i].clip;
  }
  return nullptr;
}

// The fault in clip `index`; false if it does not suit.
bool MakeFile(const std::vector<CleanClip>& clips, size_t index,
              const FaultKind& kind, Strength strength, FaultyFile* file) {
  Clip clip = clips[index].clip;
  Site site;
  site.clip = &clip;
  site.other = OtherMotion(clips, index);
  site.strength = strength;
  const std::string name = std::string(kind.name) + "-" +
                           StrengthName(strength) + "-" + clips[index].name;
  std::seed_seq seed(name.begin(), name.end());
  site.random.seed(seed);
  const std::optional<Expected> expected = kind.inject(&site);
  if (!expected) return false;
  *file = {name, kind.name, strength, TextOf(clip), *expected};
  return true;
}

std::string Joined(const std::vector<std::string>& words) {
  std::string out;
  for (const std::string& word : words) out += (out.empty() ? "" : ",") + word;
  return out.empty() ? "-" : out;
}

std::string FrameText(const std::optional<int64_t>& frame) {
  return frame ? std::to_string(*frame) : "-";
}

}  // namespace

std::vector<CleanClip> GeneratedClips() {
  std::vector<CleanClip> clips;
  for (const samples::Take& take : samples::NaturalTakes()) {
    std::string text = TextOf(take);
    Clip clip = Read(text);
    clips.push_back({take.name, std::move(text), std::move(clip)});
  }
  return clips;
}

std::string LongCleanClip(size_t bytes) {
  const std::string sample = TextOf(samples::LongWalk(samples::kTakeSeconds));
  const double takes =
      static_cast<double>(bytes) / static_cast<double>(sample.size());
  return TextOf(samples::LongWalk(takes * samples::kTakeSeconds));
}

std::vector<CleanClip> ReadClips(const std::string& folder) {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() == ".bvh") paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  std::vector<CleanClip> clips;
  for (const auto& path : paths) {
    const std::string text = ReadFile(path);
    clips.push_back({path.filename().string(), text, Read(text)});
  }
  return clips;
}

std::vector<CleanClip> RealClips(const std::string& folder) {
  std::vector<CleanClip> clips = ReadClips(folder);
  std::erase_if(clips, [](const CleanClip& clip) { return !IsOfUse(clip); });
  return clips;
}

std::vector<FaultyFile> MakeFaultyFiles(const std::vector<CleanClip>& clips,
                                        int copies) {
  std::vector<FaultyFile> files;
  size_t turn = 0;
  for (const FaultKind& kind : AllFaults()) {
    for (const Strength strength : kStrengths) {
      int made = 0;
      for (size_t i = 0; i < clips.size() && made < copies; ++i) {
        FaultyFile file;
        const size_t index = turn++ % clips.size();
        if (!MakeFile(clips, index, kind, strength, &file)) continue;
        files.push_back(std::move(file));
        ++made;
      }
    }
  }
  return files;
}

std::string GoldenRow(const FaultyFile& file) {
  std::vector<std::string> joints;
  for (const int32_t joint : file.expected.joints) {
    joints.push_back(std::to_string(joint));
  }
  return file.name + "\t" + file.kind + "\t" + StrengthName(file.strength) +
         "\t" + Joined(file.expected.codes) + "\t" +
         FrameText(file.expected.first_frame) + "\t" +
         FrameText(file.expected.last_frame) + "\t" + Joined(joints) + "\n";
}

}  // namespace bvhmill::faults
