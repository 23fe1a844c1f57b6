#include "schema/compiler.h"

#include <fmt/format.h>

#include <algorithm>

namespace muster::schema {
namespace {

using Tree = json::Tree;

// Operations that look at the same value again, not at a part of it.
void add_in_place(const Program& program, const Op& op, std::vector<NodeId>& out) {
  const auto add_children = [&](std::uint64_t count) {
    for (std::uint64_t i = 0; i < count; ++i)
      if (const NodeId child = program.children[op.index + i]; child != kNoNode) out.push_back(child);
  };
  switch (op.check) {
    case Check::reference:
    case Check::negation: out.push_back(op.index); break;
    case Check::all_of:
    case Check::any_of:
    case Check::one_of: add_children(op.count); break;
    case Check::condition: add_children(3); break;
    case Check::dependent_schemas:
      for (const Dependent& dependent : program.dependents[op.index]) out.push_back(dependent.node);
      break;
    default: break;
  }
}

}  // namespace

Result<Program> Compiler::compile(const Tree& root) {
  if (Status status = library_.open(root); !status.ok()) return status;
  program_.root = node_for(root);
  program_.steps = options_.steps;
  for (NodeId next = 0; next < sources_.size();) {
    for (; next < sources_.size(); ++next)
      if (Status status = compile_node(next); !status.ok()) return status;
    link_dynamic_anchors();
  }
  for (DynamicAnchor& anchor : program_.dynamic_anchors) std::sort(anchor.nodes.begin(), anchor.nodes.end());
  if (Status status = find_endless(); !status.ok()) return status;
  program_.places = library_.take_places();
  program_.documents = library_.take_documents();
  return std::move(program_);
}

NodeId Compiler::node_for(const Tree& schema) {
  const auto [entry, added] = nodes_.emplace(&schema, static_cast<NodeId>(sources_.size()));
  if (added) {
    sources_.push_back(&schema);
    program_.nodes.emplace_back();
  }
  return entry->second;
}

Status Compiler::compile_node(NodeId id) {
  const Tree& tree = *sources_[id];
  draft_ = {.tree = &tree, .spot = library_.spot(tree)};
  if (tree == Tree(false)) emit(Check::nothing);
  if (tree.is_object()) {
    for (const Rule* rule = kRules; rule->keyword != nullptr; ++rule)
      if (const Tree* value = keyword(rule->keyword, rule->group))
        if (Status status = (this->*rule->read)(*value, rule->check); !status.ok()) return status;
    if (Status status = read_members(); !status.ok()) return status;
    if (Status status = read_items(); !status.ok()) return status;
    if (Status status = read_contains(); !status.ok()) return status;
  }
  std::stable_sort(draft_.ops.begin(), draft_.ops.end(), [](const Op& a, const Op& b) { return a.check < b.check; });
  Node& node = program_.nodes[id];
  node.first_op = static_cast<std::uint32_t>(program_.ops.size());
  program_.ops.insert(program_.ops.end(), draft_.ops.begin(), draft_.ops.end());
  node.last_op = static_cast<std::uint32_t>(program_.ops.size());
  node.resource = draft_.spot.resource;
  node.place = draft_.spot.place;
  node.tracked = draft_.tracked;
  return {};
}

const Tree* Compiler::keyword(const char* name, bool Dialect::*group) const {
  if (group != nullptr && !(library_.resources()[draft_.spot.resource].dialect.*group)) return nullptr;
  return json::member(*draft_.tree, name);
}

// What a name means depends on the resources that are entered on the way to it, and any of those known by now may be one.
void Compiler::link_dynamic_anchors() {
  for (DynamicAnchor& anchor : program_.dynamic_anchors) {
    const auto& all = library_.dynamic_anchors(anchor.name);
    for (std::size_t i = anchor.nodes.size(); i < all.size(); ++i)
      anchor.nodes.emplace_back(all[i].resource, node_for(*all[i].tree));
  }
}

// A schema that comes back to itself without having looked at a part of the value would never be done with it.
Status Compiler::find_endless() const {
  enum class Mark : std::uint8_t { unseen, open, done };
  std::vector<Mark> marks(program_.nodes.size(), Mark::unseen);
  std::vector<NodeId> pending;
  for (NodeId start = 0; start < program_.nodes.size(); ++start) {
    if (marks[start] != Mark::unseen) continue;
    pending.push_back(start);
    while (!pending.empty()) {
      const NodeId at = pending.back();
      const Node& node = program_.nodes[at];
      if (marks[at] != Mark::unseen) {
        marks[at] = Mark::done;
        pending.pop_back();
        continue;
      }
      marks[at] = Mark::open;
      std::vector<NodeId> next;
      for (std::uint32_t i = node.first_op; i < node.last_op; ++i) add_in_place(program_, program_.ops[i], next);
      for (const NodeId child : next) {
        if (marks[child] == Mark::open)
          return Status::invalid_argument(fmt::format("{}: refers to itself without an end", library_.where(node.place, {})));
        if (marks[child] == Mark::unseen) pending.push_back(child);
      }
    }
  }
  return {};
}

void Compiler::emit(Check check, std::uint32_t index, std::uint64_t count) {
  Types applies = kAnyType;
  switch (check) {
    case Check::minimum:
    case Check::exclusive_minimum:
    case Check::maximum:
    case Check::exclusive_maximum:
    case Check::multiple_of: applies = kNumber; break;
    case Check::length_min:
    case Check::length_max:
    case Check::format:
    case Check::pattern: applies = kString; break;
    case Check::items_min:
    case Check::items_max:
    case Check::items:
    case Check::contains:
    case Check::unique_items:
    case Check::unevaluated_items: applies = kArray; break;
    case Check::properties_min:
    case Check::properties_max:
    case Check::dependent_required:
    case Check::members:
    case Check::property_names:
    case Check::dependent_schemas:
    case Check::unevaluated_properties: applies = kObject; break;
    default: break;
  }
  draft_.ops.push_back({check, applies, index, count});
}

Status Compiler::refuse(std::string_view name, const Tree& value, std::string_view accepted) const {
  return Status::invalid_argument(
      fmt::format("{}: {} is not accepted; accepted: {}", library_.where(draft_.spot.place, name), shown(value), accepted));
}

}  // namespace muster::schema
