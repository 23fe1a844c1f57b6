// Which tools a plan needs, as capabilities. A worker announces its tools through the same function, so that both sides always
// spell a tool alike.
#include <utility>

#include <fmt/format.h>

#include "plan/plan.h"

namespace muster::plan {
namespace {

// A capability holds neither spaces nor control characters, and `*` stands for every tool of a worker that cannot say.
bool is_spelled_out(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte <= 0x20 || byte == 0x7f || c == '%' || c == '*';
}

std::string_view last_component(std::string_view path) {
  while (!path.empty() && path.back() == '/') path.remove_suffix(1);
  const std::size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

}  // namespace

std::string tool_capability(std::string_view command) {
  std::string capability = "tool:";
  for (const char c : last_component(command)) {
    if (is_spelled_out(c))
      capability += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    else
      capability.push_back(c);
  }
  return capability;
}

CapabilitySet needs(const Document& plan) {
  std::vector<std::string> tools;
  tools.reserve(plan.tasks.size());
  for (const Task& task : plan.tasks) tools.push_back(tool_capability(task.command));
  return CapabilitySet(std::move(tools));
}

}  // namespace muster::plan
