// Client, the part about workflow runs.
#include <fmt/format.h>

#include "sdk/cpp/client_state.h"

namespace muster::sdk {
namespace {

using Pairs = std::vector<std::pair<std::string_view, std::string_view>>;

Path run_path(std::string_view id) { return api("/runs").segment(id); }

std::string body_of(const Pairs& pairs) { return encode_strings(pairs); }

}  // namespace

Result<Submitted> Client::start_run(const RunRequest& request) {
  Result<std::string> body = encode(request);
  if (!body.ok()) return body.error();
  return state_->post(api("/runs"), std::move(*body), decode_submitted);
}

Result<Job> Client::run(std::string_view id) { return state_->get(run_path(id), decode_job); }

Result<JobPage> Client::runs(const JobQuery& query, std::string_view schedule) {
  return state_->get(job_listing("/runs", query).query("schedule", schedule), decode_job_page);
}

Result<RunStepPage> Client::history(const HistoryQuery& query) {
  Path path = run_path(query.run).literal("/history");
  path.query("step", query.step).query("cursor", query.cursor);
  if (query.limit) path.query("limit", std::to_string(*query.limit));
  return state_->get(path, decode_step_page);
}

Result<RunResult> Client::run_result(std::string_view id, Duration wait) {
  Path path = run_path(id).literal("/result");
  if (wait.count() > 0) path.query("wait", fmt::format("{}ms", wait.count()));
  const Result<std::string> body = state_->send("GET", path, std::nullopt, wait);
  if (!body.ok()) return body.error();
  return decode_run_result(*body);
}

Result<Settled> Client::cancel_run(std::string_view id, std::string_view reason) {
  return state_->post(run_path(id).literal("/cancel"), body_of({{"reason", reason}}), decode_settled);
}

Result<Settled> Client::terminate_run(std::string_view id, std::string_view reason) {
  return state_->post(run_path(id).literal("/terminate"), body_of({{"reason", reason}}), decode_settled);
}

Result<Submitted> Client::retry_run(std::string_view id, std::string_view external_id) {
  return state_->post(run_path(id).literal("/retry"), body_of({{"external_id", external_id}}), decode_submitted);
}

Result<Signalled> Client::signal_run(const RunSignal& signal) {
  Result<std::string> body = encode(signal);
  if (!body.ok()) return body.error();
  return state_->post(run_path(signal.run).literal("/signal"), std::move(*body), decode_signalled);
}

Result<std::vector<Result<StepAnswer>>> Client::run_steps(const LeaseRef& lease, std::span<const StepCall> calls) {
  Result<std::string> body = encode_steps(lease, calls);
  if (!body.ok()) return body.error();
  return state_->post(run_path(lease.id).literal("/steps"), std::move(*body), decode_step_answers);
}

}  // namespace muster::sdk
