#include "fronts/grpc/health.h"

#include <algorithm>
#include <array>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "fronts/grpc/wire_call.h"
#include "health_v1.pb.h"

namespace muster::rpc {
namespace {

namespace proto = grpc::health::v1;
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
  if (!is_service(request.service())) return call->refuse(refused(Status::not_found("no such service: " + request.service())));
  call->answer(encoded(state_of(call->core)));
}

constexpr std::array kHealthMethods{
    Method{.service = kHealthService, .name = "Check", .dialect = ErrorDialect::native, .run = check_health}};

constexpr std::size_t kRequestBytesMax = 4 * 1024;  // of a request, which names a service

// Looks every kHealthLookEvery; the reactor and the look that is due own it together.
class Watch final : public grpc::ServerGenericBidiReactor, public std::enable_shared_from_this<Watch> {
 public:
  Watch(std::shared_ptr<CallGate> gate, std::string address) : gate_(std::move(gate)), address_(std::move(address)) {}

  void begin() {
    self_ = std::shared_ptr<Watch>(this);
    StartRead(&incoming_);
  }

  void OnReadDone(bool ok) override {
    proto::HealthCheckRequest request;
    const auto message = message_of(incoming_, kRequestBytesMax);
    incoming_.Clear();
    if (!ok || !message.ok() || !request.ParseFromString(*message))
      return finish(refused(Status::invalid_argument("the message is not a HealthCheckRequest")));
    known_ = is_service(request.service());
    look();
  }

  void OnWriteDone(bool ok) override {
    std::optional<WireError> due;
    {
      const std::lock_guard lock(mutex_);
      writing_ = false;
      due = std::exchange(finish_due_, std::nullopt);
    }
    if (!ok) due = WireError{.code = WireCode::cancelled, .message = "the client went away", .details = {}};
    due ? finish(*std::move(due)) : look_later();
  }

  void OnCancel() override { finish({.code = WireCode::cancelled, .message = "the client went away", .details = {}}); }

  void OnDone() override {
    gate_->close_watch(address_);
    const auto last = std::move(self_);
  }

 private:
  void look_later() {
    gate_->core.after(kHealthLookEvery, [self = shared_from_this()] { self->look(); });
  }

  void look() {
    const Serving now = known_ ? state_of(gate_->core) : proto::HealthCheckResponse::SERVICE_UNKNOWN;
    const bool stopping = gate_->core.stopping;
    bool changed = false;
    {
      const std::lock_guard lock(mutex_);
      if (finished_ || writing_) return;
      changed = told_ != now;
      told_ = now;
      if (stopping)
        finished_ = true;
      else
        writing_ = changed;
    }
    if (changed) {
      const std::string bytes = encoded(now);
      const grpc::Slice slice(bytes.data(), bytes.size());
      outgoing_ = grpc::ByteBuffer(&slice, 1);
    }
    const auto goodbye = [] { return to_grpc(refused(Status::unavailable("the server is stopping"))); };
    if (stopping) return changed ? StartWriteAndFinish(&outgoing_, grpc::WriteOptions(), goodbye()) : Finish(goodbye());
    if (changed) return StartWrite(&outgoing_);
    look_later();
  }

  // A write that is about to begin on another thread must find its stream, which goes when the stream is finished: it comes
  // first.
  void finish(WireError error) {
    {
      const std::lock_guard lock(mutex_);
      if (finished_) return;
      if (writing_) {
        finish_due_ = std::move(error);
        return;
      }
      finished_ = true;
    }
    Finish(to_grpc(std::move(error)));
  }

  std::shared_ptr<CallGate> gate_;  // shared by all calls
  const std::string address_;       // of the client
  std::shared_ptr<Watch> self_;     // until OnDone()
  grpc::ByteBuffer incoming_;
  grpc::ByteBuffer outgoing_;
  bool known_ = false;
  std::mutex mutex_;  // leaf; guards what follows
  bool writing_ = false;
  bool finished_ = false;
  std::optional<WireError> finish_due_;  // after the write that is under way
  std::optional<Serving> told_;
};

}  // namespace

std::span<const Method> health_methods() { return kHealthMethods; }

grpc::ServerGenericBidiReactor* begin_watch(std::shared_ptr<CallGate> gate, grpc::GenericCallbackServerContext& context) {
  std::string address = address_of(context.peer());
  if (const Status room = gate->open_watch(address); !room.ok()) return new Refusal(refused(room));
  auto* watch = new Watch(std::move(gate), std::move(address));
  watch->begin();
  return watch;
}

}  // namespace muster::rpc
