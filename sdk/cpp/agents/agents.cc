#include "sdk/cpp/agents/agents.h"

#include <nlohmann/json.hpp>
#include <optional>
#include <random>
#include <thread>
#include <utility>

#include "sdk/cpp/backoff.h"

namespace muster::sdk::agents {
namespace {

constexpr Duration kLookEvery{30'000};  // a long poll; the server answers at once when the run ends
constexpr const char* kFinished = "run.finished";

bool same_metadata(const std::string& a, const std::string& b) {
  const auto tree = [](const std::string& text) { return nlohmann::json::parse(text.empty() ? "{}" : text, nullptr, false); };
  return tree(a) == tree(b);
}

}  // namespace

RunEvent run_event_of(const ServerEvent& event) {
  RunEvent out{.number = event.id, .type = event.event, .text = {}, .data = event.data};
  const auto data = nlohmann::json::parse(event.data, nullptr, false);
  if (data.is_object())
    if (const auto text = data.find("text"); text != data.end() && text->is_string()) out.text = *text;
  return out;
}

Result<Agent> Agents::have(AgentSpec spec) {
  if (spec.ns.empty()) spec.ns = ns_;
  Result<Agent> created = client_.create_agent(spec);
  if (created.ok() || created.error().code != Code::already_exists) return created;
  AgentQuery query{.ns = spec.ns, .name = spec.name, .metadata = spec.metadata, .cursor = {}, .limit = {}};
  do {
    const Result<AgentPage> page = client_.agents(query);
    if (!page.ok()) return page.error();
    for (const Agent& agent : page->agents)
      if (same_metadata(agent.spec.metadata, spec.metadata)) return client_.update_agent(agent.id, spec);
    query.cursor = page->next;
  } while (!query.cursor.empty());
  return created;  // it is gone in the meantime
}

Result<AgentRun> Agents::start(AgentRunRequest request) {
  if (request.ns.empty()) request.ns = ns_;
  return client_.start_agent_run(request);
}

Result<AgentRun> Agents::wait(std::string_view run) {
  Backoff backoff({}, std::random_device{}());
  for (;;) {
    Result<AgentRun> seen = client_.agent_run({.ns = ns_, .run = std::string(run)}, kLookEvery);
    if (seen.ok() && seen->finished()) return seen;
    if (!seen.ok() && !seen.error().transient()) return seen;
    if (seen.ok())
      backoff.reset();
    else
      std::this_thread::sleep_for(backoff.next(seen.error().retry_after));
  }
}

Result<AgentRun> Agents::follow(std::string_view run, const std::function<void(const RunEvent&)>& take, std::string after) {
  Backoff backoff({}, std::random_device{}());
  for (;;) {
    bool finished = false;
    const Result<Nothing> outcome =
        client_.stream_agent_run({.ns = ns_, .run = std::string(run)}, after, [&](const ServerEvent& event) {
          backoff.reset();
          if (event.event == kFinished) {
            finished = true;
            return false;
          }
          if (!event.id.empty()) after = event.id;
          if (take) take(run_event_of(event));
          return true;
        });
    if (finished) return wait(run);
    if (!outcome.ok() && !outcome.error().transient()) return outcome.error();
    std::this_thread::sleep_for(backoff.next(outcome.ok() ? std::nullopt : outcome.error().retry_after));
  }
}

}  // namespace muster::sdk::agents
