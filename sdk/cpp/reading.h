// Private to the decoders: fields out of a JSON object, absent ones as empty values. A field of the wrong type throws
// nlohmann's exception, which decoded() turns into bad_reply; nothing throws out of this library.
#pragma once

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sdk/cpp/codec.h"

namespace muster::sdk::reading {

using Json = nlohmann::ordered_json;

inline constexpr std::size_t kShownBytes = 80;  // of a text that could not be read

Error bad_reply(std::string_view text, std::string_view why);

const Json* find(const Json& object, const char* key);
std::string text(const Json& object, const char* key);
std::optional<Instant> instant(const Json& object, const char* key);
Duration duration(const Json& object, const char* key);
std::vector<std::string> texts(const Json& object, const char* key);
Labels labels(const Json& object, const char* key);
std::optional<Content> content(const Json& object, const std::string& key);
LeaseRef lease(const Json& object);
std::string document(const Json& object);

template <class Number>
Number number(const Json& object, const char* key) {
  const Json* value = find(object, key);
  return value ? value->get<Number>() : Number{};
}

template <class Number>
std::optional<Number> number_if(const Json& object, const char* key) {
  const Json* value = find(object, key);
  return value ? std::optional<Number>(value->get<Number>()) : std::nullopt;
}

// Each element of the array under `key`; REQUIRES that the reply has it.
template <class Each>
auto elements(const Json& object, const char* key, Each each) {
  std::vector<decltype(each(object))> out;
  for (const Json& element : object.at(key)) out.push_back(each(element));
  return out;
}

template <class Read>
auto decoded(std::string_view body, Read read) -> Result<decltype(read(std::declval<const Json&>()))> {
  try {
    const Json json = Json::parse(body);
    if (!json.is_object()) return bad_reply(body, "expected an object");
    return read(json);
  } catch (const Json::exception& e) {
    return bad_reply(body, e.what());
  }
}

}  // namespace muster::sdk::reading
