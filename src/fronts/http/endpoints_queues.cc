#include "command/namespaces.h"
#include "fronts/http/codec/lanes.h"
#include "fronts/http/codec/queues.h"
#include "fronts/http/endpoint.h"
#include "fronts/http/endpoints.h"

namespace muster::http::endpoints {
namespace {

Response queues(std::vector<QueueStats>& values, const Exchange&) { return json_list("queues", values); }
Response namespaces(std::vector<NamespaceInfo>& values, const Exchange&) { return json_list("namespaces", values); }

Result<command::NamespaceListRequest> namespace_listing(const Exchange&) { return command::NamespaceListRequest{}; }
Result<command::NamespaceDeleteRequest> namespace_of_path(const Exchange& exchange) {
  return command::NamespaceDeleteRequest{NamespaceName(exchange.parameters.front())};
}

}  // namespace

void queue_list(ExchangePtr exchange) { serve<decode_queue_list, queues>(std::move(exchange)); }
void queue_lanes(ExchangePtr exchange) { serve<decode_queue_lanes, as_json<engine::LanesListed>>(std::move(exchange)); }
void queue_pause(ExchangePtr exchange) { serve<decode_queue_pause, as_json<QueueStats>>(std::move(exchange)); }
void queue_resume(ExchangePtr exchange) { serve<decode_queue_resume, as_json<QueueStats>>(std::move(exchange)); }
void queue_limit(ExchangePtr exchange) { serve<decode_queue_limit, as_json<QueueStats>>(std::move(exchange)); }
void namespace_list(ExchangePtr exchange) { serve<namespace_listing, namespaces>(std::move(exchange)); }
void namespace_create(ExchangePtr exchange) { serve<decode_namespace_create, as_created<NamespaceInfo>>(std::move(exchange)); }
void namespace_delete(ExchangePtr exchange) { serve<namespace_of_path, as_json<NamespaceInfo>>(std::move(exchange)); }
void backup_create(ExchangePtr exchange) { serve<decode_backup_create, as_created<store::BackupReport>>(std::move(exchange)); }

}  // namespace muster::http::endpoints
