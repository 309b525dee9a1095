#include "tests/faults/fault.h"

namespace bvhmill::faults {

const char* StrengthName(Strength strength) {
  constexpr const char* kNames[] = {"blatant", "plain", "subtle"};
  return kNames[static_cast<int>(strength)];
}

std::vector<FaultKind> AllFaults() {
  std::vector<FaultKind> all;
  for (const auto part :
       {EventFaults(), RowFaults(), RotationFaults(), ClipFaults(),
        FloorFaults(), TurnFaults(), ValueFaults()}) {
    all.insert(all.end(), part.begin(), part.end());
  }
  return all;
}

}  // namespace bvhmill::faults
