// What the API says as JSON, read: batches, lines of their results, errors, counters. Pure; nothing here trusts the text.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "agents/claude/api.h"
#include "base/json_reader.h"
#include "base/status.h"

namespace muster::claude {

struct ApiError {
  std::string type;  // "overloaded_error", "invalid_request_error", …
  std::string message;
};

// {"type":"error","error":{"type":…,"message":…}}, or the inner object alone. nullopt: the text is nothing of the kind.
std::optional<ApiError> read_error(std::string_view body);
// The Code for callers of an error that came in a stream, without a status of HTTP.
Code code_of_error(std::string_view type);
// The API's fault, not the request's: the same request may succeed.
bool is_retryable_error(std::string_view type);

// Counters that are there replace those of `usage`.
void read_usage(const json::Tree& usage, TokenUsage& into);

Result<Batch> read_batch(std::string_view body);
Result<std::uint64_t> read_token_count(std::string_view body);
// One line of results. A line with a custom_id is always readable: what its result lacks makes it an error of that request.
Result<BatchLine> read_batch_line(std::string_view line);

// The first characters of an answer that is not what it should be, without anything that a terminal or a page would act on.
std::string excerpt(std::string_view body);
// A message of the API in one line and within its bound.
std::string one_line(std::string_view message);

}  // namespace muster::claude
