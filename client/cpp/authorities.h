#pragma once

// The authorities that the system trusts. Private to the client library and the
// command line.

#include <string>

namespace bvhmill::client {

// A PEM file with their certificates: that of the variable SSL_CERT_FILE, or
// the first that exists of those that distributions have. Empty if there is
// none.
std::string SystemAuthorities();

}  // namespace bvhmill::client
