#include "schema/walk.h"

#include <fmt/format.h>

#include "schema/uri.h"

namespace muster::schema {
namespace {

using Tree = json::Tree;

std::string instance_pointer(const Place& place) {
  std::vector<const Place*> inwards;
  for (const Place* at = &place; at->outer != nullptr; at = at->outer) inwards.push_back(at);
  std::string out;
  for (auto at = inwards.rbegin(); at != inwards.rend() && out.size() <= kFaultTextMax; ++at) {
    if ((*at)->name != nullptr)
      append_name(out, *(*at)->name);
    else
      out.append("/").append(std::to_string((*at)->index));
  }
  cut(out);
  return out;
}

}  // namespace

bool Walk::accepts(const Tree& value) {
  const Place root;
  const bool accepted = node(program_.root, value, root, nullptr);
  if (!gave_up()) return accepted;
  if (faults_ != nullptr && faults_->size() < kFaultsMax)
    add_fault(program_.nodes[program_.root], {}, root,
              too_deep_ ? fmt::format("gave up: value and schema lead more than {} levels deep", kRecursionMax)
                        : fmt::format("gave up: judging it takes more than {} steps", program_.steps));
  return false;
}

bool Walk::node(NodeId id, const Tree& value, const Place& place, Seen* seen) {
  if (gave_up() || !budget_.pay(1)) return false;
  if (depth_ >= kRecursionMax) {
    too_deep_ = true;
    return false;
  }
  ++depth_;
  const Node& at = program_.nodes[id];
  const Scope entered{scope_, at.resource};
  const Scope* const before = scope_;
  if (scope_ == nullptr || scope_->resource != at.resource) scope_ = &entered;
  const Subject subject{value, place, seen, type_of(value)};
  const bool accepted = (at.tracked & subject.type) != 0 ? tracked(at, subject) : ops(at, subject);
  scope_ = before;
  --depth_;
  return accepted;
}

// What its own keywords have looked at is a list of its own: those beside it in an outer schema do not count.
bool Walk::tracked(const Node& node, const Subject& subject) {
  if (!budget_.pay(subject.value.size())) return false;
  Seen seen(subject.value.size());
  const bool accepted = ops(node, {subject.value, subject.place, &seen, subject.type});
  if (accepted && subject.seen != nullptr) subject.seen->add_all(seen);
  return accepted;
}

bool Walk::ops(const Node& node, const Subject& subject) {
  bool accepted = true;
  for (std::uint32_t i = node.first_op; i < node.last_op; ++i) {
    const Op& op = program_.ops[i];
    // What is left over after a fault says nothing.
    if (!accepted && (op.check == Check::unevaluated_items || op.check == Check::unevaluated_properties)) return false;
    if ((op.applies & subject.type) == 0 || run(node, op, subject)) continue;
    accepted = false;
    if (!goes_on()) return false;
  }
  return accepted;
}

bool Walk::run(const Node& node, const Op& op, const Subject& subject) {
  switch (op.check) {
    case Check::nothing: return refuse(node, {}, subject.place, [] { return "nothing is accepted here"; });
    case Check::type:
      if ((op.index & subject.type) != 0) return true;
      return refuse(node, "type", subject.place, [&] {
        return fmt::format("{} is {}; accepted: {}", shown(subject.value), shown(subject.type),
                           shown(static_cast<Types>(op.index)));
      });
    case Check::constant:
    case Check::enumeration:
      if (is_chosen(op, subject.value)) return true;
      return refuse(node, keyword_of(op.check), subject.place, [&] {
        return fmt::format("{} is not accepted; accepted: {}", shown(subject.value), program_.choices[op.index].shown);
      });
    case Check::minimum:
    case Check::exclusive_minimum:
    case Check::maximum:
    case Check::exclusive_maximum:
    case Check::multiple_of: return number(node, op, subject);
    case Check::length_min:
    case Check::length_max:
    case Check::format:
    case Check::pattern: return text(node, op, subject);
    case Check::items_min:
    case Check::items_max:
    case Check::properties_min:
    case Check::properties_max: return size(node, op, subject);
    case Check::unique_items: return unique(node, op, subject);
    case Check::dependent_required: return needs(node, op, subject);
    case Check::members: return members(node, op, subject);
    case Check::property_names: return names(node, op, subject);
    case Check::items: return items(op, subject);
    case Check::contains: return contains(node, op, subject);
    case Check::reference: return this->node(op.index, subject.value, subject.place, subject.seen);
    case Check::dynamic_reference: return dynamic(op, subject);
    case Check::all_of: return all_of(op, subject);
    case Check::any_of: return any_of(node, op, subject);
    case Check::one_of: return one_of(node, op, subject);
    case Check::negation:
      if (!tries(op.index, subject.value, subject.place)) return true;
      return refuse(node, "not", subject.place,
                    [&] { return fmt::format("{} is what is ruled out here", shown(subject.value)); });
    case Check::condition: return condition(op, subject);
    case Check::dependent_schemas: return dependents(op, subject);
    case Check::unevaluated_items:
    case Check::unevaluated_properties: return unevaluated(op, subject);
  }
  return false;
}

bool Walk::tries(NodeId id, const Subject& subject) {
  std::vector<Fault>* const faults = faults_;
  faults_ = nullptr;
  const std::size_t mark = subject.seen != nullptr ? subject.seen->mark() : 0;
  const bool accepted = node(id, subject.value, subject.place, subject.seen);
  if (!accepted && subject.seen != nullptr) subject.seen->forget_since(mark);
  faults_ = faults;
  return accepted;
}

bool Walk::tries(NodeId id, const Tree& value, const Place& place) { return tries(id, {value, place, nullptr, 0}); }

void Walk::add_fault(const Node& node, std::string_view keyword, const Place& place, std::string message) {
  cut(message);
  faults_->push_back({.instance = instance_pointer(place),
                      .keyword = pointer_of(program_.places, program_.documents, node.place, keyword),
                      .message = std::move(message)});
}

}  // namespace muster::schema
