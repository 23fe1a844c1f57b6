// Steps that fail: one that works at the third try, one that says when to come back, and one that must not be tried again.
#include <muster/workflow.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <string>

namespace workflow = muster::sdk::workflow;
using namespace std::chrono_literals;

std::atomic<int> flaky_calls = 0;
std::atomic<int> busy_calls = 0;
std::atomic<int> hopeless_calls = 0;

std::string report(workflow::Context& context) {
  const workflow::StepOptions patient{.retry = {.attempts_max = 5, .first_delay = 20ms, .factor = 2.0, .delay_max = 200ms}};
  const int tries = context.step("flaky", patient, [] {
    if (++flaky_calls < 3) throw std::runtime_error("connection reset");
    return flaky_calls.load();
  });
  context.step("busy", patient, [] {
    if (++busy_calls == 1) throw workflow::RetryAfter(30ms, "come back in a moment");
  });
  try {
    context.step("hopeless", patient, [] {
      ++hopeless_calls;
      throw workflow::NonRetryable("no such account");
    });
  } catch (const workflow::StepFailed& failure) {
    return "flaky took " + std::to_string(tries) + " tries; " + failure.what();
  }
  return "the hopeless step worked";
}

int main() {
  const char* configured = std::getenv("MUSTER_ADDRESS");
  const std::string address = configured != nullptr ? configured : "127.0.0.1:50051";

  auto worker = workflow::Worker::builder(address, "reports").build();
  if (!worker.ok()) return std::fprintf(stderr, "%s\n", worker.error().text().c_str()), 1;
  worker->register_workflow("report", report);
  if (auto begun = worker->start(); !begun.ok()) return std::fprintf(stderr, "%s\n", begun.error().text().c_str()), 1;

  auto client = workflow::Client::open({.address = address}, "reports");
  if (!client.ok()) return std::fprintf(stderr, "%s\n", client.error().text().c_str()), 1;
  auto run = client->start("report", nullptr);
  if (!run.ok()) return std::fprintf(stderr, "%s\n", run.error().text().c_str()), 1;
  const auto text = run->result<std::string>(30s);
  if (!text.ok()) return std::fprintf(stderr, "%s\n", text.error().text().c_str()), 1;
  std::printf("%s\n", text->c_str());
  const auto history = run->history();
  if (!history.ok()) return std::fprintf(stderr, "%s\n", history.error().text().c_str()), 1;
  for (const workflow::StepInfo& step : *history)
    std::printf("  %s, attempt %d: %s %s\n", step.name.c_str(), step.attempt, step.state.c_str(), step.error_message.c_str());
  const bool once = hopeless_calls == 1 && busy_calls == 2 && history->size() == 6;
  return once && *text == "flaky took 3 tries; no such account" ? 0 : 1;
}
