// Files with faults: clean clips, each fault put into some of them at each
// strength, and what a report should say.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tests/faults/fault.h"

namespace bvhmill::faults {

// A clip without a fault.
struct CleanClip {
  std::string name;
  std::string text;
  Clip clip;
};

// The natural takes of tests/samples, read.
std::vector<CleanClip> GeneratedClips();

// The text of a clean clip of about `bytes` bytes. A short clip that is
// repeated would have a cut at each begin.
std::string LongCleanClip(size_t bytes);

// The files *.bvh of `folder`, sorted by name.
std::vector<CleanClip> ReadClips(const std::string& folder);

// Real takes of `folder`, the folder `bvh` of BVHMILL_DATA: those with 60 to
// 2,000 frames at 20 to 125 a second, that this library reads without an error
// or a warning, so that no fault of their own hides another one.
std::vector<CleanClip> RealClips(const std::string& folder);

// A file with a fault.
struct FaultyFile {
  std::string name;  // kind, strength and clip
  std::string kind;
  Strength strength = Strength::kBlatant;
  std::string text;
  Expected expected;
};

// Each kind of fault at each strength, in `copies` different clips: `clips` are
// tried in turn until that number suits.
std::vector<FaultyFile> MakeFaultyFiles(const std::vector<CleanClip>& clips,
                                        int copies);

// A golden row: file, kind, strength, codes, first and last frame, joints;
// separated by tabs, codes and joints by commas, "-" where nothing is stated.
inline constexpr std::string_view kGoldenHeader =
    "file\tkind\tstrength\tcodes\tfirst_frame\tlast_frame\tjoints\n";
std::string GoldenRow(const FaultyFile& file);

}  // namespace bvhmill::faults
