// Prints which targets of row scanning and forward kinematics this machine can
// run, and which it cannot: tests compare those that it can.

#include <cstdio>
#include <string>

#include "bvhmill/kinematics/fk_job.h"
#include "bvhmill/text/rows.h"

namespace {

using bvhmill::FkTarget;
using bvhmill::RowsTarget;

// "KIND: tested NAME...; not tested, for want of a CPU: NAME..."
class Line {
 public:
  void Add(std::string_view name, bool supported) {
    (supported ? tested_ : missing_).append(" ").append(name);
  }
  void Print(const char* kind) const {
    std::printf("%s: tested%s", kind, tested_.c_str());
    if (!missing_.empty()) {
      std::printf("; NOT tested, since this CPU lacks it:%s", missing_.c_str());
    }
    std::printf("\n");
  }

 private:
  std::string tested_;
  std::string missing_;
};

}  // namespace

int main() {
  Line rows;
  for (const RowsTarget target : {RowsTarget::kScalar, RowsTarget::kAvx2,
                                  RowsTarget::kAvx512, RowsTarget::kNeon}) {
    rows.Add(RowsTargetName(target), IsSupported(target));
  }
  rows.Print("rows of text");
  Line poses;
  for (const FkTarget target : {FkTarget::kReference, FkTarget::kVector128,
                                FkTarget::kAvx2, FkTarget::kAvx512}) {
    poses.Add(FkTargetName(target), IsSupported(target));
  }
  poses.Print("forward kinematics");
  return 0;
}
