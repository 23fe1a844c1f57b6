#include "main/demo_agent.h"

#include <algorithm>
#include <sstream>

#include "agents/claude/cassette.h"
#include "agents/claude/player.h"
#include "base/check.h"
#include "base/json_reader.h"

namespace muster {
namespace {

using json::Tree;

constexpr const char* kAgent = "demo-clerk";
constexpr const char* kText = "One binary, four wires, no broker.";
constexpr const char* kPrompt = "Count the words of this text, then publish it: One binary, four wires, no broker.";
constexpr const char* kCounted = "6 words";
constexpr const char* kPublished = "published as note 1";
constexpr const char* kDenied = "The call was denied by a person.";  // as the model is told
constexpr const char* kTextSchema =
    R"({"type":"object","properties":{"text":{"type":"string"}},"required":["text"],"additionalProperties":false})";

Tree said(std::string_view text) { return {{"type", "text"}, {"text", text}}; }
Tree call_of(const char* id, const char* tool) {
  return {{"type", "tool_use"}, {"id", id}, {"name", tool}, {"input", {{"text", kText}}}};
}
Tree result_of(const char* id, const char* content) {
  return {{"type", "tool_result"}, {"tool_use_id", id}, {"content", content}};
}

std::string exchange(const Tree& request, const Tree& content, std::string stop_reason) {
  claude::Answer answer{.id = "msg_demo", .model = "demo", .blocks = json::dump(content), .stop_reason = std::move(stop_reason)};
  answer.usage = {.input = 90, .output = 40};
  return claude::cassette_exchange(json::dump(request), answer);
}

// What was said so far, with these results of the two tools behind it; none: the question alone.
Tree conversation(const Tree& answer, const Tree& results) {
  Tree messages = Tree::array({{{"role", "user"}, {"content", Tree::array({said(kPrompt)})}}});
  if (!results.empty()) {
    messages.push_back({{"role", "assistant"}, {"content", answer}});
    messages.push_back({{"role", "user"}, {"content", results}});
  }
  return {{"messages", std::move(messages)}};
}

std::string cassette() {
  const Tree asks = Tree::array({said("I count its words, and ask before I publish it."), call_of("toolu_count", "count_words"),
                                 call_of("toolu_publish", "publish")});
  const Tree counted = result_of("toolu_count", kCounted);
  Tree denied = result_of("toolu_publish", kDenied);
  denied["is_error"] = true;
  const Tree allowed = result_of("toolu_publish", kPublished);
  return exchange(conversation(asks, Tree::array()), asks, "tool_use") +
         exchange(conversation(asks, Tree::array({counted, allowed})),
                  Tree::array({said("The text has 6 words, and you have allowed me to publish it: it is note 1.")}), "end_turn") +
         exchange(conversation(asks, Tree::array({counted, denied})),
                  Tree::array({said("The text has 6 words. You have not allowed me to publish it, so I left it at that.")}),
                  "end_turn") +
         exchange(
             Tree::object(),
             Tree::array({said("I am a recording and know one question alone, the one of the demo. For everything else start the "
                               "server with ANTHROPIC_API_KEY and give the agent a model that exists.")}),
             "end_turn");
}

sdk::Outcome count_words(const sdk::agents::ToolCall& call) {
  const auto input = json::parse_object(call.input);
  const std::string* const text = input ? json::text(*input, "text") : nullptr;
  if (text == nullptr) return sdk::agents::refuse("the input has no text");
  std::istringstream words(*text);
  const auto count = std::distance(std::istream_iterator<std::string>(words), std::istream_iterator<std::string>());
  return sdk::agents::answer(std::to_string(count) + " words");
}

sdk::Outcome publish(const sdk::agents::ToolCall&) { return sdk::agents::answer(kPublished); }

}  // namespace

std::shared_ptr<claude::Api> demo_model() {
  auto parsed = claude::Cassette::parse(cassette());
  check(parsed.ok(), "the cassette of the demo cannot be read");
  return claude::replay_calls(*std::move(parsed));
}

sdk::agents::Toolbox demo_tools() {
  sdk::agents::Toolbox tools;
  sdk::ToolSpec counts;
  counts.name = "count_words";
  counts.description = "Counts the words of a text.";
  counts.input_schema = kTextSchema;
  sdk::ToolSpec publishes = counts;
  publishes.name = "publish";
  publishes.description = "Publishes a text. A person is asked first.";
  publishes.approval = "ask";
  tools.add(std::move(counts), count_words).add(std::move(publishes), publish);
  return tools;
}

sdk::Result<std::string> start_demo_run(sdk::Client& client, const sdk::agents::Toolbox& tools) {
  if (const auto defined = tools.define(client); !defined.ok()) return defined.error();
  sdk::agents::Agents agents(client);
  sdk::AgentSpec spec;
  spec.name = kAgent;
  spec.description = "The agent of `muster dev`; its model is a recording.";
  spec.model = "demo";
  spec.tool_names = {"count_words", "publish"};
  spec.cache_prompt = false;  // marks of the cache would stand in the messages that the cassette knows
  const auto agent = agents.have(std::move(spec));
  if (!agent.ok()) return agent.error();
  sdk::AgentRunQuery waiting;
  waiting.agent_id = agent->id;
  waiting.unfinished = true;
  const auto page = client.agent_runs(waiting);
  if (!page.ok()) return page.error();
  if (!page->runs.empty()) return page->runs.front().id;
  sdk::AgentRunRequest request;
  request.agent = agent->id;
  request.prompt = kPrompt;
  const auto run = agents.start(std::move(request));
  if (!run.ok()) return run.error();
  return run->id;
}

}  // namespace muster
