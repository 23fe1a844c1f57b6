// What the server did over time, for those who look later.
#pragma once

#include <optional>
#include <string>

#include "base/reply.h"
#include "command/context.h"
#include "command/spec.h"
#include "engine/history_book.h"

namespace muster::command {

// server.history: figures of the last hour or day, from this node's own memory.
inline constexpr Spec kServerHistory{
    .name = "server.history",
    .since = "0.6",
    .auth = Auth::read_only,
    .effect = Effect::read,
    .idempotent = true,
    .summary = "Show figures over time: jobs in and out, what waits and runs, workers, the store.",
};

struct ServerHistoryRequest {
  engine::HistorySpan span = engine::HistorySpan::hour;
  std::optional<Instant> since;  // what came after it; empty: the whole span
};

struct ServerHistoryReply {
  std::string node;  // whose memory it is
  engine::HistoryPoints points;
};

// permission_denied: a caller that is bound to namespaces; the figures are everybody's.
template <>
struct Record<ServerHistoryRequest> : Command<kServerHistory, ServerHistoryReply> {};

void handle(Context& context, ServerHistoryRequest request, Reply<ServerHistoryReply> reply);

}  // namespace muster::command
