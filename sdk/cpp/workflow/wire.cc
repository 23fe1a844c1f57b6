#include "sdk/cpp/workflow/wire.h"

#include <fmt/format.h>

#include <array>
#include <fstream>
#include <sstream>

namespace muster::sdk::workflow {
namespace {

// The server holds messages of 4 MiB; answers with a payload of that size and its surroundings must fit.
constexpr int kMessageBytesMax = 8 * 1024 * 1024;
// A server that is back is found within this; the SDK's own backoff comes on top.
constexpr int kReconnectMinMs = 100;
constexpr int kReconnectMaxMs = 2'000;
// What one attempt to connect may take, handshakes included. gRPC speaks of a least backoff and means this.
constexpr int kConnectMs = 10'000;
// A peer that vanished without a word is noticed by a ping of this age.
constexpr int kKeepaliveMs = 30'000;
constexpr int kKeepaliveTimeoutMs = 10'000;

std::optional<std::string> file_text(const std::string& path) {
  if (path.empty()) return std::string();
  std::ifstream file(path, std::ios::binary);
  if (!file) return std::nullopt;
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

bool strip(std::string& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.erase(0, prefix.size());
  return true;
}

std::shared_ptr<grpc::ChannelCredentials> credentials(const Connection& connection) {
  if (!connection.tls) return grpc::InsecureChannelCredentials();
  grpc::SslCredentialsOptions options;
  options.pem_root_certs = file_text(connection.tls->ca_file).value_or("");
  options.pem_cert_chain = file_text(connection.tls->certificate_file).value_or("");
  options.pem_private_key = file_text(connection.tls->key_file).value_or("");
  return grpc::SslCredentials(options);
}

std::shared_ptr<grpc::Channel> channel(const Connection& connection) {
  grpc::ChannelArguments arguments;
  arguments.SetMaxReceiveMessageSize(kMessageBytesMax);
  arguments.SetMaxSendMessageSize(kMessageBytesMax);
  arguments.SetInt(GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS, kReconnectMinMs);
  arguments.SetInt(GRPC_ARG_MIN_RECONNECT_BACKOFF_MS, kConnectMs);
  arguments.SetInt(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, kReconnectMaxMs);
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIME_MS, kKeepaliveMs);
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, kKeepaliveTimeoutMs);
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);  // a connection of its own
  arguments.SetInt(GRPC_ARG_ENABLE_RETRIES, 0);             // the SDK knows what may be repeated
  // A proxy of the environment is not on the way to a server of the same house.
  arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
  if (connection.tls && !connection.tls->server_name.empty()) arguments.SetSslTargetNameOverride(connection.tls->server_name);
  return grpc::CreateCustomChannel(connection.address, credentials(connection), arguments);
}

}  // namespace

Result<Connection> checked(Connection connection) {
  const std::string given = connection.address;
  strip(connection.address, "http://");
  if (strip(connection.address, "https://") && !connection.tls) connection.tls = Tls{};
  while (connection.address.ends_with('/')) connection.address.pop_back();
  const auto colon = connection.address.rfind(':');
  const std::string port = colon == std::string::npos ? "" : connection.address.substr(colon + 1);
  const bool number = !port.empty() && port.size() <= 5 && port.find_first_not_of("0123456789") == std::string::npos;
  if (colon == 0 || !number || std::stoi(port) < 1 || std::stoi(port) > 65'535)
    return wire::invalid(fmt::format("address '{}': give HOST:PORT, with a port of 1 to 65535", given));
  if (connection.ns.empty()) return wire::invalid("namespace '': give a name");
  if (connection.timeout <= Duration(0))
    return wire::invalid(fmt::format("timeout {} ms: give 1 or more", connection.timeout.count()));
  if (connection.token.find_first_of("\r\n") != std::string::npos) return wire::invalid("token: it holds a line break");
  if (!connection.tls) return connection;
  const Tls& tls = *connection.tls;
  for (const std::string& path : {tls.ca_file, tls.certificate_file, tls.key_file})
    if (!file_text(path)) return wire::invalid(fmt::format("tls: {} cannot be read", path));
  if (tls.certificate_file.empty() != tls.key_file.empty())
    return wire::invalid("tls: give both certificate and key, or neither");
  return connection;
}

Result<Nothing> validate(const RetryPolicy& policy) {
  if (policy.attempts_max == 0) return wire::invalid("retry attempts_max 0: give 1 or more, or a negative number for no limit");
  if (policy.first_delay && policy.first_delay->count() < 1)
    return wire::invalid(fmt::format("retry first_delay {} ms: give 1 or more", policy.first_delay->count()));
  if (policy.delay_max && policy.delay_max->count() < 1)
    return wire::invalid(fmt::format("retry delay_max {} ms: give 1 or more", policy.delay_max->count()));
  if (policy.factor && !(*policy.factor >= 1.0 && *policy.factor <= 1'000.0))
    return wire::invalid(fmt::format("retry factor {}: give 1 to 1000", *policy.factor));
  return Nothing{};
}

namespace wire {

Wire::Wire(const Connection& connection) : connection_(connection) {
  const std::shared_ptr<grpc::Channel> to = channel(connection_);
  workflows_ = kagzi::v1::WorkflowService::NewStub(to);
  workers_ = kagzi::v1::WorkerService::NewStub(to);
  runs_ = muster::v1::RunService::NewStub(to);
  schedules_ = muster::v1::ScheduleService::NewStub(to);
}

void Wire::prepare(grpc::ClientContext& context, Duration wait) const {
  context.set_deadline(std::chrono::system_clock::now() + connection_.timeout + wait);
  if (!connection_.token.empty()) context.AddMetadata("authorization", "Bearer " + connection_.token);
}

Error error_of(const grpc::Status& status) {
  Error error{Code::internal, 0, status.error_message(), {}};
  switch (status.error_code()) {
    case grpc::StatusCode::INVALID_ARGUMENT:
    case grpc::StatusCode::OUT_OF_RANGE: error.code = Code::invalid_argument; break;
    case grpc::StatusCode::UNAUTHENTICATED: error.code = Code::unauthenticated; break;
    case grpc::StatusCode::PERMISSION_DENIED: error.code = Code::permission_denied; break;
    case grpc::StatusCode::NOT_FOUND: error.code = Code::not_found; break;
    case grpc::StatusCode::ALREADY_EXISTS: error.code = Code::already_exists; break;
    case grpc::StatusCode::FAILED_PRECONDITION:
    case grpc::StatusCode::ABORTED: error.code = Code::conflict; break;
    case grpc::StatusCode::RESOURCE_EXHAUSTED: error.code = Code::exhausted; break;
    case grpc::StatusCode::UNAVAILABLE: error.code = Code::unavailable; break;
    case grpc::StatusCode::DEADLINE_EXCEEDED: error.code = Code::outcome_unknown; break;
    case grpc::StatusCode::CANCELLED: error.code = Code::interrupted; break;
    case grpc::StatusCode::UNIMPLEMENTED:
    case grpc::StatusCode::DATA_LOSS: error.code = Code::bad_reply; break;
    default: error.code = Code::internal; break;
  }
  // The services of muster.v1 say the code itself.
  muster::v1::ErrorDetail detail;
  if (!status.error_details().empty() && detail.ParseFromString(status.error_details()))
    if (const auto code = parse_code(detail.code())) error.code = *code;
  return error;
}

Error error_of(const grpc::Status& status, std::string_view what) {
  Error error = error_of(status);
  error.detail = fmt::format("{}: {}", what, error.detail);
  return error;
}

std::string trailer(const grpc::ClientContext& context, const char* name) {
  const auto& all = context.GetServerTrailingMetadata();
  const auto it = all.find(name);
  return it == all.end() ? std::string() : std::string(it->second.data(), it->second.size());
}

void set(google::protobuf::Duration* out, Duration length) {
  out->set_seconds(length.count() / 1'000);
  out->set_nanos(static_cast<std::int32_t>(length.count() % 1'000) * 1'000'000);
}

void set(google::protobuf::Timestamp* out, Instant at) {
  const auto ms = at.time_since_epoch().count();
  const auto seconds = ms >= 0 ? ms / 1'000 : (ms - 999) / 1'000;
  out->set_seconds(seconds);
  out->set_nanos(static_cast<std::int32_t>(ms - seconds * 1'000) * 1'000'000);
}

Instant instant(const google::protobuf::Timestamp& at) {
  return Instant(Duration(at.seconds() * 1'000 + at.nanos() / 1'000'000));
}

void set(kagzi::v1::RetryPolicy* out, const RetryPolicy& policy) {
  if (policy.attempts_max) out->set_maximum_attempts(*policy.attempts_max);
  if (policy.first_delay) out->set_initial_interval_ms(policy.first_delay->count());
  if (policy.factor) out->set_backoff_coefficient(*policy.factor);
  if (policy.delay_max) out->set_maximum_interval_ms(policy.delay_max->count());
  for (const std::string& text : policy.non_retryable) out->add_non_retryable_errors(text);
}

}  // namespace wire
}  // namespace muster::sdk::workflow
