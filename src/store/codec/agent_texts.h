// Texts in rows about agents that both stores write the same way: lists, enumerators by name, what tells metadata apart, cursors.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/agent.h"
#include "model/agent_run.h"

namespace muster::store {

// A JSON array of texts, and back. What cannot be read is left out.
std::string list_to_text(const std::vector<std::string>& list);
std::string list_to_text(const std::vector<ToolName>& list);
std::string list_to_text(const std::vector<AgentId>& list);
std::string list_to_text(const std::vector<MessageId>& list);
void list_from_text(std::string_view text, std::vector<std::string>& list);
void list_from_text(std::string_view text, std::vector<ToolName>& list);
void list_from_text(std::string_view text, std::vector<AgentId>& list);
void list_from_text(std::string_view text, std::vector<MessageId>& list);

// The enumerator of this name; of a name that nobody has, the first.
template <class Enum>
Enum named_as(std::string_view name);
template <>
ToolApproval named_as(std::string_view name);
template <>
MessageRole named_as(std::string_view name);
template <>
RunMode named_as(std::string_view name);
template <>
AgentRunState named_as(std::string_view name);
template <>
BatchStatus named_as(std::string_view name);
template <>
IterationTrigger named_as(std::string_view name);
template <>
ToolExecutionState named_as(std::string_view name);
template <>
ApprovalState named_as(std::string_view name);

// Metadata of the same content have the same key, however they are spelled: the names of members are in order, and nothing but
// their content counts. Short, so that an index may hold it.
std::string metadata_key(std::string_view metadata);

// Whether a JSON text contains another, as jsonb @> says it: members by their names and what they contain, elements of arrays in
// any order and number, all else by being equal.
bool json_contains(std::string_view whole, std::string_view part);

// A page of agents ends with this one: "<id><name>". Empty: it was not written here.
struct AgentPlace {
  std::string name;
  AgentId id;
};
std::string agent_cursor(const Agent& last);
std::optional<AgentPlace> parse_agent_cursor(std::string_view cursor);

// A page of tools ends with this one: "<key of its namespace>.<name>", since the same name may come in several namespaces.
struct ToolPlace {
  std::string name;
  std::int64_t ns = 0;
};
std::string tool_cursor(const ToolPlace& last);
std::optional<ToolPlace> parse_tool_cursor(std::string_view cursor);

// A page of executions of one run ends with this one: "<iteration>.<place>.<row>".
struct ExecutionPlace {
  std::int64_t iteration = 0;
  std::int64_t place = 0;
  std::int64_t row = 0;
};
std::string execution_cursor(const ExecutionPlace& last);
std::optional<ExecutionPlace> parse_execution_cursor(std::string_view cursor);
// A number of a row, at least 1.
std::optional<std::int64_t> parse_row_cursor(std::string_view cursor);

// The day that spending counts for: whole ones since 1970, UTC.
std::int64_t day_of(Instant at);

}  // namespace muster::store
