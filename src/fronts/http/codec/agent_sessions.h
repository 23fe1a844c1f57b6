// Sessions of agents, their messages and compactions as JSON, both ways. The words are AgentPG's where it has some.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "command/agent_sessions.h"
#include "fronts/http/json/fields.h"
#include "fronts/http/target.h"

namespace muster::http {

// `id` and `event` come from the path.
Result<command::SessionCreateRequest> decode_session_create(std::string_view body);
Result<command::SessionGetRequest> decode_session_get(std::string id, const std::vector<QueryParameter>& query);
Result<command::SessionListRequest> decode_session_list(const std::vector<QueryParameter>& query);
Result<command::SessionUpdateRequest> decode_session_update(std::string id, std::string_view body);
Result<command::SessionDeleteRequest> decode_session_delete(std::string id, const std::vector<QueryParameter>& query);
Result<command::SessionMessagesRequest> decode_session_messages(std::string id, const std::vector<QueryParameter>& query);
Result<command::SessionCompactRequest> decode_session_compact(std::string id, std::string_view body);
Result<command::SessionRestoreRequest> decode_session_restore(const std::string& id, const std::string& event,
                                                              std::string_view body);
Result<command::SessionCompactionsRequest> decode_session_compactions(std::string id, const std::vector<QueryParameter>& query);

const Object<AgentSession>& object_of(Of<AgentSession>);
const Object<command::SessionGetReply>& object_of(Of<command::SessionGetReply>);
const Object<store::SessionPage>& object_of(Of<store::SessionPage>);
const Object<store::MessagePage>& object_of(Of<store::MessagePage>);
const Object<store::CompactionEvent>& object_of(Of<store::CompactionEvent>);
const Object<store::CompactionPage>& object_of(Of<store::CompactionPage>);
const Object<command::SessionCompactReply>& object_of(Of<command::SessionCompactReply>);

}  // namespace muster::http
