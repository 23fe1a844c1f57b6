// grpc.health.v1: whether the server can do its work, for load balancers and probes. "" and every service answer the same:
// SERVING, or NOT_SERVING while the store cannot write or the server stops.
#pragma once

#include <grpcpp/generic/async_generic_service.h>

#include <memory>
#include <string_view>

#include "fronts/grpc/call_gate.h"

namespace muster::rpc {

inline constexpr std::string_view kWatchPath = "/grpc.health.v1.Health/Watch";
inline constexpr Duration kHealthLookEvery{1'000};  // how late a watcher hears of a change

// One stream of Watch: the state now, then whenever it changes. Ends itself.
grpc::ServerGenericBidiReactor* begin_watch(std::shared_ptr<CallGate> gate, grpc::GenericCallbackServerContext& context);

}  // namespace muster::rpc
