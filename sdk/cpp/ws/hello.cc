#include "sdk/cpp/ws/hello.h"

#include <algorithm>

#include "base/ascii.h"
#include "base/json_reader.h"

namespace muster::sdk::ws {
namespace {

using json::Tree;

// A name as packages may have one: lower-case words joined by '-'.
std::string package_name(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const char small = lower(c);
    const bool is_word = (small >= 'a' && small <= 'z') || (small >= '0' && small <= '9');
    if (is_word)
      out += small;
    else if (!out.empty() && out.back() != '-')
      out += '-';
  }
  while (!out.empty() && out.back() == '-') out.pop_back();
  return out.empty() ? "worker" : out;
}

std::string identifier(std::string_view text) {
  std::string out(text);
  std::replace_if(
      out.begin(), out.end(), [](char c) { return !(lower(c) >= 'a' && lower(c) <= 'z') && !(c >= '0' && c <= '9') && c != '_'; },
      '_');
  return out;
}

Tree capabilities(const WorkerOptions& options) {
  Tree concurrency{{"max_parallel", options.max_parallel}};
  if (!options.per_node_limits.empty()) concurrency["per_node_limits"] = options.per_node_limits;
  return {{"concurrency", std::move(concurrency)}, {"runtimes", options.runtimes}, {"features", options.features}};
}

Tree payload_types(const WorkerOptions& options) {
  if (!options.payload_types.empty()) return options.payload_types;
  return {"biz.exec.dispatch", "biz.exec.result",       "biz.exec.feedback",
          "biz.exec.error",    "biz.exec.next.request", "biz.exec.next.response"};
}

}  // namespace

std::string handshake_payload(const WorkerOptions& options, const std::string& fingerprint) {
  Tree auth{{"mode", options.auth == AuthMode::token ? "token" : "mtls"}};
  if (options.auth == AuthMode::token && !options.token.empty()) auth["token"] = options.token;
  if (options.auth == AuthMode::mtls && !fingerprint.empty()) auth["fingerprint"] = fingerprint;
  Tree worker{{"version", options.version}, {"hostname", options.hostname}};
  if (options.protocol == ProtocolVersion::v1) {
    worker["id"] = options.name;
  } else {
    worker["worker_name"] = options.name;
    worker["worker_instance_id"] = options.instance_id;
  }
  return json::dump({{"protocol", 1}, {"auth", std::move(auth)}, {"worker", std::move(worker)}});
}

Json manifest_of(const std::string& name, const std::string& version, const std::vector<std::string>& node_types) {
  Tree nodes = Tree::array();
  for (const std::string& type : node_types)
    nodes.push_back({{"type", type},
                     {"status", "published"},
                     {"category", "worker"},
                     {"label", type},
                     {"adapter", "cpp"},
                     {"handler", identifier(type)},
                     {"schema", Tree::object()}});
  return {{"schemaVersion", "1.0.0"},
          {"name", name},
          {"version", version},
          {"description", "Nodes of a C++ worker"},
          {"adapters", {{{"name", "cpp"}, {"entrypoint", "cpp"}, {"capabilities", node_types}}}},
          {"python", {{"requires", ">=3.10"}}},
          {"nodes", std::move(nodes)}};
}

std::string registration_payload(const WorkerOptions& options, const std::vector<std::string>& node_types) {
  std::vector<Package> packages = options.packages;
  if (packages.empty()) packages.push_back({.name = package_name(options.name), .version = options.version, .manifest = {}});
  Tree out{{"capabilities", capabilities(options)}, {"packages", Tree::array()}, {"manifests", Tree::array()}};
  if (options.protocol == ProtocolVersion::v2) out["payload_types"] = payload_types(options);
  for (const Package& package : packages) {
    out["packages"].push_back({{"name", package.name}, {"version", package.version}, {"status", "installed"}});
    out["manifests"].push_back(
        {{"name", package.name},
         {"version", package.version},
         {"manifest", package.manifest.is_object() ? package.manifest : manifest_of(package.name, package.version, node_types)}});
  }
  return json::dump(out);
}

std::string retirement_payload(const WorkerOptions& options) {
  Tree out{{"capabilities", capabilities(options)}, {"packages", Tree::array()}};
  if (options.protocol == ProtocolVersion::v2) out["payload_types"] = payload_types(options);
  return json::dump(out);
}

}  // namespace muster::sdk::ws
