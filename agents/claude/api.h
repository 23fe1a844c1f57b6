// The model's API as its callers see it: messages as streams, batches, token counts. Plain values and one interface.
//
// The runtime of agents holds an Api; agents/claude/client.h is the one that speaks HTTP, scripted_testing.h the one that answers
// as a test says. An error is final for its call, whatever could be tried again has been:
//   exhausted         429 or 529 after every try        unavailable  5xx, time-out, lost connection after every try
//   unauthenticated   401                               permission_denied  403
//   not_found         404                               invalid_argument   any other 4xx, with the API's message
//   corrupt           an answer that is not what the API promises (HTML, broken JSON, a stream without its end)
//   conflict          cancelled by cancel() or stop()
//   outcome_unknown   of create_batch alone: the connection was lost after the request had left, so a batch may exist
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/reply.h"
#include "base/status.h"
#include "base/unique_function.h"
#include "model/agent.h"

namespace muster::claude {

// The input of a tool that is no JSON object, as when the model was cut off in it, becomes an object with this one member: the
// text as it came.
inline constexpr const char* kInvalidInputMember = "INVALID_JSON";

// A whole answer of the model.
struct Answer {
  std::string id;
  std::string model;
  std::string blocks = "[]";  // JSON array, every block as it came
  std::string stop_reason;
  std::string stop_sequence;
  TokenUsage usage;
};

enum class DeltaKind : std::uint8_t { block_start, text, thinking, input_json, signature, citations, block_stop, other };

struct Delta {
  DeltaKind kind = DeltaKind::text;
  std::size_t index = 0;  // of the block
  std::string_view text;  // of text, thinking, input_json and signature
  std::string_view json;  // the event's data as it came
};

enum class CallId : std::uint64_t {};

// Told about one stream, in order, on the client's thread; ended() is the last.
class StreamSink {
 public:
  virtual ~StreamSink() = default;
  // The request is on its way (again): `attempt` counts from 1. What a broken attempt said is to be forgotten.
  virtual void started(std::uint32_t attempt) = 0;
  virtual void delta(const Delta& delta) = 0;
  virtual void ended(Result<Answer> answer) = 0;
};

enum class BatchState : std::uint8_t { in_progress, canceling, ended };

struct Batch {
  std::string id;
  BatchState state = BatchState::in_progress;
  std::uint64_t processing = 0, succeeded = 0, errored = 0, canceled = 0, expired = 0;
  std::optional<Instant> expires_at;
};

enum class BatchLineType : std::uint8_t { succeeded, errored, canceled, expired };

struct BatchLine {
  std::string custom_id;
  BatchLineType type = BatchLineType::errored;
  Answer answer;              // of succeeded
  std::string error_type;     // of errored
  std::string error_message;  // nested or not, as the API sends it
  bool retryable = false;     // the API's fault, not the request's
};

// Told about the results of one batch, line by line, on the client's thread.
class LineSink {
 public:
  virtual ~LineSink() = default;
  virtual void line(BatchLine line) = 0;
  // While there is none, the client reads no more of the results; it asks again soon. What it has read already still comes. On
  // the client's thread.
  virtual bool has_room() const { return true; }
};

struct BatchRequest {
  std::string custom_id;
  std::string params;  // JSON object
};

// Thread-safe. Replies and sinks are called on a thread of the implementation's, or before a call that is refused returns, and
// must not block; a call ends exactly once.
class Api {
 public:
  virtual ~Api() = default;

  // POST /v1/messages. `params` is a JSON object without "stream". The sink is shared until its ended().
  virtual CallId stream(std::string params, std::vector<std::string> betas, std::shared_ptr<StreamSink> sink) = 0;
  // The sink's ended() comes with `conflict`, unless it has ended already.
  virtual void cancel(CallId call) = 0;

  virtual void create_batch(std::vector<BatchRequest> requests, std::vector<std::string> betas, Reply<Batch> reply) = 0;
  virtual void get_batch(std::string id, Reply<Batch> reply) = 0;
  virtual void cancel_batch(std::string id, Reply<Batch> reply) = 0;
  // Line by line as they come, of any length, each once; then the number of lines. A line that cannot be read is left out.
  virtual void batch_results(std::string id, std::shared_ptr<LineSink> lines, Reply<std::uint64_t> reply) = 0;
  // What a message with these params would cost; members that only answering needs (max_tokens, …) are not sent.
  virtual void count_tokens(std::string params, std::vector<std::string> betas, Reply<std::uint64_t> reply) = 0;

  // Ends every call with `conflict`. Idempotent; later calls end at once.
  virtual void stop() = 0;
};

}  // namespace muster::claude
