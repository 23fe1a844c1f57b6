#include "worker/toolbox.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <optional>

#include "worker/tool_rules.h"

namespace muster::worker {
namespace {

namespace fs = std::filesystem;

bool is_name(std::string_view text) {
  return !text.empty() && text.size() <= kToolNameMax && text.front() != '-' && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.' ||
           c == '+';
  });
}

bool is_executable(const fs::path& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored) && ::access(path.c_str(), X_OK) == 0;
}

// The absolute folders of a search path; relative ones would mean something else in every task's folder.
std::vector<fs::path> folders_of(std::string_view search_path) {
  std::vector<fs::path> out;
  while (!search_path.empty()) {
    const std::size_t colon = std::min(search_path.find(':'), search_path.size());
    if (colon > 0 && search_path.front() == '/') out.emplace_back(search_path.substr(0, colon));
    search_path.remove_prefix(std::min(colon + 1, search_path.size()));
  }
  return out;
}

std::optional<std::string> look_up(std::string_view name, std::string_view search_path) {
  for (const fs::path& folder : folders_of(search_path))
    if (const fs::path path = folder / name; is_executable(path)) return path.string();
  return std::nullopt;
}

}  // namespace

Result<Toolbox> Toolbox::listed(const std::vector<std::string>& names, std::string search_path) {
  Toolbox box(std::move(search_path));
  if (names.size() > kToolsMax)
    return Status::invalid_argument(fmt::format("{} tools are more than {}", names.size(), kToolsMax));
  for (const std::string& name : names) {
    if (!is_name(name))
      return Status::invalid_argument(
          fmt::format("tool `{}`: expected 1 to {} letters, digits, `-`, `_`, `.` or `+`", name, kToolNameMax));
    const auto path = look_up(name, box.search_path_);
    if (!path) return Status::invalid_argument(fmt::format("tool `{}` is not in PATH ({})", name, box.search_path_));
    box.paths_.emplace(name, *path);
  }
  return box;
}

Toolbox Toolbox::discovered(std::string search_path) {
  Toolbox box(std::move(search_path));
  for (const std::string_view name : harmless_tools())
    if (const auto path = look_up(name, box.search_path_)) box.paths_.emplace(name, *path);
  for (const fs::path& folder : folders_of(box.search_path_)) {
    std::error_code ignored;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder, ignored)) {
      const std::string name = entry.path().filename().string();
      if (box.paths_.size() < kToolsMax && name.starts_with(kUnitPrefix) && is_name(name) && is_executable(entry.path()))
        box.paths_.emplace(name, entry.path().string());
    }
  }
  return box;
}

std::string_view tool_name(std::string_view command) { return command.substr(command.rfind('/') + 1); }

Result<std::string> Toolbox::find(std::string_view command) const {
  const std::size_t slash = command.rfind('/');
  const std::string_view name = tool_name(command);
  const auto found = paths_.find(name);
  if (found == paths_.end()) return Status::permission_denied(fmt::format("tool '{}' is not announced by this worker", name));
  std::error_code ignored;
  // A path is fine as long as it leads to the very tool that was announced.
  if (slash != command.npos && !fs::equivalent(fs::path(command), found->second, ignored))
    return Status::permission_denied(fmt::format("'{}' is not the announced tool '{}'", command, name));
  return found->second;
}

std::vector<std::string> Toolbox::folders() const {
  std::vector<std::string> out;
  for (const fs::path& folder : folders_of(search_path_)) out.push_back(folder.string());
  return out;
}

std::vector<std::string> Toolbox::dangerous() const {
  std::vector<std::string> out;
  for (const auto& [name, path] : paths_)
    if (!name.starts_with(kUnitPrefix) && !is_harmless(name)) out.push_back(name);
  return out;
}

std::vector<std::string> Toolbox::tools() const {
  std::vector<std::string> out;
  for (const auto& [name, path] : paths_)
    if (!name.starts_with(kUnitPrefix)) out.push_back(name);
  return out;
}

std::vector<std::string> Toolbox::units() const {
  std::vector<std::string> out;
  for (const auto& [name, path] : paths_)
    if (name.starts_with(kUnitPrefix)) out.push_back(name);
  return out;
}

}  // namespace muster::worker
