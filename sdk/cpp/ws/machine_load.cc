#include "sdk/cpp/ws/machine_load.h"

#include <sys/statvfs.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <utility>

namespace muster::sdk::ws {
namespace {

double rounded(double percent) { return std::round(percent * 10) / 10; }

struct Cpu {
  std::uint64_t busy = 0;
  std::uint64_t total = 0;
};

// The first line of /proc/stat: cpu user nice system idle iowait irq softirq steal …
std::optional<Cpu> read_cpu() {
  std::ifstream in("/proc/stat");
  std::string name;
  Cpu cpu;
  if (!(in >> name) || name != "cpu") return std::nullopt;
  constexpr int kFields = 8;
  for (int field = 0; field < kFields; ++field) {
    std::uint64_t ticks = 0;
    if (!(in >> ticks)) return std::nullopt;
    const bool idle = field == 3 || field == 4;
    cpu.total += ticks;
    if (!idle) cpu.busy += ticks;
  }
  return cpu;
}

std::optional<double> read_memory() {
  std::ifstream in("/proc/meminfo");
  std::string name;
  std::string unit;
  std::uint64_t value = 0;
  std::optional<std::uint64_t> total;
  std::optional<std::uint64_t> available;
  while ((!total || !available) && in >> name >> value && std::getline(in, unit)) {
    if (name == "MemTotal:") total = value;
    if (name == "MemAvailable:") available = value;
  }
  if (!total || !available || *total == 0) return std::nullopt;
  return rounded(100.0 * (1.0 - static_cast<double>(*available) / static_cast<double>(*total)));
}

std::optional<double> read_disk(const std::string& folder) {
  struct statvfs disk {};
  if (::statvfs(folder.c_str(), &disk) != 0 || disk.f_blocks == 0) return std::nullopt;
  const auto used = static_cast<double>(disk.f_blocks - disk.f_bfree);
  const double usable = used + static_cast<double>(disk.f_bavail);
  return usable > 0 ? std::optional(rounded(100.0 * used / usable)) : std::nullopt;
}

}  // namespace

LoadMeter::LoadMeter(std::string folder) : folder_(std::move(folder)) {
  if (const auto cpu = read_cpu()) {
    busy_ = cpu->busy;
    total_ = cpu->total;
  }
}

MachineLoad LoadMeter::read() {
  MachineLoad load{.cpu_pct = {}, .mem_pct = read_memory(), .disk_pct = read_disk(folder_)};
  if (const auto cpu = read_cpu()) {
    const std::uint64_t passed = cpu->total - std::min(total_, cpu->total);
    const std::uint64_t busy = cpu->busy - std::min(busy_, cpu->busy);
    load.cpu_pct = passed == 0 ? 0.0 : rounded(100.0 * static_cast<double>(busy) / static_cast<double>(passed));
    busy_ = cpu->busy;
    total_ = cpu->total;
  }
  return load;
}

}  // namespace muster::sdk::ws
