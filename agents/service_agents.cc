// Agents and tools.
#include <fmt/format.h>

#include "agents/jobs.h"
#include "agents/run_reads.h"
#include "agents/service.h"
#include "agents/validate.h"
#include "command/jobs.h"
#include "command/single.h"

namespace muster::agents {

void Service::open(BasePtr base, std::function<void(const NamespaceName&)> on_work) {
  base_ = std::move(base);
  on_work_ = std::move(on_work);
}

Status needs_model(const Base& base) {
  if (base.api) return {};
  return Status::unavailable(
      "this server has no key for the model's API; set agents.api_key_file, ANTHROPIC_API_KEY or, for an API that takes none, "
      "agents.base_url");
}

Status check_limit(std::size_t limit) {
  if (limit >= 1 && limit <= limits::kPageMax) return {};
  return Status::invalid_argument(fmt::format("limit is {}; 1 to {} is accepted", limit, limits::kPageMax));
}

void find_agent(const BasePtr& base, const NamespaceName& ns, const std::string& name_or_id, Reply<Agent> reply) {
  if (const auto id = AgentId::parse(name_or_id)) return base->agents.get_agents(ns, {*id}, command::unwrap(std::move(reply)));
  if (Status status = check_agent_name(name_or_id); !status.ok()) return reply(status.annotate("agent"));
  base->agents.list_agents({.ns = ns, .name = name_or_id, .metadata = {}, .limit = 2, .cursor = {}},
                           [name_or_id, reply = std::move(reply)](Result<store::AgentPage> page) mutable {
                             if (!page.ok()) return reply(page.status());
                             if (page->agents.empty())
                               return reply(Status::not_found(fmt::format("agent '{}' does not exist", name_or_id)));
                             if (page->agents.size() > 1)
                               return reply(Status::conflict(
                                   fmt::format("{} agents are called '{}'; name the one by its id", page->total, name_or_id)));
                             reply(std::move(page->agents.front()));
                           });
}

namespace {

// Every delegate must be there; the first that is not is named.
void check_delegates(const BasePtr& base, const AgentSpec& agent, Reply<bool> reply) {
  if (agent.delegates.empty()) return reply(true);
  base->agents.get_agents(agent.ns, agent.delegates, [reply = std::move(reply)](Result<store::Each<Agent>> found) mutable {
    if (!found.ok()) return reply(found.status());
    for (const Result<Agent>& one : *found)
      if (!one.ok()) return reply(one.status().annotate("delegates"));
    reply(true);
  });
}

// Without a revision it takes the place of whatever is there, and of what somebody else has written meanwhile.
void replace_agent(const BasePtr& base, const command::AgentUpdateRequest& request, std::uint32_t tries, Reply<Agent> reply) {
  base->agents.get_agents(request.ns, {request.id},
                          command::unwrap<Agent>([base, request, tries, reply = std::move(reply)](Result<Agent> old) mutable {
                            if (!old.ok()) return reply(old.status());
                            Agent agent = *std::move(old);
                            agent.spec = request.agent;
                            if (request.revision != 0) agent.revision = request.revision;
                            base->agents.put_agent({.agent = std::move(agent)},
                                                   [base, request, tries, reply = std::move(reply)](Result<Agent> put) mutable {
                                                     const bool again = put.code() == Code::conflict && request.revision == 0;
                                                     if (!again || tries + 1 >= kChangeTriesMax) return reply(std::move(put));
                                                     replace_agent(base, request, tries + 1, std::move(reply));
                                                   });
                          }));
}

}  // namespace

void Service::run(const command::Caller&, command::AgentCreateRequest request, Reply<Agent> reply) {
  if (Status status = prepare(request.agent); !status.ok()) return reply(status);
  AgentSpec spec = request.agent;
  check_delegates(base_, spec, [base = base_, on_work = on_work_, spec, reply = std::move(reply)](Result<bool> there) mutable {
    if (!there.ok()) return reply(there.status());
    on_work(spec.ns);
    base->agents.put_agent({.agent = Agent{.id = AgentId{base->ids()}, .spec = std::move(spec)}}, std::move(reply));
  });
}

void Service::run(const command::Caller&, command::AgentGetRequest request, Reply<Agent> reply) {
  find_agent(base_, request.ns, request.agent, std::move(reply));
}

void Service::run(const command::Caller&, command::AgentListRequest request, Reply<store::AgentPage> reply) {
  if (Status status = check_limit(request.limit); !status.ok()) return reply(status);
  if (!request.name.empty())
    if (Status status = check_agent_name(request.name); !status.ok()) return reply(status);
  if (!request.metadata.empty())
    if (Status status = prepare_object("metadata", request.metadata); !status.ok()) return reply(status);
  base_->agents.list_agents(std::move(request), std::move(reply));
}

void Service::run(const command::Caller&, command::AgentUpdateRequest request, Reply<Agent> reply) {
  request.agent.ns = request.ns;
  if (Status status = prepare(request.agent); !status.ok()) return reply(status);
  for (const AgentId& delegate : request.agent.delegates)
    if (delegate == request.id) return reply(Status::invalid_argument("delegates names the agent itself"));
  AgentSpec spec = request.agent;
  check_delegates(base_, spec,
                  [base = base_, request = std::move(request), reply = std::move(reply)](Result<bool> there) mutable {
                    if (!there.ok()) return reply(there.status());
                    replace_agent(base, request, 0, std::move(reply));
                  });
}

void Service::run(const command::Caller&, command::AgentDeleteRequest request, Reply<Agent> reply) {
  base_->agents.delete_agent(request.ns, request.id, std::move(reply));
}

void Service::run(const command::Caller&, command::ToolDefineRequest request, Reply<Tool> reply) {
  if (Status status = prepare(request.tool); !status.ok()) return reply(status);
  base_->agents.put_tool({.tool = Tool{.spec = std::move(request.tool)}, .replace = true}, std::move(reply));
}

void Service::run(const command::Caller&, command::ToolGetRequest request, Reply<Tool> reply) {
  if (Status status = check_tool_name(request.tool.text()); !status.ok()) return reply(status);
  base_->agents.get_tools(request.ns, {request.tool}, command::unwrap(std::move(reply)));
}

void Service::run(const command::Caller&, command::ToolListRequest request, Reply<store::ToolPage> reply) {
  if (Status status = check_limit(request.limit); !status.ok()) return reply(status);
  base_->agents.list_tools(std::move(request), std::move(reply));
}

void Service::run(const command::Caller&, command::ToolDeleteRequest request, Reply<Tool> reply) {
  if (Status status = check_tool_name(request.tool.text()); !status.ok()) return reply(status);
  base_->agents.delete_tool(request.ns, request.tool, std::move(reply));
}

void Service::run(const command::Caller&, command::ToolRunRequest request, Reply<store::Enqueued> reply) {
  if (Status status = check_tool_name(request.tool.text()); !status.ok()) return reply(status);
  base_->agents.get_tools(request.ns, {request.tool},
                          command::unwrap<Tool>([base = base_, input = std::move(request.input),
                                                 reply = std::move(reply)](Result<Tool> tool) mutable {
                            if (!tool.ok()) return reply(tool.status());
                            if (Status status = check_input(tool->spec, input); !status.ok())
                              return reply(status.annotate("input"));
                            base->door.run(command::itself(),
                                           command::JobSubmitRequest{.job = tool_trial(*tool, std::move(input))},
                                           std::move(reply));
                          }));
}

}  // namespace muster::agents
