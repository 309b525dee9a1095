#pragma once

// The clips of a run that have the most errors, or else the most warnings.

#include <cstddef>
#include <mutex>
#include <string>
#include <vector>

#include "client/cli/dataset/summary.h"

namespace bvhmill::client {

// Thread-safe. Keeps only the five worst clips in memory.
class WorstClips {
 public:
  // Adds a clip. Of clips with equal counts, the one with the smaller `index`
  // is first.
  void Add(size_t index, const std::string& path, const IssueCounts& counts);

  // Clips with errors or warnings, the worst first.
  std::vector<WorstClip> Clips() const;

 private:
  struct Clip {
    size_t index = 0;
    WorstClip clip;
  };

  static bool IsWorse(const Clip& a, const Clip& b);

  mutable std::mutex mutex_;
  // The worst first.
  std::vector<Clip> clips_;
};

}  // namespace bvhmill::client
