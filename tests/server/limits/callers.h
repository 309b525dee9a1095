#pragma once

#include <string>

#include "server/auth/caller.h"

namespace bvhmill::testing {

inline server::Caller Named(const std::string& name) {
  server::Caller caller;
  caller.name = name;
  return caller;
}

}  // namespace bvhmill::testing
