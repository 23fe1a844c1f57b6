#include "fronts/grpc/native/shapes.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "command/schedules.h"
#include "fronts/grpc/core.h"
#include "fronts/grpc/dialect/json.h"
#include "fronts/grpc/dialect/names.h"
#include "fronts/grpc/dialect/runs.h"
#include "fronts/grpc/dialect/values.h"

namespace muster::rpc::native {
namespace {

constexpr std::int64_t kDurationSecondsMax = 315'576'000'000;  // by protobuf's own rule
constexpr std::int64_t kNanosPerMs = 1'000'000;
constexpr Duration kDeadlineMargin{200};  // an answer leaves this long before the client gives up

std::string_view to_string(GapRule rule) { return rule == GapRule::next ? "next" : "skip"; }
std::string_view to_string(FoldRule rule) { return rule == FoldRule::once ? "once" : "twice"; }

Status unknown_word(std::string_view field, std::string_view word, std::string_view accepted) {
  return Status::invalid_argument(fmt::format("{}: \"{}\" is not one of {}", field, word.substr(0, 64), accepted));
}

Status set_gap(const std::string& word, Timing& timing) {
  if (word != "next" && word != "skip") return unknown_word("gap", word, "next, skip");
  timing.gap = word == "next" ? GapRule::next : GapRule::skip;
  return {};
}

Status set_fold(const std::string& word, Timing& timing) {
  if (word != "once" && word != "twice") return unknown_word("fold", word, "once, twice");
  timing.fold = word == "once" ? FoldRule::once : FoldRule::twice;
  return {};
}

Result<Overlap> overlap_of(const std::string& word) {
  const auto overlap = parse_overlap(word);
  if (!overlap) return unknown_word("overlap", word, "allow, skip, buffer_one, cancel_previous");
  return *overlap;
}

Result<std::uint32_t> catchup_of(std::int32_t count) {
  if (count < 0 || static_cast<std::uint32_t>(count) > kCatchupMax)
    return Status::invalid_argument(fmt::format("catchup_max of {} is not accepted: 0 to {} are", count, kCatchupMax));
  return static_cast<std::uint32_t>(count);
}

Result<Timing> timing_of(const pb::Schedule& message) {
  Timing timing;
  timing.text = message.timing();
  if (!message.zone().empty()) timing.zone = message.zone();
  if (!message.gap().empty())
    if (Status gap = set_gap(message.gap(), timing); !gap.ok()) return gap;
  if (!message.fold().empty())
    if (Status fold = set_fold(message.fold(), timing); !fold.ok()) return fold;
  if (message.has_jitter()) {
    auto jitter = duration_of("jitter", message.jitter());
    if (!jitter.ok()) return jitter.status();
    timing.jitter = *jitter;
  }
  return timing;
}

Status require(std::string_view field, const std::string& text) {
  return text.empty() ? Status::invalid_argument(fmt::format("{} is empty; it is needed", field)) : Status();
}

}  // namespace

NamespaceName namespace_of(const std::string& text) {
  return NamespaceName(text.empty() ? kDefaultNamespace : encode_name(text));
}

Result<Content> content_of(const Call& call, std::string_view field, const pb::Content& message) {
  if (Status size = check_payload(call, field, message.data().size()); !size.ok()) return size;
  if (message.is_json() && !is_json(message.data()))
    return Status::invalid_argument(fmt::format("{} is said to be JSON and is not", field));
  return Content{message.data(), message.is_json() ? Encoding::json : Encoding::bytes};
}

void put_content(const Content& content, pb::Content* out) {
  out->set_data(content.data);
  out->set_is_json(content.encoding == Encoding::json);
}

void put_content(const std::optional<Content>& content, pb::Content* out) {
  if (content) put_content(*content, out);
}

Result<Duration> duration_of(std::string_view field, const google::protobuf::Duration& message) {
  if (message.seconds() < 0 || message.nanos() < 0 || message.seconds() > kDurationSecondsMax || message.nanos() >= 1'000'000'000)
    return Status::invalid_argument(fmt::format("{} is not a duration of 0 or more", field));
  return Duration(message.seconds() * 1'000 + message.nanos() / kNanosPerMs);
}

Result<Duration> wait_of(const Call& call, const google::protobuf::Duration& message) {
  const auto wait = duration_of("wait", message);
  if (!wait.ok()) return wait;
  if (*wait > kAnswerWaitMax)
    return Status::invalid_argument(
        fmt::format("wait of {} ms is above {} ms; ask again instead", wait->count(), kAnswerWaitMax.count()));
  if (!call.deadline) return wait;
  const auto left = std::chrono::floor<Duration>(*call.deadline - call.core.clock().elapsed());
  return std::clamp(left - std::min(kDeadlineMargin, left / 2), Duration(0), *wait);
}

void put_step(const Step& step, pb::StepAttempt* out) {
  out->set_step_attempt_id(step.id.text());
  out->set_name(decode_name(step.name));
  out->set_kind(std::string(muster::to_string(step.kind)));
  out->set_state(std::string(muster::to_string(step.state)));
  out->set_attempt(static_cast<std::int32_t>(step.attempt));
  if (step.input) put_content(*step.input, out->mutable_input());
  if (step.output) put_content(*step.output, out->mutable_output());
  if (step.error) {
    out->set_error_kind(step.error->kind);
    out->set_error_message(step.error->message);
  }
  put_instant(step.begun_at, out->mutable_begun_at());
  if (step.finished_at) put_instant(*step.finished_at, out->mutable_finished_at());
  if (step.until) put_instant(*step.until, out->mutable_until());
  out->set_worker_id(step.worker.text());
  if (step.child) out->set_child_run_id(step.child->text());
  out->set_signal(step.signal);
}

void put_schedule(const Schedule& schedule, pb::Schedule* out) {
  const ScheduleSpec& spec = schedule.spec;
  out->set_namespace_(decode_name(spec.ns.text()));
  out->set_schedule_id(spec.id.text());
  out->set_timing(spec.timing.text);
  out->set_zone(spec.timing.zone);
  out->set_gap(std::string(to_string(spec.timing.gap)));
  out->set_fold(std::string(to_string(spec.timing.fold)));
  if (spec.timing.jitter.count() > 0) {
    out->mutable_jitter()->set_seconds(spec.timing.jitter.count() / 1'000);
    out->mutable_jitter()->set_nanos(static_cast<std::int32_t>(spec.timing.jitter.count() % 1'000 * kNanosPerMs));
  }
  out->set_overlap(std::string(muster::to_string(spec.overlap)));
  out->set_catchup_max(static_cast<std::int32_t>(spec.catchup_max));
  out->set_enabled(spec.enabled);
  out->set_note(spec.note);
  out->set_task_queue(decode_name(spec.job.queue.text()));
  out->set_workflow_type(decode_name(spec.job.type.text()));
  put_content(spec.job.payload, out->mutable_input());
  if (spec.job.run) out->set_version(spec.job.run->version);
  put_instant(schedule.created_at, out->mutable_created_at());
  put_instant(schedule.updated_at, out->mutable_updated_at());
  if (schedule.next_fire_at) put_instant(*schedule.next_fire_at, out->mutable_next_fire_at());
  if (schedule.last_fired_at) put_instant(*schedule.last_fired_at, out->mutable_last_fired_at());
  out->set_fired(static_cast<std::int64_t>(schedule.fired));
  out->set_skipped(static_cast<std::int64_t>(schedule.skipped));
  if (schedule.last_job) out->set_last_run_id(schedule.last_job->text());
}

Result<ScheduleSpec> schedule_of(const Call& call, const pb::CreateScheduleRequest& request) {
  const pb::Schedule& message = request.schedule();
  for (const auto& [field, text] : {std::pair<std::string_view, const std::string&>("task_queue", message.task_queue()),
                                    {"workflow_type", message.workflow_type()},
                                    {"timing", message.timing()}})
    if (Status there = require(field, text); !there.ok()) return there;
  ScheduleSpec spec;
  spec.ns = namespace_of(message.namespace_());
  auto timing = timing_of(message);
  if (!timing.ok()) return timing.status();
  spec.timing = *std::move(timing);
  if (!message.overlap().empty()) {
    const auto overlap = overlap_of(message.overlap());
    if (!overlap.ok()) return overlap.status();
    spec.overlap = *overlap;
  }
  if (request.has_catchup_max()) {
    const auto catchup = catchup_of(request.catchup_max());
    if (!catchup.ok()) return catchup.status();
    spec.catchup_max = *catchup;
  }
  spec.enabled = !request.has_enabled() || request.enabled();
  spec.note = message.note();
  spec.job = run_of(spec.ns, message.task_queue(), message.workflow_type());
  auto input = content_of(call, "input", message.input());
  if (!input.ok()) return input.status();
  spec.job.payload = *std::move(input);
  if (!message.version().empty()) spec.job.run->version = message.version();
  return spec;
}

Result<command::ScheduleUpdateRequest> change_of(const pb::UpdateScheduleRequest& request, const Schedule& before) {
  command::ScheduleUpdateRequest change;
  change.ns = before.spec.ns;
  change.id = before.spec.id;
  Timing timing = before.spec.timing;
  if (request.has_timing()) timing.text = request.timing();
  if (request.has_zone()) timing.zone = request.zone();
  if (request.has_gap())
    if (Status gap = set_gap(request.gap(), timing); !gap.ok()) return gap;
  if (request.has_fold())
    if (Status fold = set_fold(request.fold(), timing); !fold.ok()) return fold;
  if (request.has_jitter()) {
    auto jitter = duration_of("jitter", request.jitter());
    if (!jitter.ok()) return jitter.status();
    timing.jitter = *jitter;
  }
  if (!(timing == before.spec.timing)) change.timing = std::move(timing);
  if (request.has_overlap()) {
    const auto overlap = overlap_of(request.overlap());
    if (!overlap.ok()) return overlap.status();
    change.overlap = *overlap;
  }
  if (request.has_catchup_max()) {
    const auto catchup = catchup_of(request.catchup_max());
    if (!catchup.ok()) return catchup.status();
    change.catchup_max = *catchup;
  }
  if (request.has_enabled()) change.enabled = request.enabled();
  if (request.has_note()) change.note = request.note();
  return change;
}

}  // namespace muster::rpc::native
