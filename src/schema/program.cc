#include "schema/program.h"

#include <algorithm>

#include "base/check.h"

namespace muster::schema {

std::string_view keyword_of(Check check) {
  switch (check) {
    case Check::nothing: return {};
    case Check::type: return "type";
    case Check::constant: return "const";
    case Check::enumeration: return "enum";
    case Check::minimum: return "minimum";
    case Check::exclusive_minimum: return "exclusiveMinimum";
    case Check::maximum: return "maximum";
    case Check::exclusive_maximum: return "exclusiveMaximum";
    case Check::multiple_of: return "multipleOf";
    case Check::length_min: return "minLength";
    case Check::length_max: return "maxLength";
    case Check::format: return "format";
    case Check::pattern: return "pattern";
    case Check::items_min: return "minItems";
    case Check::items_max: return "maxItems";
    case Check::properties_min: return "minProperties";
    case Check::properties_max: return "maxProperties";
    case Check::dependent_required: return "dependentRequired";
    case Check::members: return "properties";
    case Check::property_names: return "propertyNames";
    case Check::items: return "items";
    case Check::contains: return "contains";
    case Check::unique_items: return "uniqueItems";
    case Check::reference: return "$ref";
    case Check::dynamic_reference: return "$dynamicRef";
    case Check::all_of: return "allOf";
    case Check::any_of: return "anyOf";
    case Check::one_of: return "oneOf";
    case Check::negation: return "not";
    case Check::condition: return "if";
    case Check::dependent_schemas: return "dependentSchemas";
    case Check::unevaluated_items: return "unevaluatedItems";
    case Check::unevaluated_properties: return "unevaluatedProperties";
  }
  unreachable();
}

std::string pointer_of(const std::vector<SchemaPlace>& places, const std::vector<std::string>& documents, std::uint32_t place,
                       std::string_view keyword) {
  std::vector<std::string_view> names;
  std::uint32_t at = place;
  for (; places[at].outer != at; at = places[at].outer) names.push_back(places[at].names);
  std::string out;
  if (places[at].document != 0) out.append(documents[places[at].document]).append("#");
  for (auto name = names.rbegin(); name != names.rend(); ++name) out += *name;
  if (!keyword.empty()) out.append("/").append(keyword);
  cut(out);
  return out;
}

}  // namespace muster::schema
