#include "fronts/http/codec/job_query.h"

#include <fmt/format.h>

#include "fronts/http/codec/values.h"
#include "fronts/http/json/fields.h"

namespace muster::http {
namespace {

using In = JsonReader;

constexpr std::string_view kStatesAccepted = "scheduled, ready, running, completed, dead or cancelled is accepted";

std::vector<JobState> read_states(In& in) {
  std::vector<JobState> states;
  read_array(in, [&](In& element) {
    const std::string name = element.read_string();
    const auto state = parse_job_state(name);
    if (!state) return element.refuse(fmt::format("\"{}\" is not a state; {}", name, kStatesAccepted));
    states.push_back(*state);
  });
  return states;
}

store::Order read_order(In& in) {
  const std::string word = in.read_string();
  if (word == "oldest") return store::Order::oldest_first;
  if (word != "newest") in.refuse(fmt::format("\"{}\" is not accepted; \"newest\" or \"oldest\" is", word));
  return store::Order::newest_first;
}

constexpr std::array kFilterFields{
    Field<store::JobFilter>{"namespace", [](In& in, store::JobFilter& out) { read(in, out.ns); }},
    Field<store::JobFilter>{"queue", [](In& in, store::JobFilter& out) { read(in, out.queue); }},
    Field<store::JobFilter>{"type", [](In& in, store::JobFilter& out) { read(in, out.type); }},
    Field<store::JobFilter>{"states", [](In& in, store::JobFilter& out) { out.states = read_states(in); }},
    Field<store::JobFilter>{"worker", [](In& in, store::JobFilter& out) { read(in, out.worker); }},
    Field<store::JobFilter>{"labels", [](In& in, store::JobFilter& out) { out.labels = read_labels(in); }},
    Field<store::JobFilter>{"created_after", [](In& in, store::JobFilter& out) { out.created_after = read_instant(in); }},
    Field<store::JobFilter>{"created_before", [](In& in, store::JobFilter& out) { out.created_before = read_instant(in); }},
    Field<store::JobFilter>{"error_kind", [](In& in, store::JobFilter& out) { out.error_kind = in.read_string(); }},
};

using Query = store::JobQuery;

constexpr std::array kSearchFields{
    Field<Query>{"namespace", [](In& in, Query& out) { kFilterFields[0].read(in, out.filter); }},
    Field<Query>{"queue", [](In& in, Query& out) { kFilterFields[1].read(in, out.filter); }},
    Field<Query>{"type", [](In& in, Query& out) { kFilterFields[2].read(in, out.filter); }},
    Field<Query>{"states", [](In& in, Query& out) { kFilterFields[3].read(in, out.filter); }},
    Field<Query>{"worker", [](In& in, Query& out) { kFilterFields[4].read(in, out.filter); }},
    Field<Query>{"labels", [](In& in, Query& out) { kFilterFields[5].read(in, out.filter); }},
    Field<Query>{"created_after", [](In& in, Query& out) { kFilterFields[6].read(in, out.filter); }},
    Field<Query>{"created_before", [](In& in, Query& out) { kFilterFields[7].read(in, out.filter); }},
    Field<Query>{"error_kind", [](In& in, Query& out) { kFilterFields[8].read(in, out.filter); }},
    Field<Query>{"order", [](In& in, Query& out) { out.order = read_order(in); }},
    Field<Query>{"limit", [](In& in, Query& out) { out.limit = static_cast<std::size_t>(in.read_integer(1, limits::kPageMax)); }},
    Field<Query>{"cursor", [](In& in, Query& out) { out.cursor = in.read_string(); }},
    Field<Query>{"payload", [](In& in, Query& out) { out.with_payload = in.read_bool(); }},
};
// The search is the filter and the page: the first fields of both tables are the same.
constexpr bool begins_with_the_filter() {
  for (std::size_t i = 0; i < kFilterFields.size(); ++i)
    if (kSearchFields[i].name != kFilterFields[i].name) return false;
  return true;
}
static_assert(begins_with_the_filter());

constexpr std::array kRedriveFields{
    Field<store::RedriveFilter>{"filter", [](In& in, store::RedriveFilter& out) { read_object(in, kFilterFields, out.filter); },
                                Need::required},
    Field<store::RedriveFilter>{"limit",
                                [](In& in, store::RedriveFilter& out) {
                                  out.limit = static_cast<std::size_t>(in.read_integer(1, limits::kRedriveBatchMax));
                                }},
};

}  // namespace

Labels read_label_parameters(QueryReader& in) {
  Labels labels;
  for (const std::string& pair : in.texts("label")) {
    const std::size_t equals = pair.find('=');
    if (equals == std::string::npos || equals == 0)
      in.refuse("label", fmt::format("\"{}\" is not of the form key=value", pair));
    else if (!labels.emplace(pair.substr(0, equals), pair.substr(equals + 1)).second)
      in.refuse("label", fmt::format("the key \"{}\" is given twice", pair.substr(0, equals)));
  }
  return labels;
}

Query read_job_query(QueryReader& in) {
  Query out;
  out.filter.ns = NamespaceName(in.text("namespace").value_or(""));
  out.filter.queue = QueueName(in.text("queue").value_or(""));
  out.filter.type = JobType(in.text("type").value_or(""));
  for (const std::string& name : in.words("state")) {
    if (const auto state = parse_job_state(name))
      out.filter.states.push_back(*state);
    else
      in.refuse("state", fmt::format("\"{}\" is not a state; {}", name, kStatesAccepted));
  }
  out.filter.worker = WorkerId(in.text("worker").value_or(""));
  out.filter.labels = read_label_parameters(in);
  out.filter.created_after = in.instant("created_after");
  out.filter.created_before = in.instant("created_before");
  out.filter.error_kind = in.text("error_kind").value_or("");
  const std::string order = in.text("order").value_or("newest");
  if (order != "newest" && order != "oldest")
    in.refuse("order", fmt::format("\"{}\" is not accepted; newest or oldest is", order));
  out.order = order == "oldest" ? store::Order::oldest_first : store::Order::newest_first;
  out.limit = static_cast<std::size_t>(in.number("limit", limits::kPageMax).value_or(limits::kPageDefault));
  if (out.limit == 0) in.refuse("limit", fmt::format("0 is not accepted; 1 to {} is", limits::kPageMax));
  out.cursor = in.text("cursor").value_or("");
  out.with_payload = in.flag("payload");
  return out;
}

Result<Query> decode_job_query(const std::vector<QueryParameter>& query) {
  QueryReader in(query);
  Query out = read_job_query(in);
  if (Status read = in.finish(); !read.ok()) return read;
  return out;
}

Result<Query> decode_job_search(std::string_view body) { return read_body(body, kSearchFields, Query{}); }

Result<store::RedriveFilter> decode_redrive(std::string_view body) {
  return read_body(body, kRedriveFields, store::RedriveFilter{});
}

}  // namespace muster::http
