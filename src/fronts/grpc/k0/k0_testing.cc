#include "fronts/grpc/k0/k0_testing.h"

namespace muster::rpc::k0 {

pb::ErrorDetail K0Test::detail_of(const std::string& bytes) {
  pb::ErrorDetail detail;
  EXPECT_FALSE(bytes.empty()) << "an error has details";
  EXPECT_TRUE(detail.ParseFromString(bytes));
  return detail;
}

pb::StartWorkflowRequest K0Test::start_request(const std::string& type, const std::string& input) const {
  pb::StartWorkflowRequest request;
  request.set_workflow_id("order-1");
  request.set_task_queue("q");
  request.set_workflow_type(type);
  request.set_input(input);
  return request;
}

std::string K0Test::start_run(const std::string& type, const std::string& input) {
  const auto started = call<pb::StartWorkflowResponse>("StartWorkflow", start_request(type, input));
  EXPECT_EQ(started.code, WireCode::ok) << started.text;
  return started->run_id();
}

pb::RegisterWorkerRequest K0Test::register_request(std::vector<std::string> types, std::int32_t pid) const {
  pb::RegisterWorkerRequest request;
  request.set_task_queue("q");
  for (std::string& type : types) request.add_workflow_types(std::move(type));
  request.set_hostname("host");
  request.set_pid(pid);
  request.set_max_concurrent(10);
  return request;
}

std::string K0Test::register_worker(std::vector<std::string> types, std::int32_t pid) {
  const auto registered = call<pb::RegisterWorkerResponse>("RegisterWorker", register_request(std::move(types), pid));
  EXPECT_EQ(registered.code, WireCode::ok) << registered.text;
  return registered->worker_id();
}

std::shared_ptr<FakeCall> K0Test::begin_poll(const std::string& worker, std::vector<std::string> types) {
  pb::PollActivityRequest request;
  request.set_task_queue("q");
  request.set_worker_id(worker);
  for (std::string& type : types) request.add_supported_workflow_types(std::move(type));
  return begin("kagzi.WorkflowService", "PollActivity", request.SerializeAsString());
}

Answer<pb::PollActivityResponse> K0Test::poll(const std::string& worker, std::vector<std::string> types) {
  return end<pb::PollActivityResponse>(begin_poll(worker, std::move(types)));
}

void K0Test::claim(const std::string& worker, const std::string& run) {
  const auto polled = poll(worker);
  ASSERT_EQ(polled.code, WireCode::ok) << polled.text;
  ASSERT_EQ(polled->run_id(), run);
}

pb::WorkflowRun K0Test::run(const std::string& id) {
  pb::GetWorkflowRunRequest request;
  request.set_run_id(id);
  const auto got = call<pb::GetWorkflowRunResponse>("GetWorkflowRun", request);
  EXPECT_EQ(got.code, WireCode::ok) << got.text;
  return got->workflow_run();
}

pb::Worker K0Test::worker(const std::string& id) {
  pb::GetWorkerRequest request;
  request.set_worker_id(id);
  const auto got = call<pb::GetWorkerResponse>("GetWorker", request);
  EXPECT_EQ(got.code, WireCode::ok) << got.text;
  return got->worker();
}

Answer<pb::WorkerHeartbeatResponse> K0Test::beat(const std::string& worker, std::int32_t active, Metadata metadata) {
  pb::WorkerHeartbeatRequest request;
  request.set_worker_id(worker);
  request.set_active_count(active);
  return call<pb::WorkerHeartbeatResponse>("WorkerHeartbeat", request, std::move(metadata));
}

Answer<pb::BeginStepResponse> K0Test::begin_step(const std::string& run, const std::string& step) {
  pb::BeginStepRequest request;
  request.set_run_id(run);
  request.set_step_id(step);
  return call<pb::BeginStepResponse>("BeginStep", request);
}

Answer<pb::Empty> K0Test::complete_step(const std::string& run, const std::string& step, const std::string& output) {
  pb::CompleteStepRequest request;
  request.set_run_id(run);
  request.set_step_id(step);
  request.set_output(output);
  return call<pb::Empty>("CompleteStep", request);
}

Answer<pb::Empty> K0Test::fail_step(const std::string& run, const std::string& step, const std::string& text, bool final) {
  pb::ErrorDetail error;
  error.set_message(text);
  error.set_code(pb::ERROR_CODE_INTERNAL);
  error.set_non_retryable(final);
  pb::FailStepRequest request;
  request.set_run_id(run);
  request.set_step_id(step);
  request.set_error(error.SerializeAsString());
  return call<pb::Empty>("FailStep", request);
}

Answer<pb::Empty> K0Test::complete(const std::string& run, const std::string& output) {
  pb::CompleteWorkflowRequest request;
  request.set_run_id(run);
  request.set_output(output);
  return call<pb::Empty>("CompleteWorkflow", request);
}

Answer<pb::Empty> K0Test::fail(const std::string& run, const std::string& text) {
  pb::ErrorDetail error;
  error.set_message(text);
  pb::FailWorkflowRequest request;
  request.set_run_id(run);
  request.set_error(error.SerializeAsString());
  return call<pb::Empty>("FailWorkflow", request);
}

Answer<pb::Empty> K0Test::sleep(const std::string& run, std::uint64_t seconds) {
  pb::ScheduleSleepRequest request;
  request.set_run_id(run);
  request.set_duration_seconds(seconds);
  return call<pb::Empty>("ScheduleSleep", request);
}

std::vector<pb::StepAttempt> K0Test::steps(const std::string& run, const std::string& step) {
  pb::ListStepAttemptsRequest request;
  request.set_workflow_run_id(run);
  request.set_step_id(step);
  const auto listed = call<pb::ListStepAttemptsResponse>("ListStepAttempts", request);
  EXPECT_EQ(listed.code, WireCode::ok) << listed.text;
  return {listed->step_attempts().begin(), listed->step_attempts().end()};
}

}  // namespace muster::rpc::k0
