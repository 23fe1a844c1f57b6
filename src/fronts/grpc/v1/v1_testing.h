// Calls of today's dialect in a few words.
#pragma once

#include <string>
#include <vector>

#include "fronts/grpc/dialect/call_testing.h"
#include "kagzi_v1.pb.h"

namespace muster::rpc::v1 {

inline constexpr const char* kNobody = "01890a5d-ac96-774b-bcce-b302099a8057";  // an id that nothing has

namespace pb = ::kagzi::v1;

class V1Test : public MethodTest {
 protected:
  using Metadata = std::map<std::string, std::string>;

  template <class Response, class Request>
  Answer<Response> call(const std::string& service, std::string_view method, const Request& request, Metadata metadata = {}) {
    return end<Response>(begin("kagzi.v1." + service + "Service", method, request.SerializeAsString(), std::move(metadata)));
  }

  static pb::ErrorDetail detail_of(const std::string& bytes);

  pb::StartWorkflowRequest start_request(const std::string& external_id, const std::string& type = "T") const;
  std::string start_run(const std::string& external_id, const std::string& type = "T");
  std::string register_worker(std::vector<std::string> types = {"T"}, std::int32_t pid = 1, const std::string& ns = "default");
  std::shared_ptr<FakeCall> begin_poll(const std::string& worker, std::vector<std::string> types = {"T"});
  Answer<pb::PollTaskResponse> poll(const std::string& worker, std::vector<std::string> types = {"T"});
  void claim(const std::string& worker, const std::string& run);
  pb::Workflow run(const std::string& id);
  Answer<pb::HeartbeatResponse> beat(const std::string& worker);
  Answer<pb::BeginStepResponse> begin_step(const std::string& run, const std::string& step,
                                           pb::StepKind kind = pb::STEP_KIND_FUNCTION);
  Answer<pb::CompleteStepResponse> complete_step(const std::string& run, const std::string& step,
                                                 const std::string& output = "1");
  Answer<pb::FailStepResponse> fail_step(const std::string& run, const std::string& step, bool final = false);
  Answer<pb::CompleteWorkflowResponse> complete(const std::string& run, const std::string& output = "1");
  Answer<pb::FailWorkflowResponse> fail(const std::string& run);
  Answer<pb::SleepResponse> sleep(const std::string& run, const std::string& step, Duration length);
};

}  // namespace muster::rpc::v1
