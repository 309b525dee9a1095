// Faults of motion that are put into a clean clip, and where they are.
//
// A fault is a function that changes a clip and returns what a report should
// say about it. Random choices depend on the seed alone.
#pragma once

#include <cstdint>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "bvhmill/clip/clip.h"

namespace bvhmill::faults {

// Blatant: everyone sees it. Plain: seen on a second look. Subtle: found by
// measuring.
enum class Strength { kBlatant, kPlain, kSubtle };
inline constexpr Strength kStrengths[] = {Strength::kBlatant, Strength::kPlain,
                                          Strength::kSubtle};

// "blatant", "plain", "subtle".
const char* StrengthName(Strength strength);

// The issue that should be found.
struct Expected {
  // Any of these codes. The first one is the name of the rule.
  std::vector<std::string> codes;
  // The issue is at a frame of this range, or at most two frames away. No
  // range: the fault concerns the clip as a whole.
  std::optional<int64_t> first_frame;
  std::optional<int64_t> last_frame;
  // The issue is at one of these nodes. Empty: it is not judged.
  std::vector<int32_t> joints;
};

// A clip that gets a fault.
struct Site {
  Clip* clip = nullptr;
  // Another motion on the same skeleton; empty if there is none.
  const Clip* other = nullptr;
  Strength strength = Strength::kBlatant;
  std::mt19937_64 random;

  // The value for the strength of the site.
  template <typename T>
  T Pick(T blatant, T plain, T subtle) const {
    if (strength == Strength::kBlatant) return blatant;
    return strength == Strength::kPlain ? plain : subtle;
  }
};

struct FaultKind {
  const char* name;
  // Puts the fault into site->clip. nullopt if this fault cannot be shown in
  // this clip: nothing moves, or channels are missing. The clip is void then.
  std::optional<Expected> (*inject)(Site* site);
};

// Every kind of fault. Names are unique.
std::vector<FaultKind> AllFaults();

// The kinds of one file each.
std::span<const FaultKind> EventFaults();     // single frames and joints
std::span<const FaultKind> RowFaults();       // rows that are held or lost
std::span<const FaultKind> RotationFaults();  // some time of one joint
std::span<const FaultKind> ClipFaults();      // the header and the skeleton
std::span<const FaultKind> FloorFaults();     // feet, floor, axes
std::span<const FaultKind> TurnFaults();      // large turns of one joint
std::span<const FaultKind> ValueFaults();     // values and the order of rows

}  // namespace bvhmill::faults
