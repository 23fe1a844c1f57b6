// What serve and dev share: a server from its start to its end under signals.
#pragma once

#include <cstdio>
#include <string>

#include "server/command_flags.h"
#include "server/config.h"
#include "server/server.h"
#include "server/signals.h"

namespace muster::server {

// Writes text for people as it stands. A stream that was closed loses it and nothing else happens, where fmt::print would throw.
void say(std::FILE* stream, const std::string& text);

// As many open files as the system allows this process: one connection is one descriptor.
void raise_descriptor_limit();

// Prints why a start failed, for people, on stderr. The parts say what to do in their messages.
void report_start_failure(const Status& status);

// Where the operator's key is, on stderr: the path, never the key.
void announce_key(const Server& server);

// Reads the configuration again and applies what can be applied; warns about what needs a restart. Never ends the server.
void reload(Server& server, Config& config, const LoadRequest& request);

// Stops within the configured grace; a second signal ends the process at once. Returns the exit code.
int stop(Server& server, const Config& config, const Signals& signals);

}  // namespace muster::server
