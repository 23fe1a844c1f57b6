#include "fronts/ws/meter.h"

namespace muster::ws {

Meter::Tenant& Meter::of(const std::string& tenant) {
  const auto [found, fresh] = tenants_.try_emplace(tenant);
  if (fresh) {
    found->second.connections =
        &metrics_.gauge("ws_conn_active", "Sockets of workers that have a session.", {{"tenant", tenant}});
    constexpr std::string_view kBytes = "Bytes of messages, before compression.";
    found->second.bytes_in = &metrics_.counter("ws_frame_bytes_total", kBytes, {{"tenant", tenant}, {"dir", "in"}});
    found->second.bytes_out = &metrics_.counter("ws_frame_bytes_total", kBytes, {{"tenant", tenant}, {"dir", "out"}});
  }
  return found->second;
}

void Meter::connected(const std::string& tenant, int by) { of(tenant).connections->add(by); }

void Meter::frame(const std::string& tenant, Direction direction, std::size_t bytes) {
  (direction == Direction::in ? of(tenant).bytes_in : of(tenant).bytes_out)->add(bytes);
}

void Meter::heartbeat_missed(const std::string& tenant, const std::string& worker) {
  metrics_.counter("ws_heartbeat_miss_total", "Beats that did not come in time.", {{"tenant", tenant}, {"worker", worker}}).add();
}

void Meter::dispatched(const std::string& tenant, const std::string& node_type) {
  metrics_.counter("cmd_dispatch_total", "Tasks sent to workers.", {{"tenant", tenant}, {"node_type", node_type}}).add();
}

void Meter::retried(std::string_view reason) {
  metrics_.counter("cmd_retry_total", "Tasks sent to workers again.", {{"reason", std::string(reason)}}).add();
}

void Meter::result(const std::string& tenant, const std::string& node_type, Duration took) {
  static const std::vector<double> kBounds{1, 5, 10, 25, 50, 100, 250, 500, 1'000, 2'500, 5'000, 10'000, 60'000, 600'000};
  metrics_
      .histogram("result_latency_ms", "Milliseconds from the first dispatch of a task to its result.", kBounds,
                 {{"tenant", tenant}, {"node_type", node_type}})
      .observe(static_cast<double>(took.count()));
}

void Meter::hole_skipped(std::uint64_t numbers) {
  metrics_.counter("ws_seq_hole_total", "Numbers of workers' frames that were given up.").add(numbers);
}

void Meter::refused(std::string_view reason) {
  metrics_.counter("ws_frames_refused_total", "Frames of workers that were not used.", {{"reason", std::string(reason)}}).add();
}

}  // namespace muster::ws
