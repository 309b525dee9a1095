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

// TCP addresses of HOST:PORT or [HOST]:PORT, to listen on or to connect to.
// Null if PORT is no port number or HOST is unknown. May wait for name servers.
Addresses Resolve(const std::string& address);

// True if `address` has the form HOST:PORT.
bool HasPort(const std::string& address);

// HOST:PORT of HOST:PORT or PORT; a PORT alone is one of this machine. Others
// stay as they are.
std::string WithHost(const std::string& address);

}  // namespace bvhmill::server
