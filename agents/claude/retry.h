// Whether and when a call is tried again: rules over what HTTP said. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/clock.h"

namespace muster::claude {

// What the headers of one answer say about trying again.
struct RetryHints {
  std::optional<bool> should_retry;  // x-should-retry
  std::optional<Duration> after;     // retry-after-ms, else retry-after as seconds or as a date; not above kModelRetryAfterMax
  bool after_in_ms = false;
};

// Notes a header if it is one of these; values that make no sense count as absent.
void note_retry_header(std::string_view name, std::string_view value, Instant now, RetryHints& hints);

// 408, 409, 429 and from 500 on, unless the API says otherwise.
bool is_retryable_status(long status, const RetryHints& hints);

// The wait after the attempt with this number (from 1): base · 2ⁿ⁻¹ up to `max`, less up to a quarter by `random` in [0, 1).
Duration retry_delay(std::uint32_t attempt, Duration base, Duration max, double random);

}  // namespace muster::claude
