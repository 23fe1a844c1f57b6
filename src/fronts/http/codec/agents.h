// Agents and tools as JSON, both ways. The words are AgentPG's where it has some.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "command/agents.h"
#include "fronts/http/json/fields.h"
#include "fronts/http/target.h"

namespace muster::http {

// `agent` and `tool` come from the path.
Result<command::AgentCreateRequest> decode_agent_create(std::string_view body);
Result<command::AgentUpdateRequest> decode_agent_update(std::string agent, std::string_view body);
Result<command::AgentGetRequest> decode_agent_get(std::string agent, const std::vector<QueryParameter>& query);
Result<command::AgentDeleteRequest> decode_agent_delete(std::string agent, const std::vector<QueryParameter>& query);
Result<command::AgentListRequest> decode_agent_list(const std::vector<QueryParameter>& query);
Result<command::ToolDefineRequest> decode_tool_define(std::string_view body);
Result<command::ToolGetRequest> decode_tool_get(std::string tool, const std::vector<QueryParameter>& query);
Result<command::ToolDeleteRequest> decode_tool_delete(std::string tool, const std::vector<QueryParameter>& query);
Result<command::ToolListRequest> decode_tool_list(const std::vector<QueryParameter>& query);
Result<command::ToolRunRequest> decode_tool_run(std::string tool, std::string_view body);

const Object<Agent>& object_of(Of<Agent>);
const Object<store::AgentPage>& object_of(Of<store::AgentPage>);
const Object<Tool>& object_of(Of<Tool>);
const Object<store::ToolPage>& object_of(Of<store::ToolPage>);

}  // namespace muster::http
