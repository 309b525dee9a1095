#pragma once

// The texts that benchmarks run on: made takes, so that anyone can repeat them,
// and real files where BVHMILL_DATA points at them.

#include <string>
#include <vector>

namespace bvhmill::bench {

struct Take {
  std::string name;
  std::string text;
};

// A made BVH file of `joints` joints in the usual shape (root with six
// channels, others with three), with `frames` rows of smooth motion written
// with `decimals` decimals.
std::string MakeTake(int joints, int frames, int decimals);

// The takes of a run: "fixed" (6 decimals) and "cmu" (4 decimals) of about
// `bytes` each; rows of real files instead where they are at hand.
std::vector<Take> Corpus(size_t bytes);

// Repeats the rows of the BVH text `text` up to about `bytes`, and patches
// Frames.
std::string Enlarge(const std::string& text, size_t bytes);

}  // namespace bvhmill::bench
