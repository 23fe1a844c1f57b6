#include "fronts/http/codec/runs.h"

#include <algorithm>
#include <array>
#include <charconv>

#include <fmt/format.h>

#include "fronts/http/codec/job_query.h"
#include "fronts/http/codec/job_replies.h"
#include "fronts/http/codec/job_spec.h"
#include "fronts/http/codec/operations.h"
#include "fronts/http/codec/values.h"
#include "fronts/http/json/fields.h"

namespace muster::http {
namespace {

template <class T>
constexpr std::array kReasonFields{given<&T::reason>("reason")};
template <class T>
constexpr Object<T> kReason{"", "", kReasonFields<T>};

constexpr std::array kRunRetryFields{
    given<&command::RunRetryRequest::external_id>("external_id", "Of the new run; that of the old one when absent."),
};
constexpr Object<command::RunRetryRequest> kRunRetry{"", "", kRunRetryFields};

constexpr std::array kSignalFields{
    given<&store::Signal::name>("name", "What the run waits for.").required(),
    json_content<&store::Signal::data>("data", "Any JSON; null when absent."),
    bytes_content<&store::Signal::data>("data_base64"),
};
constexpr Object<store::Signal> kSignal{"SignalRequest", "", kSignalFields};

// --- calls of steps ------------------------------------------------------------------------------------------------

// One call with every field any of them has; make_call() refuses those that the call has not.
struct CallInput {
  std::string call;
  std::string step;
  std::optional<std::string> kind;
  std::optional<Content> input;
  std::optional<Content> output;
  std::optional<StepPolicy> policy;
  std::optional<JobError> error;
  std::optional<bool> retryable;
  std::optional<Duration> retry_after;
  std::optional<Duration> length;
  std::optional<Instant> until;
  std::optional<std::string> signal;
  std::optional<Duration> wait;
  std::optional<JobId> child;
};

enum class Call : std::uint8_t { begin, complete, fail, sleep, await_signal, await_child };
constexpr std::array<std::string_view, 6> kCalls{"begin", "complete", "fail", "sleep", "await_signal", "await_child"};
constexpr std::array<std::string_view, 2> kBegunKinds{"function", "sleep"};

template <auto kMember, const auto& kWordList>
constexpr auto word_given(std::string_view name, std::string_view doc = {}) {
  auto out = given<kMember>(name, doc);
  out.draw = [](Schemas& schema) { draw_words(schema, kWordList); };
  return out;
}

constexpr std::array kCallFields{
    word_given<&CallInput::call, kCalls>("call").required(),
    given<&CallInput::step>("step", "Name of the step; a sleep may leave it out."),
    word_given<&CallInput::kind, kBegunKinds>("kind", "Of begin."),
    json_content<&CallInput::input>("input", "Of begin: any JSON."),
    bytes_content<&CallInput::input>("input_base64"),
    json_content<&CallInput::output>("output", "Of complete: any JSON."),
    bytes_content<&CallInput::output>("output_base64"),
    given<&CallInput::policy>("policy", "Of begin."),
    given<&CallInput::error>("error", "Of fail."),
    given<&CallInput::retryable>("retryable", "Of fail; true when absent."),
    given<&CallInput::retry_after>("retry_after_ms", "Of fail: instead of the policy's delay."),
    given<&CallInput::length>("length_ms", "Of sleep."),
    given<&CallInput::until>("until", "Of sleep, instead of length_ms."),
    given<&CallInput::signal>("signal", "Of await_signal."),
    given<&CallInput::wait>("wait_ms", "Of await_signal: give up after that; absent: never."),
    given<&CallInput::child>("child", "Of await_child: the run."),
};
constexpr Object<CallInput> kCall{"StepCall", "", kCallFields};

constexpr std::size_t kFieldsPerCallMax = 3;
using FieldNames = std::array<std::string_view, kFieldsPerCallMax>;
// What each call may have besides `call` and `step`; contents count under their JSON name.
constexpr std::array<FieldNames, kCalls.size()> kFieldsOf{{
    {"kind", "input", "policy"},
    {"output"},
    {"error", "retryable", "retry_after_ms"},
    {"length_ms", "until"},
    {"signal", "wait_ms"},
    {"child"},
}};

void refuse_foreign_fields(JsonReader& in, const CallInput& input, Call call) {
  const std::array<std::pair<std::string_view, bool>, 11> all{{
      {"kind", input.kind.has_value()},
      {"input", input.input.has_value()},
      {"policy", input.policy.has_value()},
      {"output", input.output.has_value()},
      {"error", input.error.has_value()},
      {"retryable", input.retryable.has_value()},
      {"retry_after_ms", input.retry_after.has_value()},
      {"length_ms", input.length.has_value()},
      {"until", input.until.has_value()},
      {"signal", input.signal.has_value()},
      {"wait_ms", input.wait.has_value()},
  }};
  const FieldNames& own = kFieldsOf[static_cast<std::size_t>(call)];
  const std::string_view name = kCalls[static_cast<std::size_t>(call)];
  for (const auto& [field, is_given] : all)
    if (is_given && std::find(own.begin(), own.end(), field) == own.end())
      return in.refuse(fmt::format("\"{}\" is not a field of the call \"{}\"", field, name));
  if (input.child && call != Call::await_child) in.refuse(fmt::format("\"child\" is not a field of the call \"{}\"", name));
}

StepKind read_begun_kind(JsonReader& in, const std::optional<std::string>& name) {
  if (!name || *name == "function") return StepKind::function;
  if (*name != "sleep") in.refuse(fmt::format("kind \"{}\" is not accepted; \"function\" or \"sleep\" is", *name));
  return StepKind::sleep;
}

store::step::Sleep make_sleep(JsonReader& in, store::RunRef run, CallInput input) {
  if (input.length.has_value() == input.until.has_value()) in.refuse("a sleep has either \"length_ms\" or \"until\"");
  return {.run = run, .step = std::move(input.step), .length = input.length, .until = input.until.value_or(Instant{})};
}

std::optional<store::StepCall> make_call(JsonReader& in, store::RunRef run, CallInput input) {
  const auto found = std::find(kCalls.begin(), kCalls.end(), input.call);
  if (found == kCalls.end()) {
    in.refuse(unknown_name(input.call, kCalls));
    return std::nullopt;
  }
  const auto call = static_cast<Call>(found - kCalls.begin());
  refuse_foreign_fields(in, input, call);
  switch (call) {
    case Call::begin:
      return store::step::Begin{.run = run,
                                .step = std::move(input.step),
                                .kind = read_begun_kind(in, input.kind),
                                .input = std::move(input.input),
                                .policy = std::move(input.policy).value_or(StepPolicy())};
    case Call::complete:
      return store::step::Complete{.run = run, .step = std::move(input.step), .output = std::move(input.output)};
    case Call::fail:
      return store::step::Fail{.run = run,
                               .step = std::move(input.step),
                               .error = std::move(input.error).value_or(JobError()),
                               .retryable = input.retryable.value_or(true),
                               .retry_after = input.retry_after.value_or(Duration(0))};
    case Call::sleep: return make_sleep(in, run, std::move(input));
    case Call::await_signal:
      return store::step::AwaitSignal{
          .run = run, .step = std::move(input.step), .signal = std::move(input.signal).value_or(""), .wait = input.wait};
    case Call::await_child:
      if (!input.child) in.refuse("\"child\" names the run to wait for, and is missing");
      return store::step::AwaitChild{.run = run, .step = std::move(input.step), .child = input.child.value_or(JobId{})};
  }
  return std::nullopt;
}

struct StepsInput {
  Fence fence{};
  std::vector<CallInput> calls;
};

}  // namespace

static const Object<CallInput>& object_of(Of<CallInput>) { return kCall; }

namespace {

constexpr std::array kStepsFields{
    given<&StepsInput::fence>("fence", "Of the lease the run is held under.").required(),
    given<&StepsInput::calls>("calls").required(),
};
constexpr Object<StepsInput> kSteps{"StepsRequest", "", kStepsFields};

// --- replies -------------------------------------------------------------------------------------------------------

constexpr std::array kStepFields{
    shown<&Step::id>("id", "This attempt."),
    shown<&Step::run>("run"),
    shown<&Step::name>("name", "Within its run; what completed under it is never executed again."),
    shown<&Step::kind>("kind"),
    shown<&Step::state>("state"),
    shown<&Step::attempt>("attempt", "From 1.").judged(1),
    json_content<&Step::input>("input", "Any JSON."),
    bytes_content<&Step::input>("input_base64"),
    json_content<&Step::output>("output", "Any JSON."),
    bytes_content<&Step::output>("output_base64"),
    shown<&Step::error>("error"),
    shown_unless_blank<&Step::policy>("policy"),
    shown<&Step::begun_at>("begun_at", "When it began."),
    shown<&Step::finished_at>("finished_at", "When it ended."),
    shown<&Step::until>("until", "End of a sleep, limit of a wait, or when a failed attempt is tried again."),
    shown_unless_blank<&Step::worker>("worker", "That began it."),
    shown_unless_blank<&Step::fence>("fence", "Of the lease it began under."),
    shown<&Step::child>("child", "The run it waits for."),
    shown_unless_blank<&Step::signal>("signal", "The signal it waits for."),
};
constexpr Object<Step> kStep{
    "Step", "One attempt at one step.", kStepFields,
    R"({"id":"0198a7b2-4c1d-7e3f-8a5b-6c7d8e9f0a1c","run":%id%,"name":"charge","kind":"function","state":"running","attempt":1,"begun_at":%at%,"worker":"w1","fence":7})"};

constexpr std::array kStepAnswerFields{
    shown<&store::StepAnswer::execute>("execute", "begin: the caller is to run the step."),
    shown<&store::StepAnswer::step>("step"),
    shown<&store::StepAnswer::parked>("parked", "The lease is given up: leave the run alone."),
    shown<&store::StepAnswer::state>("state"),
    shown<&store::StepAnswer::run_at>("run_at", "When a parked run is due again."),
    shown<&store::StepAnswer::cancel_requested>("cancel_requested", "Stop working."),
};
constexpr Object<store::StepAnswer> kStepAnswer{"StepAnswer", "", kStepAnswerFields};

constexpr std::array kStepPageFields{
    shown<&store::StepPage::steps>("steps"),
    shown_unless_blank<&store::StepPage::next>("next", "Cursor of the next page; absent at the end."),
};
constexpr Object<store::StepPage> kStepPage{"StepPage", "", kStepPageFields, R"({"steps":[%Step%]})"};

constexpr std::array kSignalledFields{
    shown<&store::Signalled::run>("run"),
    shown<&store::Signalled::taken>("taken", "Somebody waited for it; otherwise it is kept."),
};
constexpr Object<store::Signalled> kSignalled{"Signalled", "", kSignalledFields, R"({"run":%id%,"taken":true})"};

constexpr std::array kRunResultFields{
    shown<&Job::id>("id", "The run."),
    shown<&Job::state>("state"),
    Field<Job>{.name = "finished",
               .write = [](JsonWriter& out, std::string_view name, const Job& run) { out.member(name, is_finished(run.state)); },
               .draw = [](Schemas& out) { draw_type(out, "boolean"); },
               .always = true},
    shown<&Job::finished_at>("finished_at", "When it ended."),
    json_content<&Job::result>("result", "Any JSON."),
    bytes_content<&Job::result>("result_base64"),
    shown<&Job::error>("error"),
};
constexpr Object<Job> kRunResult{"RunResult", "", kRunResultFields};

// --- queries -------------------------------------------------------------------------------------------------------

constexpr std::array kScheduleParameter{
    Parameter<command::RunListRequest>{
        .text = {.name = "schedule", .doc = "Only those this schedule started.", .draw = draw_of<std::string>},
        .read =
            [](QueryReader& in, const ParameterText& text, command::RunListRequest& out) {
              if (auto schedule = in.text(text.name))
                out.query.filter.labels.insert_or_assign(kLabelSchedule, *std::move(schedule));
            }},
};
constexpr std::array kHistoryParameters{
    parameter<&command::RunHistoryRequest::step>("step", "Only this step's attempts."),
    parameter<&command::RunHistoryRequest::limit>("limit", kLimitDoc).within(1, limits::kPageMax),
    parameter<&command::RunHistoryRequest::cursor>("cursor", kCursorDoc),
};
constexpr std::array kResultParameters{
    Parameter<command::RunResultRequest>{.text = {.name = "wait",
                                                  .doc = "At most 60s, such as 500ms, 30s or 1m; absent: answer at once.",
                                                  .draw = draw_of<std::string>},
                                         .read =
                                             [](QueryReader& in, const ParameterText& text, command::RunResultRequest& out) {
                                               const auto word = in.text(text.name);
                                               if (!word) return;
                                               const auto wait = parse_wait(*word);
                                               if (!wait)
                                                 in.refuse(text.name,
                                                           "a duration of at most 60s is accepted, such as 500ms, 30s or 1m");
                                               out.wait = wait.value_or(Duration(0));
                                             }},
};

void draw_run_parameters(void (*draw)(Schemas&, const ParameterText&), Schemas& out) {
  draw_job_parameters(draw, out);
  draw_parameters<kScheduleParameter>(draw, out);
}

constexpr std::string_view kRunExample =
    R"({"id":%id%,"state":"ready","namespace":"default","queue":"orders","type":"order","payload":{"order":17},"needs":["workflow:order"],"priority":0,"retry":%Retry%,"rescues_max":3,"external_id":"order-17","version":"1","sleeping":false,"created_at":%at%,"due_at":%at%,"attempt":0,"rescues":0,"cancel_requested":false,"dependencies_pending":0})";

// Written by their endpoint.
struct StepAnswers {};
constexpr std::array kStepAnswersFields{
    Field<StepAnswers>{
        .name = "answers", .draw = [](Schemas& out) { draw_each(out, draw_of<store::StepAnswer>); }, .always = true},
};
constexpr Object<StepAnswers> kStepAnswers{
    "StepAnswers", "", kStepAnswersFields,
    R"({"answers":[{"execute":true,"step":%Step%,"parked":false,"state":"running","cancel_requested":false}]})"};

constexpr std::array kRunOperations{
    Operation{
        .id = "run_start",
        .body =
            {.draw = draw_named<run_spec_object>,
             .example =
                 R"({"type":"order","queue":"orders","payload":{"order":17},"external_id":"order-17","steps":{"attempts_max":3,"first_delay_ms":500},"deadline":"2027-01-01T00:00:00.000Z"})"},
        .answers = {created<store::Enqueued>(),
                    found<store::Enqueued>(
                        "An unfinished run with this external id, or a run with this idempotency key, was there.")}},
    Operation{.id = "run_list", .parameters = draw_run_parameters, .answers = {ok<store::JobPage>()}},
    Operation{.id = "run_get", .answers = {ok<Job>(kRunExample)}},
    Operation{.id = "run_history", .parameters = draw_parameters<kHistoryParameters>, .answers = {ok<store::StepPage>()}},
    Operation{
        .id = "run_result",
        .parameters = draw_parameters<kResultParameters>,
        .answers = {Answer{.status = 200,
                           .draw = draw_object<kRunResult>,
                           .example =
                               R"({"id":%id%,"state":"completed","finished":true,"finished_at":%at%,"result":{"shipped":true}})"},
                    Answer{.status = 202,
                           .draw = draw_object<kRunResult>,
                           .example = R"({"id":%id%,"state":"running","finished":false})",
                           .doc = "It has not finished; ask again."}}},
    Operation{.id = "run_cancel",
              .body = optional_body<kReason<command::RunCancelRequest>>(R"({"reason":"no longer wanted"})"),
              .answers = {ok<store::Cancelled>()}},
    Operation{.id = "run_terminate",
              .body = optional_body<kReason<command::RunTerminateRequest>>(R"({"reason":"it loops"})"),
              .answers = {ok<store::Cancelled>(R"({"id":%id%,"state":"dead"})")}},
    Operation{.id = "run_retry",
              .body = optional_body<kRunRetry>(R"({"external_id":"order-17-again"})"),
              .answers = {created<store::Enqueued>(), found<store::Enqueued>("An unfinished run has that external id.")}},
    Operation{.id = "run_signal",
              .body = body<kSignal>(R"({"name":"approved","data":{"by":"ada"}})"),
              .answers = {ok<store::Signalled>()}},
    Operation{
        .id = "run_step",
        .body = body<kSteps>(
            R"({"fence":7,"calls":[{"call":"complete","step":"charge","output":{"paid":true}},{"call":"begin","step":"ship","input":{"order":17}}]})"),
        .answers = {Answer{.status = 200, .draw = draw_object<kStepAnswers>, .example = kStepAnswers.example}}},
};

template <class T>
Result<T> decode_reason(JobId run, std::string_view body) {
  T initial{.run = run, .reason = {}};
  if (body.empty()) return initial;
  return read_body(body, kReason<T>, std::move(initial));
}

}  // namespace

std::span<const Operation> run_operations() { return kRunOperations; }

const Object<Step>& object_of(Of<Step>) { return kStep; }
const Object<store::StepAnswer>& object_of(Of<store::StepAnswer>) { return kStepAnswer; }
const Object<store::StepPage>& object_of(Of<store::StepPage>) { return kStepPage; }
const Object<store::Signalled>& object_of(Of<store::Signalled>) { return kSignalled; }

Result<command::RunListRequest> decode_run_list(const std::vector<QueryParameter>& query) {
  QueryReader in(query);
  command::RunListRequest request{.query = read_job_query(in)};
  read_parameters(in, kScheduleParameter, request);
  if (Status read = in.finish(); !read.ok()) return read;
  return request;
}

Result<command::RunCancelRequest> decode_run_cancel(JobId run, std::string_view body) {
  return decode_reason<command::RunCancelRequest>(run, body);
}

Result<command::RunTerminateRequest> decode_run_terminate(JobId run, std::string_view body) {
  return decode_reason<command::RunTerminateRequest>(run, body);
}

Result<command::RunRetryRequest> decode_run_retry(JobId run, std::string_view body) {
  command::RunRetryRequest initial{.run = run, .external_id = {}};
  if (body.empty()) return initial;
  return read_body(body, kRunRetry, std::move(initial));
}

Result<command::RunSignalRequest> decode_run_signal(JobId run, std::string_view body) {
  // A signal that says nothing more than its name carries null.
  return read_body(body, kSignal, store::Signal{.run = run, .name = {}, .data = {"null", Encoding::json}});
}

Result<command::RunHistoryRequest> decode_run_history(JobId run, const std::vector<QueryParameter>& query) {
  command::RunHistoryRequest initial;
  initial.run = run;
  return read_query(query, kHistoryParameters, std::move(initial));
}

std::optional<Duration> parse_wait(std::string_view text) {
  std::uint32_t count = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (problem != std::errc()) return std::nullopt;
  const std::string_view unit = text.substr(static_cast<std::size_t>(end - text.data()));
  constexpr std::array<std::pair<std::string_view, std::int64_t>, 3> kUnits{{{"ms", 1}, {"s", 1'000}, {"m", 60'000}}};
  for (const auto& [name, millis] : kUnits)
    if (unit == name && Duration(count * millis) <= limits::kClaimWaitMax) return Duration(count * millis);
  return std::nullopt;
}

Result<command::RunResultRequest> decode_run_result(JobId run, const std::vector<QueryParameter>& query) {
  return read_query(query, kResultParameters, command::RunResultRequest{.run = run});
}

Result<command::RunStepRequest> decode_run_step(JobId run, std::string_view body) {
  JsonReader in(body);
  StepsInput input;
  read_object(in, kSteps, input);
  command::RunStepRequest request{.run = run, .calls = {}};
  for (std::size_t i = 0; in.ok() && i < input.calls.size(); ++i) {
    const FieldScope calls(in, "calls");
    const FieldScope place(in, i);
    if (auto call = make_call(in, {.run = run, .fence = input.fence}, std::move(input.calls[i])))
      request.calls.push_back(*std::move(call));
  }
  if (in.ok() && request.calls.empty()) in.refuse("\"calls\" is empty; at least one is needed");
  in.finish();
  if (!in.ok()) return in.status();
  return request;
}

void write_run_result(JsonWriter& out, const Job& run) { write_object(out, kRunResult, run); }

}  // namespace muster::http
