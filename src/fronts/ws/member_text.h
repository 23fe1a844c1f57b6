// A text of a payload that passed its schema: absent and null are empty.
#pragma once

#include <string>

#include "base/json_reader.h"

namespace muster::ws {

inline std::string text_of(const json::Tree& object, const char* name) {
  const std::string* found = json::text(object, name);
  return found != nullptr ? *found : std::string();
}

}  // namespace muster::ws
