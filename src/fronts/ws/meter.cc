#include "fronts/ws/meter.h"

#include <vector>

#include "model/limits.h"

namespace muster::ws {

namespace {

const std::string kOther(kOtherLabel);

bool is_name(const std::string& text) { return text.size() <= limits::kNameBytesMax; }

}  // namespace

Meter::Tenant& Meter::of(const std::string& tenant) {
  const auto known = tenants_.find(tenant);
  if (known != tenants_.end()) return known->second;
  if (tenant != kOther && (tenants_.size() >= kTenantLabelsMax || !is_name(tenant))) return of(kOther);
  Tenant& fresh = tenants_[tenant];
  fresh.label = tenant;
  fresh.connections = &metrics_.gauge("ws_conn_active", "Sockets of workers that have a session.", {{"tenant", tenant}});
  constexpr std::string_view kBytes = "Bytes of messages, before compression.";
  fresh.bytes_in = &metrics_.counter("ws_frame_bytes_total", kBytes, {{"tenant", tenant}, {"dir", "in"}});
  fresh.bytes_out = &metrics_.counter("ws_frame_bytes_total", kBytes, {{"tenant", tenant}, {"dir", "out"}});
  return fresh;
}

Meter::NodeType& Meter::of(const std::string& tenant, const std::string& node_type) {
  Tenant& whose = of(tenant);
  const auto known = whose.node_types.find(node_type);
  if (known != whose.node_types.end()) return known->second;
  if (node_type != kOther && (node_types_ >= kNodeTypeLabelsMax || !is_name(node_type))) return of(tenant, kOther);
  static const std::vector<double> kBounds{1, 5, 10, 25, 50, 100, 250, 500, 1'000, 2'500, 5'000, 10'000, 60'000, 600'000};
  NodeType& fresh = whose.node_types[node_type];
  const MetricLabels labels{{"tenant", whose.label}, {"node_type", node_type}};
  fresh.dispatched = &metrics_.counter("cmd_dispatch_total", "Tasks sent to workers.", labels);
  fresh.latency =
      &metrics_.histogram("result_latency_ms", "Milliseconds from the first dispatch of a task to its result.", kBounds, labels);
  ++node_types_;
  return fresh;
}

void Meter::connected(const std::string& tenant, int by) { of(tenant).connections->add(by); }

void Meter::frame(const std::string& tenant, Direction direction, std::size_t bytes) {
  (direction == Direction::in ? of(tenant).bytes_in : of(tenant).bytes_out)->add(bytes);
}

void Meter::heartbeat_missed(const std::string& tenant, const std::string& worker) {
  Tenant& whose = of(tenant);
  const bool known = whose.workers.contains(worker);
  const bool named = known || (workers_ < kWorkerLabelsMax && is_name(worker));
  if (named && !known) {
    whose.workers.insert(worker);
    ++workers_;
  }
  metrics_
      .counter("ws_heartbeat_miss_total", "Beats that did not come in time.",
               {{"tenant", whose.label}, {"worker", named ? worker : kOther}})
      .add();
}

void Meter::dispatched(const std::string& tenant, const std::string& node_type) { of(tenant, node_type).dispatched->add(); }

void Meter::retried(std::string_view reason) {
  metrics_.counter("cmd_retry_total", "Tasks sent to workers again.", {{"reason", std::string(reason)}}).add();
}

void Meter::result(const std::string& tenant, const std::string& node_type, Duration took) {
  of(tenant, node_type).latency->observe(static_cast<double>(took.count()));
}

void Meter::hole_skipped(std::uint64_t numbers) {
  metrics_.counter("ws_seq_hole_total", "Numbers of workers' frames that were given up.").add(numbers);
}

void Meter::result_number(std::string_view verdict) {
  metrics_
      .counter("ws_result_numbers_total", "Results of protocol 1 whose number was not the next.",
               {{"verdict", std::string(verdict)}})
      .add();
}

void Meter::refused(std::string_view reason) {
  metrics_.counter("ws_frames_refused_total", "Frames of workers that were not used.", {{"reason", std::string(reason)}}).add();
}

}  // namespace muster::ws
