#pragma once

#include <string>

namespace bvhmill::server {

// Connects to HOST:PORT, which this machine listens on, and hangs up. Nothing
// happens if that cannot be done.
void KnockAt(const std::string& address);

}  // namespace bvhmill::server
