#include "fronts/http/codec/plans.h"

#include <fmt/format.h>

#include "base/base64.h"
#include "base/utf8.h"
#include "fronts/http/codec/values.h"
#include "fronts/http/json/fields.h"
#include "fronts/http/json/text.h"

namespace muster::http {
namespace {

using In = JsonReader;
using command::ActionSubmitRequest;

constexpr std::uint64_t kOffsetMax = std::uint64_t{1} << 53;  // what every JSON client can count to

command::JobUnit read_job_unit(In& in) {
  const std::string name = in.read_string();
  const auto unit = command::parse_job_unit(name);
  if (!unit) in.refuse(fmt::format("\"{}\" is not accepted; \"plan\" or \"task\" is", name));
  return unit.value_or(command::JobUnit::plan);
}

constexpr std::array kActionFields{
    Field<ActionSubmitRequest>{"namespace", [](In& in, ActionSubmitRequest& out) { read(in, out.order.ns); }},
    Field<ActionSubmitRequest>{"id", [](In& in, ActionSubmitRequest& out) { read(in, out.order.id); }},
    Field<ActionSubmitRequest>{"plan", [](In& in, ActionSubmitRequest& out) { read(in, out.plan); }, Need::required},
    Field<ActionSubmitRequest>{"inputs",
                               [](In& in, ActionSubmitRequest& out) {
                                 read_array(in, [&](In& element) { out.order.inputs.emplace_back(element.read_raw()); });
                               },
                               Need::required},
    Field<ActionSubmitRequest>{"job_unit", [](In& in, ActionSubmitRequest& out) { out.order.unit = read_job_unit(in); }},
    Field<ActionSubmitRequest>{"priority",
                               [](In& in, ActionSubmitRequest& out) {
                                 out.order.policy.priority =
                                     static_cast<std::int32_t>(in.read_integer(limits::kPriorityMin, limits::kPriorityMax));
                               }},
    Field<ActionSubmitRequest>{"timeout_ms",
                               [](In& in, ActionSubmitRequest& out) { out.order.policy.timeout = read_duration(in); }},
    Field<ActionSubmitRequest>{"attempts_max",
                               [](In& in, ActionSubmitRequest& out) { out.order.policy.attempts_max = read_count(in); }},
    Field<ActionSubmitRequest>{"rescues_max",
                               [](In& in, ActionSubmitRequest& out) { out.order.policy.rescues_max = read_count(in); }},
};

NamespaceName namespace_of(QueryReader& in) { return NamespaceName(in.text("namespace").value_or(kDefaultNamespace)); }

// The page every listing here has.
struct Page {
  std::uint64_t offset = 0;
  std::size_t limit = limits::kPageDefault;
};

Page read_page(QueryReader& in) {
  Page page;
  page.offset = in.number("offset", kOffsetMax).value_or(0);
  page.limit = static_cast<std::size_t>(in.number("limit", limits::kPageMax).value_or(limits::kPageDefault));
  return page;
}

bool read_newest_first(QueryReader& in, std::string_view default_order) {
  const std::string order = in.text("order").value_or(std::string(default_order));
  if (order != "newest" && order != "oldest")
    in.refuse("order", fmt::format("\"{}\" is not accepted; newest or oldest is", order));
  return order == "newest";
}

template <class T>
Result<T> finished(QueryReader& in, T request) {
  if (Status read = in.finish(); !read.ok()) return read;
  return request;
}

void write_plan_members(JsonWriter& out, const Plan& plan) {
  out.member("id", plan.spec.id.text());
  out.member("namespace", plan.spec.ns.text());
  out.member_unless_empty("description", plan.spec.description);
  out.member("tasks", plan.spec.tasks);
  write_texts(out, "needs", plan.spec.needs.names());
  out.member("created_at", plan.created_at);
  out.member("last_used_at", plan.last_used_at);
  out.member("actions", plan.actions);
  out.member("jobs", plan.jobs);
  if (plan.spec.text.empty()) return;
  out.key("document");
  out.raw(plan.spec.text);
}

void write_action_members(JsonWriter& out, const Action& action) {
  out.member("id", action.id.text());
  out.member("namespace", action.ns.text());
  out.member("plan", action.plan.text());
  out.member("state", command::state_of(action.counts));
  out.member("created_at", action.created_at);
  out.member("jobs", action.jobs);
  out.key("counts");
  out.begin_object();
  out.member("waiting", action.counts.waiting);
  out.member("running", action.counts.running);
  out.member("completed", action.counts.completed);
  out.member("failed", action.counts.failed);
  out.member("dead", action.counts.dead);
  out.member("cancelled", action.counts.cancelled);
  out.end_object();
}

void write_job_ids(JsonWriter& out, const std::vector<JobId>& jobs) {
  out.key("job_ids");
  out.begin_array();
  for (const JobId& job : jobs) out.string(job.text());
  out.end_array();
}

// Text as text; bytes that are none in base64, under the name with _base64 behind it.
void write_stream(JsonWriter& out, std::string_view name, std::string_view bytes) {
  if (is_utf8(bytes)) return out.member(name, bytes);
  out.member(fmt::format("{}_base64", name), to_base64(bytes));
}

}  // namespace

Result<command::PlanSubmitRequest> decode_plan_submit(const std::vector<QueryParameter>& query, std::string_view body) {
  QueryReader in(query);
  command::PlanSubmitRequest request;
  request.ns = namespace_of(in);
  request.replace = in.flag("replace");
  request.text = body;
  return finished(in, std::move(request));
}

Result<command::PlanListRequest> decode_plan_list(const std::vector<QueryParameter>& query) {
  QueryReader in(query);
  command::PlanListRequest request;
  request.ns = namespace_of(in);
  const Page page = read_page(in);
  request.offset = page.offset;
  request.limit = page.limit;
  return finished(in, std::move(request));
}

Result<command::PlanGetRequest> decode_plan_get(std::string plan, const std::vector<QueryParameter>& query) {
  QueryReader in(query);
  return finished(in, command::PlanGetRequest{.ns = namespace_of(in), .plan = PlanId(std::move(plan))});
}

Result<command::PlanDeleteRequest> decode_plan_delete(std::string plan, const std::vector<QueryParameter>& query) {
  QueryReader in(query);
  return finished(in, command::PlanDeleteRequest{.ns = namespace_of(in), .plan = PlanId(std::move(plan))});
}

Result<ActionSubmitRequest> decode_action_submit(std::string_view body) {
  return read_body(body, kActionFields, ActionSubmitRequest{});
}

Result<command::ActionListRequest> decode_action_list(const std::vector<QueryParameter>& query) {
  QueryReader in(query);
  command::ActionListRequest request;
  request.ns = namespace_of(in);
  request.plan = PlanId(in.text("plan").value_or(""));
  const Page page = read_page(in);
  request.offset = page.offset;
  request.limit = page.limit;
  request.newest_first = read_newest_first(in, "newest");
  return finished(in, std::move(request));
}

Result<command::ActionGetRequest> decode_action_get(std::string action, const std::vector<QueryParameter>& query) {
  QueryReader in(query);
  command::ActionGetRequest request;
  request.ns = namespace_of(in);
  request.id = ActionId(std::move(action));
  request.job_offset = in.number("job_offset", kOffsetMax).value_or(0);
  request.job_limit = static_cast<std::size_t>(in.number("job_limit", limits::kActionJobsMax).value_or(limits::kPageDefault));
  request.newest_first = read_newest_first(in, "oldest");
  return finished(in, std::move(request));
}

Result<LogStream> decode_log_stream(const std::vector<QueryParameter>& query) {
  QueryReader in(query);
  const std::string name = in.text("stream").value_or("");
  LogStream stream = LogStream::both;
  if (name == "stdout")
    stream = LogStream::output;
  else if (name == "stderr")
    stream = LogStream::errors;
  else if (!name.empty())
    in.refuse("stream", fmt::format("\"{}\" is not accepted; stdout or stderr is", name));
  return finished(in, stream);
}

void write(JsonWriter& out, const Plan& plan) {
  out.begin_object();
  write_plan_members(out, plan);
  out.end_object();
}

void write(JsonWriter& out, const store::PlanStored& stored) {
  out.begin_object();
  write_plan_members(out, stored.plan);
  out.member("existed", stored.existed);
  out.end_object();
}

void write(JsonWriter& out, const store::PlanPage& page) {
  out.begin_object();
  out.key("plans");
  out.begin_array();
  for (const Plan& plan : page.plans) write(out, plan);
  out.end_array();
  out.member("total", page.total);
  out.end_object();
}

void write(JsonWriter& out, const store::ActionSubmitted& submitted) {
  out.begin_object();
  write_action_members(out, submitted.action);
  write_job_ids(out, submitted.jobs);
  out.end_object();
}

void write(JsonWriter& out, const store::ActionPage& page) {
  out.begin_object();
  out.key("actions");
  out.begin_array();
  for (const Action& action : page.actions) {
    out.begin_object();
    write_action_members(out, action);
    out.end_object();
  }
  out.end_array();
  out.member("total", page.total);
  out.end_object();
}

void write(JsonWriter& out, const store::ActionView& view) {
  out.begin_object();
  write_action_members(out, view.action);
  write_job_ids(out, view.jobs);
  out.end_object();
}

void write(JsonWriter& out, const command::JobLogs& logs) {
  out.begin_object();
  out.member("id", logs.job.text());
  out.member("state", to_string(logs.state));
  write_stream(out, "stdout", logs.output);
  write_stream(out, "stderr", logs.errors);
  out.end_object();
}

}  // namespace muster::http
