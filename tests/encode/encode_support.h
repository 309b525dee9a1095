#pragma once

// Writes clips in the formats, and reads back what they write with readers that
// share nothing with the library.

#include <array>
#include <cstdint>
#include <cstring>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "bvhmill/clip/clip.h"
#include "bvhmill/encode/encode.h"
#include "bvhmill/encode/poses.h"

namespace bvhmill::testing {

// An array of the poses of `clip`, by one job of kinematics.
std::vector<float> PosesOf(const Clip& clip, const PoseArray& array);

// The arrays that formats are made of.
inline PoseArray Positions(bool with_end_sites) {
  return {PoseKind::kPositions, with_end_sites, {}, {}};
}
inline PoseArray LocalRotations(bool with_end_sites) {
  return {PoseKind::kLocalRotations, with_end_sites, {}, {}};
}

struct Encoded {
  absl::Status status;
  OutputInfo info;
  std::string bytes;
  // The issues that the encoder reported about the clip.
  Report report;
};

// Writes `clip`, of which `space` is known, with the threads of `parallel`;
// null: with one.
Encoded Encode(const Clip& clip, const FormatOptions& format,
               Parallel* parallel = nullptr, const SourceSpace& space = {});

// The bytes of a tensor as numbers.
template <typename T>
std::vector<T> Numbers(std::string_view bytes) {
  std::vector<T> out(bytes.size() / sizeof(T));
  if (out.empty()) return out;
  std::memcpy(out.data(), bytes.data(), out.size() * sizeof(T));
  return out;
}

struct Npy {
  std::string dtype;
  // As text, as NumPy writes a tuple: "(2, 3)".
  std::string shape;
  std::string data;
};

// Fails the test if `bytes` is not an .npy file of version 1.0.
Npy ReadNpy(std::string_view bytes);

// Fixed-width strings of dtype <UN as UTF-8, without trailing zeros.
std::vector<std::string> Strings(const Npy& npy);

// The stored entries of a ZIP archive, by name. Fails the test if local
// headers, directory or checksums are not sound.
std::map<std::string, std::string> ReadZip(std::string_view bytes);

}  // namespace bvhmill::testing
