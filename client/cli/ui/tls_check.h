#pragma once

// Why TLS keeps client and server apart: gRPC says only that the connection
// failed.

#include <string>

#include "client/cpp/client.h"

namespace bvhmill::client {

// Connects to the first server of `options` once more, and looks what it wants.
// Returns which side lacks what, and the option that helps; empty if TLS is not
// the reason. Takes some seconds at most.
std::string WhyTlsFails(const ConnectOptions& options);

}  // namespace bvhmill::client
