#include "fronts/grpc/dialect/values.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/base64.h"
#include "base/utf8.h"
#include "fronts/grpc/core.h"
#include "fronts/grpc/dialect/json.h"
#include "model/limits.h"
#include "model/validate.h"

namespace muster::rpc {
namespace {

constexpr std::string_view kTokenMark = "k:";
constexpr std::int64_t kNanosPerMilli = 1'000'000;
constexpr std::int64_t kMillisPerSecond = 1'000;
constexpr std::int32_t kAttemptsUsual = 5;
constexpr std::string_view kReplacement = "\xEF\xBF\xBD";  // U+FFFD
constexpr std::string_view kCut = "...";

}  // namespace

Content content_of(std::string bytes) {
  const Encoding encoding = is_json(bytes) ? Encoding::json : Encoding::bytes;
  return {std::move(bytes), encoding};
}

Status check_payload(const Call& call, std::string_view field, std::size_t bytes) {
  const std::size_t most = call.core.options.limits.payload_bytes_max;
  if (bytes <= most) return {};
  return Status::invalid_argument(fmt::format("{} has {} bytes; at most {} are accepted", field, bytes, most));
}

Status check_json(const Call& call, std::string_view field, std::string_view bytes) {
  if (Status size = check_payload(call, field, bytes.size()); !size.ok()) return size;
  if (is_json(bytes)) return {};
  return Status::invalid_argument(fmt::format("{} is not JSON", field));
}

void put_instant(Instant at, google::protobuf::Timestamp* out) {
  const std::int64_t ms = to_ms(at);
  const std::int64_t seconds = ms >= 0 ? ms / kMillisPerSecond : -((-ms + kMillisPerSecond - 1) / kMillisPerSecond);
  out->set_seconds(seconds);
  out->set_nanos(static_cast<std::int32_t>((ms - seconds * kMillisPerSecond) * kNanosPerMilli));
}

void put_instant_seconds(Instant at, google::protobuf::Timestamp* out) {
  put_instant(at, out);
  out->set_nanos(0);
}

Result<Instant> instant_of(std::string_view field, const google::protobuf::Timestamp& at) {
  const std::int64_t most = to_ms(limits::kRunAtMax) / kMillisPerSecond;
  if (at.seconds() < 0 || at.seconds() > most || at.nanos() < 0 || at.nanos() >= kNanosPerMilli * kMillisPerSecond)
    return Status::invalid_argument(
        fmt::format("{} is {} s and {} ns after 1970; 0 to {} s are accepted", field, at.seconds(), at.nanos(), most));
  return from_ms(at.seconds() * kMillisPerSecond + at.nanos() / kNanosPerMilli);
}

std::uint32_t rescues_of(std::int32_t attempts_max) {
  if (attempts_max < 0) return limits::kRescuesMax;
  const std::int32_t attempts = attempts_max == 0 ? kAttemptsUsual : attempts_max;
  return std::min(static_cast<std::uint32_t>(attempts - 1), limits::kRescuesMax);
}

std::string error_text(std::string_view text) {
  const TextRule rule{.bytes_max = limits::kErrorBytesMax, .one_line = false};
  if (validate_text("", text, rule).ok()) return std::string(text);
  std::string out;
  while (!text.empty()) {
    const std::size_t length = text.front() == '\0' ? 0 : utf8_length(text);
    const std::string_view next = length == 0 ? kReplacement : text.substr(0, length);
    if (out.size() + next.size() > limits::kErrorBytesMax - kCut.size()) return out.append(kCut);
    out.append(next);
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return out;
}

std::string page_token(std::string_view cursor) {
  return cursor.empty() ? std::string() : to_base64(fmt::format("{}{}", kTokenMark, cursor));
}

Result<std::string> cursor_of(std::string_view token) {
  if (token.empty()) return std::string();
  const auto text = from_base64(token);
  if (!text || text->size() <= kTokenMark.size() || !text->starts_with(kTokenMark))
    return Status::invalid_argument("page_token is not one of this server's");
  return text->substr(kTokenMark.size());
}

std::size_t page_size(std::int32_t wanted, PageRule rule) {
  if (wanted <= 0) return static_cast<std::size_t>(rule.usual);
  return static_cast<std::size_t>(std::min(wanted, rule.most));
}

}  // namespace muster::rpc
