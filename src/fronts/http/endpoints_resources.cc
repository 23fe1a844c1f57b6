#include "fronts/http/codec/resources.h"
#include "fronts/http/endpoint.h"
#include "fronts/http/endpoints.h"

namespace muster::http::endpoints {

void resource_list(ExchangePtr exchange) { serve<decode_resource_list, as_json<ResourcePage>>(std::move(exchange)); }
void resource_put(ExchangePtr exchange) { serve<decode_resource_put, as_json<Resource>>(std::move(exchange)); }
void resource_get(ExchangePtr exchange) { serve<decode_resource_get, as_json<Resource>>(std::move(exchange)); }
void resource_delete(ExchangePtr exchange) { serve<decode_resource_delete, as_json<Resource>>(std::move(exchange)); }

}  // namespace muster::http::endpoints
