// Small values between the Kagzi wires and the registry: payloads, instants, retry policies, error texts, page tokens.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <google/protobuf/timestamp.pb.h>

#include "base/clock.h"
#include "base/status.h"
#include "fronts/grpc/call.h"
#include "model/content.h"
#include "model/job.h"
#include "model/run.h"

namespace muster::rpc {

// json where it is JSON, else bytes.
Content content_of(std::string bytes);
// invalid_argument: more than payload_bytes_max of the front's limits.
Status check_payload(const Call& call, std::string_view field, std::size_t bytes);
// And JSON, where the dialect wants that.
Status check_json(const Call& call, std::string_view field, std::string_view bytes);

void put_instant(Instant at, google::protobuf::Timestamp* out);
void put_instant_seconds(Instant at, google::protobuf::Timestamp* out);  // whole seconds
Result<Instant> instant_of(std::string_view field, const google::protobuf::Timestamp& at);

// Both dialects' RetryPolicy have these fields. What is zero is not said; negative delays neither.
template <class Message>
StepPolicy policy_of(const Message& message) {
  StepPolicy policy;
  policy.attempts_max = message.maximum_attempts();
  policy.first_delay = Duration(std::max<std::int64_t>(message.initial_interval_ms(), 0));
  policy.factor = message.backoff_coefficient();
  policy.delay_max = Duration(std::max<std::int64_t>(message.maximum_interval_ms(), 0));
  policy.non_retryable.assign(message.non_retryable_errors().begin(), message.non_retryable_errors().end());
  return policy;
}
// How often a run may be lost with its worker: its attempts but the first.
std::uint32_t rescues_of(std::int32_t attempts_max);

// An error text as the registry keeps it: UTF-8 without NUL, cut where it is longer than an error may be. Clients send whole
// stack traces, and a run that failed must not go on because of that.
std::string error_text(std::string_view text);

// Tokens are opaque: the cursor of the registry, in base64 behind a mark.
std::string page_token(std::string_view cursor);
Result<std::string> cursor_of(std::string_view token);  // empty: from the beginning
struct PageRule {
  std::int32_t usual = 0;
  std::int32_t most = 0;
};
std::size_t page_size(std::int32_t wanted, PageRule rule);

}  // namespace muster::rpc
