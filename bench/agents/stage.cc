#include "bench/agents/stage.h"

#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>

#include <fmt/format.h>

#include "bench/http_client.h"

namespace muster::bench::agents {
namespace {

constexpr std::size_t kStarters = 32;   // connections that start runs
constexpr std::size_t kWatchers = 8;    // connections that wait for their ends
constexpr std::size_t kToolHands = 32;  // connections that run tools
constexpr int kWaitMs = 4'000;          // less than drive() waits for a word

std::vector<Connection> connections(int port, std::size_t count) {
  std::vector<Connection> all(count);
  for (std::size_t i = 0; i < count; ++i) all[i] = {.socket = connect_loopback(port), .index = i};
  return all;
}

void close_all(std::vector<Connection>& all) {
  for (Connection& one : all)
    if (one.socket >= 0) ::close(one.socket);
}

std::string ask_once(int port, std::string_view method, std::string_view path, std::string_view body = {}) {
  const int socket = connect_loopback(port);
  std::string answer = ask(socket, request_text(method, path, body));
  ::close(socket);
  return answer;
}

bool is_end(std::string_view state) { return state == "completed" || state == "failed" || state == "cancelled"; }

}  // namespace

Stage::Stage(const Settings& settings, std::string_view name, const std::string& script) {
  const std::string folder = fresh_folder(settings, name);
  const std::string stand_in = (std::filesystem::path(settings.server).parent_path() / "tests" / "claude_stand_in").string();
  std::ofstream(folder + "/script.json") << script;
  api_ = resp::start_program({stand_in, "--script", folder + "/script.json", "--no-bodies"}, "http");
  ::setenv("MUSTER_AGENTS_BASE_URL", api_url().c_str(), 1);
  ::setenv("MUSTER_AGENTS_POLL_INTERVAL", "1s", 1);
  ::setenv("ANTHROPIC_API_KEY", "none", 1);
  ::setenv("MUSTER_LIMITS_CONNECTIONS_MAX", "4000", 1);
  ours_ = resp::start_program(
      {settings.server, "serve", "--data-dir", folder + "/data", "--resp", "off", "--http", "127.0.0.1:0", "--grpc", "off"},
      "http");
  for (const char* one :
       {"MUSTER_AGENTS_BASE_URL", "MUSTER_AGENTS_POLL_INTERVAL", "ANTHROPIC_API_KEY", "MUSTER_LIMITS_CONNECTIONS_MAX"})
    ::unsetenv(one);
  if (api_->port() == 0 || ours_->port() == 0) {
    trouble_ = api_->port() == 0 ? "the stand-in of the model's API did not start: " + stand_in : "the server did not start";
    return;
  }
  for (const std::string_view tool : {"look", "note"})
    ask_once(ours_->port(), "POST", "/api/v1/tools",
             fmt::format(R"({{"name":"{}","description":"a tool","input_schema":{{"type":"object"}}}})", tool));
  const std::string made =
      ask_once(ours_->port(), "POST", "/api/v1/agents", R"({"name":"clerk","model":"bench","tool_names":["look","note"]})");
  if (member(made, "id").empty()) trouble_ = "the agent was not made: " + made.substr(0, 200);
}

std::string Stage::api_url() const { return fmt::format("http://127.0.0.1:{}", api_->port()); }

std::vector<std::string> Stage::start_runs(std::size_t count, const std::string& more) {
  std::vector<std::string> ids;
  ids.reserve(count);
  std::size_t asked = 0;
  auto all = connections(ours_->port(), std::min(count, kStarters));
  drive(all, [&](Connection&, const Answer& answer) -> std::string {
    if (answer.status == 201) ids.push_back(member(answer.body, "id"));
    if (answer.status != 0 && answer.status != 201) trouble_ = std::string(answer.body.substr(0, 200));
    if (asked == count || !trouble_.empty()) return {};
    return request_text("POST", "/api/v1/agent-runs", fmt::format(R"({{"agent":"clerk","prompt":"run {}"{}}})", asked++, more));
  });
  close_all(all);
  return ids;
}

std::size_t Stage::completed(const std::vector<std::string>& runs) {
  std::size_t next = 0;
  std::size_t done = 0;
  auto all = connections(ours_->port(), kWatchers);
  std::vector<std::string> watched(all.size());
  drive(all, [&](Connection& one, const Answer& answer) -> std::string {
    std::string& id = watched[one.index];
    if (answer.status != 0) {
      const std::string state = member(answer.body, "state");
      if (answer.status != 200 || is_end(state)) id.clear();
      done += state == "completed" ? 1 : 0;
    }
    if (id.empty()) {
      if (next == runs.size()) return {};
      id = runs[next++];
    }
    return request_text("GET", fmt::format("/api/v1/agent-runs/{}?wait_ms={}", id, kWaitMs), {});
  });
  close_all(all);
  return done;
}

std::size_t Stage::calls(std::string_view path) const {
  const std::string journal = ask_once(api_->port(), "GET", "/journal");
  const std::string mark = fmt::format(R"("method":"POST","path":"{}")", path);
  std::size_t seen = 0;
  for (std::size_t at = 0; (at = journal.find(mark, at)) != std::string::npos; at += mark.size()) ++seen;
  return seen;
}

struct Toolbox::State {
  std::atomic<bool> stop{false};
  std::thread thread;
};

namespace {

// A worker that beats rarely: a measurement is shorter than its silence may be.
std::string hand_of(std::size_t index) {
  return request_text(
      "POST", "/api/v1/workers",
      fmt::format(
          R"({{"id":"hand-{}","capabilities":["tool:look","tool:note"],"queues":["tools"],"heartbeat_ms":60000,"dead_after_ms":600000}})",
          index));
}

}  // namespace

// Each connection is a worker that takes one tool at a time.
Toolbox::Toolbox(int port) : state_(std::make_unique<State>()) {
  state_->thread = std::thread([state = state_.get(), port] {
    auto all = connections(port, kToolHands);
    for (Connection& one : all) ask(one.socket, hand_of(one.index));
    drive(all, [state](Connection& one, const Answer& answer) -> std::string {
      const std::string id = member(answer.body, "id");
      const std::string fence = member(answer.body, "fence");
      if (!id.empty() && !fence.empty() && answer.body.find("\"jobs\"") != std::string_view::npos)
        return request_text("POST", fmt::format("/api/v1/jobs/{}/complete", id),
                            fmt::format(R"({{"fence":{},"result":"seen"}})", fence));
      if (state->stop) return {};
      if (answer.status == 404) return hand_of(one.index);  // it was given up after all
      return request_text("POST", "/api/v1/jobs/claim",
                          fmt::format(R"({{"worker":"hand-{}","limit":1,"wait_ms":300}})", one.index));
    });
    close_all(all);
  });
}

Toolbox::~Toolbox() {
  state_->stop = true;
  state_->thread.join();
}

}  // namespace muster::bench::agents
