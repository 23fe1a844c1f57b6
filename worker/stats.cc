#include "worker/stats.h"

#include <sys/statvfs.h>
#include <unistd.h>

#include <array>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

namespace muster::worker {
namespace {

namespace fs = std::filesystem;

struct Entry {
  int parent = 0;
  std::uint64_t cpu_ticks = 0;  // its own and of children it has waited for
  std::uint64_t pages = 0;
};

// One line of /proc/<pid>/stat. The name in parentheses may hold anything; numbers follow the last one.
bool parse_entry(const fs::path& path, Entry& out) {
  std::ifstream in(path);
  std::string line;
  if (!std::getline(in, line)) return false;
  const std::size_t name_end = line.rfind(')');
  if (name_end == line.npos) return false;
  std::istringstream fields(line.substr(name_end + 1));
  std::string state;
  std::array<std::int64_t, 21> numbers{};  // ppid is the first, rss the last
  fields >> state;
  for (std::int64_t& number : numbers) fields >> number;
  if (!fields) return false;
  const auto positive = [&](std::size_t i) { return static_cast<std::uint64_t>(std::max<std::int64_t>(numbers[i], 0)); };
  out.parent = static_cast<int>(numbers[0]);
  out.cpu_ticks = positive(10) + positive(11) + positive(12) + positive(13);  // utime, stime, cutime, cstime
  out.pages = positive(20);
  return true;
}

std::map<int, Entry> all_processes() {
  std::map<int, Entry> out;
  std::error_code ignored;
  for (const fs::directory_entry& folder : fs::directory_iterator("/proc", ignored)) {
    const std::string name = folder.path().filename().string();
    if (name.find_first_not_of("0123456789") != name.npos) continue;
    if (Entry entry; parse_entry(folder.path() / "stat", entry)) out.emplace(std::stoi(name), entry);
  }
  return out;
}

// This process and its descendants, added up.
Entry tree() {
  const std::map<int, Entry> processes = all_processes();
  std::set<int> members{::getpid()};
  for (bool grew = true; grew;) {
    grew = false;
    for (const auto& [pid, entry] : processes)
      if (members.contains(entry.parent)) grew = members.insert(pid).second || grew;
  }
  Entry sum;
  for (const int pid : members)
    if (const auto found = processes.find(pid); found != processes.end()) {
      sum.cpu_ticks += found->second.cpu_ticks;
      sum.pages += found->second.pages;
    }
  return sum;
}

double rounded(double value) { return std::round(value * 10) / 10; }

}  // namespace

Meter::Meter(std::string folder, const Clock& clock)
    : folder_(std::move(folder)), clock_(clock), read_at_(clock.elapsed()), cpu_ticks_(tree().cpu_ticks) {}

Usage Meter::read() {
  const Entry now = tree();
  const Ticks at = clock_.elapsed();
  const double seconds = std::chrono::duration<double>(at - read_at_).count();
  const double cpu_seconds =
      static_cast<double>(now.cpu_ticks - std::min(cpu_ticks_, now.cpu_ticks)) / static_cast<double>(::sysconf(_SC_CLK_TCK));
  Usage usage;
  usage.cpu_percent = seconds > 0 ? cpu_seconds / seconds * 100 : 0;
  usage.memory_bytes = now.pages * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  if (struct statvfs disk{}; ::statvfs(folder_.c_str(), &disk) == 0) usage.disk_available_bytes = disk.f_bavail * disk.f_frsize;
  cpu_ticks_ = now.cpu_ticks;
  read_at_ = at;
  return usage;
}

std::string stats_json(const Usage& usage, const Counters& counters, std::size_t active, Duration uptime) {
  constexpr double kMega = 1024.0 * 1024.0;
  return nlohmann::json{{"active_jobs", active},
                        {"completed_jobs_total", counters.completed()},
                        {"failed_jobs_total", counters.failed()},
                        {"avg_job_duration_ms", counters.average_ms()},
                        {"uptime_seconds", std::chrono::duration_cast<std::chrono::seconds>(uptime).count()},
                        {"cpu_usage_percent", rounded(usage.cpu_percent)},
                        {"memory_mb", static_cast<std::uint64_t>(std::llround(static_cast<double>(usage.memory_bytes) / kMega))},
                        {"disk_available_gb", rounded(static_cast<double>(usage.disk_available_bytes) / kMega / 1024)}}
      .dump();
}

}  // namespace muster::worker
