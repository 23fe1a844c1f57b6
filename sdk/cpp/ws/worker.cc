#include "sdk/cpp/ws/worker.h"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <climits>
#include <optional>
#include <utility>

#include "sdk/cpp/signal_watch.h"
#include "sdk/cpp/ws/certificate.h"
#include "sdk/cpp/ws/errors.h"
#include "sdk/cpp/ws/worker_state.h"

namespace muster::sdk::ws {
namespace {

constexpr Duration kHeartbeatShortest{100};
constexpr Duration kHeartbeatLongest{3'600'000};
constexpr std::size_t kNameBytesMax = 256;

const RealClock& real_clock() {
  static const RealClock clock;
  return clock;
}

Error wrong(std::string_view setting, std::string_view why) {
  return error_of(Code::invalid_argument, fmt::format("{}: {}", setting, why));
}

std::string machine_name() {
  std::array<char, HOST_NAME_MAX + 1> name{};
  const bool known = ::gethostname(name.data(), name.size() - 1) == 0 && name[0] != '\0';
  return known ? std::string(name.data()) : "localhost";
}

bool is_name(std::string_view text) { return !text.empty() && text.size() <= kNameBytesMax; }

std::optional<Error> judge(const WorkerOptions& options) {
  for (const auto& [setting, value] : {std::pair{"tenant", &options.tenant}, std::pair{"name", &options.name},
                                       std::pair{"version", &options.version}, std::pair{"hostname", &options.hostname}})
    if (!is_name(*value)) return wrong(setting, fmt::format("expected 1 to {} bytes, got {}", kNameBytesMax, value->size()));
  if (options.max_parallel < 1 || options.max_parallel > kParallelMax)
    return wrong("max_parallel", fmt::format("{} is not from 1 to {}", options.max_parallel, kParallelMax));
  for (const auto& [type, limit] : options.per_node_limits)
    if (limit < 1) return wrong("per_node_limits", fmt::format("`{}` has 0, expected 1 or more", type));
  if (options.window < 1 || options.window > session::kSessionWindowMax)
    return wrong("window", fmt::format("{} is not from 1 to {}", options.window, session::kSessionWindowMax));
  if (options.heartbeat < kHeartbeatShortest || options.heartbeat > kHeartbeatLongest)
    return wrong("heartbeat", fmt::format("{} ms is not from {} to {}", options.heartbeat.count(), kHeartbeatShortest.count(),
                                          kHeartbeatLongest.count()));
  if (options.heartbeat_jitter < Duration(0) || options.heartbeat_jitter > kHeartbeatLongest)
    return wrong("heartbeat_jitter",
                 fmt::format("{} ms is not from 0 to {}", options.heartbeat_jitter.count(), kHeartbeatLongest.count()));
  if (options.runtimes.empty()) return wrong("runtimes", "expected at least one");
  int without_manifest = 0;
  for (const Package& package : options.packages) {
    if (!is_name(package.name) || !is_name(package.version)) return wrong("packages", "each has a name and a version");
    if (!package.manifest.is_object() && ++without_manifest > 1)
      return wrong("packages", "only one may be without a manifest: the handlers belong to it");
  }
  return std::nullopt;
}

}  // namespace

Result<Nothing> check_url(std::string_view url) {
  if (auto endpoint = parse_endpoint(url); !endpoint.ok()) return endpoint.error();
  return Nothing{};
}

Worker::Worker(std::shared_ptr<State> state) : state_(std::move(state)) {}

Worker::~Worker() {
  stop();
  static_cast<void>(wait());
}

Result<std::unique_ptr<Worker>> Worker::open(WorkerOptions options) {
  auto endpoint = parse_endpoint(options.url);
  if (!endpoint.ok()) return endpoint.error();
  if (options.hostname.empty()) options.hostname = machine_name();
  if (const auto error = judge(options)) return *error;
  std::string fingerprint = options.fingerprint;
  if (options.auth == AuthMode::mtls && fingerprint.empty()) {
    if (options.tls.cert_file.empty()) return wrong("auth", "mtls needs tls.cert_file or a fingerprint");
    auto found = certificate_fingerprint(options.tls.cert_file);
    if (!found.ok()) return found.error();
    fingerprint = *std::move(found);
  }
  std::optional<InstanceId> identity;
  if (options.protocol == ProtocolVersion::v2 && options.instance_id.empty()) {
    auto opened = InstanceId::open(options.instance_file);
    if (!opened.ok()) return opened.error();
    options.instance_id = opened->text();
    identity.emplace(std::move(*opened));
  }
  auto state = std::make_shared<State>(std::move(options), std::move(*endpoint), std::move(fingerprint), std::move(identity),
                                       real_clock());
  return std::unique_ptr<Worker>(new Worker(std::move(state)));
}

Worker& Worker::add(std::string node_type, Handler handler) {
  const std::string type = node_type;
  if (!state_->handlers.emplace(std::move(node_type), std::move(handler)).second && state_->mistake.empty())
    state_->mistake = fmt::format("node type `{}` is registered twice", type);
  return *this;
}

Result<Nothing> Worker::run() {
  if (auto started = start(); !started.ok()) return started;
  std::optional<SignalWatch> signals;
  if (state_->options.handles_signals) signals.emplace([this](int count) { count == 1 ? shutdown() : stop(); });
  return wait();
}

Result<Nothing> Worker::start() { return state_->start(); }
Result<Nothing> Worker::wait() { return state_->wait(); }
bool Worker::wait_for_handlers(Duration at_most) { return state_->wait_for_handlers(at_most); }
void Worker::shutdown() { drain(state_->options.drain_deadline); }
void Worker::drain(Duration deadline) { state_->drain(deadline); }
WorkerStatus Worker::status() const { return state_->status(); }
ResourceRegistry& Worker::resources() { return *state_->options.resources; }
std::string Worker::metrics() const { return state_->metrics.text(); }

}  // namespace muster::sdk::ws
