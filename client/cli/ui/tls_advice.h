#pragma once

// Advice for the user after a TLS connection has failed.

#include <string>

#include "client/cpp/client.h"

namespace bvhmill::client {

// The reason of the failure, and the option that helps; empty for
// TlsFault::kNone. One line without a line end.
std::string TlsAdvice(const TlsCheck& check);

}  // namespace bvhmill::client
