// A workflow that waits for people: data by a signal, a decision by an approval, and what happens when nobody answers. A child
// does part of the work.
#include <muster/workflow.h>

#include <cstdio>
#include <cstdlib>
#include <string>

namespace workflow = muster::sdk::workflow;
using namespace std::chrono_literals;
using workflow::json;

int price(workflow::Context& context, int days) {
  return context.step("look up", [&] { return 120 * days; });
}

std::string travel(workflow::Context& context) {
  const auto request = context.signal<json>("request");
  const int days = request->at("days");
  const int cost = context.child<int>("price it", "price", days);
  const workflow::Approval decision = context.approval("approve");
  const auto objection = context.signal<std::string>("objection", 100ms);
  if (!decision.approved) return "refused by " + decision.by;
  if (objection) return "stopped: " + *objection;
  return "approved by " + decision.by + " for " + std::to_string(cost);
}

int main() {
  const char* configured = std::getenv("MUSTER_ADDRESS");
  const std::string address = configured != nullptr ? configured : "127.0.0.1:50051";

  auto worker = workflow::Worker::builder(address, "travel").build();
  if (!worker.ok()) return std::fprintf(stderr, "%s\n", worker.error().text().c_str()), 1;
  worker->register_workflow("travel", travel).register_workflow("price", price);
  if (auto begun = worker->start(); !begun.ok()) return std::fprintf(stderr, "%s\n", begun.error().text().c_str()), 1;

  auto client = workflow::Client::open({.address = address}, "travel");
  if (!client.ok()) return std::fprintf(stderr, "%s\n", client.error().text().c_str()), 1;
  auto run = client->start("travel", nullptr);
  if (!run.ok()) return std::fprintf(stderr, "%s\n", run.error().text().c_str()), 1;
  // Signals are kept until they are waited for: their order here does not matter.
  const auto asked = run->signal("request", json{{"days", 3}});
  const auto decided = run->signal("approve", json{{"approved", true}, {"by", "ada"}});
  if (!asked.ok() || !decided.ok()) return std::fprintf(stderr, "%s\n", (asked.ok() ? decided : asked).error().text().c_str()), 1;
  const auto result = run->result<std::string>(30s);
  if (!result.ok()) return std::fprintf(stderr, "%s\n", result.error().text().c_str()), 1;
  std::printf("%s\n", result->c_str());
  return *result == "approved by ada for 360" ? 0 : 1;
}
