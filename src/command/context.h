// Who calls a command and what it may touch. A front makes one Context per request; handlers hold no other state.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/status.h"
#include "command/cluster.h"
#include "command/spec.h"
#include "engine/engine.h"
#include "model/ids.h"
#include "model/lease.h"

namespace muster::command {

class AgentService;  // agent_service.h
class Archives;      // archives.h
class Inspection;    // inspection.h

enum class Role : std::uint8_t { read_only, worker, operator_role };

std::string_view to_string(Role role);  // "read-only", "worker", "operator"
std::optional<Role> parse_role(std::string_view name);

struct Caller {
  Role role = Role::read_only;
  std::string name;     // of the token; for the audit log
  std::string address;  // of the peer
  WorkerId worker;      // set: the caller acts as this worker and no other
  // Set: the caller may use these and no other.
  std::optional<std::vector<NamespaceName>> namespaces{};
  std::string correlation{};  // the wire's name for the request, for the audit log; empty: it has none
};

// The server itself, on its own errands.
Caller itself();

// What only the composition root knows.
struct ServerFacts {
  std::string version;
  Instant started_at{};
  std::string node{};                        // this server's name among those that share its store
  ClusterView cluster{};                     // empty: it is alone on its store
  std::string backup_folder{};               // where backups are written; empty: nowhere
  std::shared_ptr<Archives> archives{};      // of packages; null: there are none. Shared with server/, which made them
  std::shared_ptr<AgentService> agents{};    // null: this server runs no agents. Shared with server/, which made it
  std::shared_ptr<Inspection> inspection{};  // null: it cannot be asked about itself. Shared with server/, which made it
};

// Where the wires listen: "http" → "127.0.0.1:8080", or "off". Any thread.
class Listeners {
 public:
  void set(const std::string& wire, std::string address);
  std::map<std::string, std::string> all() const;

 private:
  mutable std::mutex mutex_;  // leaf
  std::map<std::string, std::string> addresses_;
};

// Lives as long as the handler runs; a reply that needs the caller keeps a copy.
struct Context {
  engine::Engine& engine;
  const ServerFacts& facts;
  const Listeners& listeners;
  const Caller& caller;
};

// permission_denied when the caller's role does not reach the command.
Status authorize(const Caller& caller, const Spec& spec);
// permission_denied when the caller is bound to another worker.
Status authorize_worker(const Caller& caller, const WorkerId& worker);

// May the caller use this namespace? Every wire asks here.
bool may_use(const Caller& caller, const NamespaceName& ns);
// permission_denied when it may not.
Status authorize_namespace(const Caller& caller, const NamespaceName& ns);
// What the caller is held to when it speaks about a lease; null: nothing.
std::shared_ptr<const LeaseBounds> lease_bounds(const Caller& caller);
// permission_denied for a caller that is bound to namespaces: what it asks for belongs to all of them.
Status authorize_everywhere(const Caller& caller, std::string_view what);

}  // namespace muster::command
