// Sessions: the conversations that runs of agents belong to.
#pragma once

#include <optional>
#include <string>

#include "base/reply.h"
#include "command/context.h"
#include "command/spec.h"
#include "model/agent.h"
#include "store/agents.h"

namespace muster::command {

inline constexpr Spec kSessionCreate{
    .name = "session.create",
    .since = "0.6",
    .auth = Auth::operator_only,
    .effect = Effect::write,
    .summary = "Create a session, alone or below another one.",
};
struct SessionCreateRequest {
  NamespaceName ns{kDefaultNamespace};
  std::optional<AgentSessionId> parent{};
  std::string metadata = "{}";
  std::string variables = "{}";
};
template <>
struct Record<SessionCreateRequest> : Command<kSessionCreate, AgentSession> {};
void handle(Context& context, SessionCreateRequest request, Reply<AgentSession> reply);

inline constexpr Spec kSessionGet{
    .name = "session.get",
    .since = "0.6",
    .auth = Auth::read_only,
    .effect = Effect::read,
    .idempotent = true,
    .summary = "Show one session and what it has spent.",
};
struct SessionGetRequest {
  NamespaceName ns{kDefaultNamespace};
  AgentSessionId id;
};
struct SessionGetReply {
  AgentSession session;
  store::Spending spent;
};
template <>
struct Record<SessionGetRequest> : Command<kSessionGet, SessionGetReply> {};
void handle(Context& context, SessionGetRequest request, Reply<SessionGetReply> reply);

inline constexpr Spec kSessionList{
    .name = "session.list",
    .since = "0.6",
    .auth = Auth::read_only,
    .effect = Effect::read,
    .idempotent = true,
    .summary = "List sessions, newest first.",
};
using SessionListRequest = store::SessionQuery;
template <>
struct Record<SessionListRequest> : Command<kSessionList, store::SessionPage> {};
void handle(Context& context, SessionListRequest request, Reply<store::SessionPage> reply);

// session.update: what is given replaces what is there.
inline constexpr Spec kSessionUpdate{
    .name = "session.update",
    .since = "0.6",
    .auth = Auth::operator_only,
    .effect = Effect::write,
    .summary = "Replace a session's metadata or variables.",
};
struct SessionUpdateRequest {
  NamespaceName ns{kDefaultNamespace};
  AgentSessionId id;
  std::optional<std::string> metadata{};
  std::optional<std::string> variables{};
};
template <>
struct Record<SessionUpdateRequest> : Command<kSessionUpdate, AgentSession> {};
void handle(Context& context, SessionUpdateRequest request, Reply<AgentSession> reply);

inline constexpr Spec kSessionDelete{
    .name = "session.delete",
    .since = "0.6",
    .auth = Auth::operator_only,
    .effect = Effect::write,
    .audited = true,
    .summary = "Delete a session with its messages, its runs and the sessions below it.",
};
struct SessionDeleteRequest {
  NamespaceName ns{kDefaultNamespace};
  AgentSessionId id;
};
template <>
struct Record<SessionDeleteRequest> : Command<kSessionDelete, AgentSession> {};
void handle(Context& context, SessionDeleteRequest request, Reply<AgentSession> reply);

inline constexpr Spec kSessionMessages{
    .name = "session.messages",
    .since = "0.6",
    .auth = Auth::read_only,
    .effect = Effect::read,
    .idempotent = true,
    .summary = "Read the messages of a session in their order.",
};
struct SessionMessagesRequest {
  NamespaceName ns{kDefaultNamespace};
  store::MessageQuery query;
};
template <>
struct Record<SessionMessagesRequest> : Command<kSessionMessages, store::MessagePage> {};
void handle(Context& context, SessionMessagesRequest request, Reply<store::MessagePage> reply);

// session.compact: old messages give way to a summary, so that the conversation fits the model again.
inline constexpr Spec kSessionCompact{
    .name = "session.compact",
    .since = "0.6",
    .auth = Auth::operator_only,
    .effect = Effect::write,
    .audited = true,
    .summary = "Compact a session: prune old tool output and summarise old messages; the originals are archived.",
};
struct SessionCompactRequest {
  NamespaceName ns{kDefaultNamespace};
  AgentSessionId id;
  std::string strategy = "hybrid";  // or "summarization"
  bool only_if_needed = false;
};
struct SessionCompactReply {
  bool done = false;  // false: it was not needed
  std::optional<store::CompactionEvent> event{};
  std::uint64_t tokens = 0;  // of the session, before
  bool needed = false;
};
template <>
struct Record<SessionCompactRequest> : Command<kSessionCompact, SessionCompactReply> {};
void handle(Context& context, SessionCompactRequest request, Reply<SessionCompactReply> reply);

inline constexpr Spec kSessionRestore{
    .name = "session.restore",
    .since = "0.6",
    .auth = Auth::operator_only,
    .effect = Effect::write,
    .audited = true,
    .summary = "Bring back what a compaction archived.",
};
struct SessionRestoreRequest {
  NamespaceName ns{kDefaultNamespace};
  AgentSessionId id;
  Uuid event;
};
template <>
struct Record<SessionRestoreRequest> : Command<kSessionRestore, store::CompactionEvent> {};
void handle(Context& context, SessionRestoreRequest request, Reply<store::CompactionEvent> reply);

inline constexpr Spec kSessionCompactions{
    .name = "session.compactions",
    .since = "0.6",
    .auth = Auth::read_only,
    .effect = Effect::read,
    .idempotent = true,
    .summary = "List the compactions of a session, newest first.",
};
struct SessionCompactionsRequest {
  NamespaceName ns{kDefaultNamespace};
  store::CompactionQuery query;
};
template <>
struct Record<SessionCompactionsRequest> : Command<kSessionCompactions, store::CompactionPage> {};
void handle(Context& context, SessionCompactionsRequest request, Reply<store::CompactionPage> reply);

}  // namespace muster::command
