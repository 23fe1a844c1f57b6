#include "command/namespace_delete.h"
#include "command/namespace_list.h"
#include "fronts/http/codec/queues.h"
#include "fronts/http/endpoint.h"
#include "fronts/http/endpoints.h"

namespace muster::http::endpoints {
namespace {

template <class T, Result<T> (*kDecode)(std::string, std::string_view)>
Result<T> about_queue(const Exchange& exchange) {
  return kDecode(exchange.parameters.front(), exchange.body());
}

template <class T, Result<T> (*kDecode)(std::string_view)>
Result<T> of_body(const Exchange& exchange) {
  return kDecode(exchange.body());
}

template <class T>
Response as_json(T& value, const Exchange&) {
  return json(value);
}

template <class T>
Response as_created(T& value, const Exchange&) {
  return json(value, 201);
}

template <class T>
Response list_of(std::string_view name, const std::vector<T>& values) {
  Response response;
  JsonWriter out(response.body);
  out.begin_object();
  out.key(name);
  out.begin_array();
  for (const T& value : values) write(out, value);
  out.end_array();
  out.end_object();
  return response;
}

Response queues(std::vector<QueueStats>& values, const Exchange&) { return list_of("queues", values); }
Response namespaces(std::vector<NamespaceInfo>& values, const Exchange&) { return list_of("namespaces", values); }

Result<command::QueueListRequest> queue_listing(const Exchange& exchange) { return decode_queue_list(exchange.query()); }
Result<command::NamespaceListRequest> namespace_listing(const Exchange&) { return command::NamespaceListRequest{}; }
Result<command::NamespaceDeleteRequest> namespace_of_path(const Exchange& exchange) {
  return command::NamespaceDeleteRequest{NamespaceName(exchange.parameters.front())};
}

}  // namespace

void queue_list(ExchangePtr exchange) { serve<queue_listing, queues>(std::move(exchange)); }
void queue_pause(ExchangePtr exchange) {
  serve<about_queue<command::QueuePauseRequest, decode_queue_pause>, as_json<QueueStats>>(std::move(exchange));
}
void queue_resume(ExchangePtr exchange) {
  serve<about_queue<command::QueueResumeRequest, decode_queue_resume>, as_json<QueueStats>>(std::move(exchange));
}
void queue_limit(ExchangePtr exchange) {
  serve<about_queue<command::QueueLimitRequest, decode_queue_limit>, as_json<QueueStats>>(std::move(exchange));
}
void namespace_list(ExchangePtr exchange) { serve<namespace_listing, namespaces>(std::move(exchange)); }
void namespace_create(ExchangePtr exchange) {
  serve<of_body<command::NamespaceCreateRequest, decode_namespace_create>, as_created<NamespaceInfo>>(std::move(exchange));
}
void namespace_delete(ExchangePtr exchange) { serve<namespace_of_path, as_json<NamespaceInfo>>(std::move(exchange)); }
void backup_create(ExchangePtr exchange) {
  serve<of_body<command::BackupCreateRequest, decode_backup_create>, as_created<store::BackupReport>>(std::move(exchange));
}

}  // namespace muster::http::endpoints
