// What the WebSocket front counts, under the names that AstraFlow's documents give. On the loop's thread.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/metrics.h"

namespace muster::ws {

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
  void refused(std::string_view reason);  // a frame that was neither handled nor acknowledged, or whose payload was not used

 private:
  struct Tenant {
    Gauge* connections = nullptr;
    Counter* bytes_in = nullptr;
    Counter* bytes_out = nullptr;
  };
  Tenant& of(const std::string& tenant);

  Metrics& metrics_;
  std::map<std::string, Tenant> tenants_;
};

}  // namespace muster::ws
