// What a worker says about itself: the payloads of handshake and register, made of its options once. Pure.
#pragma once

#include <string>
#include <vector>

#include "base/status.h"
#include "sdk/cpp/ws/worker.h"

namespace muster::sdk::ws {

// REQUIRES: options with hostname, and instance_id for protocol 2, filled in.
std::string handshake_payload(const WorkerOptions& options, const std::string& fingerprint);
std::string registration_payload(const WorkerOptions& options, const std::vector<std::string>& node_types);
// The same worker, offering nothing: it takes no more work.
std::string retirement_payload(const WorkerOptions& options);

// The manifest of a package whose nodes are these, as schedulers judge it.
Json manifest_of(const std::string& name, const std::string& version, const std::vector<std::string>& node_types);

}  // namespace muster::sdk::ws
