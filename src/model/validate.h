// What the model accepts, as pure rules: each answers ok, or invalid_argument with the thing, the value and the accepted range.
//
// The engine calls these before anything reaches the store, so a bad input changes nothing (rule 10). Bounds are those of
// model/limits.h and the ones below. Whether a JSON payload parses is for the front that read it; whether a named thing
// exists is for the store.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/status.h"
#include "model/capability.h"
#include "model/job.h"
#include "model/queue.h"
#include "model/worker.h"

namespace muster {

namespace limits {

inline constexpr double kBackoffFactorMin = 1.0;
inline constexpr double kBackoffFactorMax = 100.0;
inline constexpr std::size_t kErrorKindsMax = 64;  // in one non_retryable list
inline constexpr Duration kPreferWaitMax = 24h;
inline constexpr Duration kJobTimeoutMin{1};
inline constexpr Duration kExpiryMin{1};
inline constexpr Instant kRunAtMax{Duration(253'402'300'799'999)};  // 9999-12-31T23:59:59.999Z, the last RFC 3339 instant
inline constexpr std::size_t kTypeCapsMax = 1'000;                  // per-type caps in one change of a queue
inline constexpr double kRateCountMax = 1'000'000;
inline constexpr Duration kRatePerMin{1};
inline constexpr Duration kRatePerMax = 24h;
inline constexpr std::uint32_t kRateBurstMax = 100'000;

}  // namespace limits

// 1 to kNameBytesMax bytes of UTF-8 without spaces, control characters or '/': namespace, queue, type, worker id. `what` names
// the thing in the message.
Status validate_name(std::string_view what, std::string_view text);

struct TextRule {
  std::size_t bytes_max = 0;
  bool required = false;  // refuse the empty text
  bool one_line = true;   // refuse control characters; otherwise only NUL is refused
};
// UTF-8 within the rule.
Status validate_text(std::string_view what, std::string_view text, TextRule rule);

struct CountRange {
  std::uint64_t least = 0;
  std::uint64_t most = 0;
};
Status validate_count(std::string_view what, std::uint64_t value, CountRange range);

struct DurationRange {
  Duration least{};
  Duration most{};
};
Status validate_duration(std::string_view what, Duration value, DurationRange range);

// Bytes of a payload, result or partial result.
Status validate_content(std::string_view what, const Content& content, std::size_t bytes_max);

// Keys are non-empty and hold no '=' or white space; values hold no control characters.
Status validate_labels(std::string_view what, const Labels& labels);

Status validate(const JobError& error);
Status validate(const RetryPolicy& policy);
Status validate(const JobSpec& spec);
// Three beats fit into dead_after.
Status validate(const HeartbeatPolicy& policy);
// The kinds `label` and `worker` may not be offered: they come from the labels and the id.
Status validate(const WorkerSpec& spec);
Status validate(const QueueChange& change);
Status validate(const NamespaceInfo& info);

}  // namespace muster
