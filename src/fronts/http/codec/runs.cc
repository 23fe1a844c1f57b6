#include "fronts/http/codec/runs.h"

#include <algorithm>
#include <array>
#include <charconv>

#include <fmt/format.h>

#include "fronts/http/codec/job_query.h"
#include "fronts/http/codec/job_replies.h"
#include "fronts/http/codec/job_spec.h"
#include "fronts/http/codec/values.h"
#include "fronts/http/json/fields.h"

namespace muster::http {
namespace {

using In = JsonReader;
namespace step = store::step;

template <class T>
constexpr std::array<Field<T>, 1> kReasonFields{Field<T>{"reason", [](In& in, T& out) { out.reason = in.read_string(); }}};

constexpr std::array kRetryFields{
    Field<command::RunRetryRequest>{"external_id",
                                    [](In& in, command::RunRetryRequest& out) { out.external_id = in.read_string(); }},
};

template <class T>
Result<T> decode_reason(JobId run, std::string_view body) {
  T initial{.run = run, .reason = {}};
  if (body.empty()) return initial;
  return read_body(body, kReasonFields<T>, std::move(initial));
}

struct SignalInput {
  std::string name;
  ContentInput data;
};

constexpr std::array kSignalFields{
    Field<SignalInput>{"name", [](In& in, SignalInput& out) { out.name = in.read_string(); }, Need::required},
    Field<SignalInput>{"data", [](In& in, SignalInput& out) { read_json_content(in, out.data); }},
    Field<SignalInput>{"data_base64", [](In& in, SignalInput& out) { read_bytes_content(in, out.data); }},
};

// --- steps ---------------------------------------------------------------------------------------------------------

// One call with every field any of them has; make_call() refuses those that the call has not.
struct CallInput {
  std::string call;
  std::string step;
  std::optional<std::string> kind;
  ContentInput input;
  ContentInput output;
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

constexpr std::array kCallFields{
    Field<CallInput>{"call", [](In& in, CallInput& out) { out.call = in.read_string(); }, Need::required},
    Field<CallInput>{"step", [](In& in, CallInput& out) { out.step = in.read_string(); }},
    Field<CallInput>{"kind", [](In& in, CallInput& out) { out.kind = in.read_string(); }},
    Field<CallInput>{"input", [](In& in, CallInput& out) { read_json_content(in, out.input); }},
    Field<CallInput>{"input_base64", [](In& in, CallInput& out) { read_bytes_content(in, out.input); }},
    Field<CallInput>{"output", [](In& in, CallInput& out) { read_json_content(in, out.output); }},
    Field<CallInput>{"output_base64", [](In& in, CallInput& out) { read_bytes_content(in, out.output); }},
    Field<CallInput>{"policy", [](In& in, CallInput& out) { out.policy = read_step_policy(in); }},
    Field<CallInput>{"error", [](In& in, CallInput& out) { out.error = read_error(in); }},
    Field<CallInput>{"retryable", [](In& in, CallInput& out) { out.retryable = in.read_bool(); }},
    Field<CallInput>{"retry_after_ms", [](In& in, CallInput& out) { out.retry_after = read_duration(in); }},
    Field<CallInput>{"length_ms", [](In& in, CallInput& out) { out.length = read_duration(in); }},
    Field<CallInput>{"until", [](In& in, CallInput& out) { out.until = read_instant(in); }},
    Field<CallInput>{"signal", [](In& in, CallInput& out) { out.signal = in.read_string(); }},
    Field<CallInput>{"wait_ms", [](In& in, CallInput& out) { out.wait = read_duration(in); }},
    Field<CallInput>{"child", [](In& in, CallInput& out) { out.child = read_job_id(in); }},
};

enum class Call : std::uint8_t { begin, complete, fail, sleep, await_signal, await_child };
constexpr std::array<std::string_view, 6> kCalls{"begin", "complete", "fail", "sleep", "await_signal", "await_child"};
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

bool given(const ContentInput& content) { return content.json || content.bytes; }

void refuse_foreign_fields(In& in, const CallInput& input, Call call) {
  const std::array<std::pair<std::string_view, bool>, 11> all{{
      {"kind", input.kind.has_value()},
      {"input", given(input.input)},
      {"policy", input.policy.has_value()},
      {"output", given(input.output)},
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

StepKind read_begun_kind(In& in, const std::optional<std::string>& name) {
  if (!name || *name == "function") return StepKind::function;
  if (*name != "sleep") in.refuse(fmt::format("kind \"{}\" is not accepted; \"function\" or \"sleep\" is", *name));
  return StepKind::sleep;
}

step::Sleep make_sleep(In& in, store::RunRef run, CallInput input) {
  if (input.length.has_value() == input.until.has_value()) in.refuse("a sleep has either \"length_ms\" or \"until\"");
  return {.run = run, .step = std::move(input.step), .length = input.length, .until = input.until.value_or(Instant{})};
}

std::optional<store::StepCall> make_call(In& in, store::RunRef run, CallInput input) {
  const auto found = std::find(kCalls.begin(), kCalls.end(), input.call);
  if (found == kCalls.end()) {
    in.refuse(unknown_name(input.call, kCalls));
    return std::nullopt;
  }
  const auto call = static_cast<Call>(found - kCalls.begin());
  refuse_foreign_fields(in, input, call);
  switch (call) {
    case Call::begin:
      return step::Begin{.run = run,
                         .step = std::move(input.step),
                         .kind = read_begun_kind(in, input.kind),
                         .input = settle_content(in, std::move(input.input), "input"),
                         .policy = std::move(input.policy).value_or(StepPolicy())};
    case Call::complete:
      return step::Complete{
          .run = run, .step = std::move(input.step), .output = settle_content(in, std::move(input.output), "output")};
    case Call::fail:
      return step::Fail{.run = run,
                        .step = std::move(input.step),
                        .error = std::move(input.error).value_or(JobError()),
                        .retryable = input.retryable.value_or(true),
                        .retry_after = input.retry_after.value_or(Duration(0))};
    case Call::sleep: return make_sleep(in, run, std::move(input));
    case Call::await_signal:
      return step::AwaitSignal{
          .run = run, .step = std::move(input.step), .signal = std::move(input.signal).value_or(""), .wait = input.wait};
    case Call::await_child:
      if (!input.child) in.refuse("\"child\" names the run to wait for, and is missing");
      return step::AwaitChild{.run = run, .step = std::move(input.step), .child = input.child.value_or(JobId{})};
  }
  return std::nullopt;
}

struct StepsInput {
  Fence fence{};
  std::vector<CallInput> calls;
};

constexpr std::array kStepsFields{
    Field<StepsInput>{"fence", [](In& in, StepsInput& out) { out.fence = read_fence(in); }, Need::required},
    Field<StepsInput>{"calls",
                      [](In& in, StepsInput& out) {
                        read_array(in, [&](In& element) { read_object(element, kCallFields, out.calls.emplace_back()); });
                      },
                      Need::required},
};

}  // namespace

Result<command::RunListRequest> decode_run_list(const std::vector<QueryParameter>& query) {
  QueryReader in(query);
  command::RunListRequest request{.query = read_job_query(in)};
  if (auto schedule = in.text("schedule")) request.query.filter.labels.insert_or_assign(kLabelSchedule, *std::move(schedule));
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
  return read_body(body, kRetryFields, std::move(initial));
}

Result<command::RunSignalRequest> decode_run_signal(JobId run, std::string_view body) {
  JsonReader in(body);
  SignalInput input;
  read_object(in, kSignalFields, input);
  std::optional<Content> data = settle_content(in, std::move(input.data), "data");
  in.finish();
  if (!in.ok()) return in.status();
  // A signal that says nothing more than its name carries null.
  return command::RunSignalRequest{
      .run = run, .name = std::move(input.name), .data = std::move(data).value_or(Content{"null", Encoding::json})};
}

Result<command::RunHistoryRequest> decode_run_history(JobId run, const std::vector<QueryParameter>& query) {
  QueryReader in(query);
  command::RunHistoryRequest request{.run = run, .step = in.text("step").value_or(""), .cursor = {}};
  request.limit = static_cast<std::size_t>(in.number("limit", limits::kPageMax).value_or(limits::kPageDefault));
  if (request.limit == 0) in.refuse("limit", fmt::format("0 is not accepted; 1 to {} is", limits::kPageMax));
  request.cursor = in.text("cursor").value_or("");
  if (Status read = in.finish(); !read.ok()) return read;
  return request;
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
  QueryReader in(query);
  command::RunResultRequest request{.run = run};
  if (const auto text = in.text("wait")) {
    const auto wait = parse_wait(*text);
    if (!wait) in.refuse("wait", "a duration of at most 60s is accepted, such as 500ms, 30s or 1m");
    request.wait = wait.value_or(Duration(0));
  }
  if (Status read = in.finish(); !read.ok()) return read;
  return request;
}

Result<command::RunStepRequest> decode_run_step(JobId run, std::string_view body) {
  JsonReader in(body);
  StepsInput input;
  read_object(in, kStepsFields, input);
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

void write(JsonWriter& out, const Step& step) {
  out.begin_object();
  out.member("id", step.id.text());
  out.member("run", step.run.text());
  out.member("name", step.name);
  out.member("kind", to_string(step.kind));
  out.member("state", to_string(step.state));
  out.member("attempt", step.attempt);
  if (step.input) write_content(out, "input", *step.input);
  if (step.output) write_content(out, "output", *step.output);
  if (step.error) write_error(out, *step.error);
  if (step.policy != StepPolicy()) write_step_policy(out, "policy", step.policy);
  out.member("begun_at", step.begun_at);
  out.member("finished_at", step.finished_at);
  out.member("until", step.until);
  out.member_unless_empty("worker", step.worker.text());
  if (to_number(step.fence) != 0) out.member("fence", to_number(step.fence));
  if (step.child) out.member("child", step.child->text());
  out.member_unless_empty("signal", step.signal);
  out.end_object();
}

void write(JsonWriter& out, const store::StepAnswer& answer) {
  out.begin_object();
  out.member("execute", answer.execute);
  if (answer.step) {
    out.key("step");
    write(out, *answer.step);
  }
  out.member("parked", answer.parked);
  out.member("state", to_string(answer.state));
  out.member("run_at", answer.run_at);
  out.member("cancel_requested", answer.cancel_requested);
  out.end_object();
}

void write(JsonWriter& out, const store::StepPage& page) {
  out.begin_object();
  out.key("steps");
  out.begin_array();
  for (const Step& step : page.steps) write(out, step);
  out.end_array();
  out.member_unless_empty("next", page.next);
  out.end_object();
}

void write(JsonWriter& out, const store::Signalled& signalled) {
  out.begin_object();
  out.member("run", signalled.run.text());
  out.member("taken", signalled.taken);
  out.end_object();
}

void write_run_result(JsonWriter& out, const Job& run) {
  out.begin_object();
  out.member("id", run.id.text());
  out.member("state", to_string(run.state));
  out.member("finished", is_finished(run.state));
  out.member("finished_at", run.finished_at);
  if (run.result) write_content(out, "result", *run.result);
  if (run.error) write_error(out, *run.error);
  out.end_object();
}

}  // namespace muster::http
