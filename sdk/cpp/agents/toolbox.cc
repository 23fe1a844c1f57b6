#include "sdk/cpp/agents/toolbox.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

namespace muster::sdk::agents {
namespace {

constexpr const char* kDefaultToolQueue = "tools";

void add_once(std::vector<std::string>& names, const std::string& name) {
  if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
}

}  // namespace

Outcome answer(std::string_view text) {
  return Outcome::completed(nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
}

Outcome answer_json(std::string json) { return Outcome::completed(std::move(json)); }

Outcome refuse(std::string message) { return Outcome::failed_for_good({.kind = "tool_error", .message = std::move(message)}); }

Toolbox& Toolbox::add(ToolSpec spec, ToolFunction function) {
  const std::string name = spec.name;
  entries_->insert_or_assign(name, Entry{std::move(spec), std::move(function)});
  return *this;
}

Result<Nothing> Toolbox::define(Client& client) const {
  for (const auto& [name, entry] : *entries_)
    if (const Result<Tool> defined = client.define_tool(entry.spec); !defined.ok()) return defined.error();
  return Nothing{};
}

WorkerSpec Toolbox::offered(WorkerSpec spec) const {
  for (const auto& [name, entry] : *entries_) {
    if (entry.spec.needs.empty()) add_once(spec.capabilities, "tool:" + name);
    for (const std::string& need : entry.spec.needs) add_once(spec.capabilities, need);
    add_once(spec.queues, entry.spec.queue.empty() ? kDefaultToolQueue : entry.spec.queue);
  }
  return spec;
}

Handler Toolbox::handler(Handler others) const {
  return [entries = entries_, others = std::move(others)](Task& task) -> Outcome {
    const auto found = entries->find(task.grant().type);
    if (found == entries->end()) {
      if (others) return others(task);
      return Outcome::failed({.kind = "unknown_tool", .message = "no tool of this worker is called " + task.grant().type});
    }
    const auto& payload = task.grant().payload;
    return found->second.function({.input = payload ? std::string_view(payload->data) : std::string_view("{}"), .task = task});
  };
}

}  // namespace muster::sdk::agents
