// A worker over WebSocket: a handler that tells how it gets on, and a job that is pushed to it.
#include <muster/client.h>
#include <muster/ws.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>

namespace ws = muster::sdk::ws;
using namespace std::chrono_literals;

ws::Outcome shout(ws::Task& task) {
  const ws::Json& text = task.parameters().at("text");
  ws::Feedback feedback;
  feedback.progress = 0.5;
  feedback.message = "halfway";
  feedback.chunks.push_back({.channel = ws::OutputChannel::log, .data = "shouting\n"});
  if (auto said = task.feedback(feedback); !said.ok()) std::fprintf(stderr, "%s\n", said.error().text().c_str());
  return ws::Outcome::succeeded({{"text", text.get<std::string>() + "!"}});
}

int main() {
  const char* configured = std::getenv("MUSTER_HTTP");
  const std::string address = configured != nullptr ? configured : "127.0.0.1:8080";

  ws::WorkerOptions options;
  options.url = "ws://" + address + "/ws/worker";
  options.name = "example";
  options.instance_id = "example-ws-worker";  // without it: kept in var/worker_instance_id
  auto worker = ws::Worker::open(options);
  if (!worker.ok()) return std::fprintf(stderr, "%s\n", worker.error().text().c_str()), 1;
  (*worker)->register_node("example.shout", shout);
  if (auto begun = (*worker)->start(); !begun.ok()) return std::fprintf(stderr, "%s\n", begun.error().text().c_str()), 1;

  auto client = muster::sdk::Client::open({.server = "http://" + address});
  if (!client.ok()) return std::fprintf(stderr, "%s\n", client.error().text().c_str()), 1;
  muster::sdk::JobSpec spec;
  spec.type = "example.shout";
  spec.needs = {"node:example.shout"};
  spec.payload = muster::sdk::Content{.data = R"({"text":"hello"})"};
  const auto submitted = (*client)->submit(spec);
  if (!submitted.ok()) return std::fprintf(stderr, "%s\n", submitted.error().text().c_str()), 1;
  for (int looks = 0; looks < 600; ++looks) {
    const auto job = (*client)->job(submitted->id);
    if (job.ok() && job->state == "completed" && job->result) {
      std::printf("%s\n", job->result->data.c_str());
      (*worker)->shutdown();
      return (*worker)->wait().ok() && job->result->data == R"({"text":"hello!"})" ? 0 : 1;
    }
    std::this_thread::sleep_for(50ms);
  }
  return std::fprintf(stderr, "the job was not completed\n"), 1;
}
