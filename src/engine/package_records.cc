#include "engine/package_records.h"

#include "base/json_reader.h"

namespace muster::engine {
namespace {

using json::Tree;

void put_member(Tree& out, const char* name, const std::string& text) {
  if (!text.empty()) out[name] = text;
}
void put_member(Tree& out, const char* name, Instant at) { out[name] = to_ms(at); }

std::string text_at(const Tree& in, const char* name) {
  const std::string* found = json::text(in, name);
  return found != nullptr ? *found : std::string();
}
Instant instant_at(const Tree& in, const char* name) { return from_ms(json::integer(in, name).value_or(0)); }
Labels labels_at(const Tree& in, const char* name) { return json::get<Labels>(in, name).value_or(Labels()); }

Tree tree_of(const WorkerPackage& package) { return Tree::array({package.name, package.version, to_string(package.status)}); }

std::optional<WorkerPackage> package_of(const Tree& in) {
  if (!json::holds<std::vector<std::string>>(in) || in.size() != 3) return std::nullopt;
  const auto status = parse_package_status(in[2].get_ref<const std::string&>());
  if (!status) return std::nullopt;
  return WorkerPackage{in[0].get<std::string>(), in[1].get<std::string>(), *status};
}

Tree tree_of(const PackageOperation& operation) {
  Tree out{{"op", to_string(operation.op)}, {"attempts", operation.attempts}};
  put_member(out, "version", operation.version);
  put_member(out, "wish", operation.wish);
  put_member(out, "message", operation.message);
  if (operation.failed) out["failed"] = true;
  if (operation.due) put_member(out, "due", *operation.due);
  return out;
}

std::optional<PackageOperation> operation_of(const Tree& in) {
  const auto op = parse_package_op(text_at(in, "op"));
  if (!op) return std::nullopt;
  PackageOperation out;
  out.op = *op;
  out.version = text_at(in, "version");
  out.wish = instant_at(in, "wish");
  out.message = text_at(in, "message");
  out.attempts = json::get<std::uint32_t>(in, "attempts").value_or(0);
  out.failed = json::flag(in, "failed").value_or(false);
  if (json::integer(in, "due")) out.due = instant_at(in, "due");
  return out;
}

}  // namespace

std::string manifest_key(std::string_view name, std::string_view version) {
  return "packages:manifest:" + version_field(name, version);
}

std::string version_field(std::string_view name, std::string_view version) {
  return std::string(name) + "@" + std::string(version);
}

std::string wish_field(const PackageWish& wish) {
  Tree target = Tree::array();
  target.push_back(wish.name);
  target.push_back(wish.worker.empty() ? Tree(wish.selector) : Tree(wish.worker.text()));
  return json::dump(target);
}

std::string to_text(const PackageRecord& record) {
  Tree out{{"name", record.name}, {"version", record.version}, {"nodes", record.nodes}};
  put_member(out, "description", record.description);
  put_member(out, "problem", record.problem);
  put_member(out, "seen_at", record.seen_at);
  out["manifest_bytes"] = record.manifest_bytes;
  out["manifest_hash"] = record.manifest_hash;
  return json::dump(out);
}

std::optional<PackageRecord> read_package_record(std::string_view text) {
  const auto in = json::parse_object(text);
  if (!in) return std::nullopt;
  PackageRecord out;
  out.name = text_at(*in, "name");
  out.version = text_at(*in, "version");
  out.description = text_at(*in, "description");
  out.problem = text_at(*in, "problem");
  out.nodes = json::get<std::vector<std::string>>(*in, "nodes").value_or(std::vector<std::string>());
  out.manifest_bytes = json::natural(*in, "manifest_bytes").value_or(0);
  out.manifest_hash = json::natural(*in, "manifest_hash").value_or(0);
  out.seen_at = instant_at(*in, "seen_at");
  if (out.name.empty() || out.version.empty()) return std::nullopt;
  return out;
}

std::string to_text(const PackageWorker& worker) {
  Tree out{{"id", worker.id.text()}};
  put_member(out, "name", worker.name);
  put_member(out, "unable", worker.unable);
  put_member(out, "at", worker.at);
  if (!worker.labels.empty()) out["labels"] = worker.labels;
  Tree& packages = out["packages"] = Tree::array();
  for (const WorkerPackage& package : worker.packages) packages.push_back(tree_of(package));
  Tree operations = Tree::object();
  for (const auto& [package, operation] : worker.operations) operations[package] = tree_of(operation);
  if (!operations.empty()) out["operations"] = std::move(operations);
  return json::dump(out);
}

std::optional<PackageWorker> read_package_worker(std::string_view text) {
  const auto in = json::parse_object(text);
  if (!in) return std::nullopt;
  PackageWorker out;
  out.id = WorkerId(text_at(*in, "id"));
  out.name = text_at(*in, "name");
  out.unable = text_at(*in, "unable");
  out.at = instant_at(*in, "at");
  out.labels = labels_at(*in, "labels");
  if (const Tree* packages = json::array(*in, "packages"))
    for (const Tree& each : *packages)
      if (auto package = package_of(each)) out.packages.push_back(*std::move(package));
  if (const Tree* operations = json::member(*in, "operations"); operations != nullptr && operations->is_object())
    for (const auto& [package, each] : operations->items())
      if (auto operation = operation_of(each)) out.operations.emplace(package, *std::move(operation));
  if (out.id.empty()) return std::nullopt;
  return out;
}

std::string to_text(const PackageWish& wish) {
  Tree out{{"op", to_string(wish.op)}, {"name", wish.name}};
  put_member(out, "version", wish.version);
  put_member(out, "url", wish.url);
  put_member(out, "sha256", wish.sha256);
  put_member(out, "worker", wish.worker.text());
  put_member(out, "by", wish.by);
  put_member(out, "at", wish.at);
  if (!wish.selector.empty()) out["selector"] = wish.selector;
  return json::dump(out);
}

std::optional<PackageWish> read_package_wish(std::string_view text) {
  const auto in = json::parse_object(text);
  const auto op = in ? parse_package_op(text_at(*in, "op")) : std::nullopt;
  if (!op) return std::nullopt;
  PackageWish out;
  out.op = *op;
  out.name = text_at(*in, "name");
  out.version = text_at(*in, "version");
  out.url = text_at(*in, "url");
  out.sha256 = text_at(*in, "sha256");
  out.worker = WorkerId(text_at(*in, "worker"));
  out.by = text_at(*in, "by");
  out.at = instant_at(*in, "at");
  out.selector = labels_at(*in, "selector");
  if (out.name.empty()) return std::nullopt;
  return out;
}

std::string to_text(const PackageChange& change) {
  Tree out{{"package", change.package}, {"status", to_string(change.status)}};
  put_member(out, "worker", change.worker.text());
  put_member(out, "worker_name", change.worker_name);
  put_member(out, "version", change.version);
  put_member(out, "message", change.message);
  put_member(out, "by", change.by);
  put_member(out, "at", change.at);
  if (change.op) out["op"] = to_string(*change.op);
  return json::dump(out);
}

std::optional<PackageChange> read_package_change(std::string_view text) {
  const auto in = json::parse_object(text);
  const auto status = in ? parse_package_status(text_at(*in, "status")) : std::nullopt;
  if (!status) return std::nullopt;
  PackageChange out;
  out.worker = WorkerId(text_at(*in, "worker"));
  out.worker_name = text_at(*in, "worker_name");
  out.package = text_at(*in, "package");
  out.version = text_at(*in, "version");
  out.op = parse_package_op(text_at(*in, "op"));
  out.status = *status;
  out.message = text_at(*in, "message");
  out.by = text_at(*in, "by");
  out.at = instant_at(*in, "at");
  return out;
}

}  // namespace muster::engine
