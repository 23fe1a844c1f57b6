#include "bench/grpc/load.h"

#include <grpcpp/grpcpp.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>

#include <fmt/format.h>

#include "bench/row.h"
#include "kagzi_v1.grpc.pb.h"

namespace muster::bench::grpc_suite {
namespace {

namespace v1 = kagzi::v1;

constexpr std::size_t kConnections = 4;
constexpr std::size_t kRunsPerWorker = 50;  // well within the slots a worker of this dialect has
constexpr double kCallSeconds = 30;
constexpr const char* kQueue = "bench";
constexpr const char* kType = "bench";

std::shared_ptr<::grpc::Channel> connect(const std::string& address, std::size_t number) {
  ::grpc::ChannelArguments arguments;
  arguments.SetInt("bench.connection", static_cast<int>(number));  // Channels that look alike would share one connection.
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  return ::grpc::CreateCustomChannel(address, ::grpc::InsecureChannelCredentials(), arguments);
}

// What all lives share.
struct Field {
  std::vector<std::unique_ptr<v1::WorkflowService::Stub>> workflows;
  std::vector<std::unique_ptr<v1::WorkerService::Stub>> workers;
  std::vector<std::string> worker_ids;
  std::size_t steps = 0;
  double until = 0;

  std::mutex mutex;
  std::condition_variable ended;
  std::size_t living = 0;
  std::vector<double> lengths;  // milliseconds
  std::string trouble;
};

// One life after another, each call made by the answer of the one before.
class Life {
 public:
  Life(Field& field, std::size_t number)
      : field_(field), connection_(number % kConnections), worker_(number % field.worker_ids.size()) {}

  void start() {
    began_ = seconds_now();
    step_ = 0;
    start_request_.set_namespace_("default");
    start_request_.set_external_id(fmt::format("{}-{}", static_cast<const void*>(this), ++count_));
    start_request_.set_task_queue(kQueue);
    start_request_.set_workflow_type(kType);
    start_request_.mutable_input()->set_data(R"({"n":1})");
    renew();
    field_.workflows[connection_]->async()->StartWorkflow(context_.get(), &start_request_, &started_,
                                                          [this](::grpc::Status status) {
                                                            if (good(status, "StartWorkflow")) poll();
                                                          });
  }

 private:
  void poll() {
    poll_request_.set_namespace_("default");
    poll_request_.set_worker_id(field_.worker_ids[worker_]);
    poll_request_.set_task_queue(kQueue);
    if (poll_request_.workflow_types_size() == 0) poll_request_.add_workflow_types(kType);
    renew();
    field_.workers[connection_]->async()->PollTask(context_.get(), &poll_request_, &task_, [this](::grpc::Status status) {
      if (!good(status, "PollTask")) return;
      field_.steps > 0 ? begin() : complete();
    });
  }

  void begin() {
    begin_request_.set_namespace_("default");
    begin_request_.set_run_id(task_.run_id());
    begin_request_.set_step_name(fmt::format("step-{}", step_));
    begin_request_.set_kind(v1::STEP_KIND_FUNCTION);
    renew();
    field_.workers[connection_]->async()->BeginStep(context_.get(), &begin_request_, &begun_, [this](::grpc::Status status) {
      if (good(status, "BeginStep")) complete_step();
    });
  }

  void complete_step() {
    step_request_.set_namespace_("default");
    step_request_.set_run_id(task_.run_id());
    step_request_.set_step_id(begin_request_.step_name());
    step_request_.mutable_output()->set_data("1");
    renew();
    field_.workers[connection_]->async()->CompleteStep(context_.get(), &step_request_, &stepped_, [this](::grpc::Status status) {
      if (!good(status, "CompleteStep")) return;
      ++step_ < field_.steps ? begin() : complete();
    });
  }

  void complete() {
    end_request_.set_namespace_("default");
    end_request_.set_run_id(task_.run_id());
    end_request_.mutable_output()->set_data("2");
    renew();
    field_.workers[connection_]->async()->CompleteWorkflow(context_.get(), &end_request_, &ended_, [this](::grpc::Status status) {
      if (!good(status, "CompleteWorkflow")) return;
      const double now = seconds_now();
      lengths_.push_back((now - began_) * 1e3);
      now < field_.until ? start() : leave();
    });
  }

  void renew() {
    context_ = std::make_unique<::grpc::ClientContext>();
    context_->set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(static_cast<long>(kCallSeconds)));
  }

  bool good(const ::grpc::Status& status, const char* what) {
    if (status.ok()) return true;
    {
      const std::lock_guard lock(field_.mutex);
      if (field_.trouble.empty()) field_.trouble = fmt::format("{}: {}", what, status.error_message());
    }
    leave();
    return false;
  }

  void leave() {
    const std::lock_guard lock(field_.mutex);
    field_.lengths.insert(field_.lengths.end(), lengths_.begin(), lengths_.end());
    if (--field_.living == 0) field_.ended.notify_all();
  }

  Field& field_;
  std::size_t connection_;
  std::size_t worker_;
  std::size_t count_ = 0;
  std::size_t step_ = 0;
  double began_ = 0;
  std::vector<double> lengths_;
  std::unique_ptr<::grpc::ClientContext> context_;
  v1::StartWorkflowRequest start_request_;
  v1::StartWorkflowResponse started_;
  v1::PollTaskRequest poll_request_;
  v1::PollTaskResponse task_;
  v1::BeginStepRequest begin_request_;
  v1::BeginStepResponse begun_;
  v1::CompleteStepRequest step_request_;
  v1::CompleteStepResponse stepped_;
  v1::CompleteWorkflowRequest end_request_;
  v1::CompleteWorkflowResponse ended_;
};

std::string register_worker(Field& field, std::size_t number) {
  ::grpc::ClientContext context;
  context.set_wait_for_ready(true);
  context.set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(10));
  v1::RegisterRequest request;
  request.set_namespace_("default");
  request.set_task_queue(kQueue);
  request.add_workflow_types(kType);
  request.set_hostname("bench");
  request.set_pid(static_cast<int>(number + 1));
  v1::RegisterResponse response;
  const ::grpc::Status status = field.workers[0]->Register(&context, request, &response);
  if (!status.ok()) field.trouble = "Register: " + status.error_message();
  return response.worker_id();
}

}  // namespace

Outcome run(const std::string& address, const Load& load) {
  Field field;
  for (std::size_t i = 0; i < kConnections; ++i) {
    const auto channel = connect(address, i);
    field.workflows.push_back(v1::WorkflowService::NewStub(channel));
    field.workers.push_back(v1::WorkerService::NewStub(channel));
  }
  field.steps = load.steps;
  for (std::size_t i = 0; i < load.outstanding; i += kRunsPerWorker) field.worker_ids.push_back(register_worker(field, i));
  if (!field.trouble.empty()) return {.trouble = field.trouble};
  std::vector<std::unique_ptr<Life>> lives;
  for (std::size_t i = 0; i < load.outstanding; ++i) lives.push_back(std::make_unique<Life>(field, i));
  field.living = lives.size();
  const double began = seconds_now();
  field.until = began + load.seconds;
  for (auto& life : lives) life->start();
  std::unique_lock lock(field.mutex);
  field.ended.wait(lock, [&] { return field.living == 0; });
  Outcome outcome;
  outcome.trouble = field.trouble;
  if (field.lengths.empty()) return outcome;
  outcome.lives = field.lengths.size();
  outcome.lives_per_second = static_cast<double>(field.lengths.size()) / (seconds_now() - began);
  outcome.p50_ms = percentile(field.lengths, 0.5);
  outcome.p99_ms = percentile(field.lengths, 0.99);
  return outcome;
}

struct ParkedPolls::State {
  struct Poll {
    std::unique_ptr<v1::WorkerService::Stub> stub;
    ::grpc::ClientContext context;
    v1::PollTaskRequest request;
    v1::PollTaskResponse response;
  };
  std::string address;
  std::string trouble;
  std::vector<std::unique_ptr<Poll>> polls;
  std::mutex mutex;  // leaf; guards `open`
  std::condition_variable changed;
  std::size_t open = 0;
};

ParkedPolls::ParkedPolls(std::string address) : state_(std::make_unique<State>()) { state_->address = std::move(address); }

ParkedPolls::~ParkedPolls() {
  for (const auto& poll : state_->polls) poll->context.TryCancel();
  std::unique_lock lock(state_->mutex);
  state_->changed.wait(lock, [this] { return state_->open == 0; });
}

const std::string& ParkedPolls::trouble() const { return state_->trouble; }

void ParkedPolls::add(std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    Field field;
    field.workers.push_back(v1::WorkerService::NewStub(connect(state_->address, state_->polls.size())));
    const std::string worker = register_worker(field, state_->polls.size());
    if (!field.trouble.empty()) {
      state_->trouble = field.trouble;
      return;
    }
    State::Poll& poll = *state_->polls.emplace_back(std::make_unique<State::Poll>());
    poll.stub = std::move(field.workers.front());
    poll.request.set_namespace_("default");
    poll.request.set_worker_id(worker);
    poll.request.set_task_queue(kQueue);
    poll.request.add_workflow_types(kType);
    {
      const std::lock_guard lock(state_->mutex);
      ++state_->open;
    }
    poll.stub->async()->PollTask(&poll.context, &poll.request, &poll.response, [state = state_.get()](const ::grpc::Status&) {
      const std::lock_guard lock(state->mutex);
      --state->open;
      state->changed.notify_all();
    });
  }
}

int load_once(char** words) {
  const Outcome outcome = run(words[0], {.outstanding = std::strtoul(words[1], nullptr, 10),
                                         .steps = std::strtoul(words[2], nullptr, 10),
                                         .seconds = std::strtod(words[3], nullptr)});
  fmt::print("{:.0f} lives/s, p50 {:.2f} ms, p99 {:.2f} ms {}\n", outcome.lives_per_second, outcome.p50_ms, outcome.p99_ms,
             outcome.trouble);
  return outcome.trouble.empty() ? 0 : 1;
}

}  // namespace muster::bench::grpc_suite
