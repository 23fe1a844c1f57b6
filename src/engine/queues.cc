#include "engine/queues.h"

#include <utility>

#include "model/validate.h"

namespace muster::engine {

void Queues::change(QueueChange change, Reply<QueueStats> reply) {
  if (Status status = validate(change); !status.ok()) return reply(status);
  store_.change_queue(std::move(change), std::move(reply));
}

void Queues::list(NamespaceName ns, Reply<std::vector<QueueStats>> reply) {
  if (!ns.empty())
    if (Status status = validate_name("namespace", ns.text()); !status.ok()) return reply(status);
  store_.list_queues(std::move(ns), std::move(reply));
}

void Queues::create_namespace(NamespaceInfo info, Reply<NamespaceInfo> reply) {
  if (Status status = validate(info); !status.ok()) return reply(status);
  store_.create_namespace(std::move(info), std::move(reply));
}

void Queues::list_namespaces(Reply<std::vector<NamespaceInfo>> reply) { store_.list_namespaces(std::move(reply)); }

void Queues::update_namespace(NamespaceChange change, Reply<NamespaceInfo> reply) {
  if (Status status = validate_name("namespace", change.name.text()); !status.ok()) return reply(status);
  store_.update_namespace(std::move(change), std::move(reply));
}

void Queues::delete_namespace(NamespaceName ns, Reply<NamespaceInfo> reply) {
  if (Status status = validate_name("namespace", ns.text()); !status.ok()) return reply(status);
  store_.delete_namespace(std::move(ns), std::move(reply));
}

}  // namespace muster::engine
