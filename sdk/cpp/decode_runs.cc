#include <utility>

#include "sdk/cpp/reading.h"

namespace muster::sdk {

using namespace reading;

namespace {

std::optional<Failure> failure(const Json& json) {
  const Json* error = find(json, "error");
  if (error == nullptr) return std::nullopt;
  return Failure{.kind = text(*error, "kind"), .message = text(*error, "message")};
}

RunStep read_step(const Json& json) {
  RunStep step;
  step.id = text(json, "id");
  step.run = text(json, "run");
  step.name = json.at("name").get<std::string>();
  step.kind = text(json, "kind");
  step.state = text(json, "state");
  step.attempt = number<std::uint32_t>(json, "attempt");
  step.input = content(json, "input");
  step.output = content(json, "output");
  step.error = failure(json);
  step.begun_at = instant(json, "begun_at");
  step.finished_at = instant(json, "finished_at");
  step.until = instant(json, "until");
  step.worker = text(json, "worker");
  step.fence = number<std::uint64_t>(json, "fence");
  step.child = text(json, "child");
  step.signal = text(json, "signal");
  step.document = document(json);
  return step;
}

Result<StepAnswer> read_answer(const Json& json) {
  // An answer has no error of its own; its step may.
  if (const Json* error = find(json, "error"))
    return Error{.code = parse_code(text(*error, "code")).value_or(Code::internal),
                 .status = 0,
                 .detail = text(*error, "detail"),
                 .retry_after = {}};
  StepAnswer answer;
  answer.execute = number<bool>(json, "execute");
  if (const Json* step = find(json, "step")) answer.step = read_step(*step);
  answer.parked = number<bool>(json, "parked");
  answer.state = text(json, "state");
  answer.run_at = instant(json, "run_at");
  answer.cancel_requested = number<bool>(json, "cancel_requested");
  return answer;
}

Timing read_timing(const Json& json) {
  return Timing{.text = text(json, "text"),
                .zone = text(json, "zone"),
                .gap = text(json, "gap"),
                .fold = text(json, "fold"),
                .jitter = duration(json, "jitter_ms")};
}

Schedule read_schedule(const Json& json) {
  Schedule schedule;
  schedule.id = json.at("id").get<std::string>();
  schedule.ns = text(json, "namespace");
  schedule.timing = read_timing(json.at("timing"));
  const Json* run = find(json, "run");
  schedule.is_run = run != nullptr;
  if (const Json* job = run != nullptr ? run : find(json, "job")) {
    schedule.queue = text(*job, "queue");
    schedule.type = text(*job, "type");
    schedule.job_document = document(*job);
  }
  schedule.overlap = text(json, "overlap");
  schedule.catchup_max = number<std::uint32_t>(json, "catchup_max");
  schedule.enabled = number<bool>(json, "enabled");
  schedule.note = text(json, "note");
  schedule.created_at = instant(json, "created_at");
  schedule.updated_at = instant(json, "updated_at");
  schedule.next_fire_at = instant(json, "next_fire_at");
  schedule.last_fired_at = instant(json, "last_fired_at");
  schedule.buffered = instant(json, "buffered");
  schedule.last_job = text(json, "last_job");
  schedule.fired = number<std::uint64_t>(json, "fired");
  schedule.skipped = number<std::uint64_t>(json, "skipped");
  schedule.revision = number<std::uint64_t>(json, "revision");
  schedule.document = document(json);
  return schedule;
}

}  // namespace

Result<RunStepPage> decode_step_page(std::string_view body) {
  return decoded(body, [](const Json& json) {
    return RunStepPage{.steps = elements(json, "steps", read_step), .next = text(json, "next")};
  });
}

Result<RunResult> decode_run_result(std::string_view body) {
  return decoded(body, [](const Json& json) {
    return RunResult{.id = text(json, "id"),
                     .state = json.at("state").get<std::string>(),
                     .finished = number<bool>(json, "finished"),
                     .finished_at = instant(json, "finished_at"),
                     .result = content(json, "result"),
                     .error = failure(json),
                     .document = document(json)};
  });
}

Result<Signalled> decode_signalled(std::string_view body) {
  return decoded(body, [](const Json& json) {
    return Signalled{.run = text(json, "run"), .taken = number<bool>(json, "taken"), .document = document(json)};
  });
}

Result<std::vector<Result<StepAnswer>>> decode_step_answers(std::string_view body) {
  return decoded(body, [](const Json& json) { return elements(json, "answers", read_answer); });
}

Result<Schedule> decode_schedule(std::string_view body) { return decoded(body, read_schedule); }

Result<SchedulePage> decode_schedule_page(std::string_view body) {
  return decoded(body, [](const Json& json) {
    return SchedulePage{.schedules = elements(json, "schedules", read_schedule),
                        .next = text(json, "next"),
                        .total = number<std::uint64_t>(json, "total")};
  });
}

Result<std::vector<Instant>> decode_fires(std::string_view body) {
  return decoded(body, [](const Json& json) {
    std::vector<Instant> fires;
    for (const Json& fire : json.at("fires"))
      if (const auto at = parse_instant(fire.get<std::string>())) fires.push_back(*at);
    return fires;
  });
}

}  // namespace muster::sdk
