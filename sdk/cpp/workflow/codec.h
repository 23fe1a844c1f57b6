// Values of a program as the JSON text that travels and is remembered: inputs, outputs, steps, signals.
//
// Any type that nlohmann-json converts will do: numbers, text, containers, std::optional through its own to_json, structs with
// NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE, and json itself. void is written as null. Text that is not UTF-8 cannot be said in JSON and
// is refused.
#pragma once

#include <nlohmann/json.hpp>

#include <string>
#include <string_view>
#include <type_traits>

#include "sdk/cpp/result.h"

namespace muster::sdk::workflow {

using json = nlohmann::json;

// invalid_argument: the value cannot be written, or the text is not this type; the detail says where.
template <class T>
Result<std::string> encode(const T& value) {
  try {
    return json(value).dump();
  } catch (const std::exception& error) {
    return Error{Code::invalid_argument, 0, std::string("value cannot be written as JSON: ") + error.what(), {}};
  }
}

// No bytes at all are read as null: that is how an absent input arrives.
template <class T>
Result<T> decode(std::string_view text) {
  try {
    const json value = text.empty() ? json(nullptr) : json::parse(text);
    if constexpr (std::is_same_v<T, json>) {
      return value;
    } else {
      return value.get<T>();
    }
  } catch (const std::exception& error) {
    return Error{Code::invalid_argument, 0, std::string("JSON does not fit: ") + error.what(), {}};
  }
}

}  // namespace muster::sdk::workflow
