#include "fronts/grpc/dialect/values.h"
#include "fronts/grpc/k0/k0.h"

namespace muster::rpc::k0 {

void health_check(CallRef call) {
  const auto request = K0::parse<pb::HealthCheckRequest>(call);
  if (!request) return;
  const store::StoreHealth health = call->core.door.health();
  pb::HealthCheckResponse response;
  response.set_status(health.writable ? pb::HealthCheckResponse::SERVING : pb::HealthCheckResponse::NOT_SERVING);
  response.set_message(health.writable ? "ok" : health.reason);
  put_instant_seconds(call->core.now(), response.mutable_timestamp());
  K0::answer(call, response);
}

}  // namespace muster::rpc::k0
