// Calls of the older dialect in a few words.
#pragma once

#include <string>
#include <vector>

#include "fronts/grpc/dialect/call_testing.h"
#include "kagzi_k0.pb.h"

namespace muster::rpc::k0 {

inline constexpr const char* kNobody = "01890a5d-ac96-774b-bcce-b302099a8057";  // an id that nothing has

namespace pb = ::kagzi;

class K0Test : public MethodTest {
 protected:
  using Metadata = std::map<std::string, std::string>;

  template <class Response, class Request>
  Answer<Response> call(std::string_view method, const Request& request, Metadata metadata = {}) {
    return end<Response>(begin("kagzi.WorkflowService", method, request.SerializeAsString(), std::move(metadata)));
  }

  static pb::ErrorDetail detail_of(const std::string& bytes);

  pb::StartWorkflowRequest start_request(const std::string& type = "T", const std::string& input = "{}") const;
  std::string start_run(const std::string& type = "T", const std::string& input = "{}");
  pb::RegisterWorkerRequest register_request(std::vector<std::string> types = {"T"}, std::int32_t pid = 1) const;
  std::string register_worker(std::vector<std::string> types = {"T"}, std::int32_t pid = 1);
  std::shared_ptr<FakeCall> begin_poll(const std::string& worker, std::vector<std::string> types = {"T"});
  Answer<pb::PollActivityResponse> poll(const std::string& worker, std::vector<std::string> types = {"T"});
  // One poll that must bring this run.
  void claim(const std::string& worker, const std::string& run);
  pb::WorkflowRun run(const std::string& id);
  pb::Worker worker(const std::string& id);
  Answer<pb::WorkerHeartbeatResponse> beat(const std::string& worker, std::int32_t active = 0, Metadata metadata = {});

  Answer<pb::BeginStepResponse> begin_step(const std::string& run, const std::string& step);
  Answer<pb::Empty> complete_step(const std::string& run, const std::string& step, const std::string& output = "1");
  Answer<pb::Empty> fail_step(const std::string& run, const std::string& step, const std::string& text, bool final = false);
  Answer<pb::Empty> complete(const std::string& run, const std::string& output = "1");
  Answer<pb::Empty> fail(const std::string& run, const std::string& text = "boom");
  Answer<pb::Empty> sleep(const std::string& run, std::uint64_t seconds);
  std::vector<pb::StepAttempt> steps(const std::string& run, const std::string& step = {});
};

}  // namespace muster::rpc::k0
