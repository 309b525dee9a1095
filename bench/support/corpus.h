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

// How the numbers of a take are written.
//   fixed    6 decimals
//   cmu      4 decimals, and short integers
//   general  %g: 6 digits, a quarter of them with an exponent
//   daz      %g where a third are nearly zero, such as 2.18715e-15
//   long     13 to 17 digits
//   repr     17 digits, a quarter of them with an exponent
inline constexpr const char* kTakes[] = {"fixed", "cmu",  "general",
                                         "daz",   "long", "repr"};

// The take of that name with about `bytes` of rows: those of a real file where
// they are at hand, else made ones.
Take MakeCorpus(const std::string& name, size_t bytes);

// The BVH text `text` with its rows repeated, or cut, to about `bytes`, and
// Frames patched.
std::string Resize(const std::string& text, size_t bytes);

}  // namespace bvhmill::bench
