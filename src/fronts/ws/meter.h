// What the WebSocket front counts, under the names that AstraFlow's documents give. On the loop's thread.
//
// Tenants, workers and node types are named by peers: a name beyond the bounds here is counted as kOtherLabel, so that nobody can
// make the server remember names without end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/metrics.h"

namespace muster::ws {

inline constexpr std::size_t kTenantLabelsMax = 500;
inline constexpr std::size_t kWorkerLabelsMax = 5'000;    // workers that missed a beat
inline constexpr std::size_t kNodeTypeLabelsMax = 1'000;  // pairs of tenant and node type
inline constexpr std::string_view kOtherLabel = "other";

class Meter {
 public:
  explicit Meter(Metrics& metrics) : metrics_(metrics) {}

  void connected(const std::string& tenant, int by);
  enum class Direction : std::uint8_t { in, out };
  void frame(const std::string& tenant, Direction direction, std::size_t bytes);
  void heartbeat_missed(const std::string& tenant, const std::string& worker);
  void dispatched(const std::string& tenant, const std::string& node_type);
  void retried(std::string_view reason);
  void result(const std::string& tenant, const std::string& node_type, Duration took);
  void hole_skipped(std::uint64_t numbers);
  void result_number(std::string_view verdict);  // protocol 1: a number that was not the next
  void refused(std::string_view reason);  // a frame that was neither handled nor acknowledged, or whose payload was not used

 private:
  struct NodeType {
    Counter* dispatched = nullptr;
    Histogram* latency = nullptr;
  };
  struct Tenant {
    std::string label;
    Gauge* connections = nullptr;
    Counter* bytes_in = nullptr;
    Counter* bytes_out = nullptr;
    std::map<std::string, NodeType> node_types;
    std::set<std::string> workers;
  };
  Tenant& of(const std::string& tenant);
  NodeType& of(const std::string& tenant, const std::string& node_type);

  Metrics& metrics_;
  std::map<std::string, Tenant> tenants_;
  std::size_t node_types_ = 0;  // of all tenants
  std::size_t workers_ = 0;
};

}  // namespace muster::ws
