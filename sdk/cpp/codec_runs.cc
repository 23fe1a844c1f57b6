// Workflow runs, their steps, and schedules: requests and replies as tables.
#include "sdk/cpp/fields.h"

namespace muster::sdk {
namespace fields {

// A JSON object that the caller has as text.
static void write_object_text(Writing& out, const char* name, const std::string& text) {
  constexpr std::size_t kTextShownBytes = 60;
  if (text.empty()) return;
  Json object = Json::parse(text, nullptr, false);
  if (!object.is_object()) return out.fail(fmt::format("{} is not a JSON object: `{}`", name, text.substr(0, kTextShownBytes)));
  out.json[name] = std::move(object);
}
template <auto kMember>
static constexpr auto object_text(const char* name) {
  using T = ObjectOf<kMember>;
  return Field<T>{.name = name,
                  .write = [](Writing& out, const char* key, const T& value) { write_object_text(out, key, value.*kMember); }};
}

template <>
constexpr auto kFields<StepRetry> = std::array{
    field<&StepRetry::attempts_max>("attempts_max"),
    field<&StepRetry::first_delay>("first_delay_ms"),
    field<&StepRetry::factor>("factor"),
    field<&StepRetry::delay_max>("delay_max_ms"),
    field<&StepRetry::non_retryable>("non_retryable"),
};

template <>
constexpr auto kFields<RunRequest> = std::array{
    // A run is asked for with the fields of its job.
    Field<RunRequest>{.name = "",
                      .write = [](Writing& out, const char*, const RunRequest& value) { write_spec(out, value.job); }},
    field<&RunRequest::external_id>("external_id"),
    field<&RunRequest::version>("version"),
    object_text<&RunRequest::context>("context"),
    field<&RunRequest::steps>("steps"),
    Field<RunRequest>{.name = "parent",
                      .write =
                          [](Writing& out, const char* name, const RunRequest& value) {
                            if (!value.parent_run.empty())
                              out.json[name] = Json{{"run", value.parent_run}, {"step", value.parent_step}};
                          }},
    field<&RunRequest::metadata>("metadata"),
};
template <>
constexpr auto kFields<RunSignal> = std::array{said<&RunSignal::name>("name"), content<&RunSignal::data>("data")};
template <>
constexpr auto kFields<StepCall> = std::array{
    said<&StepCall::call>("call"),
    field<&StepCall::step>("step"),
    field<&StepCall::kind>("kind"),
    content<&StepCall::input>("input"),
    content<&StepCall::output>("output"),
    field<&StepCall::policy>("policy"),
    field<&StepCall::error>("error"),
    field<&StepCall::retryable>("retryable"),
    field<&StepCall::retry_after>("retry_after_ms"),
    field<&StepCall::length>("length_ms"),
    field<&StepCall::wait>("wait_ms"),
    field<&StepCall::until>("until"),
    field<&StepCall::signal>("signal"),
    field<&StepCall::child>("child"),
};
template <>
constexpr auto kFields<Timing> = std::array{
    field_said<&Timing::text>("text"), field<&Timing::zone>("zone"),        field<&Timing::gap>("gap"),
    field<&Timing::fold>("fold"),      field<&Timing::jitter>("jitter_ms"),
};

template <>
constexpr auto kFields<RunStep> = std::array{
    field<&RunStep::id>("id"),
    field<&RunStep::run>("run"),
    field<&RunStep::name>("name").must(),
    field<&RunStep::kind>("kind"),
    field<&RunStep::state>("state"),
    field<&RunStep::attempt>("attempt"),
    content<&RunStep::input>("input"),
    content<&RunStep::output>("output"),
    field<&RunStep::error>("error"),
    field<&RunStep::begun_at>("begun_at"),
    field<&RunStep::finished_at>("finished_at"),
    field<&RunStep::until>("until"),
    field<&RunStep::worker>("worker"),
    field<&RunStep::fence>("fence"),
    field<&RunStep::child>("child"),
    field<&RunStep::signal>("signal"),
    document<&RunStep::document>(),
};
template <>
constexpr auto kFields<RunResult> = std::array{
    field<&RunResult::id>("id"),
    field<&RunResult::state>("state").must(),
    field<&RunResult::finished>("finished"),
    field<&RunResult::finished_at>("finished_at"),
    content<&RunResult::result>("result"),
    field<&RunResult::error>("error"),
    document<&RunResult::document>(),
};
template <>
constexpr auto kFields<Signalled> = std::array{
    field<&Signalled::run>("run"),
    field<&Signalled::taken>("taken"),
    document<&Signalled::document>(),
};

template <>
constexpr auto kFields<RunStepPage> = std::array{field<&RunStepPage::steps>("steps").must(), field<&RunStepPage::next>("next")};
template <>
constexpr auto kFields<StepAnswer> = std::array{
    field<&StepAnswer::execute>("execute"), field<&StepAnswer::step>("step"),
    field<&StepAnswer::parked>("parked"),   field<&StepAnswer::state>("state"),
    field<&StepAnswer::run_at>("run_at"),   field<&StepAnswer::cancel_requested>("cancel_requested"),
};

template <>
constexpr auto kFields<ScheduleRequest> = std::array{
    field<&ScheduleRequest::ns>("namespace"),
    field<&ScheduleRequest::timing>("timing"),
    asked<&ScheduleRequest::job>("job"),
    asked<&ScheduleRequest::run>("run"),
    object_text<&ScheduleRequest::job_document>("job"),
    object_text<&ScheduleRequest::run_document>("run"),
    field<&ScheduleRequest::overlap>("overlap"),
    field<&ScheduleRequest::catchup_max>("catchup_max"),
    field<&ScheduleRequest::enabled>("enabled"),
    field<&ScheduleRequest::note>("note"),
};
constexpr std::array kTemplateFields{
    field<&Schedule::queue>("queue"),
    field<&Schedule::type>("type"),
    document<&Schedule::job_document>(),
};
template <>
constexpr auto kFields<Schedule> = std::array{
    field<&Schedule::id>("id").must(),
    field<&Schedule::ns>("namespace"),
    field<&Schedule::timing>("timing").must(),
    group<kTemplateFields, Schedule>("job"),
    group<kTemplateFields, Schedule>("run"),
    Field<Schedule>{
        .name = "run",
        .read = [](const Json& object, const char* name, Schedule& out) { out.is_run = find(object, name) != nullptr; }},
    field<&Schedule::overlap>("overlap"),
    field<&Schedule::catchup_max>("catchup_max"),
    field<&Schedule::enabled>("enabled"),
    field<&Schedule::note>("note"),
    field<&Schedule::created_at>("created_at"),
    field<&Schedule::updated_at>("updated_at"),
    field<&Schedule::next_fire_at>("next_fire_at"),
    field<&Schedule::last_fired_at>("last_fired_at"),
    field<&Schedule::buffered>("buffered"),
    field<&Schedule::last_job>("last_job"),
    field<&Schedule::fired>("fired"),
    field<&Schedule::skipped>("skipped"),
    field<&Schedule::revision>("revision"),
    document<&Schedule::document>(),
};
template <>
constexpr auto kFields<ResumeRequest> = std::array{
    said<&ResumeRequest::catch_up>("catch_up"),
    field<&ResumeRequest::ns>("namespace"),
    field<&ResumeRequest::note>("note"),
};

template <>
constexpr auto kFields<SchedulePage> = std::array{
    field<&SchedulePage::schedules>("schedules").must(),
    field<&SchedulePage::next>("next"),
    field<&SchedulePage::total>("total"),
};

}  // namespace fields

using namespace fields;

Result<std::string> encode(const RunRequest& request) { return encoded(request); }
Result<std::string> encode(const RunSignal& signal) { return encoded(signal); }
Result<std::string> encode(const ScheduleRequest& request) { return encoded(request); }
std::string encode(const ResumeRequest& request) { return encoded_plain(request); }

Result<std::string> encode_steps(const LeaseRef& lease, std::span<const StepCall> calls) {
  Writing out;
  out.json["fence"] = lease.fence;
  Json& list = out.json["calls"] = Json::array();
  for (const StepCall& call : calls) list.push_back(put(out, call));
  if (out.error) return *std::move(out.error);
  return text_of(out.json);
}

std::string encode_backfill(std::string_view ns, const TimeRange& range) {
  Json json{{"from", format_instant(range.from)}, {"to", format_instant(range.to)}};
  if (!ns.empty()) json["namespace"] = ns;
  return text_of(json);
}

Result<RunStepPage> decode_step_page(std::string_view body) { return decoded<RunStepPage>(body); }
Result<RunResult> decode_run_result(std::string_view body) { return decoded<RunResult>(body); }
Result<Signalled> decode_signalled(std::string_view body) { return decoded<Signalled>(body); }
Result<Schedule> decode_schedule(std::string_view body) { return decoded<Schedule>(body); }
Result<SchedulePage> decode_schedule_page(std::string_view body) { return decoded<SchedulePage>(body); }

// An answer has no error of its own; its step may.
Result<std::vector<Result<StepAnswer>>> decode_step_answers(std::string_view body) {
  return decoded_each<StepAnswer>(body, "answers");
}

Result<std::vector<Instant>> decode_fires(std::string_view body) {
  return read_text(body, [](const Json& json) {
    std::vector<Instant> fires;
    for (const Json& fire : json.at("fires"))
      if (const auto at = parse_instant(fire.get<std::string>())) fires.push_back(*at);
    return fires;
  });
}

}  // namespace muster::sdk
