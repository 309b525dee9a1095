#pragma once

// Forward kinematics for tests: 4x4 matrices in double precision, one frame at
// a time, by the words of docs/conventions.md. Shares no code with the library
// but its plain data.

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "bvhmill/clip/clip.h"

namespace bvhmill::testing {

// at[row][column], for column vectors.
struct Matrix4 {
  std::array<std::array<double, 4>, 4> at = {};
};

struct OracleNode {
  int parent = -1;
  bool end_site = false;
  std::array<double, 3> offset = {};
  // Letters: XYZ positions, xyz rotations, ijk scales.
  std::string channels;
  size_t first_column = 0;
};

struct OracleClip {
  std::vector<OracleNode> nodes;
  size_t columns = 0;
  size_t frames = 0;
  // frames x columns.
  std::vector<float> values;
};

// The nodes of one frame, end sites among them.
struct OraclePose {
  std::vector<Matrix4> world;
  std::vector<Matrix4> local;
};

OracleClip OracleOf(const Clip& clip);

OraclePose SolveOracle(const OracleClip& clip, size_t frame,
                       const Conventions& conventions);

// A measure of how large the figure is: the longest way from a root to a node
// along the bones of one frame.
double SizeOf(const OracleClip& clip, const OraclePose& pose);

// Reads BVH text with a tokenizer of its own, which knows well-formed files
// only: it fails the test where it does not understand.
OracleClip ReadForOracle(std::string_view text);

}  // namespace bvhmill::testing
