#include "fronts/grpc/v1/v1_testing.h"

namespace muster::rpc::v1 {

pb::ErrorDetail V1Test::detail_of(const std::string& bytes) {
  pb::ErrorDetail detail;
  EXPECT_FALSE(bytes.empty()) << "an error has details";
  EXPECT_TRUE(detail.ParseFromString(bytes));
  return detail;
}

pb::StartWorkflowRequest V1Test::start_request(const std::string& external_id, const std::string& type) const {
  pb::StartWorkflowRequest request;
  request.set_namespace_("default");
  request.set_external_id(external_id);
  request.set_task_queue("q");
  request.set_workflow_type(type);
  request.mutable_input()->set_data("{}");
  return request;
}

std::string V1Test::start_run(const std::string& external_id, const std::string& type) {
  const auto started = call<pb::StartWorkflowResponse>("Workflow", "StartWorkflow", start_request(external_id, type));
  EXPECT_EQ(started.code, WireCode::ok) << started.text;
  return started->run_id();
}

std::string V1Test::register_worker(std::vector<std::string> types, std::int32_t pid, const std::string& ns) {
  pb::RegisterRequest request;
  request.set_namespace_(ns);
  request.set_task_queue("q");
  for (std::string& type : types) request.add_workflow_types(std::move(type));
  request.set_hostname("host");
  request.set_pid(pid);
  const auto registered = call<pb::RegisterResponse>("Worker", "Register", request);
  EXPECT_EQ(registered.code, WireCode::ok) << registered.text;
  EXPECT_EQ(registered->heartbeat_interval_secs(), 10);
  return registered->worker_id();
}

std::shared_ptr<FakeCall> V1Test::begin_poll(const std::string& worker, std::vector<std::string> types) {
  pb::PollTaskRequest request;
  request.set_namespace_("default");
  request.set_worker_id(worker);
  request.set_task_queue("q");
  for (std::string& type : types) request.add_workflow_types(std::move(type));
  return begin("kagzi.v1.WorkerService", "PollTask", request.SerializeAsString());
}

Answer<pb::PollTaskResponse> V1Test::poll(const std::string& worker, std::vector<std::string> types) {
  return end<pb::PollTaskResponse>(begin_poll(worker, std::move(types)));
}

void V1Test::claim(const std::string& worker, const std::string& run) {
  const auto polled = poll(worker);
  ASSERT_EQ(polled.code, WireCode::ok) << polled.text;
  ASSERT_EQ(polled->run_id(), run);
}

pb::Workflow V1Test::run(const std::string& id) {
  pb::GetWorkflowRequest request;
  request.set_namespace_("default");
  request.set_run_id(id);
  const auto got = call<pb::GetWorkflowResponse>("Workflow", "GetWorkflow", request);
  EXPECT_EQ(got.code, WireCode::ok) << got.text;
  return got->workflow();
}

Answer<pb::HeartbeatResponse> V1Test::beat(const std::string& worker) {
  pb::HeartbeatRequest request;
  request.set_worker_id(worker);
  return call<pb::HeartbeatResponse>("Worker", "Heartbeat", request);
}

Answer<pb::BeginStepResponse> V1Test::begin_step(const std::string& run, const std::string& step, pb::StepKind kind) {
  pb::BeginStepRequest request;
  request.set_run_id(run);
  request.set_step_name(step);
  request.set_kind(kind);
  return call<pb::BeginStepResponse>("Worker", "BeginStep", request);
}

Answer<pb::CompleteStepResponse> V1Test::complete_step(const std::string& run, const std::string& step,
                                                       const std::string& output) {
  pb::CompleteStepRequest request;
  request.set_run_id(run);
  request.set_step_id(step);
  request.mutable_output()->set_data(output);
  return call<pb::CompleteStepResponse>("Worker", "CompleteStep", request);
}

Answer<pb::FailStepResponse> V1Test::fail_step(const std::string& run, const std::string& step, bool final) {
  pb::FailStepRequest request;
  request.set_run_id(run);
  request.set_step_id(step);
  request.mutable_error()->set_code(pb::ERROR_CODE_INTERNAL);
  request.mutable_error()->set_message("boom");
  request.mutable_error()->set_non_retryable(final);
  return call<pb::FailStepResponse>("Worker", "FailStep", request);
}

Answer<pb::CompleteWorkflowResponse> V1Test::complete(const std::string& run, const std::string& output) {
  pb::CompleteWorkflowRequest request;
  request.set_run_id(run);
  request.mutable_output()->set_data(output);
  return call<pb::CompleteWorkflowResponse>("Worker", "CompleteWorkflow", request);
}

Answer<pb::FailWorkflowResponse> V1Test::fail(const std::string& run) {
  pb::FailWorkflowRequest request;
  request.set_run_id(run);
  request.mutable_error()->set_code(pb::ERROR_CODE_CONFLICT);
  request.mutable_error()->set_message("boom");
  return call<pb::FailWorkflowResponse>("Worker", "FailWorkflow", request);
}

Answer<pb::SleepResponse> V1Test::sleep(const std::string& run, const std::string& step, Duration length) {
  pb::SleepRequest request;
  request.set_run_id(run);
  request.set_step_id(step);
  request.mutable_duration()->set_seconds(length.count() / 1'000);
  request.mutable_duration()->set_nanos(static_cast<std::int32_t>(length.count() % 1'000 * 1'000'000));
  return call<pb::SleepResponse>("Worker", "Sleep", request);
}

}  // namespace muster::rpc::v1
