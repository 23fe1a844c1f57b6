#include "bench/ws/frames.h"

#include <charconv>
#include <iterator>

#include <fmt/format.h>

namespace muster::bench::ws {
namespace {

constexpr std::string_view kTime = "2026-11-15T07:57:26.094271+00:00";

// The text behind `name` up to the next quote, or the digits behind it.
std::string_view behind(std::string_view text, std::string_view name) {
  const std::size_t at = text.find(name);
  if (at == std::string_view::npos) return {};
  text.remove_prefix(at + name.size());
  return text.substr(0, text.find_first_of("\",}"));
}

std::uint64_t number_of(std::string_view digits) {
  std::uint64_t out = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), out);
  return out;
}

}  // namespace

std::string instance_id(std::size_t number) { return fmt::format("7a9c624c-a264-4858-819a-{:012}", number); }

std::string handshake(std::string_view instance) {
  return fmt::format(
      R"({{"type": "control.handshake", "id": "control.handshake-0", "ts": "{}", "tenant": "default", "sender": {{"role": "worker", "id": "{}"}}, )"
      R"("ack": {{"request": true}}, "payload": {{"protocol": 1, "auth": {{"mode": "token", "token": "dev-token"}}, "worker": {{"worker_name": )"
      R"("worker-local", "worker_instance_id": "{}", "version": "0.1.0", "hostname": "vm"}}}}}})",
      kTime, instance, instance);
}

std::string registration(std::string_view instance, std::size_t max_parallel) {
  return fmt::format(
             R"({{"type": "control.register", "id": "control.register-1", "ts": "{}", "tenant": "default", "sender": {{"role": "worker", "id": )"
             R"("{}"}}, "ack": {{"request": true}}, "payload": {{"capabilities": {{"concurrency": {{"max_parallel": {}}}, )",
             kTime, instance, max_parallel) +
         R"("runtimes": ["python"], "features": []}, "payload_types": ["biz.exec.dispatch", "biz.exec.result", "biz.exec.feedback", )"
         R"("biz.exec.error", "biz.exec.next.request", "biz.exec.next.response", "biz.pkg.install", "biz.pkg.uninstall", "biz.pkg.event"], )"
         R"("packages": [{"name": "demo.pkg", "version": "1.0.0", "status": "installed"}], "manifests": [{"name": "demo.pkg", "version": )"
         R"("1.0.0", "manifest": {"schemaVersion": "1.0.0", "name": "demo.pkg", "version": "1.0.0", "description": "d", "adapters": )"
         R"([{"name": "a", "entrypoint": "adapters.a", "capabilities": ["demo.echo"]}], "python": {"requires": ">=3.10"}, "nodes": )"
         R"([{"type": "demo.echo", "status": "published", "category": "c", "label": "l", "adapter": "a", "handler": "echo", "schema": )"
         R"({}}]}}]}})";
}

void heartbeat(std::string& out, std::string_view instance, std::uint64_t counter) {
  fmt::format_to(
      std::back_inserter(out),
      R"({{"type": "control.heartbeat", "id": "control.heartbeat-{}", "ts": "{}", "tenant": "default", "sender": {{"role": "worker", "id": "{}"}}, )"
      R"("payload": {{"healthy": true, "metrics": {{"cpu_pct": 37.8, "mem_pct": 4.0, "disk_pct": 24.7, "inflight": 0, "resource_handles": 0, )"
      R"("resource_bytes": 0, "pending_acks": 0, "app_queue": 0, "app_queue_drops": 0, "conn_state": "connected", "send_inflight": 0, )"
      R"("send_waiters": 0, "last_recv_ms": 1020, "last_send_ms": 1928, "last_ack_ms": 1927, "recv_queue": 0, "recv_base_seq": 1, )"
      R"("recv_buffer": 0}}}}}})",
      counter, kTime, instance);
}

bool read_dispatch(std::string_view text, Dispatch& out) {
  out.id = behind(text, R"("id":")");
  out.run = behind(text, R"("run_id":")");
  out.task = behind(text, R"("task_id":")");
  out.seq = number_of(behind(text, R"("seq":)"));
  out.number = number_of(behind(text.substr(text.size() - std::min<std::size_t>(text.size(), 48)), R"("session_seq":)"));
  return !out.id.empty() && !out.run.empty() && !out.task.empty() && out.number > 0;
}

void dispatch_ack(std::string& out, std::string_view instance, std::uint64_t counter, const Dispatch& dispatch) {
  fmt::format_to(
      std::back_inserter(out),
      R"({{"type": "control.ack", "id": "control.ack-{}", "ts": "{}", "corr": "{}", "seq": {}, "tenant": "default", "sender": {{"role": "worker", )"
      R"("id": "{}"}}, "payload": {{"ok": true, "for": "{}", "ack_seq": {}, "ack_bitmap": 0, "recv_window": 64}}, "ack": {{"for": "{}"}}}})",
      counter, kTime, dispatch.task, dispatch.seq, instance, dispatch.id, dispatch.number, dispatch.id);
}

void result(std::string& out, std::string_view instance, std::uint64_t counter, std::uint64_t number, const Dispatch& dispatch) {
  fmt::format_to(
      std::back_inserter(out),
      R"({{"type": "biz.exec.result", "id": "biz.exec.result-{}", "ts": "{}", "corr": "{}", "seq": {}, "tenant": "default", "sender": {{"role": )"
      R"("worker", "id": "{}"}}, "ack": {{"request": true}}, "payload": {{"run_id": "{}", "task_id": "{}", "status": "SUCCEEDED", "result": )"
      R"({{"x": 1}}, "duration_ms": 0, "metadata": {{"concurrency_key": "{}:demo.echo", "constraints": {{}}}}}}, "session_seq": {}}})",
      counter, kTime, dispatch.id, dispatch.seq, instance, dispatch.run, dispatch.task, dispatch.run, number);
}

std::string scheduler_ack(std::uint64_t number) {
  return fmt::format(
      R"({{"type":"control.ack","id":"823678cb-7024-4ccb-ba82-c15db0577761","ts":"2026-11-15T07:57:26.300420+00:00","corr":)"
      R"("b5c1a0de-1b7f-7aa0-9a59-0c5d2a1f6b11","tenant":"default","sender":{{"role":"scheduler","id":"scheduler-control"}},"ack":{{"for":)"
      R"("biz.exec.result-4"}},"payload":{{"ok":true,"for":"biz.exec.result-4","ack_seq":{},"ack_bitmap":0,"recv_window":64}}}})",
      number);
}

std::string scheduler_accept() {
  return R"({"type":"control.session.accept","id":"45daa8b9-5172-4e5b-90a6-129854e4a548","ts":"2026-11-15T07:57:25.993610+00:00","tenant":)"
         R"("default","sender":{"role":"scheduler","id":"scheduler-control"},"payload":{"session_id":"5f0c3a52-7d0e-4c0e-9a59-0c5d2a1f6b11",)"
         R"("session_token":"e30.e30","expires_at":"2026-11-15T08:57:25+00:00","resumed":false,"worker_instance_id":"w"}})";
}

std::string scheduler_dispatch(std::uint64_t number) {
  return fmt::format(
      R"({{"type":"biz.exec.dispatch","id":"b5c1a0de-1b7f-7aa0-9a59-0c5d2a1f6b11","ts":"2026-11-15T07:57:26.094271+00:00","corr":)"
      R"("7c0a31ba-0000-4000-8000-00000000a001","seq":1,"tenant":"default","sender":{{"role":"scheduler","id":"scheduler-control"}},"ack":)"
      R"({{"request":true}},"payload":{{"concurrency_key":"7c0a31ba-0000-4000-8000-00000000a001:demo.echo","constraints":{{}},"node_id":)"
      R"("demo.echo","node_type":"demo.echo","package_name":"demo.pkg","package_version":"1.0.0","parameters":{{"m":"hi"}},"run_id":)"
      R"("7c0a31ba-0000-4000-8000-00000000a001","task_id":"7c0a31ba-0000-4000-8000-00000000a001"}},"session_seq":{}}})",
      number);
}

void append_client_frame(std::string& out, std::uint8_t opcode, std::string_view payload) {
  constexpr char kMasked = '\x80';
  out += static_cast<char>(0x80 | opcode);
  if (payload.size() < 126) {
    out += static_cast<char>(kMasked | static_cast<char>(payload.size()));
  } else {  // no frame of a load needs the longest form
    out += static_cast<char>(kMasked | 126);
    out += static_cast<char>(payload.size() >> 8);
    out += static_cast<char>(payload.size() & 0xff);
  }
  out.append(4, '\0');
  out += payload;
}

std::string upgrade_text() {
  return "GET /ws/worker HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: "
         "13\r\n"
         "Sec-WebSocket-Key: MDEyMzQ1Njc4OWFiY2RlZg==\r\nUser-Agent: Python/3.11 websockets/12.0\r\n\r\n";
}

ServerFrame first_frame(std::string_view in) {
  if (in.size() < 2) return {};
  const auto byte = [&in](std::size_t at) { return static_cast<std::size_t>(static_cast<unsigned char>(in[at])); };
  std::size_t length = byte(1) & 0x7f;
  std::size_t header = 2;
  const std::size_t extended = length == 126 ? 2 : length == 127 ? 8 : 0;
  if (extended > 0) {
    header += extended;
    if (in.size() < header) return {};
    length = 0;
    for (std::size_t i = 2; i < header; ++i) length = length << 8 | byte(i);
  }
  if (in.size() < header + length) return {};
  return {.opcode = static_cast<std::uint8_t>(byte(0) & 0x0f), .payload = in.substr(header, length), .bytes = header + length};
}

}  // namespace muster::bench::ws
