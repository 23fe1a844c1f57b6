#include "fronts/http/codec/plans.h"

#include <fmt/format.h>

#include "base/base64.h"
#include "base/utf8.h"
#include "fronts/http/codec/operations.h"
#include "fronts/http/codec/values.h"
#include "fronts/http/json/text.h"

namespace muster::http {

namespace words {
constexpr std::array<std::string_view, 2> kJobUnits{"plan", "task"};
}
template <>
constexpr std::span<const std::string_view> kWords<command::JobUnit> = words::kJobUnits;

namespace {

using command::ActionSubmitRequest;

constexpr double kOffsetMax = 9'007'199'254'740'992;  // 2^53, what every JSON client can count to

// --- a plan's own text ---------------------------------------------------------------------------------------------

// src/plan/ reads it, and keeps fields it does not know: the schema stands by itself.
void draw_plan_task(Schemas& out) {
  out.json.member("type", "object");
  out.json.key("properties");
  out.json.raw(
      R"({"task_number":{"type":"integer","description":"From 1, without gaps.","minimum":1,"maximum":100},)"
      R"("command":{"type":"string","description":"A tool; no shell is involved."},)"
      R"("args":{"type":"array","description":"May name fields of the input: {{input.NAME}}.","items":{"type":"string"}},)"
      R"("timeout_secs":{"type":"integer","minimum":1,"maximum":3600},)"
      R"("input_from_task":{"type":"integer","description":"The earlier task whose output it reads.","minimum":1,)"
      R"("maximum":100}})");
  out.json.key("required");
  out.json.raw(R"(["task_number","command"])");
}

void draw_plan_members(Schemas& out) {
  out.json.member("type", "object");
  out.json.member("description", "A plan as its author wrote it. Other fields are allowed and kept.");
  out.json.key("properties");
  out.json.begin_object();
  out.json.key("plan_id");
  out.json.raw(R"({"type":"string","description":"1 to 64 of A-Z a-z 0-9 _ -."})");
  out.json.key("plan_description");
  out.json.raw(R"({"type":"string"})");
  out.json.key("tasks");
  out.json.begin_object();
  out.json.member("type", "array");
  out.json.member("description", "1 to 100, in order.");
  out.json.key("items");
  out.json.begin_object();
  out.refer("PlanTask", draw_plan_task);
  out.json.end_object();
  out.json.end_object();
  out.json.end_object();
  out.json.key("required");
  out.json.raw(R"(["plan_id","tasks"])");
}

constexpr std::string_view kPlanDocument =
    R"({"plan_id":"count-lines","plan_description":"Count the lines of a file.","tasks":[{"task_number":1,"command":"sort","args":["{{input.path}}"],"timeout_secs":60},{"task_number":2,"command":"wc","args":["-l"],"input_from_task":1}]})";

void draw_plan_document(Schemas& out) { out.refer("PlanDocument", draw_plan_members, kPlanDocument); }

// --- plans ---------------------------------------------------------------------------------------------------------

constexpr std::array kPlanHead{
    shown<&Plan::spec, &PlanSpec::id>("id"),
    shown<&Plan::spec, &PlanSpec::ns>("namespace"),
    shown_unless_blank<&Plan::spec, &PlanSpec::description>("description"),
    shown<&Plan::spec, &PlanSpec::tasks>("tasks", "How many."),
    shown<&Plan::spec, &PlanSpec::needs>("needs", "What a worker must offer."),
    shown<&Plan::created_at>("created_at"),
    shown<&Plan::last_used_at>("last_used_at", "By an action; absent: never."),
    shown<&Plan::actions>("actions", "That ran it."),
    shown<&Plan::jobs>("jobs", "That those made."),
    Field<Plan>{
        .name = "document", .write = json_object<&Plan::spec, &PlanSpec::text>("document").write, .draw = draw_plan_document},
};
constexpr Object<Plan> kPlan{
    "Plan", "", kPlanHead,
    R"({"id":"count-lines","namespace":"default","description":"Count the lines of a file.","tasks":2,"needs":["tool:sort","tool:wc"],"created_at":%at%,"actions":0,"jobs":0})"};

constexpr std::array kExistedField{
    shown<&store::PlanStored::existed>("existed", "This very text was there; nothing was written."),
};
constexpr auto kPlanStoredFields = joined(fields_of<kPlanHead, &store::PlanStored::plan>(), kExistedField);
constexpr Object<store::PlanStored> kPlanStored{
    "PlanStored", "", kPlanStoredFields,
    R"({"id":"count-lines","namespace":"default","description":"Count the lines of a file.","tasks":2,"needs":["tool:sort","tool:wc"],"created_at":%at%,"actions":0,"jobs":0,"existed":false})"};

constexpr std::array kPlanPageFields{
    shown<&store::PlanPage::plans>("plans"),
    shown<&store::PlanPage::total>("total", "Of the namespace."),
};
constexpr Object<store::PlanPage> kPlanPage{"PlanPage", "", kPlanPageFields, R"({"plans":[%Plan%],"total":1})"};

// --- actions -------------------------------------------------------------------------------------------------------

constexpr std::array kActionRequestFields{
    given<&ActionSubmitRequest::order, &command::ActionOrder::ns>("namespace"),
    given<&ActionSubmitRequest::order, &command::ActionOrder::id>("id", "1 to 64 of A-Z a-z 0-9 _ -; absent: one is made."),
    given<&ActionSubmitRequest::plan>("plan").required(),
    Field<ActionSubmitRequest>{.name = "inputs",
                               .doc = "Any JSON values; 1 to 10,000 jobs come of them.",
                               .read =
                                   [](JsonReader& in, ActionSubmitRequest& out, const Range&) {
                                     read_array(in,
                                                [&](JsonReader& element) { out.order.inputs.emplace_back(element.read_raw()); });
                                   },
                               .draw =
                                   [](Schemas& out) {
                                     draw_type(out, "array");
                                     out.json.key("items");
                                     out.json.raw("{}");
                                   },
                               .need = Need::required},
    given<&ActionSubmitRequest::order, &command::ActionOrder::unit>("job_unit",
                                                                    "A job for each input, or one for each task of each input."),
    given<&ActionSubmitRequest::order, &command::ActionOrder::policy, &command::ActionPolicy::priority>("priority",
                                                                                                        "Higher first.")
        .within(limits::kPriorityMin, limits::kPriorityMax),
    given<&ActionSubmitRequest::order, &command::ActionOrder::policy, &command::ActionPolicy::timeout>(
        "timeout_ms", "Of one attempt; an hour by default."),
    given<&ActionSubmitRequest::order, &command::ActionOrder::policy, &command::ActionPolicy::attempts_max>("attempts_max",
                                                                                                            "3 by default."),
    given<&ActionSubmitRequest::order, &command::ActionOrder::policy, &command::ActionPolicy::rescues_max>("rescues_max",
                                                                                                           "3 by default."),
};
constexpr Object<ActionSubmitRequest> kActionRequest{"ActionRequest", "", kActionRequestFields};

constexpr std::array kCountFields{
    shown<&ActionCounts::waiting>("waiting"),
    shown<&ActionCounts::running>("running"),
    shown<&ActionCounts::completed>("completed"),
    shown<&ActionCounts::failed>("failed", "A worker said so."),
    shown<&ActionCounts::dead>("dead", "Lost, timed out or expired too often."),
    shown<&ActionCounts::cancelled>("cancelled"),
};
constexpr Object<ActionCounts> kCounts{"ActionCounts", "", kCountFields};

constexpr std::array<std::string_view, 4> kActionStates{"pending", "running", "completed", "failed"};

}  // namespace

static const Object<ActionCounts>& object_of(Of<ActionCounts>) { return kCounts; }

namespace {

constexpr std::array kActionFields{
    shown<&Action::id>("id"),
    shown<&Action::ns>("namespace"),
    shown<&Action::plan>("plan"),
    Field<Action>{.name = "state",
                  .write = [](JsonWriter& out, std::string_view name,
                              const Action& action) { out.member(name, command::state_of(action.counts)); },
                  .draw = [](Schemas& out) { draw_words(out, kActionStates); },
                  .always = true},
    shown<&Action::created_at>("created_at"),
    shown<&Action::jobs>("jobs", "How many."),
    shown<&Action::counts>("counts"),
};
constexpr Object<Action> kAction{
    "Action", "", kActionFields,
    R"({"id":"nightly-1","namespace":"default","plan":"count-lines","state":"pending","created_at":%at%,"jobs":2,"counts":{"waiting":2,"running":0,"completed":0,"failed":0,"dead":0,"cancelled":0}})"};

template <class T>
constexpr auto with_job_ids() {
  return joined(fields_of<kActionFields, &T::action>(), std::array{shown<&T::jobs>("job_ids", "In the order of the inputs.")});
}
constexpr auto kSubmittedFields = with_job_ids<store::ActionSubmitted>();
constexpr auto kViewFields = with_job_ids<store::ActionView>();
constexpr std::string_view kViewExample =
    R"({"id":"nightly-1","namespace":"default","plan":"count-lines","state":"pending","created_at":%at%,"jobs":2,"counts":{"waiting":2,"running":0,"completed":0,"failed":0,"dead":0,"cancelled":0},"job_ids":[%id%]})";
constexpr Object<store::ActionSubmitted> kSubmitted{"ActionView", "", kSubmittedFields, kViewExample};
constexpr Object<store::ActionView> kView{"ActionView", "", kViewFields, kViewExample};

}  // namespace

static const Object<Action>& object_of(Of<Action>) { return kAction; }

namespace {

constexpr std::array kActionPageFields{
    shown<&store::ActionPage::actions>("actions"),
    shown<&store::ActionPage::total>("total", "That match."),
};
constexpr Object<store::ActionPage> kActionPage{"ActionPage", "", kActionPageFields, R"({"actions":[%Action%],"total":1})"};

// --- logs ----------------------------------------------------------------------------------------------------------

// Text as text; bytes that are none in base64, in the field behind it.
template <std::string command::JobLogs::*kStream, bool kText>
constexpr Field<command::JobLogs> stream(std::string_view name, std::string_view doc = {}) {
  return {.name = name,
          .doc = doc,
          .write =
              [](JsonWriter& out, std::string_view key, const command::JobLogs& logs) {
                if (is_utf8(logs.*kStream) != kText) return;
                if (kText)
                  out.member(key, logs.*kStream);
                else
                  write_base64(out, key, logs.*kStream);
              },
          .draw = [](Schemas& out) { draw_type(out, "string"); }};
}
constexpr std::array kLogFields{
    shown<&command::JobLogs::job>("id", "The job."),
    shown<&command::JobLogs::state>("state"),
    stream<&command::JobLogs::output, true>("stdout"),
    stream<&command::JobLogs::output, false>("stdout_base64", "Instead of stdout when it is not UTF-8."),
    stream<&command::JobLogs::errors, true>("stderr"),
    stream<&command::JobLogs::errors, false>("stderr_base64", "Instead of stderr when it is not UTF-8."),
};
constexpr Object<command::JobLogs> kLogs{"JobLogs", "", kLogFields,
                                         R"({"id":%id%,"state":"completed","stdout":"42\n","stderr":""})"};

constexpr std::array<std::string_view, 2> kStreams{"stdout", "stderr"};
constexpr std::array kLogParameters{
    Parameter<LogStream>{.text = {.name = "stream",
                                  .doc = "One stream as it was written, instead of JSON.",
                                  .draw = [](Schemas& out) { draw_words(out, kStreams); }},
                         .read =
                             [](QueryReader& in, const ParameterText& text, LogStream& out) {
                               const std::string name = in.text(text.name).value_or("");
                               if (name == "stdout")
                                 out = LogStream::output;
                               else if (name == "stderr")
                                 out = LogStream::errors;
                               else if (!name.empty())
                                 in.refuse(text.name, fmt::format("\"{}\" is not accepted; stdout or stderr is", name));
                             }},
};

// --- queries -------------------------------------------------------------------------------------------------------

template <class T>
constexpr auto kNamespaceParameter = parameter<&T::ns>("namespace", kDefaultNamespaceDoc);
template <class T>
constexpr auto kOffsetParameter = parameter<&T::offset>("offset", "0 by default.").within(0, kOffsetMax);
template <class T>
constexpr auto kPageParameter = parameter<&T::limit>("limit", kLimitDoc).within(0, limits::kPageMax);
template <class T>
constexpr Parameter<T> order_parameter(std::string_view doc, void (*read)(QueryReader&, const ParameterText&, T&)) {
  return {.text = {.name = "order", .doc = doc, .draw = [](Schemas& out) { draw_words(out, words::kOrders); }}, .read = read};
}

constexpr std::array kPlanSubmitParameters{
    kNamespaceParameter<command::PlanSubmitRequest>,
    parameter<&command::PlanSubmitRequest::replace>("replace", "Another text under a known name takes its place."),
};
constexpr std::array kPlanListParameters{
    kNamespaceParameter<store::PlanQuery>,
    kOffsetParameter<store::PlanQuery>,
    kPageParameter<store::PlanQuery>,
};
constexpr std::array kPlanGetParameters{kNamespaceParameter<command::PlanGetRequest>};
constexpr std::array kPlanDeleteParameters{kNamespaceParameter<command::PlanDeleteRequest>};
constexpr std::array kActionListParameters{
    kNamespaceParameter<store::ActionListQuery>,
    parameter<&store::ActionListQuery::plan>("plan", "Of this plan only."),
    kOffsetParameter<store::ActionListQuery>,
    kPageParameter<store::ActionListQuery>,
    order_parameter<store::ActionListQuery>("Newest first by default.",
                                            [](QueryReader& in, const ParameterText&, store::ActionListQuery& out) {
                                              out.newest_first = read_newest_first(in, "newest");
                                            }),
};
constexpr std::array kActionGetParameters{
    kNamespaceParameter<store::ActionQuery>,
    parameter<&store::ActionQuery::job_offset>("job_offset", "0 by default.").within(0, kOffsetMax),
    parameter<&store::ActionQuery::job_limit>("job_limit", "100 by default; 0: no ids.").within(0, limits::kActionJobsMax),
    order_parameter<store::ActionQuery>("Oldest first by default.",
                                        [](QueryReader& in, const ParameterText&, store::ActionQuery& out) {
                                          out.newest_first = read_newest_first(in, "oldest");
                                        }),
};

constexpr std::array kPlanOperations{
    Operation{.id = "plan_submit",
              .parameters = draw_parameters<kPlanSubmitParameters>,
              .body = {.draw = draw_plan_document, .example = kPlanDocument},
              .answers = {created<store::PlanStored>(), found<store::PlanStored>("This very text was there.")}},
    Operation{.id = "plan_list", .parameters = draw_parameters<kPlanListParameters>, .answers = {ok<store::PlanPage>()}},
    Operation{
        .id = "plan_get",
        .parameters = draw_parameters<kPlanGetParameters>,
        .answers = {ok<Plan>(
            R"({"id":"count-lines","namespace":"default","description":"Count the lines of a file.","tasks":2,"needs":["tool:sort","tool:wc"],"created_at":%at%,"actions":0,"jobs":0,"document":%PlanDocument%})")}},
    Operation{.id = "plan_delete", .parameters = draw_parameters<kPlanDeleteParameters>, .answers = {ok<Plan>()}},
    Operation{.id = "action_submit",
              .body = body<kActionRequest>(
                  R"({"id":"nightly-1","plan":"count-lines","inputs":[{"path":"/var/log/a"},{"path":"/var/log/b"}]})"),
              .answers = {created<store::ActionSubmitted>()}},
    Operation{.id = "action_list", .parameters = draw_parameters<kActionListParameters>, .answers = {ok<store::ActionPage>()}},
    Operation{.id = "action_get", .parameters = draw_parameters<kActionGetParameters>, .answers = {ok<store::ActionView>()}},
    Operation{.id = "job_logs",
              .parameters = draw_parameters<kLogParameters>,
              .answers = {ok<command::JobLogs>(), Answer{.status = 200, .type = "text/plain"}}},
};

// `id` comes from the path.
template <class T>
T about_plan(std::string plan) {
  T out;
  out.plan = PlanId(std::move(plan));
  return out;
}
template <class T>
T in_default_namespace() {
  T out;
  out.ns = NamespaceName(kDefaultNamespace);
  return out;
}

}  // namespace

std::span<const Operation> plan_operations() { return kPlanOperations; }

const Object<Plan>& object_of(Of<Plan>) { return kPlan; }
const Object<store::PlanStored>& object_of(Of<store::PlanStored>) { return kPlanStored; }
const Object<store::PlanPage>& object_of(Of<store::PlanPage>) { return kPlanPage; }
const Object<store::ActionSubmitted>& object_of(Of<store::ActionSubmitted>) { return kSubmitted; }
const Object<store::ActionPage>& object_of(Of<store::ActionPage>) { return kActionPage; }
const Object<store::ActionView>& object_of(Of<store::ActionView>) { return kView; }
const Object<command::JobLogs>& object_of(Of<command::JobLogs>) { return kLogs; }

Result<command::PlanSubmitRequest> decode_plan_submit(const std::vector<QueryParameter>& query, std::string_view body) {
  command::PlanSubmitRequest initial;
  initial.text = body;
  return read_query(query, kPlanSubmitParameters, std::move(initial));
}

Result<command::PlanListRequest> decode_plan_list(const std::vector<QueryParameter>& query) {
  return read_query(query, kPlanListParameters, in_default_namespace<command::PlanListRequest>());
}

Result<command::PlanGetRequest> decode_plan_get(std::string plan, const std::vector<QueryParameter>& query) {
  return read_query(query, kPlanGetParameters, about_plan<command::PlanGetRequest>(std::move(plan)));
}

Result<command::PlanDeleteRequest> decode_plan_delete(std::string plan, const std::vector<QueryParameter>& query) {
  return read_query(query, kPlanDeleteParameters, about_plan<command::PlanDeleteRequest>(std::move(plan)));
}

Result<ActionSubmitRequest> decode_action_submit(std::string_view body) { return read_body(body, kActionRequest); }

Result<command::ActionListRequest> decode_action_list(const std::vector<QueryParameter>& query) {
  return read_query(query, kActionListParameters, in_default_namespace<command::ActionListRequest>());
}

Result<command::ActionGetRequest> decode_action_get(std::string action, const std::vector<QueryParameter>& query) {
  auto initial = in_default_namespace<command::ActionGetRequest>();
  initial.id = ActionId(std::move(action));
  initial.job_limit = limits::kPageDefault;
  return read_query(query, kActionGetParameters, std::move(initial));
}

Result<LogStream> decode_log_stream(const std::vector<QueryParameter>& query) {
  return read_query(query, kLogParameters, LogStream::both);
}

}  // namespace muster::http
