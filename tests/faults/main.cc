// bvhmill_faults OUT_DIR [REAL_DIR]: writes clean clips, and files with faults
// that were put into them, with EXPECTED.tsv, which says what a report should
// say. REAL_DIR is a folder of real takes to be used in place of generated
// ones.
//
// Exit status: 0 all written, 1 a file could not be written, 2 the command line
// is wrong.

#include <iostream>

#include "tests/faults/corpus.h"
#include "tests/faults/corpus_files.h"

int main(int argc, char** argv) {
  if (argc < 2 || argc > 3 || argv[1][0] == '-') {
    std::cerr << "usage: bvhmill_faults OUT_DIR [REAL_DIR]\n";
    return 2;
  }
  const auto clips = argc == 3 ? bvhmill::faults::RealClips(argv[2])
                               : bvhmill::faults::GeneratedClips();
  constexpr int kCopies = 4;
  const auto files = bvhmill::faults::MakeFaultyFiles(clips, kCopies);
  if (!bvhmill::faults::WriteCorpus(argv[1], clips, files)) {
    std::cerr << "bvhmill_faults: cannot write to '" << argv[1] << "'\n";
    return 1;
  }
  std::cout << clips.size() << " clean clips, " << files.size()
            << " with faults\n";
  return 0;
}
