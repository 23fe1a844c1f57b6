#include "fronts/ws/registration.h"

#include <algorithm>

#include "fronts/ws/member_text.h"
#include "model/package.h"
#include "model/resource.h"
#include "model/validate.h"

namespace muster::ws {
namespace {

using Json = json::Tree;

std::vector<std::string> texts(const Json& object, const char* name) {
  return json::get<std::vector<std::string>>(object, name).value_or(std::vector<std::string>());
}

bool is_installed(const Registration& registration, const Package& package) {
  const auto same = [&](const Package& other) { return other.name == package.name && other.version == package.version; };
  const auto found = std::find_if(registration.packages.begin(), registration.packages.end(), same);
  return found != registration.packages.end() && found->status == "installed";
}

// As the catalogue takes it. A text of megabytes is not even written down.
command::PackageManifest manifest_of(const Json& entry, const schema::Schema* schema) {
  command::PackageManifest out;
  out.name = text_of(entry, "name");
  out.version = text_of(entry, "version");
  const Json* manifest = json::member(entry, "manifest");
  if (manifest == nullptr) return out;
  out.description = text_of(*manifest, "description");
  if (const Json* nodes = json::array(*manifest, "nodes"))
    for (const Json& node : *nodes)
      if (const std::string* type = json::text(node, "type")) out.nodes.push_back(*type);
  if (schema != nullptr && !schema->accepts(*manifest))
    out.problem = schema->check(*manifest).message();
  else if (text_of(*manifest, "name") != out.name || text_of(*manifest, "version") != out.version)
    out.problem = "it is of another name or version than the package";
  else
    out.text = json::dump(*manifest);
  return out;
}

void read_manifest(const Json& entry, Registration& out) {
  const Package package{text_of(entry, "name"), text_of(entry, "version"), "installed"};
  const Json* manifest = json::member(entry, "manifest");
  const Json* nodes = manifest != nullptr ? json::array(*manifest, "nodes") : nullptr;
  if (nodes == nullptr || !is_installed(out, package)) return;
  for (const Json& node : *nodes) {
    const std::string* type = json::text(node, "type");
    if (type == nullptr) continue;
    const auto [found, fresh] = out.nodes.try_emplace(*type, package);
    if (!fresh && is_older_version(found->second.version, package.version)) found->second = package;
  }
}

class Offered {
 public:
  void add(std::string_view kind, std::string_view name) {
    std::string text = std::string(kind) + ":" + std::string(name);
    if (names_.size() < limits::kCapabilitiesMax && validate_capability(text).ok()) names_.push_back(std::move(text));
  }
  CapabilitySet take() { return CapabilitySet(std::move(names_)); }

 private:
  std::vector<std::string> names_;
};

}  // namespace

Registration read_registration(const Json& payload, const schema::Schema* manifest) {
  Registration out;
  if (const Json* capabilities = json::member(payload, "capabilities")) {
    if (const Json* concurrency = json::member(*capabilities, "concurrency")) {
      const auto slots = json::natural(*concurrency, "max_parallel").value_or(1);
      out.max_parallel = static_cast<std::uint32_t>(std::clamp<std::uint64_t>(slots, 1, limits::kSlotsMax));
      out.per_node_limits = json::get<std::map<std::string, std::uint32_t>>(*concurrency, "per_node_limits")
                                .value_or(std::map<std::string, std::uint32_t>());
    }
    out.runtimes = texts(*capabilities, "runtimes");
    out.features = texts(*capabilities, "features");
  }
  if (const Json* packages = json::array(payload, "packages"))
    for (const Json& package : *packages)
      out.packages.push_back({text_of(package, "name"), text_of(package, "version"), text_of(package, "status")});
  if (const Json* manifests = json::array(payload, "manifests"))
    for (const Json& entry : *manifests) {
      read_manifest(entry, out);
      if (out.manifests.size() < command::kPackagesOfWorkerMax) out.manifests.push_back(manifest_of(entry, manifest));
    }
  return out;
}

WorkerSpec worker_spec(const Identity& identity, const Registration& registration, const std::string& session_id) {
  WorkerSpec spec;
  spec.ns = NamespaceName(identity.tenant);
  spec.id = WorkerId(identity.instance);
  spec.dialect = Dialect::ws;
  Offered offered;
  for (const auto& [type, package] : registration.nodes) offered.add("node", type);
  for (const Package& package : registration.packages) {
    if (package.status != "installed") continue;
    offered.add("package", package.name);
    offered.add("package", package.name + "@" + package.version);
  }
  for (const std::string& runtime : registration.runtimes) offered.add("runtime", runtime);
  for (const std::string& feature : registration.features) offered.add("feature", feature);
  spec.capabilities = offered.take();
  if (const Labels labels{{kWorkerNameLabel, identity.name}}; validate_labels("labels", labels).ok()) spec.labels = labels;
  spec.slots = registration.max_parallel;
  spec.hostname = identity.hostname;
  spec.version = identity.version;
  Json metadata{{"session_id", session_id},
                {"protocol", identity.protocol == session::Protocol::v1 ? "v1" : "v2"},
                {"worker_name", identity.name},
                {"token", identity.credential.caller.name}};
  spec.metadata = json::dump(metadata);
  // With what is needed to go on after a restart, if it fits. Without it the worker is asked to start over.
  metadata["per_node_limits"] = registration.per_node_limits;
  Json& nodes = metadata["nodes"] = Json::object();
  for (const auto& [type, package] : registration.nodes) nodes[type] = package.name + "@" + package.version;
  if (std::string whole = json::dump(metadata); whole.size() <= limits::kMetadataBytesMax) spec.metadata = std::move(whole);
  return spec;
}

std::optional<KeptRegistration> kept_registration(const Worker& worker) {
  const auto metadata = json::parse_object(worker.spec.metadata);
  const auto nodes = metadata ? json::get<std::map<std::string, std::string>>(*metadata, "nodes") : std::nullopt;
  const auto most = metadata ? json::get<std::map<std::string, std::uint32_t>>(*metadata, "per_node_limits") : std::nullopt;
  if (!nodes || !most) return std::nullopt;
  KeptRegistration out;
  out.identity.protocol = text_of(*metadata, "protocol") == "v1" ? session::Protocol::v1 : session::Protocol::v2;
  out.identity.tenant = worker.spec.ns.text();
  out.identity.instance = worker.spec.id.text();
  out.identity.name = text_of(*metadata, "worker_name");
  out.identity.version = worker.spec.version;
  out.identity.hostname = worker.spec.hostname;
  out.registration.max_parallel = worker.spec.slots;
  out.registration.per_node_limits = *most;
  for (const auto& [type, package] : *nodes) {
    const std::size_t at = package.rfind('@');
    if (at != std::string::npos) out.registration.nodes[type] = {package.substr(0, at), package.substr(at + 1), "installed"};
  }
  out.session_id = text_of(*metadata, "session_id");
  out.token_name = text_of(*metadata, "token");
  return out;
}

}  // namespace muster::ws
