#include "tests/faults/corpus_files.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace bvhmill::faults {
namespace {

namespace fs = std::filesystem;

constexpr char kGolden[] = "EXPECTED.tsv";
constexpr size_t kCells = 7;

bool WriteFile(const fs::path& path, const std::string& bytes) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file << bytes;
  file.close();
  return !file.fail();
}

std::string ReadFile(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

// The parts of `text`; none for "-".
std::vector<std::string> Parts(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, separator);) {
    if (part != "-") parts.push_back(part);
  }
  return parts;
}

std::vector<std::string> Cells(const std::string& line) {
  std::vector<std::string> cells;
  std::istringstream in(line);
  for (std::string cell; std::getline(in, cell, '\t');) cells.push_back(cell);
  return cells;
}

std::optional<int64_t> FrameOf(const std::string& text) {
  if (text == "-") return std::nullopt;
  return std::stoll(text);
}

Strength StrengthOf(const std::string& name) {
  return *std::find_if(
      std::begin(kStrengths), std::end(kStrengths) - 1,
      [&](Strength strength) { return name == StrengthName(strength); });
}

FaultyFile FileOf(const fs::path& folder,
                  const std::vector<std::string>& cells) {
  FaultyFile file;
  file.name = cells[0];
  file.kind = cells[1];
  file.strength = StrengthOf(cells[2]);
  file.text = ReadFile(folder / "faulty" / file.name);
  file.expected.codes = Parts(cells[3], ',');
  file.expected.first_frame = FrameOf(cells[4]);
  file.expected.last_frame = FrameOf(cells[5]);
  for (const std::string& joint : Parts(cells[6], ',')) {
    file.expected.joints.push_back(std::stoi(joint));
  }
  return file;
}

}  // namespace

bool WriteCorpus(const std::string& folder, const std::vector<CleanClip>& clips,
                 const std::vector<FaultyFile>& files) {
  const fs::path root = folder;
  fs::create_directories(root / "clean");
  fs::create_directories(root / "faulty");
  std::string golden(kGoldenHeader);
  for (const CleanClip& clip : clips) {
    if (!WriteFile(root / "clean" / clip.name, clip.text)) return false;
  }
  for (const FaultyFile& file : files) {
    if (!WriteFile(root / "faulty" / file.name, file.text)) return false;
    golden += GoldenRow(file);
  }
  return WriteFile(root / kGolden, golden);
}

std::vector<FaultyFile> ReadFaultyFiles(const std::string& folder) {
  std::vector<FaultyFile> files;
  std::istringstream in(ReadFile(fs::path(folder) / kGolden));
  std::string line;
  std::getline(in, line);
  while (std::getline(in, line)) {
    const std::vector<std::string> cells = Cells(line);
    if (cells.size() != kCells) return {};
    files.push_back(FileOf(folder, cells));
  }
  return files;
}

std::vector<CleanClip> ReadCleanClips(const std::string& folder) {
  return ReadClips(folder + "/clean");
}

}  // namespace bvhmill::faults
