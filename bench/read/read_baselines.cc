#include "bench/read/read_baselines.h"

#include <fast_float/fast_float.h>

#include <cstdlib>

#if defined(BVHMILL_ASSIMP)
#include <assimp/scene.h>

#include <assimp/Importer.hpp>
#endif

namespace bvhmill::bench {
namespace {

bool IsSpace(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }

}  // namespace

size_t ReadRowsByFastFloat(std::string_view rows, std::span<float> out) {
  const char* at = rows.data();
  const char* end = at + rows.size();
  size_t count = 0;
  while (true) {
    while (at < end && IsSpace(*at)) ++at;
    if (at == end || count == out.size()) return count;
    double value = 0;
    at = fast_float::from_chars(at, end, value).ptr;
    out[count++] = static_cast<float>(value);
  }
}

size_t ReadRowsByStrtof(std::string_view rows, std::span<float> out) {
  const char* at = rows.data();
  const char* end = at + rows.size();
  size_t count = 0;
  while (true) {
    while (at < end && IsSpace(*at)) ++at;
    if (at == end || count == out.size()) return count;
    char* end = nullptr;
    out[count++] = std::strtof(at, &end);
    at = end;
  }
}

#if defined(BVHMILL_ASSIMP)

bool HasAssimp() { return true; }

double ReadByAssimp(std::string_view text) {
  Assimp::Importer importer;
  const aiScene* scene =
      importer.ReadFileFromMemory(text.data(), text.size(), 0, "bvh");
  if (scene == nullptr || scene->mNumAnimations == 0) return 0;
  return scene->mAnimations[0]->mDuration + 1;
}

#else

bool HasAssimp() { return false; }

double ReadByAssimp(std::string_view /*text*/) { return 0; }

#endif

}  // namespace bvhmill::bench
