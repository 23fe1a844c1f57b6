// Private to the encoders: values into a JSON object, empty ones left out.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "sdk/cpp/codec.h"

namespace muster::sdk::writing {

using Json = nlohmann::ordered_json;

// Text that is not UTF-8 is sent with replacement characters instead of throwing; the server then judges the value.
std::string text_of(const Json& json);

void put(Json& json, const char* key, const std::string& value);
void put(Json& json, const char* key, const std::vector<std::string>& values);
void put(Json& json, const char* key, const Labels& labels);
void put(Json& json, const char* key, const std::optional<Duration>& duration);
void put(Json& json, const char* key, const std::optional<Instant>& instant);
template <class Number>
void put_number(Json& json, const char* key, const std::optional<Number>& number) {
  if (number) json[key] = *number;
}
// `name` holds JSON, `name`_base64 holds bytes. An error: the content is not JSON.
std::optional<Error> put_content(Json& json, const std::string& name, const std::optional<Content>& content);

// The members of a job spec.
Result<Json> json_of(const JobSpec& spec);

}  // namespace muster::sdk::writing
