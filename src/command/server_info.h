// server.info: what is running, where it keeps its data, and whether it can write.
#pragma once

#include "base/reply.h"
#include "command/context.h"
#include "command/spec.h"

namespace muster::command {

inline constexpr Spec kServerInfo{
    .name = "server.info",
    .since = "0.1",
    .auth = Auth::read_only,
    .effect = Effect::read,
    .idempotent = true,
    .audited = false,
    .summary = "Show version, store, health and listeners.",
};

struct ServerInfoRequest {};

struct ServerInfoReply {
  ServerFacts facts;
  store::StoreInfo store;
  store::StoreHealth health;
  std::uint64_t workers = 0;  // online or draining
};

void handle(Context& context, ServerInfoRequest request, Reply<ServerInfoReply> reply);

}  // namespace muster::command
