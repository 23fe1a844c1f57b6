#include "fronts/grpc/call_gate.h"

#include <fmt/format.h>

#include <utility>

#include "base/log.h"
#include "fronts/grpc/live_call.h"

namespace muster::rpc {
namespace {

auth::AuthOptions auth_options(const GrpcOptions& options) {
  return {.tokens = options.tokens, .required = options.auth_required};
}

constexpr std::size_t kTraceIdFrom = 3;  // 00-TRACEID-SPANID-FLAGS
constexpr std::size_t kTraceIdDigits = 32;

std::string_view trace_id(std::string_view traceparent) {
  if (traceparent.size() < kTraceIdFrom + kTraceIdDigits || traceparent[2] != '-') return {};
  const std::string_view id = traceparent.substr(kTraceIdFrom, kTraceIdDigits);
  return id.find_first_not_of("0123456789abcdefABCDEF") == std::string_view::npos ? id : std::string_view();
}

// What goes into logs and jobs stays one line.
bool is_printable(std::string_view text) {
  for (const char c : text)
    if (c < 0x20 || c == 0x7f) return false;
  return true;
}

}  // namespace

CallGate::CallGate(net::IoLoop& loop, command::Door& door, Metrics& metrics, GrpcOptions options)
    : incidents(metrics, "wire"),
      core(loop, door, metrics, std::move(options)),
      catalogue(metrics),
      brake_(core.options.brake ? core.options.brake : std::make_shared<auth::Brake>()),
      authenticator_(auth_options(core.options), brake_),
      token_needed_(core.options.auth_required),
      open_gauge_(metrics.gauge("muster_grpc_calls_open", "Calls that are not answered yet.")),
      correlations_(door.clock(), random_seed()) {
  // A secret is needed as its digest alone.
  for (Token& token : core.options.tokens) token.secret.clear();
}

Result<auth::Credential> CallGate::authenticate(std::string_view authorization, const std::string& address) {
  if (authorization.empty() && !token_needed_.load(std::memory_order_relaxed))
    return auth::Credential{
        .caller = {.role = command::Role::operator_role, .name = "anonymous", .address = address, .worker = {}}};
  const std::lock_guard lock(auth_mutex_);
  auto credential = authenticator_.authenticate(authorization, address, core.clock().elapsed());
  // A wrong token is worth a line, and the growing wait bounds how many there can be; a missing one is not.
  if (credential.code() == Code::unauthenticated && !authorization.empty())
    log::warn("authentication failed", {{"address", address}, {"front", std::string("grpc")}});
  return credential;
}

Result<auth::Credential> CallGate::admit(const Entry& entry, std::string_view authorization, const std::string& address) {
  if (!entry.open()) return authenticate(authorization, address);
  return auth::Credential{.caller = {.role = command::Role::read_only, .name = "anonymous", .address = address, .worker = {}}};
}

bool CallGate::still_valid(const auth::Credential& credential) {
  const std::lock_guard lock(auth_mutex_);
  return authenticator_.still_valid(credential);
}

std::string CallGate::correlation_of(const Metadata& received) {
  const auto find = [&](std::string_view name) -> std::string_view {
    for (const auto& [key, value] : received)
      if (key == name) return value;
    return {};
  };
  std::string_view given = find("x-correlation-id");
  if (given.empty()) given = trace_id(find("traceparent"));
  given = given.substr(0, kCorrelationBytesMax);
  return given.empty() || !is_printable(given) ? correlations_.next().text() : std::string(given);
}

void CallGate::stop_streams() {
  const std::set<StreamMethod*> told = streams_;  // one leaves the others when it has ended
  for (StreamMethod* const stream : told) stream->stopping();
}

void CallGate::set_tokens(const auth::AuthOptions& tokens) {
  const std::lock_guard lock(auth_mutex_);
  authenticator_ = auth::Authenticator(tokens, brake_);
  token_needed_ = tokens.required;
}

Status CallGate::open_call() {
  if (core.stopping.load(std::memory_order_relaxed)) return Status::unavailable("the server is stopping");
  const std::size_t before = open_.fetch_add(1, std::memory_order_relaxed);
  if (before >= core.options.limits.calls_max) {
    open_.fetch_sub(1, std::memory_order_relaxed);
    return Status::exhausted(fmt::format("{} calls are open already; try again", core.options.limits.calls_max));
  }
  open_gauge_.set(static_cast<double>(before + 1));
  return {};
}

void CallGate::close_call() { open_gauge_.set(static_cast<double>(open_.fetch_sub(1, std::memory_order_relaxed) - 1)); }

Status CallGate::open_watch(const std::string& address) {
  if (core.stopping.load(std::memory_order_relaxed)) return Status::unavailable("the server is stopping");
  const Limits& limits = core.options.limits;
  const std::lock_guard lock(watches_mutex_);
  if (watches_open_ >= limits.watches_max)
    return Status::exhausted(fmt::format("{} watches are open already; use Check, or try again", limits.watches_max));
  const auto own = watches_.find(address);
  if (own != watches_.end() && own->second >= limits.watches_per_address_max)
    return Status::exhausted(
        fmt::format("{} watches of this address are open already; use Check, or try again", limits.watches_per_address_max));
  ++watches_[address];
  ++watches_open_;
  return {};
}

void CallGate::close_watch(const std::string& address) {
  const std::lock_guard lock(watches_mutex_);
  --watches_open_;
  const auto own = watches_.find(address);
  if (--own->second == 0) watches_.erase(own);
}

bool CallGate::add_waiting(LiveCall& call, std::weak_ptr<Call> handle) {
  const std::lock_guard lock(waiting_mutex_);
  if (core.stopping) return false;
  waiting_.insert_or_assign(&call, std::move(handle));
  return true;
}

void CallGate::remove_waiting(LiveCall& call) {
  const std::lock_guard lock(waiting_mutex_);
  waiting_.erase(&call);
}

void CallGate::stop_waiting() {
  std::vector<std::pair<LiveCall*, CallRef>> told;
  {
    const std::lock_guard lock(waiting_mutex_);
    core.stopping = true;
    for (const auto& [call, handle] : waiting_)
      if (CallRef held = handle.lock()) told.emplace_back(call, std::move(held));
  }
  for (const auto& [call, held] : told) call->give_up(Status::unavailable("the server is stopping"));
}

}  // namespace muster::rpc
