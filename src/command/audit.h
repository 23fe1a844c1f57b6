// The audit book as operators read it. It is written at the door (audit_entry.h).
#pragma once

#include "base/reply.h"
#include "command/context.h"
#include "command/spec.h"

namespace muster::command {

// audit.list: who did what, newest first.
inline constexpr Spec kAuditList{
    .name = "audit.list",
    .since = "0.3",
    .auth = Auth::operator_only,
    .effect = Effect::read,
    .idempotent = true,
    .summary = "Show who did what, to what, and what came of it; newest first.",
};

using AuditListRequest = engine::AuditQuery;
using AuditListReply = engine::AuditPage;

template <>
struct Record<AuditListRequest> : Command<kAuditList, AuditListReply> {};

// A caller that is bound to namespaces sees what was done in them and nothing else.
void handle(Context& context, AuditListRequest request, Reply<AuditListReply> reply);

}  // namespace muster::command
