#include "fronts/ws/task_document.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>
#include <vector>

#include "base/base64.h"
#include "base/json_reader.h"
#include "base/json_text.h"
#include "base/time_text.h"
#include "session/wire_text.h"

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

constexpr const char* kChain = "chain";
constexpr const char* kHost = "host_node_id";
constexpr const char* kMiddlewares = "middleware_chain";
constexpr const char* kIndex = "chain_index";

// A middleware whose document names what comes after it: host, chain and its own place in it follow from that.
Status fill_chain_names(Json& document, const std::string& node_id, const Json& chain) {
  if (!chain.is_array() || chain.empty()) return Status::invalid_argument("the chain is an array of at least one document");
  Json middlewares = Json::array({node_id});
  for (const Json& after : chain) {
    if (json::text(after, "node_id") == nullptr || json::text(after, "node_type") == nullptr)
      return Status::invalid_argument("each document of a chain has a node_id and a node_type");
    middlewares.push_back(*json::text(after, "node_id"));
  }
  const Json host = middlewares.back();
  middlewares.erase(middlewares.size() - 1);
  if (json::member(document, kMiddlewares) != nullptr) return {};
  document[kHost] = host;
  document[kMiddlewares] = std::move(middlewares);
  document[kIndex] = 0;
  return {};
}

// A task of a chain is its host, without an index, or stands where its index says.
Status check_chain_names(const Json& document, const std::string& node_id) {
  const auto chain = json::get<std::vector<std::string>>(document, kMiddlewares);
  if (!chain) return {};
  const std::string* host = json::text(document, kHost);
  if (host == nullptr) return Status::invalid_argument("a middleware_chain needs a host_node_id");
  const auto index = json::get<std::int64_t>(document, kIndex);
  if (*host == node_id) return index ? Status::invalid_argument("the host of a chain has no chain_index") : Status();
  if (!index || *index < 0 || static_cast<std::size_t>(*index) >= chain->size())
    return Status::invalid_argument("a middleware needs a chain_index within its chain");
  if ((*chain)[static_cast<std::size_t>(*index)] != node_id)
    return Status::invalid_argument(fmt::format("place {} of the chain is not \"{}\"", *index, node_id));
  return {};
}

// The first document of the chain, with the rest in its own.
Json next_of(const Json& document, Json chain) {
  Json next = chain.front();
  chain.erase(0);
  next["run_id"] = document["run_id"];
  if (json::text(next, "task_id") == nullptr) next["task_id"] = next["node_id"];
  if (json::member(next, "parameters") == nullptr) next["parameters"] = Json::object();
  next[kHost] = document[kHost];
  next[kMiddlewares] = document[kMiddlewares];
  if (!chain.empty()) {
    next[kIndex] = document[kIndex].get<std::int64_t>() + 1;
    next[kChain] = std::move(chain);
  }
  return next;
}

// A worker of each protocol is told by its own word who has a resource.
void name_holders(Json& document, session::Protocol protocol) {
  const auto refs = document.find("resource_refs");
  if (refs == document.end() || !refs->is_array()) return;
  constexpr const char* kNames[] = {"worker_id", "worker_name"};
  const char* const own = kNames[protocol == session::Protocol::v1 ? 0 : 1];
  const char* const other = kNames[protocol == session::Protocol::v1 ? 1 : 0];
  for (Json& ref : *refs) {
    if (!ref.is_object()) continue;
    if (const std::string* holder = json::text(ref, other); holder != nullptr && json::text(ref, own) == nullptr)
      ref[own] = Json(*holder);
    ref.erase(other);
  }
}

void read_document_affinity(const Json& document, TaskDocument& out) {
  const Json* affinity = json::member(document, "affinity");
  const std::string* key = affinity != nullptr ? json::text(*affinity, "key") : nullptr;
  if (key == nullptr) return;
  out.affinity_key = *key;
  if (const std::string* until = json::text(*affinity, "expires_at")) out.affinity_until = parse_rfc3339(*until);
}

// --- without a tree ---

// What a longer one needs beside its splicing makes a tree cheap, and a tree is written without blanks: workers take 1 MiB.
constexpr std::size_t kSplicedBytesMax = 64 * 1024;

// The members of a dispatch, each as the text it came as, put together in the order in which a tree is written.
class Splice {
 public:
  Splice() { parts_.reserve(kPartsMost); }

  // False: what it says about a chain, resources or its place takes a tree, or its text is unusual.
  bool take_document(std::string_view text) {
    json::MemberScan scan(text);
    while (const auto member = scan.next()) {
      const std::string_view name = member->name.substr(1, member->name.size() - 2);
      if (!json::is_plain(name) || find(name) != nullptr || parts_.size() == kPartsMost) return false;
      if (std::find(kTakeTree.begin(), kTakeTree.end(), name) != kTakeTree.end()) return false;
      parts_.push_back({name, member->value});
    }
    return true;
  }
  void clear() { parts_.clear(); }
  void put(std::string_view name, std::string_view json) {
    if (Part* known = find(name))
      known->json = json;
    else
      parts_.push_back({name, json});
  }
  bool has(std::string_view name) { return find(name) != nullptr; }
  // A text that stands in JSON as it is; nullopt: the member is none. Sets `unusual` when it is a text, but not as it is.
  std::optional<std::string_view> text(std::string_view name) {
    const Part* part = find(name);
    if (part == nullptr || part->json.front() != '"') return std::nullopt;
    const std::string_view inside = part->json.substr(1, part->json.size() - 2);
    unusual_ = unusual_ || !json::is_plain(inside);
    return inside;
  }
  bool unusual() const { return unusual_; }

  std::string written() {
    std::sort(parts_.begin(), parts_.end(), [](const Part& a, const Part& b) { return a.name < b.name; });
    std::size_t bytes = 2;
    for (const Part& part : parts_) bytes += part.name.size() + part.json.size() + 4;
    std::string out;
    out.reserve(bytes);
    for (const Part& part : parts_) {
      out += out.empty() ? "{\"" : ",\"";
      out += part.name;
      out += "\":";
      out += part.json;
    }
    out += '}';
    return out;
  }

 private:
  static constexpr std::size_t kPartsMost = 24;
  static constexpr std::array<std::string_view, 7> kTakeTree{kChain,      kHost,           kMiddlewares, kIndex,
                                                             "fail_fast", "resource_refs", "affinity"};
  struct Part {
    std::string_view name;
    std::string_view json;
  };
  Part* find(std::string_view name) {
    const auto found = std::find_if(parts_.begin(), parts_.end(), [&](const Part& part) { return part.name == name; });
    return found == parts_.end() ? nullptr : &*found;
  }

  std::vector<Part> parts_;
  bool unusual_ = false;
};

// The usual task. nullopt: the long way is to judge it.
std::optional<TaskDocument> spliced_document(const Grant& grant, const Registration& registration) {
  const std::string_view text = grant.payload.data;
  if (grant.payload.encoding != Encoding::json || text.size() > kSplicedBytesMax || !json::is_surely_json(text))
    return std::nullopt;
  Splice splice;
  const bool object = text.front() == '{' && splice.take_document(text);
  if (!object) return std::nullopt;
  if (!splice.text("node_type") || !splice.has("parameters")) {
    splice.clear();
    splice.put("parameters", text);
  }
  TaskDocument out;
  std::array<std::string, 7> quoted;  // what is filled in
  std::size_t used = 0;
  const auto put = [&](std::string_view name, std::string_view value) {
    session::append_quoted(quoted[used], value);
    splice.put(name, quoted[used++]);
  };
  const auto filled = [&](std::string_view name, std::string_view otherwise) {
    if (const auto given = splice.text(name); given && !given->empty()) return std::string(*given);
    put(name, otherwise);
    return std::string(otherwise);
  };
  const std::string job = grant.id.text();
  out.run_id = filled("run_id", job);
  out.task_id = filled("task_id", job);
  out.node_type = filled("node_type", grant.type.text());
  out.node_id = filled("node_id", out.node_type);
  out.concurrency_key = filled("concurrency_key", out.run_id + ":" + out.node_id);
  if (!splice.text("package_name") || !splice.text("package_version")) {
    const auto found = registration.nodes.find(out.node_type);
    if (found == registration.nodes.end()) return std::nullopt;
    put("package_name", found->second.name);
    put("package_version", found->second.version);
  }
  if (splice.unusual()) return std::nullopt;
  if (!splice.has("constraints")) splice.put("constraints", "{}");
  out.payload = splice.written();
  return out;
}

}  // namespace

JobSpec job_of_next(const Json& next) {
  JobSpec spec;
  const std::string& type = *json::text(next, "node_type");
  spec.type = JobType(type);
  spec.needs = CapabilitySet({node_capability(type)});
  spec.payload = {json::dump(next), Encoding::json};
  spec.retry.attempts_max = 1;  // whether to try again is the middleware's to say
  return spec;
}

Result<TaskDocument> task_document(const Grant& grant, const Registration& registration, session::Protocol protocol) {
  if (auto spliced = spliced_document(grant, registration)) return *std::move(spliced);
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
  if (const auto found = document.find(kChain); found != document.end()) {
    Json chain = std::move(*found);
    document.erase(kChain);
    if (Status fits = fill_chain_names(document, out.node_id, chain); !fits.ok()) return fits;
    if (Status fits = check_chain_names(document, out.node_id); !fits.ok()) return fits;
    out.next = next_of(document, std::move(chain));
  } else if (Status fits = check_chain_names(document, out.node_id); !fits.ok()) {
    return fits;
  }
  document.erase("fail_fast");  // said to us
  name_holders(document, protocol);
  read_document_affinity(document, out);
  out.payload = json::dump(document);
  return out;
}

}  // namespace muster::ws
