#include "fronts/grpc/front.h"

#include <absl/synchronization/mutex.h>
#include <arpa/inet.h>
#include <fmt/format.h>
#include <grpc/support/log.h>
#include <grpcpp/resource_quota.h>
#include <grpcpp/server.h>
#include <grpcpp/server_builder.h>
#include <netdb.h>

#include <chrono>
#include <utility>

#include "base/log.h"
#include "fronts/grpc/health.h"
#include "fronts/grpc/later.h"
#include "fronts/grpc/reflection.h"
#include "fronts/grpc/tls.h"
#include "fronts/grpc/web_call.h"
#include "fronts/grpc/wire_call.h"

namespace muster::rpc {
namespace {

constexpr int kMetadataBytesMax = 64 * 1024;  // workers name the runs they hold there
// A message a little above message_bytes_max is read and refused in the method's own words; one beyond this is cut off.
constexpr std::size_t kOversizeReadMax = 4 * 1024 * 1024;

std::string exposure_refusal(const GrpcOptions& options) {
  if (options.insecure || (options.tls.enabled() && options.auth_required)) return {};
  const std::string_view missing = options.tls.enabled() ? "authentication is" : options.auth_required ? "TLS is" : "both are";
  return fmt::format(
      "an address that other machines can reach needs TLS and authentication, and {} missing; configure them, listen on "
      "127.0.0.1, or say that it shall be insecure",
      missing);
}

bool is_loopback(const addrinfo& found) {
  if (found.ai_family == AF_INET)
    return (ntohl(reinterpret_cast<const sockaddr_in*>(found.ai_addr)->sin_addr.s_addr) >> 24) == 127;
  return found.ai_family == AF_INET6 && IN6_IS_ADDR_LOOPBACK(&reinterpret_cast<const sockaddr_in6*>(found.ai_addr)->sin6_addr);
}

// What the name stands for, all of it: gRPC listens on every address a name has.
Status check_address(const GrpcOptions& options) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_PASSIVE;
  addrinfo* found = nullptr;
  if (::getaddrinfo(options.address.c_str(), nullptr, &hints, &found) != 0)
    return Status::invalid_argument(fmt::format("\"{}\" is not an address of this machine", options.address));
  bool local = true;
  for (const addrinfo* each = found; each != nullptr; each = each->ai_next) local = local && is_loopback(*each);
  ::freeaddrinfo(found);
  const std::string refusal = exposure_refusal(options);
  return local || refusal.empty() ? Status() : Status::invalid_argument(fmt::format("gRPC on {}: {}", options.address, refusal));
}

std::string host_and_port(const std::string& host, int port) {
  return host.find(':') == std::string::npos ? fmt::format("{}:{}", host, port) : fmt::format("[{}]:{}", host, port);
}

// Streams, and calls of methods that nobody has; the others are WireMethods.
class Dispatcher final : public grpc::CallbackGenericService {
 public:
  explicit Dispatcher(std::shared_ptr<CallGate> gate) : gate_(std::move(gate)) {}

  grpc::ServerGenericBidiReactor* CreateReactor(grpc::GenericCallbackServerContext* context) override {
    const std::string& path = context->method();
    if (path == kWatchPath) return begin_watch(gate_, *context);
    if (path == kReflectionPath || path == kReflectionAlphaPath) return begin_reflection(gate_, *context);
    gate_->catalogue.unknown().measure(WireCode::unimplemented, Ticks::zero());
    WireError error = wire_error(Catalogue::dialect_of(path), Status::not_found("no such method: " + path));
    error.code = WireCode::unimplemented;
    return new Refusal(std::move(error));
  }

 private:
  std::shared_ptr<CallGate> gate_;  // shared by all calls
};

// By itself gRPC writes to standard error, in a form of its own, before we can say the same in ours.
void log_as_ours(gpr_log_func_args* args) {
  log::debug("gRPC said something", {{"detail", std::string(args->message)}, {"file", std::string(args->file)}});
}

void configure(grpc::ServerBuilder& builder, const GrpcOptions& options) {
  const auto milliseconds = [](Duration duration) { return static_cast<int>(duration.count()); };
  builder.SetMaxReceiveMessageSize(static_cast<int>(options.limits.message_bytes_max + kOversizeReadMax));
  builder.SetMaxSendMessageSize(-1);
  // Two servers on one port would share its calls by chance.
  builder.AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);
  builder.AddChannelArgument(GRPC_ARG_MAX_METADATA_SIZE, kMetadataBytesMax);
  // The library unpacks a message before anybody knows who sent it, however large it becomes: gunzip.h does it instead, for gzip.
  builder.AddChannelArgument(GRPC_ARG_ENABLE_PER_MESSAGE_DECOMPRESSION, 0);
  builder.SetCompressionAlgorithmSupportStatus(GRPC_COMPRESS_DEFLATE, false);
  builder.AddChannelArgument(GRPC_ARG_MAX_CONCURRENT_STREAMS, static_cast<int>(options.limits.streams_per_connection_max));
  builder.SetResourceQuota(grpc::ResourceQuota("muster").Resize(options.limits.buffer_bytes_max));
  builder.AddChannelArgument(GRPC_ARG_HTTP2_MIN_RECV_PING_INTERVAL_WITHOUT_DATA_MS,
                             milliseconds(options.limits.keepalive_accepted));
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_PERMIT_WITHOUT_CALLS, 1);
  if (options.limits.keepalive > Duration::zero())
    builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_TIME_MS, milliseconds(options.limits.keepalive));
}

}  // namespace

struct GrpcFront::State {
  std::shared_ptr<CallGate> gate;  // shared with calls
  std::unique_ptr<WireMethods> methods;
  std::unique_ptr<Dispatcher> dispatcher;
  std::unique_ptr<grpc::Server> server;
  std::string address;
  int port = 0;
  bool stopped = false;
};

Result<std::unique_ptr<GrpcFront>> GrpcFront::start(command::Door& door, Metrics& metrics, GrpcOptions options) {
  if (Status valid = auth::Authenticator::validate({.tokens = options.tokens, .required = options.auth_required}); !valid.ok())
    return valid;
  if (Status valid = rpc::check_tls(options.tls); !valid.ok()) return valid;
  if (Status valid = check_address(options); !valid.ok()) return valid;
  // The packaged library looks for lock cycles at every lock of gRPC's, which is for its own developers.
  absl::SetMutexDeadlockDetectionMode(absl::OnDeadlockCycle::kIgnore);
  gpr_set_log_function(log_as_ours);
  auto state = std::make_unique<State>();
  const std::string asked = host_and_port(options.address, options.port);
  grpc::ServerBuilder builder;
  configure(builder, options);
  builder.AddListeningPort(asked, credentials(options.tls), &state->port);
  const std::string host = options.address;
  state->gate = std::make_shared<CallGate>(door, metrics, std::move(options));
  state->dispatcher = std::make_unique<Dispatcher>(state->gate);
  state->methods = std::make_unique<WireMethods>(state->gate);
  builder.RegisterService(state->methods.get());
  builder.RegisterCallbackGenericService(state->dispatcher.get());
  state->server = builder.BuildAndStart();
  if (!state->server || state->port == 0)
    return Status::unavailable(fmt::format("cannot listen on {} for gRPC: the address is in use or not this machine's", asked));
  state->address = host_and_port(host, state->port);
  door.listeners().set("grpc", state->address);
  return std::unique_ptr<GrpcFront>(new GrpcFront(std::move(state)));
}

GrpcFront::GrpcFront(std::unique_ptr<State> state) : state_(std::move(state)) {}
GrpcFront::~GrpcFront() { stop(Duration::zero()); }

std::uint16_t GrpcFront::port() const { return static_cast<std::uint16_t>(state_->port); }
std::string GrpcFront::address() const { return state_->address; }
Core& GrpcFront::core() { return state_->gate->core; }

Status GrpcFront::set_tokens(auth::AuthOptions tokens) {
  if (Status valid = auth::Authenticator::validate(tokens); !valid.ok()) return valid;
  state_->gate->set_tokens(tokens);
  return {};
}

Status GrpcFront::check_tls() const { return rpc::check_tls(state_->gate->core.options.tls); }

WebCancel GrpcFront::call(WebRequest request, WebReply reply) {
  return WebCall::begin(state_->gate, std::move(request), std::move(reply));
}

void GrpcFront::stop(Duration grace) {
  if (std::exchange(state_->stopped, true)) return;
  state_->gate->stop_waiting();
  state_->gate->core.later->stop();
  state_->server->Shutdown(std::chrono::system_clock::now() + grace);
  state_->server->Wait();
}

}  // namespace muster::rpc
