// Tells the service manager how the server is: the datagrams of sd_notify(3), without its library.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"

namespace muster::server {

// Sends "READY=1" and the like to $NOTIFY_SOCKET. Does nothing without one; a manager that does not listen is no error.
void notify_manager(std::string_view state);

// How often the manager wants to hear "WATCHDOG=1": half of $WATCHDOG_USEC. nullopt: it does not.
std::optional<Duration> watchdog_interval();

}  // namespace muster::server
