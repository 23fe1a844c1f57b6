#include "fronts/resp/work/registration.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include "base/ascii.h"
#include "base/json_reader.h"
#include "fronts/resp/work/names.h"
#include "model/validate.h"
#include "plan/plan.h"

namespace muster::resp::work {
namespace {

using Json = json::Tree;

Status bad_capabilities() { return Status::invalid_argument("Invalid capabilities format"); }
Status bad_registration(std::string_view details) {
  return Status::invalid_argument(fmt::format("Invalid worker registration: {}", details));
}

bool is_word(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
  });
}

}  // namespace

Status validate_worker_id(std::string_view id) {
  if (id.empty()) return bad_registration("worker_id is empty");
  if (!is_word(id)) return Status::invalid_argument("Invalid worker ID characters");
  if (id.size() > kWorkerIdMax) return Status::invalid_argument("Worker ID too long");
  if (id.starts_with(kAnonymousPrefix))
    return bad_registration(fmt::format("worker_id must not begin with '{}'", kAnonymousPrefix));
  return {};
}

namespace {

bool add_tool(std::vector<std::string>& names, std::string_view tool) {
  // A name that can stand in a list and on a command line.
  if (tool.empty() || tool.find_first_of(" ,\t") != std::string_view::npos) return false;
  std::string name = plan::tool_capability(tool);
  if (!validate_capability(name).ok()) return false;
  names.push_back(std::move(name));
  return true;
}

bool add_tools(std::vector<std::string>& names, const Json& tools) {
  if (!tools.is_array()) return false;
  return std::all_of(tools.begin(), tools.end(), [&](const Json& tool) {
    const auto* name = tool.get_ptr<const std::string*>();
    return name != nullptr && add_tool(names, *name);
  });
}

bool add_list(std::vector<std::string>& names, std::string_view list) {
  if (trimmed(list, " ").empty()) return true;
  for (;;) {
    const std::size_t comma = list.find(',');
    if (!add_tool(names, trimmed(list.substr(0, comma), " "))) return false;
    if (comma == std::string_view::npos) return true;
    list.remove_prefix(comma + 1);
  }
}

Result<CapabilitySet> read_capabilities(const Json& root) {
  const auto at = root.find("capabilities");
  if (at == root.end()) return bad_capabilities();
  std::vector<std::string> names;
  bool good = false;
  if (at->is_object()) {
    const auto tools = at->find("tools");
    const auto units = at->find("agentic_units");
    good = tools != at->end() && add_tools(names, *tools) && (units == at->end() || units->is_null() || add_tools(names, *units));
  } else {
    good = add_tools(names, *at);
  }
  if (!good) return bad_capabilities();
  return CapabilitySet(std::move(names));
}

std::optional<std::string> scalar_text(const Json& value) {
  if (const auto* text = value.get_ptr<const std::string*>(); text != nullptr) return *text;
  if (value.is_boolean() || value.is_number()) return value.dump();
  return std::nullopt;
}

// Tags say anything; those that cannot be labels are in the metadata only.
Labels read_tags(const Json& tags) {
  Labels labels;
  for (const auto& [key, value] : tags.items()) {
    const auto text = scalar_text(value);
    if (!text || labels.size() >= limits::kLabelsMax) continue;
    if (validate_labels("tags", {{key, *text}}).ok()) labels.emplace(key, *text);
  }
  return labels;
}

Result<std::string> required_text(const Json& root, const char* name) {
  if (!root.contains(name)) return bad_registration(fmt::format("missing field {}", name));
  const std::string* text = json::text(root, name);
  if (text == nullptr) return bad_registration(fmt::format("{} must be a string", name));
  return *text;
}

Result<std::uint32_t> read_slots(const Json& root) {
  const Json* at = json::member(root, "max_concurrent_jobs");
  if (at == nullptr || at->is_null()) return 1U;
  const auto slots = json::integer(root, "max_concurrent_jobs");
  if (!slots || *slots < 1 || *slots > static_cast<std::int64_t>(limits::kSlotsMax))
    return bad_registration(fmt::format("max_concurrent_jobs must be an integer from 1 to {}", limits::kSlotsMax));
  return static_cast<std::uint32_t>(*slots);
}

}  // namespace

Result<WorkerSpec> read_registration(std::string_view text) {
  if (text.size() > limits::kMetadataBytesMax)
    return bad_registration(fmt::format("{} bytes; at most {} are accepted", text.size(), limits::kMetadataBytesMax));
  const auto root = json::parse_object(text);
  if (!root) return bad_registration("expected a JSON object");

  auto id = required_text(*root, "worker_id");
  if (!id.ok()) return id.status();
  if (Status status = validate_worker_id(*id); !status.ok()) return status;
  auto hostname = required_text(*root, "hostname");
  if (!hostname.ok()) return hostname.status();
  auto version = required_text(*root, "agw_version");
  if (!version.ok()) return version.status();
  auto capabilities = read_capabilities(*root);
  if (!capabilities.ok()) return capabilities.status();
  const auto slots = read_slots(*root);
  if (!slots.ok()) return slots.status();
  const auto tags = root->find("tags");
  const bool tagged = tags != root->end() && !tags->is_null();
  if (tagged && !tags->is_object()) return bad_registration("tags must be an object");

  WorkerSpec spec;
  spec.id = WorkerId(*std::move(id));
  spec.dialect = Dialect::resp;
  spec.capabilities = *std::move(capabilities);
  if (tagged) spec.labels = read_tags(*tags);
  spec.slots = *slots;
  spec.hostname = *std::move(hostname);
  spec.version = *std::move(version);
  spec.metadata = std::string(text);
  if (Status status = validate(spec); !status.ok()) return bad_registration(status.message());
  return spec;
}

Result<CapabilitySet> read_tool_list(std::string_view list) {
  std::vector<std::string> names;
  if (!add_list(names, list)) return bad_capabilities();
  return CapabilitySet(std::move(names));
}

Status validate_tag_list(std::string_view list) { return validate_text("tags", list, {.bytes_max = kTagListMax}); }

Status validate_stats(std::string_view text) {
  if (text.size() > limits::kMetadataBytesMax)
    return Status::invalid_argument(
        fmt::format("Invalid worker stats: {} bytes; at most {} are accepted", text.size(), limits::kMetadataBytesMax));
  if (!json::parse_object(text)) return Status::invalid_argument("Invalid worker stats: expected a JSON object");
  return {};
}

}  // namespace muster::resp::work
