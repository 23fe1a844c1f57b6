#include "fronts/http/codec/schedules.h"

#include <array>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "fronts/http/codec/job_replies.h"
#include "fronts/http/codec/job_spec.h"
#include "fronts/http/codec/values.h"
#include "fronts/http/json/fields.h"

namespace muster::http {
namespace {

using In = JsonReader;

// Two words that are the two values of a flag.
template <class T>
T read_one_of(In& in, std::pair<std::string_view, T> first, std::pair<std::string_view, T> second) {
  const std::string word = in.read_string();
  if (word == second.first) return second.second;
  if (word != first.first) in.refuse(fmt::format("\"{}\" is not accepted; \"{}\" or \"{}\" is", word, first.first, second.first));
  return first.second;
}

constexpr std::array kTimingFields{
    Field<Timing>{"text", [](In& in, Timing& out) { out.text = in.read_string(); }, Need::required},
    Field<Timing>{"zone", [](In& in, Timing& out) { out.zone = in.read_string(); }},
    Field<Timing>{"gap",
                  [](In& in, Timing& out) {
                    out.gap = read_one_of<GapRule>(in, {"next", GapRule::next}, {"skip", GapRule::skip});
                  }},
    Field<Timing>{"fold",
                  [](In& in, Timing& out) {
                    out.fold = read_one_of<FoldRule>(in, {"once", FoldRule::once}, {"twice", FoldRule::twice});
                  }},
    Field<Timing>{"form",
                  [](In& in, Timing& out) {
                    out.form = read_one_of<CronForm>(in, {"native", CronForm::native}, {"kagzi", CronForm::kagzi});
                  }},
    Field<Timing>{"jitter_ms", [](In& in, Timing& out) { out.jitter = read_duration(in); }},
};

Overlap read_overlap(In& in) {
  const std::string word = in.read_string();
  const auto overlap = parse_overlap(word);
  if (!overlap)
    in.refuse(fmt::format("\"{}\" is not accepted; \"allow\", \"skip\", \"buffer_one\" or \"cancel_previous\" is", word));
  return overlap.value_or(Overlap::allow);
}

// The fields of POST and PATCH; make_change() and decode_schedule_create() know which must be there.
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

// A template without a namespace of its own: settled_job() gives it the schedule's.
JobSpec nowhere() {
  JobSpec job;
  job.ns = NamespaceName();
  return job;
}

constexpr std::array kCreateFields{
    Field<Input>{"namespace", [](In& in, Input& out) { read(in, out.ns); }},
    Field<Input>{"timing", [](In& in, Input& out) { read_object(in, kTimingFields, out.timing.emplace()); }},
    Field<Input>{"job", [](In& in, Input& out) { out.job = read_job_spec(in, nowhere()); }},
    Field<Input>{"run", [](In& in, Input& out) { out.run = read_run_spec(in, nowhere()); }},
    Field<Input>{"overlap", [](In& in, Input& out) { out.overlap = read_overlap(in); }},
    Field<Input>{"catchup_max",
                 [](In& in, Input& out) { out.catchup_max = static_cast<std::uint32_t>(in.read_integer(0, kCatchupMax)); }},
    Field<Input>{"enabled", [](In& in, Input& out) { out.enabled = in.read_bool(); }},
    Field<Input>{"note", [](In& in, Input& out) { out.note = in.read_string(); }},
};

constexpr auto with_changes() {
  std::array<Field<Input>, kCreateFields.size() + 2> all{};
  for (std::size_t i = 0; i < kCreateFields.size(); ++i) all[i] = kCreateFields[i];
  all[kCreateFields.size()] = {"next_fire_at", [](In& in, Input& out) { out.next_fire_at = read_instant(in); }, Need::optional};
  all[kCreateFields.size() + 1] = {"catch_up", [](In& in, Input& out) { out.catch_up = in.read_bool(); }, Need::optional};
  return all;
}
constexpr auto kUpdateFields = with_changes();

std::optional<JobSpec> settled_job(In& in, Input& input) {
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

template <class T>
constexpr Field<T> kNamespaceField{"namespace", [](In& in, T& out) { read(in, out.ns); }};

using command::ScheduleBackfillRequest;
using command::SchedulePauseRequest;
using command::ScheduleResumeRequest;
using command::ScheduleTriggerRequest;

constexpr std::array kSchedulePauseFields{
    kNamespaceField<SchedulePauseRequest>,
    Field<SchedulePauseRequest>{"note", [](In& in, SchedulePauseRequest& out) { out.note = in.read_string(); }},
};
constexpr std::array kScheduleResumeFields{
    kNamespaceField<ScheduleResumeRequest>,
    Field<ScheduleResumeRequest>{"note", [](In& in, ScheduleResumeRequest& out) { out.note = in.read_string(); }},
    Field<ScheduleResumeRequest>{"catch_up", [](In& in, ScheduleResumeRequest& out) { out.catch_up = in.read_bool(); }},
};
constexpr std::array kTriggerFields{kNamespaceField<ScheduleTriggerRequest>};
constexpr std::array kBackfillFields{
    kNamespaceField<ScheduleBackfillRequest>,
    Field<ScheduleBackfillRequest>{"from", [](In& in, ScheduleBackfillRequest& out) { out.from = read_instant(in); },
                                   Need::required},
    Field<ScheduleBackfillRequest>{"to", [](In& in, ScheduleBackfillRequest& out) { out.to = read_instant(in); }, Need::required},
};

template <class T, std::size_t N>
Result<T> decode_about(std::string id, std::string_view body, const std::array<Field<T>, N>& fields) {
  T initial;
  initial.ns = NamespaceName(kDefaultNamespace);
  initial.id = ScheduleId(std::move(id));
  if (body.empty()) return initial;
  return read_body(body, fields, std::move(initial));
}

template <class T>
Result<T> decode_reference(std::string id, const std::vector<QueryParameter>& query) {
  QueryReader in(query);
  T request;
  request.ns = NamespaceName(in.text("namespace").value_or(kDefaultNamespace));
  request.id = ScheduleId(std::move(id));
  if (Status read = in.finish(); !read.ok()) return read;
  return request;
}

std::optional<bool> read_enabled(QueryReader& in) {
  const auto text = in.text("enabled");
  if (!text) return std::nullopt;
  if (*text != "true" && *text != "false") in.refuse("enabled", fmt::format("\"{}\" is not accepted; true or false is", *text));
  return *text == "true";
}

void write_timing(JsonWriter& out, const Timing& timing) {
  out.key("timing");
  out.begin_object();
  out.member("text", timing.text);
  out.member("zone", timing.zone);
  out.member("gap", timing.gap == GapRule::next ? "next" : "skip");
  out.member("fold", timing.fold == FoldRule::once ? "once" : "twice");
  out.member("form", timing.form == CronForm::native ? "native" : "kagzi");
  out.member("jitter_ms", timing.jitter);
  out.end_object();
}

}  // namespace

Result<command::ScheduleCreateRequest> decode_schedule_create(std::string_view body) {
  JsonReader in(body);
  Input input;
  read_object(in, kCreateFields, input);
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
  read_object(in, kUpdateFields, input);
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
  return decode_about(std::move(id), body, kSchedulePauseFields);
}

Result<ScheduleResumeRequest> decode_schedule_resume(std::string id, std::string_view body) {
  return decode_about(std::move(id), body, kScheduleResumeFields);
}

Result<ScheduleTriggerRequest> decode_schedule_trigger(std::string id, std::string_view body) {
  return decode_about(std::move(id), body, kTriggerFields);
}

Result<ScheduleBackfillRequest> decode_schedule_backfill(std::string id, std::string_view body) {
  // A range has no default: an empty body lacks it.
  return decode_about(std::move(id), body.empty() ? "{}" : body, kBackfillFields);
}

Result<command::ScheduleListRequest> decode_schedule_list(const std::vector<QueryParameter>& query) {
  QueryReader in(query);
  command::ScheduleListRequest request;
  request.ns = NamespaceName(in.text("namespace").value_or(""));
  request.queue = QueueName(in.text("queue").value_or(""));
  request.type = JobType(in.text("type").value_or(""));
  request.enabled = read_enabled(in);
  request.limit = static_cast<std::size_t>(in.number("limit", limits::kPageMax).value_or(limits::kPageDefault));
  if (request.limit == 0) in.refuse("limit", fmt::format("0 is not accepted; 1 to {} is", limits::kPageMax));
  request.cursor = in.text("cursor").value_or("");
  if (Status read = in.finish(); !read.ok()) return read;
  return request;
}

Result<command::ScheduleGetRequest> decode_schedule_get(std::string id, const std::vector<QueryParameter>& query) {
  return decode_reference<command::ScheduleGetRequest>(std::move(id), query);
}

Result<command::ScheduleDeleteRequest> decode_schedule_delete(std::string id, const std::vector<QueryParameter>& query) {
  return decode_reference<command::ScheduleDeleteRequest>(std::move(id), query);
}

Result<command::SchedulePreviewRequest> decode_schedule_preview(std::string id, const std::vector<QueryParameter>& query) {
  QueryReader in(query);
  command::SchedulePreviewRequest request;
  request.ns = NamespaceName(in.text("namespace").value_or(kDefaultNamespace));
  request.id = ScheduleId(std::move(id));
  request.count = static_cast<std::size_t>(in.number("count", limits::kPreviewMax).value_or(command::kPreviewDefault));
  if (request.count == 0) in.refuse("count", fmt::format("0 is not accepted; 1 to {} is", limits::kPreviewMax));
  request.after = in.instant("after");
  if (Status read = in.finish(); !read.ok()) return read;
  return request;
}

void write(JsonWriter& out, const Schedule& schedule) {
  out.begin_object();
  out.member("id", schedule.spec.id.text());
  out.member("namespace", schedule.spec.ns.text());
  write_timing(out, schedule.spec.timing);
  out.key(schedule.spec.job.run ? "run" : "job");
  out.begin_object();
  write_spec(out, schedule.spec.job);
  out.end_object();
  out.member("overlap", to_string(schedule.spec.overlap));
  out.member("catchup_max", schedule.spec.catchup_max);
  out.member("enabled", schedule.spec.enabled);
  out.member_unless_empty("note", schedule.spec.note);
  out.member("created_at", schedule.created_at);
  out.member("updated_at", schedule.updated_at);
  out.member("next_fire_at", schedule.next_fire_at);
  out.member("last_fired_at", schedule.last_fired_at);
  out.member("buffered", schedule.buffered);
  if (schedule.last_job) out.member("last_job", schedule.last_job->text());
  out.member("fired", schedule.fired);
  out.member("skipped", schedule.skipped);
  out.member("revision", schedule.revision);
  out.end_object();
}

void write(JsonWriter& out, const store::SchedulePage& page) {
  out.begin_object();
  out.key("schedules");
  out.begin_array();
  for (const Schedule& schedule : page.schedules) write(out, schedule);
  out.end_array();
  out.member_unless_empty("next", page.next);
  out.member("total", page.total);
  out.end_object();
}

}  // namespace muster::http
