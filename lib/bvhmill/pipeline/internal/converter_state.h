#pragma once

// The state of a Converter. Private to pipeline/.

#include <exception>
#include <memory>

#include "bvhmill/base/parallel.h"
#include "bvhmill/pipeline/convert.h"
#include "bvhmill/pipeline/internal/workspace.h"

namespace bvhmill {

struct Converter::State {
  std::unique_ptr<Parallel> parallel;
  // Null until the first clip.
  std::unique_ptr<Workspace> workspace;
  // False after an exception: the workspace may be half changed.
  bool is_whole = true;

  // The workspace for the next clip: a new one if there is none, or if it is
  // not whole.
  Workspace* Begin() {
    if (workspace == nullptr || !is_whole) {
      workspace.reset();
      workspace = std::make_unique<Workspace>();
      is_whole = true;
    }
    return workspace.get();
  }
};

// Marks the workspace if an exception leaves the scope.
class WorkspaceUse {
 public:
  explicit WorkspaceUse(Converter::State* state) : state_(*state) {}
  ~WorkspaceUse() {
    if (std::uncaught_exceptions() > exceptions_) state_.is_whole = false;
  }
  WorkspaceUse(const WorkspaceUse&) = delete;
  WorkspaceUse& operator=(const WorkspaceUse&) = delete;

 private:
  Converter::State& state_;
  int exceptions_ = std::uncaught_exceptions();
};

}  // namespace bvhmill
