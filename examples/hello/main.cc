// The smallest durable workflow: a step that is remembered, a sleep that holds nothing, and a typed result.
#include <muster/workflow.h>

#include <cstdio>
#include <cstdlib>
#include <string>

namespace workflow = muster::sdk::workflow;
using namespace std::chrono_literals;

std::string hello(workflow::Context& context, std::string name) {
  const auto greeting = context.step("greet", [&] { return "hello, " + name; });
  context.sleep("breathe", 50ms);
  return greeting + "!";
}

int main() {
  const char* configured = std::getenv("MUSTER_ADDRESS");
  const std::string address = configured != nullptr ? configured : "127.0.0.1:50051";

  auto worker = workflow::Worker::builder(address, "hello").build();
  if (!worker.ok()) return std::fprintf(stderr, "%s\n", worker.error().text().c_str()), 1;
  worker->register_workflow("hello", hello);
  if (auto begun = worker->start(); !begun.ok()) return std::fprintf(stderr, "%s\n", begun.error().text().c_str()), 1;

  auto client = workflow::Client::open({.address = address}, "hello");
  if (!client.ok()) return std::fprintf(stderr, "%s\n", client.error().text().c_str()), 1;
  auto run = client->start("hello", std::string("world"));
  if (!run.ok()) return std::fprintf(stderr, "%s\n", run.error().text().c_str()), 1;
  const auto result = run->result<std::string>(30s);
  if (!result.ok()) return std::fprintf(stderr, "%s\n", result.error().text().c_str()), 1;
  std::printf("%s\n", result->c_str());
  return *result == "hello, world!" ? 0 : 1;
}
