#include "schema/text_walk.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>

#include "base/json_text.h"
#include "schema/format.h"
#include "schema/schema.h"

namespace muster::schema {
namespace {

constexpr std::size_t kPropertiesMost = 64;  // bits of a mask

// 0: left to the long way, as are numbers that are no plain natural ones.
Types type_of_text(std::string_view json) {
  switch (json.front()) {
    case 'n': return kNull;
    case 't':
    case 'f': return kBoolean;
    case '"': return kString;
    case '[': return kArray;
    case '{': return kObject;
    default: return json::natural_value(json) ? kInteger : Types{0};
  }
}

// The inside of a string without escapes; nullopt: it has some.
std::optional<std::string_view> literal(std::string_view json) {
  const std::string_view inside = json.substr(1, json.size() - 2);
  if (inside.find('\\') != std::string_view::npos) return std::nullopt;
  return inside;
}

}  // namespace

// NOLINTNEXTLINE(misc-no-recursion): as deep as kRecursionMax.
bool TextWalk::node(NodeId id, std::string_view json) {
  if (!budget_.pay(1) || depth_ >= kRecursionMax) return false;
  const Node& at = program_.nodes[id];
  const Value value{json, type_of_text(json)};
  if (value.type == 0 || (at.tracked & value.type) != 0) return false;
  ++depth_;
  bool accepted = true;
  for (std::uint32_t i = at.first_op; accepted && i < at.last_op; ++i) {
    const Op& op = program_.ops[i];
    accepted = (op.applies & value.type) == 0 || run(op, value);
  }
  --depth_;
  return accepted;
}

// NOLINTNEXTLINE(misc-no-recursion): as deep as kRecursionMax.
bool TextWalk::run(const Op& op, const Value& value) {
  switch (op.check) {
    case Check::type: return (op.index & value.type) != 0;
    case Check::constant:
    case Check::enumeration: return chosen(op, value);
    case Check::minimum:
    case Check::maximum: return number(op, value);
    case Check::length_min:
    case Check::length_max:
    case Check::format: return text(op, value);
    case Check::members: return members(op, value);
    case Check::items: return value.json == "[]";
    case Check::reference: return node(op.index, value.json);
    default: return false;
  }
}

bool TextWalk::chosen(const Op& op, const Value& value) const {
  const Choices& choices = program_.choices[op.index];
  if (value.type != kString) return false;
  const auto text = literal(value.json);
  return text && std::binary_search(choices.texts.begin(), choices.texts.end(), *text, std::less<>());
}

bool TextWalk::number(const Op& op, const Value& value) const {
  const Number number{.magnitude = *json::natural_value(value.json)};
  const auto order = compare(number, program_.numbers[op.index]);
  return op.check == Check::minimum ? order >= 0 : order <= 0;
}

bool TextWalk::text(const Op& op, const Value& value) {
  const auto text = literal(value.json);
  if (!text || !budget_.pay(text->size() / kBytesPerStep)) return false;
  if (op.check == Check::format) return is_format(static_cast<Format>(op.index), *text);
  // A text has no more code points than bytes.
  if (op.check == Check::length_max) return text->size() <= op.count;
  return code_points(*text) >= op.count;
}

// Whoever comes twice is judged twice, of which the long way does the second alone.
// NOLINTNEXTLINE(misc-no-recursion): as deep as kRecursionMax.
bool TextWalk::members(const Op& op, const Value& value) {
  const Members& members = program_.members[op.index];
  const auto& properties = members.properties;
  if (!members.by_pattern.empty() || properties.size() > kPropertiesMost) return false;
  if (!budget_.pay(properties.size())) return false;
  std::uint64_t seen = 0;
  json::MemberScan scan(value.json);
  while (const auto member = scan.next()) {
    if (!budget_.pay(1)) return false;
    const auto name = literal(member->name);
    if (!name) return false;
    const auto found = std::lower_bound(properties.begin(), properties.end(), *name,
                                        [](const Property& property, std::string_view wanted) { return property.name < wanted; });
    NodeId named = kNoNode;
    if (found != properties.end() && found->name == *name) {
      seen |= std::uint64_t{1} << (found - properties.begin());
      named = found->node;
    }
    if (named == kNoNode && members.closed) return false;
    const NodeId judge = named != kNoNode ? named : members.additional;
    if (judge != kNoNode && !node(judge, member->value)) return false;
  }
  for (std::size_t i = 0; i < properties.size(); ++i)
    if (properties[i].required && (seen >> i & 1) == 0) return false;
  return true;
}

}  // namespace muster::schema
