// How busy this machine is, as heartbeats tell it: measured from /proc and the file system, never guessed. One thread at a time.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace muster::sdk::ws {

// In percent. nullopt: it cannot be read here.
struct MachineLoad {
  std::optional<double> cpu_pct;  // of all cores, since the last reading
  std::optional<double> mem_pct;
  std::optional<double> disk_pct;
};

class LoadMeter {
 public:
  explicit LoadMeter(std::string folder);
  MachineLoad read();

 private:
  std::string folder_;
  std::uint64_t busy_ = 0;
  std::uint64_t total_ = 0;
};

}  // namespace muster::sdk::ws
