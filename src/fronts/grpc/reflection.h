// Server reflection, v1 and v1alpha: which services there are and what their messages look like, from the descriptors that are
// compiled in. Needs the role read-only.
#pragma once

#include <grpcpp/generic/async_generic_service.h>

#include <memory>
#include <string>
#include <string_view>

#include "fronts/grpc/call_gate.h"

namespace muster::rpc {

inline constexpr std::string_view kReflectionPath = "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo";
inline constexpr std::string_view kReflectionAlphaPath = "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo";

// The answer to one request of the stream; nullopt: the bytes are not a request.
std::optional<std::string> reflect(std::string_view request);

// One stream: a response for every request. Ends itself.
grpc::ServerGenericBidiReactor* begin_reflection(std::shared_ptr<CallGate> gate, grpc::GenericCallbackServerContext& context);

}  // namespace muster::rpc
