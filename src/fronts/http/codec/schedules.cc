#include "fronts/http/codec/schedules.h"

#include <array>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "fronts/http/codec/job_replies.h"
#include "fronts/http/codec/job_spec.h"
#include "fronts/http/codec/operations.h"
#include "fronts/http/codec/values.h"

namespace muster::http {

namespace words {
constexpr std::array<std::string_view, 2> kGapRules{"next", "skip"};
constexpr std::array<std::string_view, 2> kFoldRules{"once", "twice"};
constexpr std::array<std::string_view, 2> kCronForms{"native", "kagzi"};
constexpr std::array<std::string_view, 4> kOverlaps{"allow", "skip", "buffer_one", "cancel_previous"};
}  // namespace words
template <>
constexpr std::span<const std::string_view> kWords<GapRule> = words::kGapRules;
template <>
constexpr std::span<const std::string_view> kWords<FoldRule> = words::kFoldRules;
template <>
constexpr std::span<const std::string_view> kWords<CronForm> = words::kCronForms;
template <>
constexpr std::span<const std::string_view> kWords<Overlap> = words::kOverlaps;

namespace {

constexpr std::array kTimingFields{
    field<&Timing::text>("text",
                         "Cron of five, six or seven fields, a shorthand such as @daily, or an interval such as `every 90s`.")
        .required(),
    field<&Timing::zone>("zone", "Of the tz database; UTC when absent."),
    field<&Timing::gap>("gap", "A local time that does not exist that day: the instant after, or none."),
    field<&Timing::fold>("fold", "A local time that comes twice: its first coming, or both."),
    field<&Timing::form>("form", "Which grammar the text is read with."),
    field<&Timing::jitter>("jitter_ms", "Each fire is late by an even share of this."),
};
constexpr Object<Timing> kTiming{"Timing", "", kTimingFields};

}  // namespace

static const Object<Timing>& object_of(Of<Timing>) { return kTiming; }

namespace {

// --- requests ------------------------------------------------------------------------------------------------------

// The fields of POST and PATCH; decode_schedule_create() knows which must be there.
struct ScheduleInput {
  NamespaceName ns{kDefaultNamespace};
  std::optional<Timing> timing;
  std::optional<JobSpec> job;
  std::optional<JobSpec> run;
  std::optional<Overlap> overlap;
  std::optional<std::uint32_t> catchup_max;
  std::optional<bool> enabled;
  std::optional<std::string> note;
  std::optional<Instant> next_fire_at;
  bool catch_up = false;
};
using Input = ScheduleInput;

constexpr std::string_view kOverlapDoc = "While the job of the fire before is unfinished.";
constexpr std::string_view kCatchupDoc = "Missed fires that are made up for, the newest.";
constexpr std::string_view kNoteDoc = "For people.";

// A template without a namespace of its own: settled_job() gives it the schedule's.
JobSpec nowhere() {
  JobSpec job;
  job.ns = NamespaceName();
  return job;
}

constexpr Field<Input> timing_field(Need need) {
  auto out = given<&Input::timing>("timing");
  out.need = need;
  return out;
}

constexpr std::array kTemplateFields{
    Field<Input>{.name = "job",
                 .read = [](JsonReader& in, Input& out, const Range&) { out.job = read_job_spec(in, nowhere()); },
                 .draw = draw_named<job_spec_object>},
    Field<Input>{.name = "run",
                 .read = [](JsonReader& in, Input& out, const Range&) { out.run = read_run_spec(in, nowhere()); },
                 .draw = draw_named<run_spec_object>},
    given<&Input::overlap>("overlap", kOverlapDoc),
    given<&Input::catchup_max>("catchup_max", kCatchupDoc).within(0, kCatchupMax),
    given<&Input::enabled>("enabled"),
    given<&Input::note>("note", kNoteDoc),
};
constexpr auto kCreateFields = joined(std::array{given<&Input::ns>("namespace"), timing_field(Need::judged)}, kTemplateFields);
constexpr Object<Input> kCreate{"ScheduleRequest", "With a job or a run.", kCreateFields};

constexpr std::array kChangeOnlyFields{
    given<&Input::next_fire_at>("next_fire_at", "The next fire is then instead."),
    given<&Input::catch_up>("catch_up", "Enabling makes up for what was missed."),
};
constexpr auto kChangeFields =
    joined(std::array{given<&Input::ns>("namespace"), timing_field(Need::optional)}, kTemplateFields, kChangeOnlyFields);
constexpr Object<Input> kChange{
    "ScheduleChange", "What is absent stays. A timing, job or run takes the place of the whole old one.", kChangeFields};

std::optional<JobSpec> settled_job(JsonReader& in, Input& input) {
  if (input.job && input.run) {
    in.refuse("\"job\" and \"run\" are given; one of them is accepted");
    return std::nullopt;
  }
  std::optional<JobSpec> job = input.job ? std::move(input.job) : std::move(input.run);
  if (!job) return std::nullopt;
  if (!job->ns.empty() && job->ns != input.ns)
    in.refuse(fmt::format("its job is of namespace \"{}\", the schedule of \"{}\"; they must be the same", job->ns.text(),
                          input.ns.text()));
  job->ns = input.ns;
  return job;
}

using command::ScheduleBackfillRequest;
using command::SchedulePauseRequest;
using command::ScheduleResumeRequest;
using command::ScheduleTriggerRequest;

template <class T>
constexpr auto kNamespaceField = given<&T::ns>("namespace");

constexpr std::array kSchedulePauseFields{
    kNamespaceField<SchedulePauseRequest>,
    given<&SchedulePauseRequest::note>("note", kNoteDoc),
};
constexpr Object<SchedulePauseRequest> kSchedulePause{"", "", kSchedulePauseFields};
constexpr std::array kScheduleResumeFields{
    kNamespaceField<ScheduleResumeRequest>,
    given<&ScheduleResumeRequest::note>("note", kNoteDoc),
    given<&ScheduleResumeRequest::catch_up>("catch_up", "Make up for what was missed, within catchup_max."),
};
constexpr Object<ScheduleResumeRequest> kScheduleResume{"", "", kScheduleResumeFields};
constexpr std::array kTriggerFields{kNamespaceField<ScheduleTriggerRequest>};
constexpr Object<ScheduleTriggerRequest> kTrigger{"", "", kTriggerFields};
constexpr std::array kBackfillFields{
    kNamespaceField<ScheduleBackfillRequest>,
    given<&ScheduleBackfillRequest::from>("from", "Exclusive.").required(),
    given<&ScheduleBackfillRequest::to>("to", "Inclusive.").required(),
};
constexpr Object<ScheduleBackfillRequest> kBackfill{"", "", kBackfillFields};

constexpr std::array kExplainFields{
    given<&command::ScheduleExplainRequest::timing>("timing").required(),
    given<&command::ScheduleExplainRequest::count>("count", "10 by default.").within(1, limits::kPreviewMax),
    given<&command::ScheduleExplainRequest::after>("after", "Now when absent."),
};
constexpr Object<command::ScheduleExplainRequest> kExplain{"", "", kExplainFields};

// --- queries -------------------------------------------------------------------------------------------------------

constexpr std::array kScheduleParameters{
    parameter<&store::ScheduleQuery::ns>("namespace", "Empty: all."),
    parameter<&store::ScheduleQuery::queue>("queue", "Of the template."),
    parameter<&store::ScheduleQuery::type>("type", "Of the template."),
    parameter<&store::ScheduleQuery::enabled>("enabled", "true or false."),
    parameter<&store::ScheduleQuery::limit>("limit", kLimitDoc).within(1, limits::kPageMax),
    parameter<&store::ScheduleQuery::cursor>("cursor", kCursorDoc),
};
template <class T>
constexpr std::array kReferenceParameters{parameter<&T::ns>("namespace", kDefaultNamespaceDoc)};
constexpr std::array kPreviewParameters{
    parameter<&command::SchedulePreviewRequest::ns>("namespace", kDefaultNamespaceDoc),
    parameter<&command::SchedulePreviewRequest::count>("count", "10 by default.").within(1, limits::kPreviewMax),
    parameter<&command::SchedulePreviewRequest::after>("after", "Now when absent."),
};

constexpr std::array kFiresParameters{
    parameter<&command::ScheduleFiresRequest::ns>("namespace", "Empty: all."),
    parameter<&command::ScheduleFiresRequest::from>("from", "Exclusive; now when absent."),
    parameter<&command::ScheduleFiresRequest::to>("to", "Inclusive, at most 31 days later; a day later when absent."),
};

// --- replies -------------------------------------------------------------------------------------------------------

template <bool kIsRun>
constexpr Field<Schedule> template_field(std::string_view name) {
  return {.name = name,
          .write =
              [](JsonWriter& out, std::string_view key, const Schedule& schedule) {
                if (schedule.spec.job.run.has_value() != kIsRun) return;
                out.plain_key(key);
                write_object(out, scheduled_job_object(), schedule.spec.job);
              },
          .draw = draw_named<scheduled_job_object>};
}

void draw_uuid(Schemas& out) { draw_type(out, "string", "uuid"); }

constexpr std::array kScheduleFields{
    Field<Schedule>{.name = "id", .write = write_member<&Schedule::spec, &ScheduleSpec::id>, .draw = draw_uuid, .always = true},
    shown<&Schedule::spec, &ScheduleSpec::ns>("namespace"),
    shown<&Schedule::spec, &ScheduleSpec::timing>("timing"),
    template_field<false>("job"),
    template_field<true>("run"),
    shown<&Schedule::spec, &ScheduleSpec::overlap>("overlap", kOverlapDoc),
    shown<&Schedule::spec, &ScheduleSpec::catchup_max>("catchup_max", kCatchupDoc).judged(0, kCatchupMax),
    shown<&Schedule::spec, &ScheduleSpec::enabled>("enabled"),
    shown_unless_blank<&Schedule::spec, &ScheduleSpec::note>("note", kNoteDoc),
    shown<&Schedule::created_at>("created_at", "When it was created."),
    shown<&Schedule::updated_at>("updated_at", "Last change."),
    shown<&Schedule::next_fire_at>("next_fire_at", "Absent: it has none, or is not enabled."),
    shown<&Schedule::last_fired_at>("last_fired_at", "The newest fire that was made or skipped."),
    shown<&Schedule::buffered>("buffered", "A fire that waits for the job before it."),
    shown<&Schedule::last_job>("last_job", "The job of the newest fire."),
    shown<&Schedule::fired>("fired", "Fires made."),
    shown<&Schedule::skipped>("skipped", "Fires left out."),
    shown<&Schedule::revision>("revision", "Grows with every write."),
};
constexpr Object<Schedule> kSchedule{
    "Schedule", "", kScheduleFields,
    R"({"id":"0198a7b2-4c1d-7e3f-8a5b-6c7d8e9f0b00","namespace":"default","timing":{"text":"0 */5 * * * *","zone":"Europe/Berlin","gap":"next","fold":"once","form":"native","jitter_ms":5000},"run":{"namespace":"default","queue":"reports","type":"report","payload":{"days":1},"needs":["workflow:report"],"priority":0,"retry":%Retry%,"rescues_max":3,"version":"1"},"overlap":"skip","catchup_max":10,"enabled":true,"created_at":%at%,"updated_at":%at%,"next_fire_at":"2026-11-15T09:05:00.000Z","fired":0,"skipped":0,"revision":1})"};

constexpr std::array kSchedulePageFields{
    shown<&store::SchedulePage::schedules>("schedules"),
    shown_unless_blank<&store::SchedulePage::next>("next", "Cursor of the next page; absent at the end."),
    shown<&store::SchedulePage::total>("total", "That match, whatever the page."),
};
constexpr Object<store::SchedulePage> kSchedulePage{"SchedulePage", "", kSchedulePageFields,
                                                    R"({"schedules":[%Schedule%],"total":1})"};

// Written by their endpoints, which have nothing but a list.
struct Backfilled {
  std::vector<store::Enqueued> jobs;
};
constexpr std::array kBackfilledFields{shown<&Backfilled::jobs>("jobs")};
constexpr Object<Backfilled> kBackfilled{"Backfilled", "", kBackfilledFields, R"({"jobs":[%Submitted%]})"};

struct Fires {
  std::vector<Instant> fires;
};
constexpr std::array kFiresFields{shown<&Fires::fires>("fires")};
constexpr Object<Fires> kFires{"Fires", "", kFiresFields, R"({"fires":["2026-11-15T09:05:00.000Z","2026-11-15T09:10:00.000Z"]})"};

constexpr std::array kExplainedFields{
    shown<&command::TimingExplained::explanation>("explanation"),
    shown<&command::TimingExplained::fires>("fires", "Without jitter."),
};
constexpr Object<command::TimingExplained> kExplained{
    "TimingExplained", "", kExplainedFields,
    R"({"explanation":"at 09:00, Monday to Friday, Europe/Berlin","fires":["2026-11-16T08:00:00.000Z"]})"};

constexpr std::array kFiresOfFields{
    Field<command::FiresOfSchedule>{
        .name = "id", .write = write_member<&command::FiresOfSchedule::id>, .draw = draw_uuid, .always = true},
    shown<&command::FiresOfSchedule::ns>("namespace"),
    shown<&command::FiresOfSchedule::fires>("fires"),
    shown<&command::FiresOfSchedule::more>("more", "The newest are left out."),
};
constexpr Object<command::FiresOfSchedule> kFiresOf{
    "FiresOfSchedule", "", kFiresOfFields,
    R"({"id":"0198a7b2-4c1d-7e3f-8a5b-6c7d8e9f0b00","namespace":"default","fires":["2026-11-15T09:05:00.000Z"],"more":false})"};

}  // namespace

static const Object<command::FiresOfSchedule>& object_of(Of<command::FiresOfSchedule>) { return kFiresOf; }

namespace {

constexpr std::array kAllFiresFields{shown<&command::ScheduleFiresReply::schedules>("schedules")};
constexpr Object<command::ScheduleFiresReply> kAllFires{"FiresOfSchedules", "", kAllFiresFields,
                                                        R"({"schedules":[%FiresOfSchedule%]})"};

constexpr std::array kScheduleOperations{
    Operation{
        .id = "schedule_create",
        .body = body<kCreate>(
            R"({"timing":{"text":"0 */5 * * * *","zone":"Europe/Berlin","jitter_ms":5000},"run":{"type":"report","queue":"reports","payload":{"days":1}},"overlap":"skip","catchup_max":10})"),
        .answers = {created<Schedule>()}},
    Operation{.id = "schedule_list", .parameters = draw_parameters<kScheduleParameters>, .answers = {ok<store::SchedulePage>()}},
    Operation{.id = "schedule_get",
              .parameters = draw_parameters<kReferenceParameters<command::ScheduleGetRequest>>,
              .answers = {ok<Schedule>()}},
    Operation{.id = "schedule_update",
              .body = body<kChange>(R"({"timing":{"text":"@hourly"},"overlap":"buffer_one"})"),
              .answers = {ok<Schedule>()}},
    Operation{.id = "schedule_delete",
              .parameters = draw_parameters<kReferenceParameters<command::ScheduleDeleteRequest>>,
              .answers = {ok<Schedule>()}},
    Operation{
        .id = "schedule_pause", .body = optional_body<kSchedulePause>(R"({"note":"maintenance"})"), .answers = {ok<Schedule>()}},
    Operation{
        .id = "schedule_resume", .body = optional_body<kScheduleResume>(R"({"catch_up":true})"), .answers = {ok<Schedule>()}},
    Operation{.id = "schedule_trigger",
              .body = optional_body<kTrigger>(R"({"namespace":"default"})"),
              .answers = {created<store::Enqueued>()}},
    Operation{.id = "schedule_backfill",
              .body = body<kBackfill>(R"({"from":"2026-11-14T00:00:00.000Z","to":%at%})"),
              .answers = {Answer{.status = 200, .draw = draw_object<kBackfilled>, .example = kBackfilled.example}}},
    Operation{.id = "schedule_preview",
              .parameters = draw_parameters<kPreviewParameters>,
              .answers = {Answer{.status = 200, .draw = draw_object<kFires>, .example = kFires.example}}},
    Operation{.id = "schedule_explain",
              .body = body<kExplain>(R"({"timing":{"text":"0 9 * * 1-5","zone":"Europe/Berlin"},"count":1})"),
              .answers = {ok<command::TimingExplained>()}},
    Operation{
        .id = "schedule_fires", .parameters = draw_parameters<kFiresParameters>, .answers = {ok<command::ScheduleFiresReply>()}},
};

// `id` comes from the path.
template <class T>
T about_schedule(std::string id) {
  T out{};
  out.ns = NamespaceName(kDefaultNamespace);
  out.id = ScheduleId(std::move(id));
  return out;
}

template <class T>
Result<T> decode_about(std::string id, std::string_view body, const Object<T>& object) {
  T initial = about_schedule<T>(std::move(id));
  if (body.empty()) return initial;
  return read_body(body, object, std::move(initial));
}

}  // namespace

std::span<const Operation> schedule_operations() { return kScheduleOperations; }

const Object<Schedule>& object_of(Of<Schedule>) { return kSchedule; }
const Object<store::SchedulePage>& object_of(Of<store::SchedulePage>) { return kSchedulePage; }

Result<command::ScheduleCreateRequest> decode_schedule_create(std::string_view body) {
  JsonReader in(body);
  Input input;
  read_object(in, kCreate, input);
  std::optional<JobSpec> job = settled_job(in, input);
  if (!input.timing) {
    const FieldScope scope(in, "timing");
    in.refuse("required, and missing");
  }
  if (!job) in.refuse("what to enqueue is missing: \"job\" or \"run\"");
  in.finish();
  if (!in.ok()) return in.status();
  command::ScheduleCreateRequest request;
  request.schedule.ns = std::move(input.ns);
  request.schedule.timing = *std::move(input.timing);
  request.schedule.job = *std::move(job);
  request.schedule.overlap = input.overlap.value_or(Overlap::allow);
  request.schedule.catchup_max = input.catchup_max.value_or(kCatchupDefault);
  request.schedule.enabled = input.enabled.value_or(true);
  request.schedule.note = std::move(input.note).value_or("");
  return request;
}

Result<command::ScheduleUpdateRequest> decode_schedule_update(std::string id, std::string_view body) {
  JsonReader in(body);
  Input input;
  read_object(in, kChange, input);
  std::optional<JobSpec> job = settled_job(in, input);
  in.finish();
  if (!in.ok()) return in.status();
  return command::ScheduleUpdateRequest{.ns = std::move(input.ns),
                                        .id = ScheduleId(std::move(id)),
                                        .timing = std::move(input.timing),
                                        .job = std::move(job),
                                        .overlap = input.overlap,
                                        .catchup_max = input.catchup_max,
                                        .enabled = input.enabled,
                                        .next_fire_at = input.next_fire_at,
                                        .note = std::move(input.note),
                                        .catch_up = input.catch_up};
}

Result<SchedulePauseRequest> decode_schedule_pause(std::string id, std::string_view body) {
  return decode_about(std::move(id), body, kSchedulePause);
}

Result<ScheduleResumeRequest> decode_schedule_resume(std::string id, std::string_view body) {
  return decode_about(std::move(id), body, kScheduleResume);
}

Result<ScheduleTriggerRequest> decode_schedule_trigger(std::string id, std::string_view body) {
  return decode_about(std::move(id), body, kTrigger);
}

Result<ScheduleBackfillRequest> decode_schedule_backfill(std::string id, std::string_view body) {
  // A range has no default: an empty body lacks it.
  return decode_about(std::move(id), body.empty() ? "{}" : body, kBackfill);
}

const Object<command::TimingExplained>& object_of(Of<command::TimingExplained>) { return kExplained; }
const Object<command::ScheduleFiresReply>& object_of(Of<command::ScheduleFiresReply>) { return kAllFires; }

Result<command::ScheduleExplainRequest> decode_schedule_explain(std::string_view body) { return read_body(body, kExplain); }

Result<command::ScheduleFiresRequest> decode_schedule_fires(const std::vector<QueryParameter>& query) {
  return read_query(query, kFiresParameters);
}

Result<command::ScheduleListRequest> decode_schedule_list(const std::vector<QueryParameter>& query) {
  return read_query(query, kScheduleParameters);
}

Result<command::ScheduleGetRequest> decode_schedule_get(std::string id, const std::vector<QueryParameter>& query) {
  using T = command::ScheduleGetRequest;
  return read_query(query, kReferenceParameters<T>, about_schedule<T>(std::move(id)));
}

Result<command::ScheduleDeleteRequest> decode_schedule_delete(std::string id, const std::vector<QueryParameter>& query) {
  using T = command::ScheduleDeleteRequest;
  return read_query(query, kReferenceParameters<T>, about_schedule<T>(std::move(id)));
}

Result<command::SchedulePreviewRequest> decode_schedule_preview(std::string id, const std::vector<QueryParameter>& query) {
  return read_query(query, kPreviewParameters, about_schedule<command::SchedulePreviewRequest>(std::move(id)));
}

}  // namespace muster::http
