#include "agents/run_reads.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace muster::agents {
namespace {

struct Conversation {
  store::MessageQuery query;
  std::size_t bytes_max = 0;
  std::size_t bytes = 0;
  std::vector<AgentMessage> messages{};
};

void read_page(const BasePtr& base, Conversation reading, Reply<std::vector<AgentMessage>> reply) {
  const store::MessageQuery query = reading.query;
  base->agents.list_messages(
      query, [base, reading = std::move(reading), reply = std::move(reply)](Result<store::MessagePage> page) mutable {
        if (!page.ok()) return reply(page.status());
        const bool more = page->more && !page->messages.empty();
        if (more) reading.query.after = page->messages.back().number;
        for (AgentMessage& message : page->messages) {
          reading.bytes += message.blocks.size();
          reading.messages.push_back(std::move(message));
        }
        if (reading.bytes > reading.bytes_max)
          return reply(
              Status::exhausted(fmt::format("the conversation in session {} has more than {} bytes, which is the most "
                                            "that is read of one at once",
                                            reading.query.session.text(), reading.bytes_max)));
        if (!more) return reply(std::move(reading.messages));
        read_page(base, std::move(reading), std::move(reply));
      });
}

// What is there of what was asked for.
template <class T>
Result<std::vector<T>> those_found(Result<store::Each<T>> found) {
  if (!found.ok()) return found.status();
  std::vector<T> out;
  for (Result<T>& one : *found) {
    if (one.ok())
      out.push_back(*std::move(one));
    else if (one.code() != Code::not_found)
      return one.status();
  }
  return out;
}

void read_lineage(const BasePtr& base, std::optional<JobId> parent, CallFacts facts, Reply<CallFacts> reply) {
  if (!parent || facts.lineage.size() > kDelegateDepthMax + 1) return reply(std::move(facts));
  base->agents.get_agent_runs(
      {*parent}, [base, facts = std::move(facts), reply = std::move(reply)](Result<store::Each<AgentRun>> runs) mutable {
        auto found = those_found(std::move(runs));
        if (!found.ok()) return reply(found.status());
        if (found->empty()) return reply(std::move(facts));
        const std::optional<JobId> next = found->front().parent;
        facts.lineage.push_back(found->front().agent);
        facts.above.push_back(std::move(found->front()));
        read_lineage(base, next, std::move(facts), std::move(reply));
      });
}

void read_delegates(const BasePtr& base, const store::AgentRunView& view, std::vector<Tool> tools, Reply<CallFacts> reply) {
  CallFacts facts{.tools = {}, .lineage = {view.run.agent}, .above = {}};
  if (view.agent.spec.delegates.empty()) {
    facts.tools = tool_set(std::move(tools), {});
    return read_lineage(base, view.run.parent, std::move(facts), std::move(reply));
  }
  base->agents.get_agents(view.run.ns, view.agent.spec.delegates,
                          [base, parent = view.run.parent, facts = std::move(facts), tools = std::move(tools),
                           reply = std::move(reply)](Result<store::Each<Agent>> agents) mutable {
                            auto found = those_found(std::move(agents));
                            if (!found.ok()) return reply(found.status());
                            facts.tools = tool_set(std::move(tools), *std::move(found));
                            read_lineage(base, parent, std::move(facts), std::move(reply));
                          });
}

void try_change(const BasePtr& base, JobId run, Decide decide, std::uint32_t tries, Reply<Changed> reply) {
  base->agents.view_agent_run(run, [base, run, decide = std::move(decide), tries,
                                    reply = std::move(reply)](Result<store::AgentRunView> view) mutable {
    if (!view.ok()) return reply(view.status());
    auto write = decide(*view);
    if (!write.ok()) return reply(write.status());
    if (!*write) return reply(Changed{.before = *std::move(view), .written = {}});
    base->agents.write_agent_run(**std::move(write), [base, run, decide = std::move(decide), tries, before = *std::move(view),
                                                      reply = std::move(reply)](Result<store::AgentRunWritten> written) mutable {
      if (written.ok()) return reply(Changed{.before = std::move(before), .written = *std::move(written)});
      if (written.code() != Code::conflict || tries + 1 >= kChangeTriesMax) return reply(written.status());
      try_change(base, run, std::move(decide), tries + 1, std::move(reply));
    });
  });
}

}  // namespace

void read_messages(const BasePtr& base, store::MessageQuery query, std::size_t bytes_max,
                   Reply<std::vector<AgentMessage>> reply) {
  query.limit = limits::kPageMax;
  read_page(base, {.query = std::move(query), .bytes_max = bytes_max}, std::move(reply));
}

void read_call_facts(const BasePtr& base, const store::AgentRunView& view, Reply<CallFacts> reply) {
  if (view.agent.spec.tools.empty()) return read_delegates(base, view, {}, std::move(reply));
  base->agents.get_tools(view.run.ns, view.agent.spec.tools,
                         [base, view, reply = std::move(reply)](Result<store::Each<Tool>> tools) mutable {
                           auto found = those_found(std::move(tools));
                           if (!found.ok()) return reply(found.status());
                           read_delegates(base, view, *std::move(found), std::move(reply));
                         });
}

void change_run(const BasePtr& base, JobId run, Decide decide, Reply<Changed> reply) {
  try_change(base, run, std::move(decide), 0, std::move(reply));
}

store::AgentRunView after_write(store::AgentRunView view, const store::AgentRunWrite& write,
                                const store::AgentRunWritten& written) {
  const bool next = write.iteration && (!view.iteration || view.iteration->id != write.iteration->id);
  view.run = written.run;
  if (write.iteration) view.iteration = write.iteration;
  if (next) view.executions.clear();
  for (const ToolExecution& execution : written.executions) {
    const auto old = std::find_if(view.executions.begin(), view.executions.end(),
                                  [&](const ToolExecution& one) { return one.id == execution.id; });
    if (old == view.executions.end())
      view.executions.push_back(execution);
    else
      *old = execution;
  }
  return view;
}

}  // namespace muster::agents
