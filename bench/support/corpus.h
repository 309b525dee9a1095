#pragma once

// The texts of the benchmarks: generated takes, so that every reader can repeat
// the runs, or real files if BVHMILL_DATA names a folder of them.

#include <string>
#include <vector>

namespace bvhmill::bench {

struct Take {
  std::string name;
  std::string text;
};

// A generated BVH file of `joints` joints in the usual shape (root with six
// channels, others with three), with `frames` rows of smooth motion written
// with `decimals` decimals.
std::string MakeTake(int joints, int frames, int decimals);

// How the numbers of a take are written.
//   fixed    6 decimals
//   cmu      4 decimals, and short integers
//   general  %g: 6 digits, a quarter of them with an exponent
//   daz      %g where a third are nearly zero, such as 2.18715e-15
//   long     13 to 17 digits
//   repr     17 digits, a quarter of them with an exponent
inline constexpr const char* kTakes[] = {"fixed", "cmu",  "general",
                                         "daz",   "long", "repr"};

// The take of that name with about `bytes` bytes of rows: those of a real file
// if there is one, else generated ones.
Take MakeCorpus(const std::string& name, size_t bytes);

// The BVH text `text` with its rows repeated, or cut, to about `bytes`, and
// Frames patched.
std::string Resize(const std::string& text, size_t bytes);

}  // namespace bvhmill::bench
