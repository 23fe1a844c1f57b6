// An agent with a tool that is a function of this program. Against the demo of `muster dev` it needs neither a key nor a network.
#include <muster/agents.h>
#include <muster/client.h>
#include <muster/worker.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>

namespace sdk = muster::sdk;
namespace agents = muster::sdk::agents;

namespace {

std::string from_environment(const char* name, const char* otherwise) {
  const char* configured = std::getenv(name);
  return configured != nullptr ? configured : otherwise;
}

int fail(const sdk::Error& error) {
  std::fprintf(stderr, "%s\n", error.text().c_str());
  return 1;
}

sdk::ToolSpec weather_tool() {
  sdk::ToolSpec tool;
  tool.name = "get_weather";
  tool.description = "The weather of a city.";
  tool.input_schema = R"({"type":"object","properties":{"city":{"type":"string"}},"required":["city"]})";
  return tool;
}

sdk::Outcome get_weather(const agents::ToolCall& call) {
  std::fprintf(stderr, "[get_weather %.*s]\n", static_cast<int>(call.input.size()), call.input.data());
  return agents::answer("sunny, 21 degrees");
}

// 0: the run completed.
int ask(sdk::Client& client) {
  agents::Agents all(client);
  sdk::AgentSpec spec;
  spec.name = "example-weather";
  spec.model = from_environment("MUSTER_MODEL", "claude-sonnet-4-5");
  spec.system_prompt = "Answer in one sentence.";
  spec.tool_names = {"get_weather"};
  const auto agent = all.have(spec);
  if (!agent.ok()) return fail(agent.error());

  sdk::AgentRunRequest request;
  request.agent = agent->id;
  request.prompt = "How is the weather in Berlin?";
  const auto run = all.start(request);
  if (!run.ok()) return fail(run.error());
  const auto done = all.follow(run->id, [](const agents::RunEvent& event) {
    if (event.type == "text_delta") std::printf("%s", event.text.c_str());
  });
  if (!done.ok()) return fail(done.error());
  std::printf("\n%s, %llu tokens\n", done->state.c_str(), static_cast<unsigned long long>(done->usage.total()));
  return done->state == "completed" ? 0 : 1;
}

}  // namespace

int main() {
  const sdk::ClientOptions options{.server = "http://" + from_environment("MUSTER_HTTP", "127.0.0.1:8080")};
  const auto client = sdk::Client::open(options);
  if (!client.ok()) return fail(client.error());

  agents::Toolbox tools;
  tools.add(weather_tool(), get_weather);
  if (const auto defined = tools.define(**client); !defined.ok()) return fail(defined.error());
  sdk::WorkerOptions worker_options;
  worker_options.spec.id = "example-agent-tools";
  worker_options.spec = tools.offered(worker_options.spec);
  const auto worker = sdk::Worker::open(options, worker_options, tools.handler());
  if (!worker.ok()) return fail(worker.error());

  std::thread working([&] {
    if (const auto ended = (*worker)->run(); !ended.ok()) fail(ended.error());
  });
  const int code = ask(**client);
  (*worker)->stop();
  working.join();
  return code;
}
