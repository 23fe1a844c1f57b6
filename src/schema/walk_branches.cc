// Checks that hold the same value against further schemas: references, combinations, conditions.
#include <fmt/format.h>

#include <algorithm>

#include "schema/walk.h"

namespace muster::schema {

// The outermost resource on the way here that has the anchor says what it means.
bool Walk::dynamic(const Op& op, const Subject& subject) {
  const DynamicReference& reference = program_.dynamic_references[op.index];
  const auto& nodes = program_.dynamic_anchors[reference.anchor].nodes;
  NodeId target = reference.fallback;
  for (const Scope* scope = scope_; scope != nullptr; scope = scope->outer) {
    if (!budget_.pay(1)) return false;
    const auto found = std::lower_bound(nodes.begin(), nodes.end(), std::pair(scope->resource, NodeId{0}));
    if (found != nodes.end() && found->first == scope->resource) target = found->second;
  }
  return node(target, subject.value, subject.place, subject.seen);
}

bool Walk::all_of(const Op& op, const Subject& subject) {
  bool accepted = true;
  for (std::uint64_t i = 0; i < op.count; ++i) {
    if (node(program_.children[op.index + i], subject.value, subject.place, subject.seen)) continue;
    accepted = false;
    if (!goes_on()) return false;
  }
  return accepted;
}

bool Walk::any_of(const Node& node, const Op& op, const Subject& subject) {
  bool accepted = false;
  for (std::uint64_t i = 0; i < op.count; ++i) {
    if (gave_up()) return false;
    if (tries(program_.children[op.index + i], subject)) accepted = true;
    // Who wants to know what was looked at wants it of every branch that accepts.
    if (accepted && subject.seen == nullptr) return true;
  }
  return accepted || refuse(node, "anyOf", subject.place, [&] {
           return fmt::format("{} is none of the {} kinds that are accepted", shown(subject.value), op.count);
         });
}

bool Walk::one_of(const Node& node, const Op& op, const Subject& subject) {
  std::uint64_t accepted_by = op.count;
  for (std::uint64_t i = 0; i < op.count; ++i) {
    if (gave_up()) return false;
    if (!tries(program_.children[op.index + i], subject)) continue;
    if (accepted_by != op.count)
      return refuse(node, "oneOf", subject.place, [&] {
        return fmt::format("{} is of kinds {} and {} at once; accepted: one", shown(subject.value), accepted_by, i);
      });
    accepted_by = i;
  }
  return accepted_by != op.count || refuse(node, "oneOf", subject.place, [&] {
           return fmt::format("{} is none of the {} kinds of which one is accepted", shown(subject.value), op.count);
         });
}

bool Walk::condition(const Op& op, const Subject& subject) {
  const NodeId* const branches = &program_.children[op.index];
  const NodeId then = branches[1];
  const NodeId otherwise = branches[2];
  if (then == kNoNode && otherwise == kNoNode && subject.seen == nullptr) return true;
  const NodeId next = tries(branches[0], subject) ? then : otherwise;
  return next == kNoNode || node(next, subject.value, subject.place, subject.seen);
}

bool Walk::dependents(const Op& op, const Subject& subject) {
  bool accepted = true;
  for (const Dependent& dependent : program_.dependents[op.index]) {
    if (!budget_.pay(1)) return false;
    if (!subject.value.contains(dependent.name)) continue;
    if (node(dependent.node, subject.value, subject.place, subject.seen)) continue;
    accepted = false;
    if (!goes_on()) return false;
  }
  return accepted;
}

}  // namespace muster::schema
