#pragma once

// What gRPC offers no way to: to end a connection.

#include <string>

namespace bvhmill::server {

// Shuts the connection of `peer` down, as gRPC names it: ipv4:ADDRESS:PORT,
// ipv6:%5BADDRESS%5D:PORT. Its calls are then cancelled. False if there is none
// by that name. Cost: two system calls for each open file. Thread-safe.
bool Disconnect(const std::string& peer);

}  // namespace bvhmill::server
