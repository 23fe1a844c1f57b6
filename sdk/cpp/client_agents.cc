// Client's calls about agents, their tools, sessions and runs.
#include <nlohmann/json.hpp>

#include <utility>
#include <vector>

#include "sdk/cpp/client_state.h"

namespace muster::sdk {
namespace {

using Pairs = std::vector<std::pair<std::string_view, std::string_view>>;

Path agent_path(std::string_view id) { return api("/agents").segment(id); }
Path tool_path(std::string_view name) { return api("/tools").segment(name); }
Path session_path(std::string_view id) { return api("/sessions").segment(id); }
Path agent_run_path(std::string_view id) { return api("/agent-runs").segment(id); }

constexpr Duration kSummaryTimeout{180'000};  // a model writes it

std::string flag_text(bool flag) { return flag ? "true" : ""; }

}  // namespace

Result<Agent> Client::create_agent(const AgentSpec& spec) {
  Result<std::string> body = encode(spec);
  if (!body.ok()) return body.error();
  return create_agent_document(std::move(*body));
}

Result<Agent> Client::create_agent_document(std::string document) {
  return state_->post(api("/agents"), std::move(document), decode_agent);
}

Result<Agent> Client::agent(const AgentRef& ref) {
  return state_->get(agent_path(ref.agent).query("namespace", ref.ns), decode_agent);
}

Result<AgentPage> Client::agents(const AgentQuery& query) {
  Path path = api("/agents");
  path.query("namespace", query.ns).query("name", query.name).query("metadata", query.metadata);
  path.query("limit", number_text(query.limit)).query("cursor", query.cursor);
  return state_->get(path, decode_agent_page);
}

Result<Agent> Client::update_agent(std::string_view id, const AgentSpec& spec) {
  Result<std::string> body = encode(spec);
  if (!body.ok()) return body.error();
  return update_agent_document(id, std::move(*body));
}

Result<Agent> Client::update_agent_document(std::string_view id, std::string document) {
  return state_->call("PUT", agent_path(id), std::move(document), decode_agent);
}

Result<Agent> Client::delete_agent(const AgentRef& ref) {
  return state_->call("DELETE", agent_path(ref.agent).query("namespace", ref.ns), std::nullopt, decode_agent);
}

Result<Tool> Client::define_tool(const ToolSpec& spec) {
  Result<std::string> body = encode(spec);
  if (!body.ok()) return body.error();
  return define_tool_document(std::move(*body));
}

Result<Tool> Client::define_tool_document(std::string document) {
  return state_->post(api("/tools"), std::move(document), decode_tool);
}

Result<Tool> Client::tool(const ToolRef& ref) { return state_->get(tool_path(ref.tool).query("namespace", ref.ns), decode_tool); }

Result<ToolPage> Client::tools(const ToolQuery& query) {
  Path path = api("/tools");
  path.query("namespace", query.ns).query("limit", number_text(query.limit)).query("cursor", query.cursor);
  return state_->get(path, decode_tool_page);
}

Result<Tool> Client::delete_tool(const ToolRef& ref) {
  return state_->call("DELETE", tool_path(ref.tool).query("namespace", ref.ns), std::nullopt, decode_tool);
}

Result<Submitted> Client::run_tool(const ToolRef& ref, std::string_view input) {
  nlohmann::ordered_json body = nlohmann::ordered_json::object();
  if (!ref.ns.empty()) body["namespace"] = ref.ns;
  if (!input.empty()) body["input"] = nlohmann::ordered_json::parse(input, nullptr, false);
  if (body.contains("input") && body["input"].is_discarded())
    return Error{.code = Code::invalid_argument, .status = 0, .detail = "the input is not JSON", .retry_after = {}};
  std::string text = body.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
  return state_->post(tool_path(ref.tool).literal("/runs"), std::move(text), decode_submitted);
}

Result<Session> Client::create_session(const SessionRequest& request) {
  Result<std::string> body = encode(request);
  if (!body.ok()) return body.error();
  return state_->post(api("/sessions"), std::move(*body), decode_session);
}

Result<Session> Client::session(const SessionRef& ref) {
  return state_->get(session_path(ref.session).query("namespace", ref.ns), decode_session);
}

Result<SessionPage> Client::sessions(const SessionQuery& query) {
  Path path = api("/sessions");
  path.query("namespace", query.ns).query("metadata", query.metadata).query("parent_session_id", query.parent_session_id);
  path.query("limit", number_text(query.limit)).query("cursor", query.cursor);
  return state_->get(path, decode_session_page);
}

Result<Session> Client::update_session(std::string_view id, const SessionChange& change) {
  Result<std::string> body = encode(change);
  if (!body.ok()) return body.error();
  return state_->call("PATCH", session_path(id), std::move(*body), decode_session);
}

Result<Session> Client::delete_session(const SessionRef& ref) {
  return state_->call("DELETE", session_path(ref.session).query("namespace", ref.ns), std::nullopt, decode_session);
}

Result<MessagePage> Client::messages(const MessageQuery& query) {
  Path path = session_path(query.session).literal("/messages");
  path.query("namespace", query.ns).query("context_of", query.context_of);
  path.query("after", std::to_string(query.after)).query("limit", number_text(query.limit));
  return state_->get(path, decode_message_page);
}

Result<Compacted> Client::compact_session(std::string_view id, const CompactRequest& request) {
  return state_->call("POST", session_path(id).literal("/compact"), encode(request), decode_compacted, kSummaryTimeout);
}

Result<CompactionPage> Client::compactions(const CompactionQuery& query) {
  Path path = session_path(query.session).literal("/compactions");
  path.query("namespace", query.ns).query("limit", number_text(query.limit)).query("cursor", query.cursor);
  return state_->get(path, decode_compaction_page);
}

Result<Compaction> Client::restore_session(const SessionRef& ref, std::string_view compaction) {
  return state_->post(session_path(ref.session).literal("/compactions").segment(compaction).literal("/restore"),
                      encode_strings(Pairs{{"namespace", ref.ns}}), decode_compaction);
}

Result<AgentRun> Client::start_agent_run(const AgentRunRequest& request) {
  Result<std::string> body = encode(request);
  if (!body.ok()) return body.error();
  return state_->post(api("/agent-runs"), std::move(*body), decode_agent_run);
}

Result<AgentRun> Client::agent_run(const AgentRunRef& ref, Duration wait) {
  Path path = agent_run_path(ref.run).query("namespace", ref.ns);
  if (wait.count() > 0) path.query("wait_ms", std::to_string(wait.count()));
  return state_->call("GET", path, std::nullopt, decode_agent_run, wait);
}

Result<AgentRunPage> Client::agent_runs(const AgentRunQuery& query) {
  Path path = api("/agent-runs");
  path.query("namespace", query.ns).query("session_id", query.session_id).query("agent_id", query.agent_id);
  path.query("parent_run_id", query.parent_run_id).query("state", query.state).query("run_mode", query.run_mode);
  path.query("unfinished", flag_text(query.unfinished)).query("limit", number_text(query.limit)).query("cursor", query.cursor);
  return state_->get(path, decode_agent_run_page);
}

Result<AgentRun> Client::cancel_agent_run(const AgentRunRef& ref, std::string_view reason) {
  return state_->post(agent_run_path(ref.run).literal("/cancel"),
                      encode_strings(Pairs{{"namespace", ref.ns}, {"reason", reason}}), decode_agent_run);
}

Result<AgentRunDecided> Client::approve(std::string_view run, const AgentVerdict& verdict) {
  Result<std::string> body = encode(verdict);
  if (!body.ok()) return body.error();
  return state_->post(agent_run_path(run).literal("/approve"), std::move(*body), decode_agent_run_decided);
}

Result<AgentRunDecided> Client::deny(std::string_view run, const AgentVerdict& verdict) {
  Result<std::string> body = encode(verdict);
  if (!body.ok()) return body.error();
  return state_->post(agent_run_path(run).literal("/deny"), std::move(*body), decode_agent_run_decided);
}

Result<AgentRun> Client::fork_agent_run(std::string_view run, const AgentRunFork& fork) {
  return state_->post(agent_run_path(run).literal("/fork"), encode(fork), decode_agent_run);
}

Result<Nothing> Client::stream_agent_run(const AgentRunRef& ref, const std::string& last_event_id,
                                         const std::function<bool(const ServerEvent&)>& take) {
  bool wanted = true;
  EventStreamParser parser([&](const ServerEvent& event) {
    if (wanted) wanted = take(event);
  });
  return state_->pool.stream(agent_run_path(ref.run).literal("/stream").query("namespace", ref.ns).text(), last_event_id,
                             [&](std::string_view piece) { return parser.feed(piece) && wanted; });
}

Result<ToolExecutionPage> Client::tool_executions(const ToolExecutionQuery& query) {
  Path path = api("/tool-executions");
  path.query("namespace", query.ns).query("run_id", query.run_id).query("tool_name", query.tool_name);
  path.query("state", query.state).query("approval_asked", flag_text(query.approval_asked));
  path.query("limit", number_text(query.limit)).query("cursor", query.cursor);
  return state_->get(path, decode_tool_execution_page);
}

Result<std::string> Client::tool_output(std::string_view ns, std::string_view execution) {
  return state_->send("GET", api("/tool-executions").segment(execution).literal("/output").query("namespace", ns), std::nullopt);
}

}  // namespace muster::sdk
