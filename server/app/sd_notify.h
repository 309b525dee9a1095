#pragma once

// Notifications to systemd from a service of Type=notify.

#include <string_view>

namespace bvhmill::server {

// Sends `state`, e.g. "READY=1", to the socket that NOTIFY_SOCKET names; does
// nothing without one. True if it was sent.
bool NotifySupervisor(std::string_view state);

}  // namespace bvhmill::server
