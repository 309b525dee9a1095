// A folder of files with faults, and their golden rows.
#pragma once

#include <string>
#include <vector>

#include "tests/faults/corpus.h"

namespace bvhmill::faults {

// Writes clean/NAME for each clip, faulty/NAME for each file, and EXPECTED.tsv:
// a header, and a row for each file with a fault. False if a file cannot be
// written.
bool WriteCorpus(const std::string& folder, const std::vector<CleanClip>& clips,
                 const std::vector<FaultyFile>& files);

// Reads what WriteCorpus wrote. Empty if there is no such folder, or a row is
// not as GoldenRow writes it.
std::vector<FaultyFile> ReadFaultyFiles(const std::string& folder);
std::vector<CleanClip> ReadCleanClips(const std::string& folder);

}  // namespace bvhmill::faults
