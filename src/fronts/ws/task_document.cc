#include "fronts/ws/task_document.h"

#include <fmt/format.h>

#include "base/base64.h"
#include "base/json_reader.h"

namespace muster::ws {
namespace {

using Json = json::Tree;

Json parameters_of(const Content& payload, std::optional<Json> value) {
  if (value && value->is_object()) return *std::move(value);
  if (value) return Json{{"payload", *std::move(value)}};
  if (payload.data.empty()) return Json::object();
  return Json{{"payload_base64", to_base64(payload.data)}};
}

bool is_document(const std::optional<Json>& value) {
  return value && json::text(*value, "node_type") != nullptr && json::member(*value, "parameters") != nullptr;
}

// The member as it is, or `otherwise`, which it gets then.
std::string filled(Json& document, const char* name, const std::string& otherwise) {
  if (const std::string* given = json::text(document, name); given != nullptr && !given->empty()) return *given;
  document[name] = otherwise;
  return otherwise;
}

Status fill_package(Json& document, const std::string& node_type, const Registration& registration) {
  if (json::text(document, "package_name") != nullptr && json::text(document, "package_version") != nullptr) return {};
  const auto found = registration.nodes.find(node_type);
  if (found == registration.nodes.end())
    return Status::invalid_argument(fmt::format("no package of the worker has the node type \"{}\"", node_type));
  document["package_name"] = found->second.name;
  document["package_version"] = found->second.version;
  return {};
}

}  // namespace

Result<TaskDocument> task_document(const Grant& grant, const Registration& registration) {
  std::optional<Json> value;
  if (grant.payload.encoding == Encoding::json) value = json::parse(grant.payload.data);
  Json document = is_document(value)
                      ? *std::move(value)
                      : Json{{"node_type", grant.type.text()}, {"parameters", parameters_of(grant.payload, std::move(value))}};
  TaskDocument out;
  const std::string job = grant.id.text();
  out.run_id = filled(document, "run_id", job);
  out.task_id = filled(document, "task_id", job);
  out.node_type = filled(document, "node_type", grant.type.text());
  out.node_id = filled(document, "node_id", out.node_type);
  out.concurrency_key = filled(document, "concurrency_key", out.run_id + ":" + out.node_id);
  if (Status known = fill_package(document, out.node_type, registration); !known.ok()) return known;
  if (json::member(document, "constraints") == nullptr) document["constraints"] = Json::object();
  out.payload = json::dump(document);
  return out;
}

}  // namespace muster::ws
