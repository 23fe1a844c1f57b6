// The tools this worker announces and therefore runs: names and where they are. Nothing else is ever executed.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace muster::worker {

inline constexpr std::size_t kToolsMax = 200;  // a worker may offer 256 capabilities; some room is left for others
inline constexpr std::size_t kToolNameMax = 64;
inline constexpr std::string_view kUnitPrefix = "agx-";  // tools that are agentic units

// The tool that a task's command names, which may be a path to it.
std::string_view tool_name(std::string_view command);

class Toolbox {
 public:
  // The tools named, each found along `search_path`. invalid_argument: a name that is none, too many, or one that is not there.
  static Result<Toolbox> listed(const std::vector<std::string>& names, std::string search_path);
  // Which of the harmless tools (tool_rules.h), and which agentic units, are there.
  static Toolbox discovered(std::string search_path);

  // Where the command of a task is. permission_denied: it is not announced, or it is a path to something else of that name.
  Result<std::string> find(std::string_view command) const;

  const std::string& search_path() const { return search_path_; }
  std::vector<std::string> folders() const;  // of the search path
  std::vector<std::string> tools() const;    // without the agentic units
  std::vector<std::string> units() const;
  std::vector<std::string> dangerous() const;  // tools that were named and are not harmless
  bool empty() const { return paths_.empty(); }

 private:
  explicit Toolbox(std::string search_path) : search_path_(std::move(search_path)) {}

  std::string search_path_;
  std::map<std::string, std::string, std::less<>> paths_;  // by name
};

}  // namespace muster::worker
