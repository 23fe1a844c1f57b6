// Reads /proc: the postmaster's own time and that of its ended children, and the time of the living ones.
#include <unistd.h>

#include <cctype>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>

#include <fmt/format.h>

#include "bench/postgres/connection.h"

namespace muster::bench::postgres {
namespace {

struct ProcessStat {
  std::string name;
  int parent = 0;
  double own = 0;       // clock ticks, user and system
  double children = 0;  // those that ended and were waited for
};

std::optional<ProcessStat> read_stat(const std::filesystem::path& process) {
  std::ifstream in(process / "stat");
  std::string line;
  if (!std::getline(in, line)) return std::nullopt;
  // The name is in parentheses and may hold anything.
  const std::size_t open = line.find('(');
  const std::size_t close = line.rfind(')');
  if (open == std::string::npos || close == std::string::npos) return std::nullopt;
  ProcessStat stat;
  stat.name = line.substr(open + 1, close - open - 1);
  char state = 0;
  int group = 0, session = 0, terminal = 0, terminal_group = 0;
  unsigned long flags = 0, minor = 0, minor_children = 0, major = 0, major_children = 0;
  double user = 0, system = 0, user_children = 0, system_children = 0;
  std::istringstream rest(line.substr(close + 1));
  rest >> state >> stat.parent >> group >> session >> terminal >> terminal_group >> flags >> minor >> minor_children >> major >>
      major_children >> user >> system >> user_children >> system_children;
  if (!rest) return std::nullopt;
  stat.own = user + system;
  stat.children = user_children + system_children;
  return stat;
}

std::filesystem::path folder_of(int pid) { return std::filesystem::path("/proc") / std::to_string(pid); }

}  // namespace

ServerCpu::ServerCpu(const std::string& url) {
  const Connection connection(url);
  const auto backend = read_stat(folder_of(connection.server_pid()));
  if (!backend || backend->name != "postgres") return;
  const auto postmaster = read_stat(folder_of(backend->parent));
  if (postmaster && postmaster->name == "postgres") postmaster_ = backend->parent;
}

double ServerCpu::seconds() const {
  if (!known()) return 0;
  const auto postmaster = read_stat(folder_of(postmaster_));
  if (!postmaster) return 0;
  double ticks = postmaster->own + postmaster->children;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator("/proc", ignored)) {
    if (std::isdigit(static_cast<unsigned char>(entry.path().filename().string()[0])) == 0) continue;
    if (const auto stat = read_stat(entry.path()); stat && stat->parent == postmaster_) ticks += stat->own + stat->children;
  }
  return ticks / static_cast<double>(::sysconf(_SC_CLK_TCK));
}

std::string ServerCpu::folder() const {
  std::error_code error;
  const auto path = known() ? std::filesystem::read_symlink(folder_of(postmaster_) / "cwd", error) : std::filesystem::path();
  return error ? std::string() : path.string();
}

}  // namespace muster::bench::postgres
