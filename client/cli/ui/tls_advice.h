#pragma once

// What the user can do if a TLS connection fails.

#include <string>

#include "client/cpp/client.h"

namespace bvhmill::client {

// The reason of the failure, and the option that helps; empty for
// TlsFault::kNone. One line without a line end.
std::string TlsAdvice(const TlsCheck& check);

}  // namespace bvhmill::client
