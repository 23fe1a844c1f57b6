#include "tests/claude/batches.h"

#include <algorithm>
#include <utility>

namespace muster::stand_in {
namespace {

constexpr const char* kCreatedAt = "2026-11-18T00:00:00Z";
constexpr const char* kExpiresAt = "2026-11-19T00:00:00Z";

std::string result_type(const std::string& line) {
  const Json tree = Json::parse(line, nullptr, false);
  return tree.is_object() ? tree.at("result").at("type").get<std::string>() : "errored";
}

}  // namespace

std::optional<Plan> Batches::answer(std::string_view method, std::string_view rest, const Json& body, const std::string& host) {
  rest = rest.substr(0, rest.find('?'));
  if (rest.empty() && method == "POST") return create(body, host);
  if (rest.empty() && method == "GET") {
    Json all = Json::array();
    for (auto at = batches_.rbegin(); at != batches_.rend(); ++at) all.push_back(describe(*at, host));
    return Plan{.body = Json{{"data", all}, {"has_more", false}}.dump()};
  }
  if (!rest.starts_with('/')) return std::nullopt;
  rest.remove_prefix(1);
  const std::string_view id = rest.substr(0, rest.find('/'));
  const std::string_view verb = rest.substr(id.size());
  Batch* const batch = find(id);
  if (batch == nullptr) return error_plan(404, "not_found_error", "no such batch");
  if (verb.empty() && method == "GET") {
    poll(*batch);
    return Plan{.body = describe(*batch, host).dump()};
  }
  if (verb == "/cancel" && method == "POST") {
    batch->canceling = !batch->ended;
    return Plan{.body = describe(*batch, host).dump()};
  }
  if (verb == "/results" && method == "GET") return results(*batch);
  return std::nullopt;
}

Plan Batches::create(const Json& body, const std::string& host) {
  const std::optional<Plan> refused = script_.refuse_batch(body);
  if (refused && refused->status != 200) return *refused;
  Batch batch{.id = "msgbatch_" + std::to_string(batches_.size() + 1)};
  for (const Json& request : body.at("requests"))
    batch.requests.emplace_back(request.at("custom_id").get<std::string>(), request.at("params"));
  batches_.push_back(std::move(batch));
  if (refused) return *refused;  // the connection is lost behind the creation
  return {.body = describe(batches_.back(), host).dump()};
}

void Batches::poll(Batch& batch) {
  if (batch.ended || (++batch.polls < script_.polls_until_ended() && !batch.canceling)) return;
  batch.ended = true;
  for (const auto& [id, params] : batch.requests) {
    std::string line =
        batch.canceling ? Json{{"custom_id", id}, {"result", {{"type", "canceled"}}}}.dump() : script_.batch_line(id, params);
    if (!line.empty()) batch.lines.push_back(std::move(line));
  }
}

Plan Batches::results(const Batch& batch) {
  if (!batch.ended) return error_plan(404, "not_found_error", "the batch has no results yet");
  std::vector<std::string> lines;
  for (const std::string& each : batch.lines) lines.push_back(each + "\n");
  Plan plan{.content_type = "application/x-jsonl"};
  plan.events = std::make_shared<const std::vector<std::string>>(std::move(lines));
  if (const auto drop = script_.take_results_drop()) plan.ending = Ending::dropped, plan.events_max = *drop;
  return plan;
}

Json Batches::describe(const Batch& batch, const std::string& host) {
  Json counts{{"processing", 0}, {"succeeded", 0}, {"errored", 0}, {"canceled", 0}, {"expired", 0}};
  if (!batch.ended) counts["processing"] = batch.requests.size();
  for (const std::string& line : batch.lines) {
    Json& count = counts[result_type(line)];
    count = count.get<std::uint64_t>() + 1;
  }
  const bool done = batch.ended;
  return {{"id", batch.id},
          {"type", "message_batch"},
          {"processing_status", done              ? "ended"
                                : batch.canceling ? "canceling"
                                                  : "in_progress"},
          {"request_counts", counts},
          {"created_at", kCreatedAt},
          {"expires_at", kExpiresAt},
          {"ended_at", done ? Json(kCreatedAt) : Json()},
          {"results_url", done ? Json("http://" + host + "/v1/messages/batches/" + batch.id + "/results") : Json()}};
}

Batches::Batch* Batches::find(std::string_view id) {
  const auto at = std::find_if(batches_.begin(), batches_.end(), [&](const Batch& each) { return each.id == id; });
  return at == batches_.end() ? nullptr : &*at;
}

}  // namespace muster::stand_in
