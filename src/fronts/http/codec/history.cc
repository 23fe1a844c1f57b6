#include "fronts/http/codec/history.h"

#include <fmt/format.h>

#include "fronts/http/codec/operations.h"
#include "fronts/http/codec/values.h"

namespace muster::http {
namespace words {
inline constexpr std::array<std::string_view, 2> kHistorySpans{"hour", "day"};
}
template <>
constexpr std::span<const std::string_view> kWords<engine::HistorySpan> = words::kHistorySpans;

static void read_parameter(QueryReader& in, const ParameterText& text, engine::HistorySpan& out) {
  const std::string word = in.text(text.name).value_or("hour");
  if (word != "hour" && word != "day") in.refuse(text.name, fmt::format("\"{}\" is not accepted; hour or day is", word));
  out = word == "day" ? engine::HistorySpan::day : engine::HistorySpan::hour;
}

namespace {

using command::ServerHistoryReply;
using command::ServerHistoryRequest;
using engine::HistoryPoints;

constexpr std::array kFigureParameters{
    parameter<&ServerHistoryRequest::span>("span", "`hour`, in steps of five seconds, when absent; or `day`, in minutes."),
    parameter<&ServerHistoryRequest::since>("since", "Only what came after it."),
};

// A figure that is not finite is written as null: nobody knew it.
void draw_series(Schemas& out) {
  draw_type(out, "object");
  out.json.key("properties");
  out.json.begin_object();
  for (const std::string_view name : engine::kFigureNames) {
    out.json.key(name);
    out.json.raw(R"({"type":"array","items":{"type":["number","null"]}})");
  }
  out.json.end_object();
  out.json.key("additionalProperties");
  out.json.raw(R"({"type":"array","items":{"type":["number","null"]}})");
}

constexpr Field<ServerHistoryReply> series_field() {
  auto out =
      shown<&ServerHistoryReply::points, &HistoryPoints::series>("series", "By figure, as many values as points; null: unknown.");
  out.draw = draw_series;
  return out;
}

constexpr std::array kHistoryFields{
    shown_unless_blank<&ServerHistoryReply::node>("node", "Whose memory it is: each node has its own."),
    shown<&ServerHistoryReply::points, &HistoryPoints::step>("step_ms"),
    shown<&ServerHistoryReply::points, &HistoryPoints::from>("from", "Beginning of the first point."),
    shown<&ServerHistoryReply::points, &HistoryPoints::points>("points"),
    series_field(),
};
constexpr Object<ServerHistoryReply> kHistory{
    "History", "Figures over time.", kHistoryFields,
    R"({"node":"node-a","step_ms":5000,"from":%at%,"points":2,"series":{"jobs_in_per_second":[12.4,11.8],"ready":[3,null]}})"};

constexpr std::array kHistoryOperations{
    Operation{.id = "server_history", .parameters = draw_parameters<kFigureParameters>, .answers = {ok<ServerHistoryReply>()}},
};

}  // namespace

std::span<const Operation> history_operations() { return kHistoryOperations; }

const Object<ServerHistoryReply>& object_of(Of<ServerHistoryReply>) { return kHistory; }

Result<ServerHistoryRequest> decode_server_history(const std::vector<QueryParameter>& query) {
  return read_query(query, kFigureParameters);
}

}  // namespace muster::http
