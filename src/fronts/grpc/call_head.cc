#include "fronts/grpc/call_head.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>
#include <vector>

#include "base/ascii.h"
#include "base/base64.h"
#include "base/header_text.h"
#include "base/utf8.h"
#include "fronts/grpc/gunzip.h"

namespace muster::rpc {
namespace {

constexpr std::string_view kContentType = "application/grpc";
constexpr std::string_view kEncodings = "identity,gzip";
constexpr std::string_view kBinary = "-bin";
constexpr std::size_t kTimeoutDigitsMax = 8;  // by the protocol
constexpr http2::Field kContentTypeField{"content-type", kContentType};
constexpr http2::Field kEncodingsField{"grpc-accept-encoding", kEncodings};

// Nothing of ours is among them, and they would be copied for every call.
bool is_plumbing(std::string_view name) {
  return name == "user-agent" || name == "authorization" || name.starts_with("grpc-") || name == "te" || name == "content-type" ||
         name == "accept-encoding";
}

// Several values of one name may have been joined by commas; padding is left out by most.
std::optional<std::string> decoded(std::string_view value) {
  std::string out;
  while (!value.empty()) {
    const std::size_t comma = value.find(',');
    std::string part(value.substr(0, comma));
    value.remove_prefix(comma == std::string_view::npos ? value.size() : comma + 1);
    while (!part.empty() && (part.back() == '=' || part.back() == ' ')) part.pop_back();
    part.append((4 - part.size() % 4) % 4, '=');
    const auto bytes = from_base64(part);
    if (!bytes) return std::nullopt;
    if (!out.empty()) out.push_back(',');
    out += *bytes;
  }
  return out;
}

// Values live as long as `kept`.
void add_metadata(std::vector<http2::Field>& fields, std::vector<std::string>& kept, const Metadata& metadata) {
  kept.reserve(metadata.size());
  for (const auto& [name, value] : metadata) {
    if (name.ends_with(kBinary))
      fields.push_back({name, kept.emplace_back(to_unpadded_base64(value))});
    else
      fields.push_back({name, value});
  }
}

WireError unimplemented(ErrorDialect dialect, std::string text) {
  WireError error = wire_error(dialect, Status::invalid_argument(std::move(text)));
  error.code = WireCode::unimplemented;
  return error;
}

}  // namespace

bool is_grpc(std::string_view content_type) {
  if (!same_in_any_case(content_type.substr(0, kContentType.size()), kContentType)) return false;
  const std::string_view rest = content_type.substr(kContentType.size());
  return rest.empty() || rest.front() == '+' || rest.front() == ';' || rest.front() == ' ';
}

std::optional<Duration> parse_timeout(std::string_view text) {
  if (text.size() < 2 || text.size() > kTimeoutDigitsMax + 1) return std::nullopt;
  std::int64_t count = 0;
  const char* const end = text.data() + text.size() - 1;
  const auto [at, fault] = std::from_chars(text.data(), end, count);
  if (fault != std::errc() || at != end || count < 0) return std::nullopt;
  Duration timeout{};
  switch (text.back()) {
    case 'H': timeout = std::chrono::hours(count); break;
    case 'M': timeout = std::chrono::minutes(count); break;
    case 'S': timeout = std::chrono::seconds(count); break;
    case 'm': timeout = Duration(count); break;
    case 'u': timeout = Duration(count / 1'000); break;
    case 'n': timeout = Duration(count / 1'000'000); break;
    default: return std::nullopt;
  }
  return std::min(timeout, kCallTimeoutMax);
}

std::optional<WireError> read_head(const http2::Head& head, ErrorDialect dialect, CallHead& out) {
  if (head.too_large) return wire_error(dialect, Status::exhausted("the metadata of the call is longer than accepted"));
  for (const http2::Field& field : head.fields) {
    if (field.name == "authorization") {
      out.authorization = field.value;
    } else if (field.name == "grpc-timeout") {
      out.timeout = parse_timeout(field.value);
      if (!out.timeout) return wire_error(dialect, Status::invalid_argument("grpc-timeout is not a number with a unit"));
    } else if (field.name == "grpc-encoding") {
      out.gzip = field.value == "gzip";
      if (!out.gzip && field.value != "identity")
        return unimplemented(dialect, fmt::format("messages are accepted as they are and as gzip ({})", kEncodings));
    } else if (!is_plumbing(field.name)) {
      std::string value(field.value);
      if (field.name.ends_with(kBinary)) {
        auto bytes = decoded(field.value);
        if (!bytes)
          return wire_error(dialect, Status::invalid_argument(
                                         fmt::format("metadata {} is not base64", utf8_front(field.name, kEchoedBytesMax))));
        value = *std::move(bytes);
      }
      out.received.emplace_back(std::string(field.name), std::move(value));
    }
  }
  return std::nullopt;
}

std::variant<std::string, WireError> unpacked(MessageReader::Message message, const CallHead& head, const CallGate& gate,
                                              const Entry& entry) {
  if (!message.compressed) return std::move(message.bytes);
  const ErrorDialect dialect = entry.method.dialect;
  if (entry.open()) return unimplemented(dialect, "messages of callers that show no token are accepted as they are");
  if (!head.gzip)
    return wire_error(dialect, Status::internal("the message is marked as compressed, and grpc-encoding does not say how"));
  auto bytes = gunzip(message.bytes, gate.message_bytes_max(entry));
  if (!bytes.ok()) return wire_error(dialect, bytes.status());
  return *std::move(bytes);
}

void begin_answer(http2::Stream& stream) {
  static constexpr std::array kFields{kContentTypeField, kEncodingsField};
  stream.respond(200, kFields);
}

void end_answer(http2::Stream& stream, const Metadata& trailers, http2::Stream::Done done) {
  static constexpr std::array kOk{http2::Field{"grpc-status", "0"}};
  if (trailers.empty()) return stream.finish(kOk, std::move(done));
  std::vector<http2::Field> fields(kOk.begin(), kOk.end());
  std::vector<std::string> kept;
  add_metadata(fields, kept, trailers);
  stream.finish(fields, std::move(done));
}

void answer_error(http2::Stream& stream, const WireError& error, const Metadata& trailers) {
  const std::string code = std::to_string(static_cast<int>(error.code));
  const std::string message = percent_encoded(error.message);
  const std::string details = to_unpadded_base64(error.details);
  std::vector<http2::Field> fields;
  if (!stream.responded()) fields = {kContentTypeField, kEncodingsField};
  fields.push_back({"grpc-status", code});
  if (!message.empty()) fields.push_back({"grpc-message", message});
  if (!details.empty()) fields.push_back({"grpc-status-details-bin", details});
  std::vector<std::string> kept;
  add_metadata(fields, kept, trailers);
  if (stream.responded())
    stream.finish(fields);
  else
    stream.respond_and_end(200, fields);
}

}  // namespace muster::rpc
