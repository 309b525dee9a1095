#pragma once

// The authorities that the system trusts. Private to the client library.

#include <string>

namespace bvhmill::client {

// The path of a PEM file with their certificates: the value of the variable
// SSL_CERT_FILE, or else the first file that exists of those that Linux
// distributions use. Empty if none exists.
std::string SystemAuthorities();

}  // namespace bvhmill::client
