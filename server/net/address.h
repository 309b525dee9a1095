#pragma once

// Addresses to listen on and to connect to.

#include <netdb.h>

#include <memory>
#include <string>

namespace bvhmill::server {

struct FreeAddresses {
  void operator()(addrinfo* list) const { freeaddrinfo(list); }
};
using Addresses = std::unique_ptr<addrinfo, FreeAddresses>;

// What HOST:PORT, or [HOST]:PORT, stands for: of TCP, to listen on or to
// connect to; null if PORT is no number of a port or HOST is not known. May ask
// name servers, and wait for them.
Addresses Resolve(const std::string& address);

// Whether it has the form HOST:PORT.
bool HasPort(const std::string& address);

// HOST:PORT of HOST:PORT or PORT; a PORT alone is one of this machine. Others
// stay as they are.
std::string WithHost(const std::string& address);

}  // namespace bvhmill::server
