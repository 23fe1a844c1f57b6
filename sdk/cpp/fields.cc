#include "sdk/cpp/fields.h"

#include <array>
#include <cstdint>

namespace muster::sdk {

namespace {

constexpr std::string_view kAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

constexpr std::array<int, 256> values_by_character() {
  std::array<int, 256> values{};
  values.fill(-1);
  for (std::size_t i = 0; i < kAlphabet.size(); ++i) values[static_cast<unsigned char>(kAlphabet[i])] = static_cast<int>(i);
  return values;
}

constexpr std::array<int, 256> kValues = values_by_character();

}  // namespace

std::string to_base64(std::string_view bytes) {
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    const std::size_t have = std::min<std::size_t>(3, bytes.size() - at);
    std::uint32_t group = 0;
    for (std::size_t i = 0; i < 3; ++i) group = group << 8 | (i < have ? static_cast<unsigned char>(bytes[at + i]) : 0U);
    for (std::size_t i = 0; i < 4; ++i) out.push_back(i <= have ? kAlphabet[group >> (18 - 6 * i) & 63U] : '=');
  }
  return out;
}

std::optional<std::string> from_base64(std::string_view text) {
  if (text.size() % 4 != 0) return std::nullopt;
  std::string out;
  std::uint32_t bits = 0;
  int held = 0;
  std::size_t padding = 0;
  for (const char c : text) {
    if (c == '=') {
      ++padding;
      continue;
    }
    const int value = kValues[static_cast<unsigned char>(c)];
    if (value < 0 || padding > 0) return std::nullopt;
    bits = bits << 6 | static_cast<std::uint32_t>(value);
    held += 6;
    if (held >= 8) {
      held -= 8;
      out.push_back(static_cast<char>(bits >> held & 0xFFU));
    }
  }
  if (padding > 2) return std::nullopt;
  return out;
}

namespace fields {

Error bad_reply(std::string_view body, std::string_view why) {
  return Error{.code = Code::bad_reply,
               .status = 0,
               .detail = fmt::format("the answer is not of this protocol ({}): `{}`", why, body.substr(0, kShownBytes)),
               .retry_after = {}};
}

Error not_accepted(std::string detail) {
  return Error{.code = Code::invalid_argument, .status = 0, .detail = std::move(detail), .retry_after = {}};
}

Error element_error(const Json& error) {
  std::string code;
  std::string detail;
  if (const Json* value = find(error, "code")) get(*value, code);
  if (const Json* value = find(error, "detail")) get(*value, detail);
  return Error{.code = parse_code(code).value_or(Code::internal), .status = 0, .detail = std::move(detail), .retry_after = {}};
}

const Json* find(const Json& object, const char* key) {
  const auto at = object.find(key);
  return at == object.end() || at->is_null() ? nullptr : &*at;
}

std::string text_of(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

void read_content(const Json& object, const std::string& name, std::optional<Content>& out) {
  if (const Json* encoded = find(object, (name + "_base64").c_str())) {
    out = Content{.data = from_base64(encoded->get<std::string>()).value_or(""), .binary = true};
  } else if (const auto at = object.find(name); at != object.end()) {
    // A JSON null is a legal payload, so presence is what counts here.
    out = Content{.data = text_of(*at), .binary = false};
  }
}

void write_content(Writing& out, const std::string& name, const std::optional<Content>& content) {
  constexpr std::size_t kContentShownBytes = 60;
  if (!content) return;
  if (content->binary) {
    out.json[name + "_base64"] = to_base64(content->data);
    return;
  }
  Json value = Json::parse(content->data, nullptr, false);
  if (value.is_discarded())
    return out.fail(fmt::format("{} is not JSON: `{}`", name, content->data.substr(0, kContentShownBytes)));
  out.json[name] = std::move(value);
}

}  // namespace fields
}  // namespace muster::sdk
