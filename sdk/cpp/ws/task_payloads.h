// The payloads of business frames as values and back: a dispatch is read, feedback, results, errors and next requests are
// written. Called by the worker's thread that owns the machine. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/json_reader.h"
#include "base/status.h"
#include "sdk/cpp/ws/task.h"
#include "session/codes.h"
#include "session/envelope.h"
#include "session/frame_types.h"

namespace muster::sdk::ws {

// invalid_argument: which member is missing or of another kind. `task` then has what could be read, for the error frame.
muster::Status read_dispatch(const session::Envelope& frame, session::Protocol protocol, TaskInfo& task);

std::string feedback_payload(const TaskInfo& task, const Feedback& feedback);

// What says how a task ended: a result, or an error. `worker_name` is who has the artifacts.
struct OutcomeFrame {
  session::FrameKind kind = session::FrameKind::result;
  std::string payload;
};
OutcomeFrame result_frame(const TaskInfo& task, const Outcome& outcome, Duration took, std::string_view worker_name,
                          session::Protocol protocol);
// `where`: the part of the worker that noticed, "worker.runner".
OutcomeFrame error_frame(const TaskInfo& task, const session::ErrorCode& code, std::string_view message, std::string_view where);

struct NextAsk {
  std::string request_id;
  Json payload = Json::object();
  std::optional<Duration> timeout;
};
std::string next_request_payload(const TaskInfo& task, const NextAsk& ask);

struct NextAnswer {
  std::string request_id;
  NextReply reply;
};
// invalid_argument: it answers no request.
muster::Result<NextAnswer> read_next_response(const json::Tree& payload);

}  // namespace muster::sdk::ws
