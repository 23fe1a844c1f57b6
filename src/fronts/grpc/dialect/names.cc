#include "fronts/grpc/dialect/names.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/ascii.h"
#include "fronts/grpc/dialect/wire.h"

namespace muster::rpc {
namespace {

constexpr std::string_view kEmptyName = "%00";
constexpr std::size_t kShownBytesMax = 64;  // of a refused id, in a message

bool is_control(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte < 0x20 || byte == 0x7f;
}

template <class Offends>
std::string encode(std::string_view text, Offends offends) {
  if (text.empty()) return std::string(kEmptyName);
  std::string out;
  out.reserve(text.size());
  for (const char c : text) {
    if (c == '%' || offends(c))
      out += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    else
      out.push_back(c);
  }
  return out;
}

}  // namespace

std::string encode_name(std::string_view text) {
  return encode(text, [](char c) { return is_control(c) || c == ' ' || c == '/'; });
}

std::string encode_step(std::string_view text) { return encode(text, is_control); }

std::string decode_name(std::string_view name) {
  if (name == kEmptyName) return {};
  std::string out;
  out.reserve(name.size());
  for (std::size_t i = 0; i < name.size(); ++i) {
    if (name[i] != '%') {
      out.push_back(name[i]);
      continue;
    }
    const int high = i + 2 < name.size() ? hex_value(name[i + 1]) : -1;
    const int low = i + 2 < name.size() ? hex_value(name[i + 2]) : -1;
    if (high < 0 || low < 0) return std::string(name);
    const auto byte = static_cast<char>(high * 16 + low);
    // Bytes beyond ASCII are never encoded; decoding them could make a text that is no UTF-8.
    if (static_cast<unsigned char>(byte) >= 0x80) return std::string(name);
    out.push_back(byte);
    i += 2;
  }
  return out;
}

std::optional<Uuid> parse_uuid(std::string_view text) {
  constexpr std::string_view kUrn = "urn:uuid:";
  if (text.size() > kUrn.size() && same_in_any_case(text.substr(0, kUrn.size()), kUrn))
    text.remove_prefix(kUrn.size());
  else if (text.size() > 2 && text.front() == '{' && text.back() == '}')
    text = text.substr(1, text.size() - 2);
  return Uuid::parse(text);
}

Result<Uuid> require_uuid(std::string_view field, std::string_view text) {
  if (const auto uuid = parse_uuid(text)) return *uuid;
  return Status::invalid_argument(fmt::format("{} '{}' is not a UUID", field, text.substr(0, kShownBytesMax)));
}

Result<JobId> require_run(std::string_view field, std::string_view text) {
  const Result<Uuid> uuid = require_uuid(field, text);
  if (!uuid.ok()) return uuid.status();
  if (uuid->is_nil()) return Status::not_found(fmt::format("run {} does not exist", uuid->text()));
  return JobId{*uuid};
}

Result<ScheduleId> require_schedule(std::string_view text) {
  const Result<Uuid> uuid = require_uuid("schedule_id", text);
  if (!uuid.ok()) return uuid.status();
  return ScheduleId(uuid->text());
}

Status check_namespace(const command::Caller& caller, const std::optional<std::string>& named) {
  if (!caller.namespaces || !named) return {};
  return command::authorize_namespace(caller, NamespaceName(named->empty() ? kDefaultNamespace : encode_name(*named)));
}

Uuid uuid_of_name(std::string_view name) {
  constexpr std::uint64_t kOffset = 0xCBF29CE484222325ULL;
  constexpr std::uint64_t kPrime = 0x100000001B3ULL;
  std::uint64_t hash = kOffset;
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * kPrime;
  Uuid uuid{mix64(hash), mix64(hash ^ mix64(name.size() + 1))};
  // Marked as a UUID of a form of our own (version 8, RFC 9562).
  uuid.high = (uuid.high & ~0xF000ULL) | 0x8000ULL;
  uuid.low = (uuid.low & 0x3FFFFFFFFFFFFFFFULL) | 0x8000000000000000ULL;
  return uuid;
}

}  // namespace muster::rpc
