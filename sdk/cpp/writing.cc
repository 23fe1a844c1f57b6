#include "sdk/cpp/writing.h"

#include <fmt/format.h>

namespace muster::sdk::writing {

std::string text_of(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

void put(Json& json, const char* key, const std::string& value) {
  if (!value.empty()) json[key] = value;
}

void put(Json& json, const char* key, const std::vector<std::string>& values) {
  if (!values.empty()) json[key] = values;
}

void put(Json& json, const char* key, const Labels& labels) {
  if (!labels.empty()) json[key] = labels;
}

void put(Json& json, const char* key, const std::optional<Duration>& duration) {
  if (duration) json[key] = duration->count();
}

void put(Json& json, const char* key, const std::optional<Instant>& instant) {
  if (instant) json[key] = format_instant(*instant);
}

std::optional<Error> put_content(Json& json, const std::string& name, const std::optional<Content>& content) {
  if (!content) return std::nullopt;
  if (content->binary) {
    json[name + "_base64"] = to_base64(content->data);
    return std::nullopt;
  }
  Json value = Json::parse(content->data, nullptr, false);
  if (value.is_discarded())
    return Error{.code = Code::invalid_argument,
                 .status = 0,
                 .detail = fmt::format("{} is not JSON: `{}`", name, content->data.substr(0, 60)),
                 .retry_after = {}};
  json[name] = std::move(value);
  return std::nullopt;
}

}  // namespace muster::sdk::writing
