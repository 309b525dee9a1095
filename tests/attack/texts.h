#pragma once

// BVH texts for attacks: small texts that describe large clips.

#include <cstdint>
#include <string>

namespace bvhmill::attack {

std::string Times(const std::string& text, int64_t times);

// A valid clip of 100 KB.
std::string HonestText();

// "MOTION" and what follows: `rows` rows that are all `row`.
std::string Motion(int64_t frames, const std::string& row, int64_t rows,
                   const std::string& frame_time = "0.01");

// A root "r" and `joints` - 1 children of it, all named `name`, without
// channels but those of the root: `channels` rotations about Z.
std::string WideSkeleton(int64_t joints, const std::string& name,
                         int64_t channels = 0);
// A root and, below it, joints each below the other: `joints` in all, each with
// `channels`.
std::string ChainSkeleton(int64_t joints, const std::string& name,
                          const std::string& channels = "CHANNELS 0\n");

// `text` compressed by zstd, and by gzip.
std::string Zstd(const std::string& text, int level = 3);
std::string Gzip(const std::string& text);

}  // namespace bvhmill::attack
