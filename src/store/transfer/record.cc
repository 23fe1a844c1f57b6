#include "store/transfer/record.h"

#include "base/check.h"

namespace muster::store::transfer {

std::string_view to_string(Kind kind) {
  switch (kind) {
    case Kind::namespaces: return "namespaces";
    case Kind::queues: return "queues";
    case Kind::workers: return "workers";
    case Kind::bonds: return "sticky bonds";
    case Kind::jobs: return "jobs";
    case Kind::keys: return "idempotency keys";
    case Kind::dependencies: return "dependencies";
    case Kind::plans: return "plans";
    case Kind::actions: return "actions";
    case Kind::entries: return "keys";
    case Kind::items: return "list items";
    case Kind::fields: return "hash fields";
    case Kind::scores: return "scores";
    case Kind::steps: return "steps";
    case Kind::signals: return "signals";
    case Kind::schedules: return "schedules";
    case Kind::agents: return "agents";
    case Kind::tools: return "agent tools";
    case Kind::sessions: return "agent sessions";
    case Kind::agent_runs: return "agent runs";
    case Kind::iterations: return "iterations";
    case Kind::executions: return "tool executions";
    case Kind::messages: return "messages";
    case Kind::compactions: return "compactions";
    case Kind::archive: return "archived messages";
    case Kind::spending: return "spending";
    case Kind::blobs: return "blobs";
  }
  unreachable();
}

}  // namespace muster::store::transfer
