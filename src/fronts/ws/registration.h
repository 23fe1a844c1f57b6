// Who a worker says it is and what it says it can do, in our words.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/json_reader.h"
#include "command/packages.h"
#include "fronts/auth/authenticator.h"
#include "fronts/ws/options.h"
#include "model/worker.h"
#include "schema/schema.h"
#include "session/frame_types.h"

namespace muster::ws {

// From the handshake.
struct Identity {
  session::Protocol protocol = session::Protocol::v2;
  std::string tenant;
  std::string instance;  // the worker's id with us
  std::string name;      // for people; v1 has no other name than its id
  std::string version;
  std::string hostname;
  auth::Credential credential;
};

struct Package {
  std::string name;
  std::string version;
  std::string status;  // installed, missing, failed
  friend auto operator<=>(const Package&, const Package&) = default;
};

// From the register frame.
struct Registration {
  std::uint32_t max_parallel = 1;
  std::map<std::string, std::uint32_t> per_node_limits;  // by node type
  std::vector<std::string> runtimes;
  std::vector<std::string> features;
  std::vector<Package> packages;
  std::map<std::string, Package> nodes;             // node type → the newest installed package that has it
  std::vector<command::PackageManifest> manifests;  // until the catalogue has them
};

// REQUIRES: the payload passed its schema. `manifest`: the schema of manifests; nullptr: there is none.
Registration read_registration(const json::Tree& payload, const schema::Schema* manifest = nullptr);

// As the registry keeps it. What makes no valid capability or does not fit is left out: the frame has no way to say so.
WorkerSpec worker_spec(const Identity& identity, const Registration& registration, const std::string& session_id);

// What a worker's row says of the above, for a session that another process accepted. nullopt: not enough to go on with.
struct KeptRegistration {
  Identity identity;  // without its credential
  Registration registration;
  std::string session_id;
  std::string token_name;  // of the token it came in by
};
std::optional<KeptRegistration> kept_registration(const Worker& worker);

}  // namespace muster::ws
