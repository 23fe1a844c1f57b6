// How each keyword of a schema is read: its shape is judged, and what it demands becomes an operation.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "schema/compiler.h"
#include "schema/format.h"

namespace muster::schema {
namespace {

using Tree = json::Tree;

struct TypeName {
  std::string_view name;
  Types types;
};

constexpr std::array kTypeNames{TypeName{"null", kNull},     TypeName{"boolean", kBoolean}, TypeName{"integer", kInteger},
                                TypeName{"number", kNumber}, TypeName{"string", kString},   TypeName{"array", kArray},
                                TypeName{"object", kObject}};
constexpr std::string_view kTypesAccepted = "one or more of null, boolean, integer, number, string, array, object";

// 0: no type.
Types named_type(const Tree& value) {
  const auto* text = value.get_ptr<const std::string*>();
  if (text == nullptr) return 0;
  const auto* found =
      std::find_if(kTypeNames.begin(), kTypeNames.end(), [&](const TypeName& entry) { return entry.name == *text; });
  return found == kTypeNames.end() ? Types{0} : found->types;
}

template <class T>
std::uint32_t keep(std::vector<T>& in, T value) {
  in.push_back(std::move(value));
  return static_cast<std::uint32_t>(in.size() - 1);
}

}  // namespace

const Compiler::Rule Compiler::kRules[] = {
    {"type", &Dialect::validation, &Compiler::read_type, Check::type},
    {"const", &Dialect::validation, &Compiler::read_choices, Check::constant},
    {"enum", &Dialect::validation, &Compiler::read_choices, Check::enumeration},
    {"minimum", &Dialect::validation, &Compiler::read_bound, Check::minimum},
    {"exclusiveMinimum", &Dialect::validation, &Compiler::read_bound, Check::exclusive_minimum},
    {"maximum", &Dialect::validation, &Compiler::read_bound, Check::maximum},
    {"exclusiveMaximum", &Dialect::validation, &Compiler::read_bound, Check::exclusive_maximum},
    {"multipleOf", &Dialect::validation, &Compiler::read_unit, Check::multiple_of},
    {"minLength", &Dialect::validation, &Compiler::read_count, Check::length_min},
    {"maxLength", &Dialect::validation, &Compiler::read_count, Check::length_max},
    {"format", nullptr, &Compiler::read_format, Check::format},
    {"pattern", &Dialect::validation, &Compiler::read_pattern, Check::pattern},
    {"minItems", &Dialect::validation, &Compiler::read_count, Check::items_min},
    {"maxItems", &Dialect::validation, &Compiler::read_count, Check::items_max},
    {"uniqueItems", &Dialect::validation, &Compiler::read_unique, Check::unique_items},
    {"minProperties", &Dialect::validation, &Compiler::read_count, Check::properties_min},
    {"maxProperties", &Dialect::validation, &Compiler::read_count, Check::properties_max},
    {"dependentRequired", &Dialect::validation, &Compiler::read_needs, Check::dependent_required},
    {"propertyNames", &Dialect::applicator, &Compiler::read_node, Check::property_names},
    {"$ref", nullptr, &Compiler::read_reference, Check::reference},
    {"$dynamicRef", nullptr, &Compiler::read_dynamic_reference, Check::dynamic_reference},
    {"allOf", &Dialect::applicator, &Compiler::read_list, Check::all_of},
    {"anyOf", &Dialect::applicator, &Compiler::read_list, Check::any_of},
    {"oneOf", &Dialect::applicator, &Compiler::read_list, Check::one_of},
    {"not", &Dialect::applicator, &Compiler::read_node, Check::negation},
    {"if", &Dialect::applicator, &Compiler::read_condition, Check::condition},
    {"dependentSchemas", &Dialect::applicator, &Compiler::read_dependents, Check::dependent_schemas},
    {"unevaluatedItems", &Dialect::unevaluated, &Compiler::read_unevaluated, Check::unevaluated_items},
    {"unevaluatedProperties", &Dialect::unevaluated, &Compiler::read_unevaluated, Check::unevaluated_properties},
    {nullptr, nullptr, nullptr, Check::nothing},
};

Status Compiler::read_type(const Tree& value, Check check) {
  Types types = named_type(value);
  if (value.is_array()) {
    for (const Tree& entry : value) {
      if (named_type(entry) == 0) return refuse("type", entry, kTypesAccepted);
      types |= named_type(entry);
    }
  }
  if (types == 0) return refuse("type", value, kTypesAccepted);
  emit(check, types);
  return {};
}

Status Compiler::read_choices(const Tree& value, Check check) {
  if (check == Check::enumeration && !value.is_array()) return refuse("enum", value, "an array");
  Choices choices;
  const auto add = [&](const Tree& choice) {
    if (const auto* text = choice.get_ptr<const std::string*>())
      choices.texts.push_back(*text);
    else
      choices.others.push_back(choice);
    if (choices.shown.size() < kFaultTextMax) choices.shown.append(choices.shown.empty() ? "" : ", ").append(shown(choice));
  };
  if (check == Check::constant)
    add(value);
  else
    for (const Tree& choice : value) add(choice);
  std::sort(choices.texts.begin(), choices.texts.end());
  emit(check, keep(program_.choices, std::move(choices)));
  return {};
}

Status Compiler::read_bound(const Tree& value, Check check) {
  if (!value.is_number()) return refuse(keyword_of(check), value, "a number");
  emit(check, keep(program_.numbers, Number::of(value)));
  return {};
}

Status Compiler::read_unit(const Tree& value, Check check) {
  if (!value.is_number() || compare(Number::of(value), Number{}) <= 0)
    return refuse(keyword_of(check), value, "a number above 0");
  const Number number = Number::of(value);
  emit(check, keep(program_.units, {Decimal::of(number), number}));
  return {};
}

Result<std::uint64_t> Compiler::count_of(const Tree& value, std::string_view name) const {
  if (value.is_number()) {
    const Number number = Number::of(value);
    if (number.whole && !number.negative) return number.magnitude;
  }
  return refuse(name, value, "an integer from 0 on");
}

Status Compiler::read_count(const Tree& value, Check check) {
  const Result<std::uint64_t> count = count_of(value, keyword_of(check));
  if (!count.ok()) return count.status();
  emit(check, 0, *count);
  return {};
}

Status Compiler::read_format(const Tree& value, Check check) {
  const auto* name = value.get_ptr<const std::string*>();
  if (name == nullptr) return refuse("format", value, "a string");
  const bool asserted = options_.assert_formats || library_.resources()[draft_.spot.resource].dialect.format_assertion;
  const auto format = find_format(*name);
  if (asserted && format) emit(check, static_cast<std::uint32_t>(*format));
  return {};
}

Result<std::uint32_t> Compiler::pattern_index(std::string_view source) {
  const auto known = patterns_.find(source);
  if (known != patterns_.end()) return known->second;
  if (program_.patterns.size() >= kPatternsMax)
    return Status::invalid_argument(fmt::format("a schema of more than {} patterns", kPatternsMax));
  Result<Pattern> pattern = Pattern::compile(source);
  if (!pattern.ok()) return pattern.status();
  const std::uint32_t index = keep(program_.patterns, std::move(*pattern));
  patterns_.emplace(source, index);
  return index;
}

Status Compiler::read_pattern(const Tree& value, Check check) {
  const auto* source = value.get_ptr<const std::string*>();
  if (source == nullptr) return refuse("pattern", value, "a string");
  const Result<std::uint32_t> index = pattern_index(*source);
  if (!index.ok()) return index.status().annotate(library_.where(draft_.spot.place, "pattern"));
  emit(check, *index);
  return {};
}

Status Compiler::read_unique(const Tree& value, Check check) {
  if (!value.is_boolean()) return refuse("uniqueItems", value, "a boolean");
  if (value.get<bool>()) emit(check);
  return {};
}

Result<std::vector<std::string>> Compiler::names_of(const Tree& value, std::string_view name) const {
  std::vector<std::string> names;
  if (!value.is_array()) return refuse(name, value, "an array of names");
  for (const Tree& entry : value) {
    if (!entry.is_string()) return refuse(name, entry, "a name");
    names.push_back(entry.get<std::string>());
  }
  return names;
}

Status Compiler::read_needs(const Tree& value, Check check) {
  if (!value.is_object()) return refuse("dependentRequired", value, "an object of arrays of names");
  std::vector<Need> needs;
  for (auto at = value.begin(); at != value.end(); ++at) {
    Result<std::vector<std::string>> names = names_of(*at, "dependentRequired");
    if (!names.ok()) return names.status();
    needs.push_back({at.key(), std::move(*names)});
  }
  emit(check, keep(program_.needs, std::move(needs)));
  return {};
}

// The library has looked at the shapes of what holds schemas.
Status Compiler::read_node(const Tree& value, Check check) {
  emit(check, node_for(value));
  return {};
}

Status Compiler::read_list(const Tree& value, Check check) {
  const auto first = static_cast<std::uint32_t>(program_.children.size());
  for (const Tree& entry : value) program_.children.push_back(node_for(entry));
  emit(check, first, value.size());
  return {};
}

Status Compiler::read_condition(const Tree& value, Check check) {
  const auto first = static_cast<std::uint32_t>(program_.children.size());
  program_.children.push_back(node_for(value));
  for (const char* name : {"then", "else"}) {
    const Tree* branch = keyword(name, &Dialect::applicator);
    program_.children.push_back(branch != nullptr ? node_for(*branch) : kNoNode);
  }
  emit(check, first);
  return {};
}

Status Compiler::read_dependents(const Tree& value, Check check) {
  std::vector<Dependent> dependents;
  for (auto at = value.begin(); at != value.end(); ++at) dependents.push_back({at.key(), node_for(*at)});
  emit(check, keep(program_.dependents, std::move(dependents)));
  return {};
}

Status Compiler::read_reference(const Tree& value, Check check) {
  const auto* text = value.get_ptr<const std::string*>();
  if (text == nullptr) return refuse("$ref", value, "a URI reference");
  const Result<Target> target = library_.find(draft_.spot.resource, *text);
  if (!target.ok()) return target.status().annotate(library_.where(draft_.spot.place, "$ref"));
  emit(check, node_for(*target->tree));
  return {};
}

// Without a $dynamicAnchor where it leads at first, it is an ordinary reference.
Status Compiler::read_dynamic_reference(const Tree& value, Check check) {
  const auto* text = value.get_ptr<const std::string*>();
  if (text == nullptr) return refuse("$dynamicRef", value, "a URI reference");
  const Result<Target> target = library_.find(draft_.spot.resource, *text);
  if (!target.ok()) return target.status().annotate(library_.where(draft_.spot.place, "$dynamicRef"));
  const NodeId node = node_for(*target->tree);
  if (target->dynamic_anchor.empty())
    emit(Check::reference, node);
  else
    emit(check, keep(program_.dynamic_references, {node, anchor_index(target->dynamic_anchor)}));
  return {};
}

std::uint32_t Compiler::anchor_index(std::string_view name) {
  auto& anchors = program_.dynamic_anchors;
  const auto known =
      std::find_if(anchors.begin(), anchors.end(), [&](const DynamicAnchor& anchor) { return anchor.name == name; });
  if (known != anchors.end()) return static_cast<std::uint32_t>(known - anchors.begin());
  return keep(anchors, DynamicAnchor{.name = std::string(name)});
}

Status Compiler::read_unevaluated(const Tree& value, Check check) {
  draft_.tracked |= check == Check::unevaluated_items ? kArray : kObject;
  emit(check, node_for(value));
  return {};
}

Status Compiler::read_contains() {
  const Tree* value = keyword("contains", &Dialect::applicator);
  Contains contains;
  for (const char* name : {"minContains", "maxContains"}) {
    const Tree* bound = keyword(name, &Dialect::validation);
    if (bound == nullptr) continue;
    const Result<std::uint64_t> count = count_of(*bound, name);
    if (!count.ok()) return count.status();
    (name == std::string_view("minContains") ? contains.least : contains.most) = *count;
  }
  if (value == nullptr) return {};
  contains.node = node_for(*value);
  emit(Check::contains, keep(program_.contains, contains));
  return {};
}

Status Compiler::read_items() {
  const Tree* prefix = keyword("prefixItems", &Dialect::applicator);
  const Tree* rest = keyword("items", &Dialect::applicator);
  if (prefix == nullptr && rest == nullptr) return {};
  Items items{.first_prefix = static_cast<std::uint32_t>(program_.children.size())};
  if (prefix != nullptr) {
    for (const Tree& entry : *prefix) program_.children.push_back(node_for(entry));
    items.prefix_count = static_cast<std::uint32_t>(prefix->size());
  }
  if (rest != nullptr) items.rest = node_for(*rest);
  emit(Check::items, keep(program_.items, items));
  return {};
}

// REQUIRES: properties are ordered by name, each there once. They still are afterwards.
Status Compiler::read_required(std::vector<Property>& properties) {
  const Tree* value = keyword("required", &Dialect::validation);
  if (value == nullptr) return {};
  const Result<std::vector<std::string>> names = names_of(*value, "required");
  if (!names.ok()) return names.status();
  const auto by_name = [](const Property& a, const Property& b) { return a.name < b.name; };
  const std::size_t known = properties.size();
  for (const std::string& name : *names) {
    const auto end = properties.begin() + static_cast<std::ptrdiff_t>(known);
    const auto found = std::lower_bound(properties.begin(), end, Property{.name = name}, by_name);
    if (found != end && found->name == name)
      found->required = true;
    else
      properties.push_back({.name = name, .required = true});
  }
  std::sort(properties.begin(), properties.end(), by_name);
  const auto same = [](const Property& a, const Property& b) { return a.name == b.name; };
  properties.erase(std::unique(properties.begin(), properties.end(), same), properties.end());
  return {};
}

Status Compiler::read_members() {
  Members members;
  if (const Tree* value = keyword("properties", &Dialect::applicator))
    for (auto at = value->begin(); at != value->end(); ++at) members.properties.push_back({at.key(), node_for(*at)});
  if (Status status = read_required(members.properties); !status.ok()) return status;
  if (const Tree* value = keyword("patternProperties", &Dialect::applicator)) {
    for (auto at = value->begin(); at != value->end(); ++at) {
      const Result<std::uint32_t> index = pattern_index(at.key());
      if (!index.ok()) return index.status().annotate(library_.where(draft_.spot.place, "patternProperties"));
      members.by_pattern.emplace_back(*index, node_for(*at));
    }
  }
  if (const Tree* value = keyword("additionalProperties", &Dialect::applicator)) {
    members.additional = node_for(*value);
    members.closed = *value == Tree(false);
  }
  if (members.properties.empty() && members.by_pattern.empty() && members.additional == kNoNode) return {};
  emit(Check::members, keep(program_.members, std::move(members)));
  return {};
}

}  // namespace muster::schema
