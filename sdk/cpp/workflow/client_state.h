// What a client and its handles share. Private to this folder.
#pragma once

#include <string>

#include "sdk/cpp/workflow/client.h"
#include "sdk/cpp/workflow/wire.h"

namespace muster::sdk::workflow {

struct ClientState {
  ClientState(const Connection& connection, std::string default_queue) : link(connection), queue(std::move(default_queue)) {}
  wire::Wire link;
  const std::string queue;
  const std::string& ns() const { return link.connection().ns; }
};

}  // namespace muster::sdk::workflow
