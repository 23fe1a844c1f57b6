// Checks that lead into the members of an object or the items of an array.
#include <fmt/format.h>

#include <algorithm>

#include "schema/walk.h"

namespace muster::schema {
namespace {

using Tree = json::Tree;

constexpr std::size_t kPropertiesPerStep = 8;  // that are passed over

std::string accepted_names(const Members& members) {
  std::string out;
  for (const Property& property : members.properties) {
    if (property.node == kNoNode || out.size() > kFaultTextMax) continue;
    out.append(out.empty() ? "" : ", ").append(property.name);
  }
  if (out.empty()) out = members.by_pattern.empty() ? "none" : "those of a pattern";
  return out;
}

}  // namespace

// Members and properties are both ordered by name, so one pass over both finds who belongs together, who is missing and who is
// new.
bool Walk::members(const Node& node, const Op& op, const Subject& subject) {
  const Members& members = program_.members[op.index];
  const auto& object = *subject.value.get_ptr<const Tree::object_t*>();
  if (!budget_.pay(object.size() + members.properties.size() / kPropertiesPerStep)) return false;
  bool accepted = true;
  const auto missing = [&](const Property& property) {
    return refuse(node, "required", subject.place,
                  [&] { return fmt::format("the member {} is missing", in_quotes(property.name)); });
  };
  auto property = members.properties.begin();
  std::size_t part = 0;
  for (const auto& [name, value] : object) {
    NodeId named = kNoNode;
    for (; property != members.properties.end(); ++property) {
      const int order = property->name.compare(name);
      if (order > 0) break;
      if (order == 0) {
        named = property->node;
        ++property;
        break;
      }
      if (property->required) accepted = missing(*property);
      if (!accepted && !goes_on()) return false;
    }
    const Place place{&subject.place, &name, 0};
    if (!member(node, members, named, subject, place, value, part)) accepted = false;
    if (!accepted && !goes_on()) return false;
    ++part;
  }
  for (; property != members.properties.end() && (accepted || goes_on()); ++property)
    if (property->required) accepted = missing(*property);
  return accepted;
}

bool Walk::member(const Node& node, const Members& members, NodeId named, const Subject& subject, const Place& place,
                  const Tree& value, std::size_t part) {
  bool known = named != kNoNode;
  bool accepted = !known || this->node(named, value, place, nullptr);
  for (const auto& [pattern, by_pattern] : members.by_pattern) {
    if (!accepted && !goes_on()) return false;
    if (!budget_.pay(program_.patterns[pattern].cost(place.name->size()))) return false;
    if (!program_.patterns[pattern].matches(*place.name)) continue;
    known = true;
    if (!this->node(by_pattern, value, place, nullptr)) accepted = false;
  }
  if (!known && members.closed)
    return refuse(node, "additionalProperties", place, [&] {
      return fmt::format("no member {} is accepted; accepted: {}", in_quotes(*place.name), accepted_names(members));
    });
  if (!known && members.additional != kNoNode) {
    known = true;
    accepted = this->node(members.additional, value, place, nullptr);
  }
  if (known && subject.seen != nullptr) subject.seen->add(part);
  return accepted;
}

bool Walk::names(const Node& node, const Op& op, const Subject& subject) {
  bool accepted = true;
  for (auto at = subject.value.begin(); at != subject.value.end(); ++at) {
    const Place place{&subject.place, &at.key(), 0};
    if (!budget_.pay(at.key().size() / kBytesPerStep)) return false;
    if (tries(op.index, Tree(at.key()), place)) continue;
    accepted =
        refuse(node, "propertyNames", place, [&] { return fmt::format("the name {} is not accepted", in_quotes(at.key())); });
    if (!goes_on()) return false;
  }
  return accepted;
}

bool Walk::needs(const Node& node, const Op& op, const Subject& subject) {
  bool accepted = true;
  for (const Need& need : program_.needs[op.index]) {
    if (!budget_.pay(1)) return false;
    if (!subject.value.contains(need.name)) continue;
    for (const std::string& needed : need.needed) {
      if (!budget_.pay(1)) return false;
      if (subject.value.contains(needed)) continue;
      accepted = refuse(node, "dependentRequired", subject.place, [&] {
        return fmt::format("the member {} is missing, which {} needs", in_quotes(needed), in_quotes(need.name));
      });
      if (!goes_on()) return false;
    }
  }
  return accepted;
}

bool Walk::items(const Op& op, const Subject& subject) {
  const Items& items = program_.items[op.index];
  bool accepted = true;
  std::size_t index = 0;
  for (const Tree& value : subject.value) {
    const NodeId judge = index < items.prefix_count ? program_.children[items.first_prefix + index] : items.rest;
    if (judge == kNoNode) break;
    const Place place{&subject.place, nullptr, index};
    if (!node(judge, value, place, nullptr)) accepted = false;
    if (!accepted && !goes_on()) return false;
    if (subject.seen != nullptr) subject.seen->add(index);
    ++index;
  }
  return accepted;
}

bool Walk::contains(const Node& node, const Op& op, const Subject& subject) {
  const Contains& contains = program_.contains[op.index];
  std::uint64_t found = 0;
  std::size_t index = 0;
  for (const Tree& value : subject.value) {
    // Nobody needs to know more, unless they want to know of every item.
    if (subject.seen == nullptr && (found > contains.most || (found >= contains.least && contains.most == UINT64_MAX))) break;
    if (gave_up()) return false;
    const Place place{&subject.place, nullptr, index};
    if (tries(contains.node, value, place)) {
      ++found;
      if (subject.seen != nullptr) subject.seen->add(index);
    }
    ++index;
  }
  if (found < contains.least)
    return refuse(node, contains.least == 1 ? "contains" : "minContains", subject.place, [&] {
      return fmt::format("{} of {} items are of the kind that must occur; accepted: at least {}", found, subject.value.size(),
                         contains.least);
    });
  if (found > contains.most)
    return refuse(node, "maxContains", subject.place,
                  [&] { return fmt::format("more than {} items are of the kind that may occur so often", contains.most); });
  return true;
}

bool Walk::unevaluated(const Op& op, const Subject& subject) {
  bool accepted = true;
  std::size_t part = 0;
  for (auto at = subject.value.begin(); at != subject.value.end(); ++at, ++part) {
    if (subject.seen->has(part)) continue;
    const Place place{&subject.place, subject.type == kObject ? &at.key() : nullptr, part};
    if (!node(op.index, *at, place, nullptr)) accepted = false;
    if (!accepted && !goes_on()) return false;
    subject.seen->add(part);
  }
  return accepted;
}

}  // namespace muster::schema
