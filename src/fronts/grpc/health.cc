// grpc.health.v1: whether the server can do its work, for load balancers and probes. "" and every service answer the same:
// SERVING, or NOT_SERVING while the store cannot write or the server stops.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/utf8.h"
#include "fronts/grpc/catalogue.h"
#include "fronts/grpc/core.h"
#include "health_v1.pb.h"

namespace muster::rpc {
namespace {

namespace proto = grpc::health::v1;
constexpr Duration kHealthLookEvery{1'000};  // how late a watcher hears of a change

using Serving = proto::HealthCheckResponse::ServingStatus;

bool is_service(const std::string& name) {
  if (name.empty()) return true;
  static const std::vector<std::string> services = Catalogue::services();
  return std::binary_search(services.begin(), services.end(), name);
}

Serving state_of(Core& core) {
  const bool serving = !core.stopping && core.door.health().writable;
  return serving ? proto::HealthCheckResponse::SERVING : proto::HealthCheckResponse::NOT_SERVING;
}

std::string encoded(Serving state) {
  proto::HealthCheckResponse response;
  response.set_status(state);
  return response.SerializeAsString();
}

WireError refused(const Status& status) { return wire_error(ErrorDialect::native, status); }

void check_health(CallRef call) {
  proto::HealthCheckRequest request;
  if (!request.ParseFromString(call->request))
    return call->refuse(refused(Status::invalid_argument("the message is not a HealthCheckRequest")));
  if (!is_service(request.service()))
    return call->refuse(
        refused(Status::not_found(fmt::format("no such service: {}", utf8_front(request.service(), kEchoedBytesMax)))));
  call->answer(encoded(state_of(call->core)));
}

// The state now, then whenever it changes; looks every kHealthLookEvery.
class Watch final : public StreamMethod {
 public:
  explicit Watch(StreamCall& call) : call_(call) {}

  void received(std::string message) override {
    proto::HealthCheckRequest request;
    if (asked_ || !request.ParseFromString(message))
      return call_.refuse(refused(Status::invalid_argument("the message is not the one HealthCheckRequest of a watch")));
    asked_ = true;
    known_ = is_service(request.service());
    look();
  }

  void half_closed() override {
    if (!asked_) call_.refuse(refused(Status::invalid_argument("a watch asks with a HealthCheckRequest")));
  }

  void stopping() override {
    if (asked_) tell();
    call_.refuse(refused(Status::unavailable("the server is stopping")));
  }

 private:
  void look() {
    tell();
    call_.after(kHealthLookEvery, [this] { look(); });
  }

  void tell() {
    const Serving now = known_ ? state_of(call_.core) : proto::HealthCheckResponse::SERVICE_UNKNOWN;
    if (std::exchange(told_, now) != now) call_.send(encoded(now));
  }

  StreamCall& call_;
  bool asked_ = false;
  bool known_ = false;
  std::optional<Serving> told_;
};

constexpr std::array kHealthMethods{
    Method{.service = kHealthService, .name = "Check", .dialect = ErrorDialect::native, .run = check_health},
    Method{.service = kHealthService, .name = "Watch", .dialect = ErrorDialect::native, .open = [](StreamCall& call) {
             return std::unique_ptr<StreamMethod>(std::make_unique<Watch>(call));
           }}};

}  // namespace

std::span<const Method> health_methods() { return kHealthMethods; }

}  // namespace muster::rpc
