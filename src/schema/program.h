// A compiled schema: subschemas as nodes in one vector, each a run of operations in the order they are judged.
//
// Made by compiler.h, judged by walk.h, never changed in between. Everything refers to everything else by index, so that a schema
// that refers to itself is no tree and needs no owner.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json_reader.h"
#include "schema/number.h"
#include "schema/pattern.h"
#include "schema/value.h"

namespace muster::schema {

using NodeId = std::uint32_t;
inline constexpr NodeId kNoNode = UINT32_MAX;

// What an operation does, in the order in which those of one node are judged: what is cheap comes first, and what asks which
// parts others have looked at comes last. The comment says what `index` and `count` of an Op mean.
enum class Check : std::uint8_t {
  nothing,                // the schema `false`
  type,                   // index: Types
  constant,               // index: choices
  enumeration,            // index: choices
  minimum,                // index: numbers
  exclusive_minimum,      // index: numbers
  maximum,                // index: numbers
  exclusive_maximum,      // index: numbers
  multiple_of,            // index: units
  length_min,             // count
  length_max,             // count
  format,                 // index: Format
  pattern,                // index: patterns
  items_min,              // count
  items_max,              // count
  properties_min,         // count
  properties_max,         // count
  dependent_required,     // index: needs
  members,                // index: members; properties, patternProperties, additionalProperties and required
  property_names,         // index: node
  items,                  // index: items; prefixItems and items
  contains,               // index: contains
  unique_items,           //
  reference,              // index: node
  dynamic_reference,      // index: dynamic_references
  all_of,                 // index: children; count: how many
  any_of,                 // index: children; count: how many
  one_of,                 // index: children; count: how many
  negation,               // index: node
  condition,              // index: children: if, then, else; kNoNode where there is none
  dependent_schemas,      // index: dependents
  unevaluated_items,      // index: node
  unevaluated_properties  // index: node
};
std::string_view keyword_of(Check check);

struct Op {
  Check check;
  Types applies;  // to other types it says nothing
  std::uint32_t index = 0;
  std::uint64_t count = 0;
};

struct Node {
  std::uint32_t first_op = 0;
  std::uint32_t last_op = 0;  // one behind
  std::uint32_t resource = 0;
  std::uint32_t place = 0;
  Types tracked = 0;  // types of which it must know the parts that its other keywords have looked at
};

// Where a subschema stands: in the place `outer`, under `names`, a JSON pointer. The root of a document is its own outer.
struct SchemaPlace {
  std::uint32_t outer = 0;
  std::uint32_t document = 0;
  std::string names;
};

struct Choices {
  std::vector<std::string> texts;  // ordered
  std::vector<json::Tree> others;
  std::string shown;  // for messages
};

struct Property {
  std::string name;
  NodeId node = kNoNode;  // none: only required
  bool required = false;
};

struct Members {
  std::vector<Property> properties;                          // ordered by name
  std::vector<std::pair<std::uint32_t, NodeId>> by_pattern;  // index of patterns
  NodeId additional = kNoNode;
  bool closed = false;  // `additional` is false
};

struct Items {
  std::uint32_t first_prefix = 0;  // into children
  std::uint32_t prefix_count = 0;
  NodeId rest = kNoNode;
};

struct Contains {
  NodeId node = kNoNode;
  std::uint64_t least = 1;
  std::uint64_t most = UINT64_MAX;
};

struct Need {
  std::string name;
  std::vector<std::string> needed;
};

struct Dependent {
  std::string name;
  NodeId node = kNoNode;
};

struct DynamicReference {
  NodeId fallback = kNoNode;  // where the reference leads without any dynamic scope
  std::uint32_t anchor = 0;   // into dynamic_anchors
};

// One name of $dynamicAnchor: the node it means in each resource that has it, ordered by resource.
struct DynamicAnchor {
  std::string name;
  std::vector<std::pair<std::uint32_t, NodeId>> nodes;
};

struct Program {
  std::vector<Node> nodes;
  std::vector<Op> ops;
  std::vector<NodeId> children;
  std::vector<Choices> choices;
  std::vector<Number> numbers;
  std::vector<std::pair<Decimal, Number>> units;
  std::vector<Pattern> patterns;
  std::vector<std::vector<Need>> needs;
  std::vector<Members> members;
  std::vector<Items> items;
  std::vector<Contains> contains;
  std::vector<std::vector<Dependent>> dependents;
  std::vector<DynamicReference> dynamic_references;
  std::vector<DynamicAnchor> dynamic_anchors;
  std::vector<SchemaPlace> places;
  std::vector<std::string> documents;  // their URIs
  NodeId root = 0;
  std::uint64_t steps = 0;
};

// The JSON pointer of a place, behind "URI#" when it is not in the first document, cut to kFaultTextMax bytes.
std::string pointer_of(const std::vector<SchemaPlace>& places, const std::vector<std::string>& documents, std::uint32_t place,
                       std::string_view keyword);

}  // namespace muster::schema
