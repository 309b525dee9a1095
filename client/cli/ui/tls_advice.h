#pragma once

// Advice to the user if TLS fails.

#include <string>

#include "client/cpp/client.h"

namespace bvhmill::client {

// The reason why TLS fails, and the option that helps; empty if TLS does not
// fail. One line without a line end.
std::string TlsAdvice(const TlsCheck& check);

}  // namespace bvhmill::client
