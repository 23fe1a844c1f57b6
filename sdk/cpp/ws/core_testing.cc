#include "sdk/cpp/ws/core_testing.h"

#include <stdexcept>

#include "base/ascii.h"
#include "sdk/cpp/ws/hello.h"
#include "websocket/upgrade.h"

namespace muster::sdk::ws {

CoreOptions test_options(session::Protocol protocol) {
  WorkerOptions worker;
  worker.protocol = protocol == session::Protocol::v1 ? ProtocolVersion::v1 : ProtocolVersion::v2;
  worker.name = "test-worker";
  worker.instance_id = kTestInstance;
  worker.hostname = "vm";
  worker.token = "dev-token";
  worker.max_parallel = 4;
  const std::vector<std::string> types{"demo.echo", "demo.slow", "demo.loop"};
  CoreOptions out;
  out.machine.protocol = protocol;
  out.machine.endpoint = *parse_endpoint("ws://127.0.0.1:8080/ws/worker");
  out.machine.sender_id = protocol == session::Protocol::v1 ? worker.name : kTestInstance;
  out.machine.user_agent = "test";
  out.machine.handshake = handshake_payload(worker, "");
  out.machine.registration = registration_payload(worker, types);
  out.machine.retirement = retirement_payload(worker);
  out.machine.seed = 7;
  out.machine.random = [word = std::uint64_t{7}]() mutable { return word = mix64(word); };
  out.limits = {.max_parallel = worker.max_parallel, .per_node = {}};
  out.worker_name = worker.name;
  out.node_types = {types.begin(), types.end()};
  out.load = [] { return json::Tree{{"cpu_pct", 1.5}, {"mem_pct", 20.0}, {"disk_pct", 30.0}}; };
  return out;
}

AskedUpgrade read_upgrade(std::string_view request) {
  AskedUpgrade out;
  out.method = request.substr(0, request.find(' '));
  request.remove_prefix(request.find("\r\n") + 2);
  while (!request.empty() && !request.starts_with("\r\n")) {
    const std::string_view line = request.substr(0, request.find("\r\n"));
    request.remove_prefix(line.size() + 2);
    out.headers.emplace_back(lower(line.substr(0, line.find(':'))), std::string(trimmed(line.substr(line.find(':') + 1))));
  }
  return out;
}

bool ScriptedScheduler::connect() {
  worker_.work();
  Machine& machine = worker_.core.machine();
  if (!machine.wants_connection(worker_.now())) return false;
  frames_.clear();
  machine.connected(worker_.now());
  const AskedUpgrade asked = read_upgrade(machine.take_output());
  const websocket::HeaderValues headers = [&asked](std::string_view name) {
    std::vector<std::string_view> values;
    for (const auto& [key, value] : asked.headers)
      if (key == name) values.push_back(value);
    return values;
  };
  auto judged = websocket::judge_upgrade({.method = asked.method, .headers = headers}, {});
  auto& accepted = std::get<websocket::UpgradeAcceptance>(judged);
  websocket::PeerOptions options;
  options.deflate = accepted.deflate;
  peer_.emplace(std::move(options), worker_.now().ticks);
  closed_ = false;
  machine.received(accepted.response, worker_.now());
  worker_.work();
  return true;
}

void ScriptedScheduler::refuse_upgrade(unsigned status) {
  Machine& machine = worker_.core.machine();
  machine.connected(worker_.now());
  static_cast<void>(machine.take_output());
  machine.received("HTTP/1.1 " + std::to_string(status) + " No\r\nContent-Length: 0\r\n\r\n", worker_.now());
  machine.disconnected("closed", worker_.now());
  worker_.work();
}

void ScriptedScheduler::look() {
  worker_.work();
  Machine& machine = worker_.core.machine();
  const std::string output = machine.take_output();
  std::string_view bytes = output;
  while (peer_) {
    const auto event = peer_->received(bytes, worker_.now().ticks);
    if (!event) break;
    if (const auto* text = std::get_if<websocket::Text>(&*event)) frames_.push_back(Json::parse(text->data));
    if (std::holds_alternative<websocket::Close>(*event)) closed_ = true;
  }
  if (!peer_) return;
  const std::string answer = peer_->take_output();
  if (!answer.empty()) machine.received(answer, worker_.now());
  if (machine.wants_disconnect()) {
    machine.disconnected("closed", worker_.now());
    peer_.reset();
    worker_.work();
  }
}

std::vector<Json> ScriptedScheduler::heard() {
  look();
  std::vector<Json> out(frames_.begin(), frames_.end());
  frames_.clear();
  return out;
}

bool ScriptedScheduler::hears(std::string_view type) {
  look();
  for (const Json& one : frames_)
    if (one["type"] == type) return true;
  return false;
}

Json ScriptedScheduler::hear(std::string_view type) {
  look();
  std::string others;
  while (!frames_.empty()) {
    Json one = std::move(frames_.front());
    frames_.pop_front();
    if (one["type"] == type) return one;
    others += " " + one.dump();
  }
  throw std::runtime_error("no " + std::string(type) + " came, but" + (others.empty() ? " nothing at all" : others));
}

void ScriptedScheduler::say(const Json& frame) {
  peer_->send_text(frame.dump());
  worker_.core.machine().received(peer_->take_output(), worker_.now());
  look();
}

void ScriptedScheduler::say_and_close(const Json& frame, int code, std::string_view reason) {
  peer_->send_text(frame.dump());
  close(code, reason);
}

void ScriptedScheduler::close(int code, std::string_view reason) {
  worker_.work();
  peer_->close(static_cast<websocket::CloseCode>(code), reason, worker_.now().ticks + Duration(5'000));
  worker_.core.machine().received(peer_->take_output(), worker_.now());
  look();
}

void ScriptedScheduler::cut() {
  look();
  peer_.reset();
  worker_.core.machine().disconnected("cut", worker_.now());
  worker_.work();
}

Json ScriptedScheduler::frame(std::string_view type, Json payload) const {
  return {{"type", type},
          {"id", "s-" + std::to_string(ids_++)},
          {"ts", "2026-11-15T07:57:25.991475+00:00"},
          {"tenant", "default"},
          {"sender", {{"role", "scheduler"}, {"id", "scheduler-control"}}},
          {"payload", std::move(payload)}};
}

void ScriptedScheduler::ack(const Json& acked, std::optional<std::uint64_t> ack_seq, bool in_envelope) {
  const bool v1 = !acked["type"].get<std::string>().starts_with("control.") && !acked.contains("session_seq") && !ack_seq;
  Json out = frame(v1 ? "ack" : "control.ack", {{"ok", true}, {"for", acked["id"]}});
  if (!v1) {
    out["payload"]["ack_seq"] = ack_seq.value_or(0);
    out["payload"]["ack_bitmap"] = 0;
    out["payload"]["recv_window"] = 64;
  }
  if (in_envelope) out["ack"] = {{"for", acked["id"]}};
  say(out);
}

Json ScriptedScheduler::accept(bool resumed) const {
  return frame("control.session.accept",
               {{"session_id", "s1"}, {"session_token", "t1"}, {"resumed", resumed}, {"worker_instance_id", kTestInstance}});
}

Json ScriptedScheduler::dispatch(std::string task, std::uint64_t number, std::string node_type) const {
  Json out = frame("biz.exec.dispatch", {{"run_id", "run-1"},
                                         {"task_id", task},
                                         {"node_id", task},
                                         {"node_type", std::move(node_type)},
                                         {"package_name", "test-worker"},
                                         {"package_version", "0.1.0"},
                                         {"parameters", {{"m", "hi"}}},
                                         {"constraints", Json::object()},
                                         {"concurrency_key", "run-1:" + task}});
  out["corr"] = task;
  out["seq"] = number;
  out["session_seq"] = number;
  out["ack"] = {{"request", true}};
  return out;
}

void ScriptedScheduler::let_in() {
  ASSERT_TRUE(connect());
  ack(hear("control.handshake"));
  ack(hear("control.register"));
  say(accept());
  ASSERT_TRUE(worker_.core.machine().is_ready());
}

}  // namespace muster::sdk::ws
