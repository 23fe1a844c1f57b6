// What the wire is made of: codes, times, addresses, events, and how long to wait before the next try. Behind result.h, time.h,
// url.h, sse.h and backoff.h.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "sdk/cpp/backoff.h"
#include "sdk/cpp/result.h"
#include "sdk/cpp/sse.h"
#include "sdk/cpp/time.h"
#include "sdk/cpp/url.h"

namespace muster::sdk {
namespace {

struct CodeName {
  Code code;
  std::string_view name;
};

constexpr std::array kCodeNames{
    CodeName{Code::invalid_argument, "invalid_argument"},
    CodeName{Code::unauthenticated, "unauthenticated"},
    CodeName{Code::permission_denied, "permission_denied"},
    CodeName{Code::not_found, "not_found"},
    CodeName{Code::already_exists, "already_exists"},
    CodeName{Code::conflict, "conflict"},
    CodeName{Code::lease_lost, "lease_lost"},
    CodeName{Code::exhausted, "exhausted"},
    CodeName{Code::unavailable, "unavailable"},
    CodeName{Code::outcome_unknown, "outcome_unknown"},
    CodeName{Code::corrupt, "corrupt"},
    CodeName{Code::internal, "internal"},
    CodeName{Code::unreachable, "unreachable"},
    CodeName{Code::interrupted, "interrupted"},
    CodeName{Code::bad_reply, "bad_reply"},
};

// Takes exactly `digits` digits off the front of the text.
bool take_number(std::string_view& text, std::size_t digits, int& out) {
  if (text.size() < digits) return false;
  for (std::size_t i = 0; i < digits; ++i)
    if (text[i] < '0' || text[i] > '9') return false;
  std::from_chars(text.data(), text.data() + digits, out);
  text.remove_prefix(digits);
  return true;
}

bool take(std::string_view& text, std::string_view accepted) {
  if (text.empty() || accepted.find(text.front()) == std::string_view::npos) return false;
  text.remove_prefix(1);
  return true;
}

bool take_fraction(std::string_view& text, int& millis) {
  if (!take(text, ".")) return true;
  int scale = 100;
  std::size_t digits = 0;
  while (digits < text.size() && text[digits] >= '0' && text[digits] <= '9') {
    millis += (text[digits] - '0') * scale;
    scale /= 10;
    ++digits;
  }
  text.remove_prefix(digits);
  return digits > 0;
}

bool take_offset(std::string_view& text, int& minutes) {
  if (take(text, "Zz")) return true;
  const bool negative = !text.empty() && text.front() == '-';
  int hour = 0;
  int minute = 0;
  if (!take(text, "+-") || !take_number(text, 2, hour) || !take(text, ":") || !take_number(text, 2, minute)) return false;
  if (hour > 23 || minute > 59) return false;
  minutes = (negative ? -1 : 1) * (hour * 60 + minute);
  return true;
}

bool unreserved(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '.' || c == '_' ||
         c == '~';
}

Error not_an_address(std::string_view server) {
  return Error{.code = Code::invalid_argument,
               .status = 0,
               .detail = fmt::format("server `{}` is not an address: expected http://HOST:PORT or https://HOST:PORT", server),
               .retry_after = {}};
}

constexpr std::uint32_t kDoublingsMax = 30;  // keeps the shift inside 64 bits long after the cap is reached

}  // namespace

// --- codes ---------------------------------------------------------------------------------------------------------

std::string_view to_string(Code code) {
  for (const CodeName& entry : kCodeNames)
    if (entry.code == code) return entry.name;
  return "internal";
}

std::optional<Code> parse_code(std::string_view name) {
  for (const CodeName& entry : kCodeNames)
    if (entry.name == name) return entry.code;
  return std::nullopt;
}

std::string Error::text() const {
  std::string out(to_string(code));
  if (!detail.empty()) out.append(": ").append(detail);
  return out;
}

bool Error::transient() const {
  return code == Code::unavailable || code == Code::exhausted || code == Code::outcome_unknown || code == Code::unreachable;
}

// --- times ---------------------------------------------------------------------------------------------------------

std::optional<Instant> parse_instant(std::string_view text) {
  int year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0, millis = 0, offset = 0;
  const bool shaped = take_number(text, 4, year) && take(text, "-") && take_number(text, 2, month) && take(text, "-") &&
                      take_number(text, 2, day) && take(text, "Tt ") && take_number(text, 2, hour) && take(text, ":") &&
                      take_number(text, 2, minute) && take(text, ":") && take_number(text, 2, second) &&
                      take_fraction(text, millis) && take_offset(text, offset) && text.empty();
  if (!shaped || hour > 23 || minute > 59 || second > 60) return std::nullopt;
  const std::chrono::year_month_day date{std::chrono::year(year), std::chrono::month(static_cast<unsigned>(month)),
                                         std::chrono::day(static_cast<unsigned>(day))};
  if (!date.ok()) return std::nullopt;
  return Instant(std::chrono::sys_days(date)) + std::chrono::hours(hour) + std::chrono::minutes(minute - offset) +
         std::chrono::seconds(second) + std::chrono::milliseconds(millis);
}

std::string format_instant(Instant instant) {
  const auto days = std::chrono::floor<std::chrono::days>(instant);
  const std::chrono::year_month_day date(days);
  const std::chrono::hh_mm_ss time(instant - days);
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()), time.hours().count(),
                     time.minutes().count(), time.seconds().count(), time.subseconds().count());
}

// --- addresses -----------------------------------------------------------------------------------------------------

Result<std::string> base_url(std::string_view server) {
  std::string_view rest = server;
  std::string scheme = "http://";
  if (const auto end = rest.find("://"); end != std::string_view::npos) {
    scheme = std::string(rest.substr(0, end + 3));
    rest.remove_prefix(end + 3);
  }
  while (rest.ends_with('/')) rest.remove_suffix(1);
  if (scheme != "http://" && scheme != "https://") return not_an_address(server);
  if (rest.empty() || rest.front() == ':') return not_an_address(server);
  for (const char c : rest)
    if (static_cast<unsigned char>(c) <= ' ' || c == '?' || c == '#' || c == '@' || c == '"') return not_an_address(server);
  return scheme.append(rest);
}

std::string percent_encoded(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (const char c : text) {
    if (unreserved(c))
      out.push_back(c);
    else
      out += fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return out;
}

Path& Path::segment(std::string_view name) {
  text_.append("/").append(percent_encoded(name));
  return *this;
}

Path& Path::literal(std::string_view rest) {
  text_.append(rest);
  return *this;
}

Path& Path::query(std::string_view key, std::string_view value) {
  if (value.empty()) return *this;
  text_.append(has_query_ ? "&" : "?").append(key).append("=").append(percent_encoded(value));
  has_query_ = true;
  return *this;
}

// --- server-sent events --------------------------------------------------------------------------------------------

bool EventStreamParser::feed(std::string_view bytes) {
  for (const char c : bytes) {
    // CR, LF and CRLF each end a line; the LF of a CRLF may come in the next piece.
    const bool second_half = c == '\n' && after_carriage_return_;
    after_carriage_return_ = c == '\r';
    if (second_half) continue;
    if (c == '\n' || c == '\r') {
      take_line(line_);
      line_.clear();
      continue;
    }
    line_.push_back(c);
    if (line_.size() + data_.size() > kEventBytesMax) return false;
  }
  return true;
}

void EventStreamParser::take_line(std::string_view line) {
  if (line.empty()) return finish_event();
  if (line.front() == ':') return;
  const auto colon = line.find(':');
  const std::string_view field = line.substr(0, colon);
  std::string_view value = colon == std::string_view::npos ? std::string_view() : line.substr(colon + 1);
  if (value.starts_with(' ')) value.remove_prefix(1);
  if (field == "data") {
    if (has_data_) data_.push_back('\n');
    data_.append(value);
    has_data_ = true;
  } else if (field == "event") {
    event_ = value;
  } else if (field == "id") {
    last_id_ = value;
  }
}

void EventStreamParser::finish_event() {
  // Our `gap` event may carry no data; a named event is worth delivering all the same.
  if (has_data_ || !event_.empty())
    deliver_(ServerEvent{.id = last_id_, .event = event_.empty() ? "message" : event_, .data = data_});
  event_.clear();
  data_.clear();
  has_data_ = false;
}

// --- waits between tries -------------------------------------------------------------------------------------------

std::chrono::milliseconds Backoff::next(std::optional<std::chrono::milliseconds> at_least) {
  const auto step = std::min(limits_.max, limits_.min * (std::int64_t{1} << failures_));
  if (failures_ < kDoublingsMax) ++failures_;
  std::uniform_int_distribution<std::int64_t> spread(step.count() / 2, step.count());
  const std::chrono::milliseconds wait(spread(random_));
  return at_least ? std::max(wait, *at_least) : wait;
}

}  // namespace muster::sdk
