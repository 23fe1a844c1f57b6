#include "agents/claude/retry.h"

#include <curl/curl.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string>

#include "agents/claude/limits.h"
#include "base/ascii.h"

namespace muster::claude {
namespace {

constexpr double kJitterShare = 0.25;

// A number of `unit`s as the API writes them, with or without a fraction.
std::optional<Duration> parse_wait(std::string_view text, double unit_ms) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(number) || number < 0) return std::nullopt;
  const double ms = std::min(number * unit_ms, static_cast<double>(kModelRetryAfterMax.count()));
  return Duration(static_cast<Duration::rep>(ms));
}

std::optional<Duration> parse_date(std::string_view text, Instant now) {
  const std::time_t at = curl_getdate(std::string(text).c_str(), nullptr);
  if (at < 0) return std::nullopt;
  const Instant then = Instant(std::chrono::seconds(at));
  return std::clamp(then - now, Duration(0), kModelRetryAfterMax);
}

}  // namespace

void note_retry_header(std::string_view name, std::string_view value, Instant now, RetryHints& hints) {
  if (same_in_any_case(name, "x-should-retry")) {
    if (value == "true" || value == "false") hints.should_retry = value == "true";
  } else if (same_in_any_case(name, "retry-after-ms")) {
    if (const auto wait = parse_wait(value, 1)) hints.after = wait, hints.after_in_ms = true;
  } else if (same_in_any_case(name, "retry-after") && !hints.after_in_ms) {
    auto wait = parse_wait(value, 1'000);
    if (!wait) wait = parse_date(value, now);
    if (wait) hints.after = wait;
  }
}

bool is_retryable_status(long status, const RetryHints& hints) {
  if (hints.should_retry) return *hints.should_retry;
  return status == 408 || status == 409 || status == 429 || status >= 500;
}

Duration retry_delay(std::uint32_t attempt, Duration base, Duration max, double random) {
  constexpr std::uint32_t kDoublingsMax = 30;
  const auto doublings = std::min(attempt - std::min(attempt, 1U), kDoublingsMax);
  const double whole = std::min(static_cast<double>(base.count()) * std::ldexp(1.0, static_cast<int>(doublings)),
                                static_cast<double>(max.count()));
  return Duration(static_cast<Duration::rep>(whole * (1 - kJitterShare * random)));
}

}  // namespace muster::claude
