#include "sdk/cpp/reading.h"

namespace muster::sdk::reading {

Error bad_reply(std::string_view body, std::string_view why) {
  return Error{.code = Code::bad_reply,
               .status = 0,
               .detail = fmt::format("the answer is not of this protocol ({}): `{}`", why, body.substr(0, kShownBytes)),
               .retry_after = {}};
}

const Json* find(const Json& object, const char* key) {
  const auto at = object.find(key);
  return at == object.end() || at->is_null() ? nullptr : &*at;
}

std::string text(const Json& object, const char* key) {
  const Json* value = find(object, key);
  return value ? value->get<std::string>() : std::string();
}

std::optional<Instant> instant(const Json& object, const char* key) {
  const Json* value = find(object, key);
  return value ? parse_instant(value->get<std::string>()) : std::nullopt;
}

Duration duration(const Json& object, const char* key) { return Duration(number<std::int64_t>(object, key)); }

std::vector<std::string> texts(const Json& object, const char* key) {
  const Json* value = find(object, key);
  return value ? value->get<std::vector<std::string>>() : std::vector<std::string>();
}

Labels labels(const Json& object, const char* key) {
  Labels out;
  if (const Json* value = find(object, key))
    for (const auto& [name, label] : value->items()) out[name] = label.get<std::string>();
  return out;
}

std::optional<Content> content(const Json& object, const std::string& key) {
  if (const Json* encoded = find(object, (key + "_base64").c_str()))
    return Content{.data = from_base64(encoded->get<std::string>()).value_or(""), .binary = true};
  // A JSON null is a legal payload, so presence is what counts here.
  const auto at = object.find(key);
  if (at == object.end()) return std::nullopt;
  return Content{.data = document(*at), .binary = false};
}

LeaseRef lease(const Json& object) { return LeaseRef{.id = text(object, "id"), .fence = number<std::uint64_t>(object, "fence")}; }

std::string document(const Json& object) { return object.dump(-1, ' ', false, Json::error_handler_t::replace); }

}  // namespace muster::sdk::reading
