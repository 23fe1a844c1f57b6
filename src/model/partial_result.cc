#include "model/partial_result.h"

#include "base/json_reader.h"

namespace muster {

MergedResult merge_result(std::string_view before, std::string_view changes) {
  json::Tree merged = json::parse_object(before).value_or(json::Tree::object());
  const json::Tree patch = json::parse_object(changes).value_or(json::Tree::object());
  MergedResult out;
  for (const auto& [name, value] : patch.items()) {
    if (value.is_null()) {
      if (merged.erase(name) != 0) out.removed.push_back(name);
      continue;
    }
    merged[name] = value;
    out.replaced.push_back(name);
  }
  out.text = json::dump(merged);
  return out;
}

}  // namespace muster
