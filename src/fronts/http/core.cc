#include "fronts/http/core.h"

#include <fmt/format.h>

#include "fronts/http/routes.h"

namespace muster::http {
namespace {

// Larger replies are sent as they are: the loop's thread compresses, and everybody else waits for it.
constexpr std::size_t kGzipBytesMax = 1024 * 1024;

constexpr Duration kSessionsLookEvery{30'000};

}  // namespace

Core::Core(net::IoLoop& with_loop, command::Door& with_door, Metrics& with_metrics, HttpOptions with_options)
    : loop(with_loop),
      door(with_door),
      metrics(with_metrics),
      incidents(with_metrics, "wire"),
      options(std::move(with_options)),
      brake(options.brake ? options.brake : std::make_shared<auth::Brake>()),
      authenticator(options.auth, brake),
      events(std::make_shared<EventHub>(with_loop, with_door.events(), options.limits, incidents)),
      pages(options.pages, options.pages_missing),
      sessions_look_(with_loop) {}

bool Core::still_valid(const Credential& credential) const {
  if (!authenticator.still_valid(credential)) return false;
  return credential.session == auth::Digest{} || sessions.is_open(credential.session, loop.clock().elapsed());
}

void Core::revoke_streams() {
  const auto valid = [this](const Credential& credential) { return still_valid(credential); };
  events->revoke(valid);
  if (run_events.revoke) run_events.revoke(valid);
}

void Core::watch_sessions() {
  if (std::exchange(sessions_watched_, true)) return;
  sessions_look_.start(kSessionsLookEvery, [this] {
    sessions_watched_ = false;
    sessions.forget_over(loop.clock().elapsed());
    revoke_streams();
    if (!sessions.empty()) watch_sessions();
  });
}

void Core::end_sessions() {
  sessions = {};
  sessions_look_.cancel();
  sessions_watched_ = true;
}

const std::string& Core::date() {
  const Instant now = door.clock().now();
  if (date_.empty() || now < date_at_ || now - date_at_ >= std::chrono::seconds(1)) {
    date_at_ = std::chrono::floor<std::chrono::seconds>(now);
    date_ = http_date(now);
  }
  return date_;
}

bool Core::compress(ReturnPath::Outcome& outcome) {
  const std::size_t size = outcome.response.body.size();
  if (!outcome.gzip_allowed || size < options.limits.gzip_bytes_min || size > kGzipBytesMax) return false;
  auto compressed = gzip.compress(outcome.response.body);
  if (!compressed) return false;
  outcome.response.body = *std::move(compressed);
  return true;
}

UniqueFunction<void(bool)> Core::hand_back_unless_taken(std::vector<Grant> grants) {
  if (grants.empty()) return {};
  return [core = shared_from_this(), grants = std::move(grants)](bool taken) {
    if (!taken) core->door.delivery().hand_back(grants);
  };
}

Core::RouteMetrics& Core::metrics_of(const Route* route) {
  RouteMetrics& found = route_metrics_[route];
  if (found.duration == nullptr) {
    found.label = route == nullptr ? "unmatched" : fmt::format("{} {}", to_string(route->method), route->pattern);
    found.duration = &metrics.histogram("muster_http_request_duration_seconds", "From the last byte of a request to its answer.",
                                        latency_bounds(), {{"route", found.label}});
  }
  return found;
}

void Core::measure(const Route* route, unsigned status, Ticks took) {
  RouteMetrics& entry = metrics_of(route);
  Counter*& requests = entry.requests[status];
  if (requests == nullptr)
    requests = &metrics.counter("muster_http_requests_total", "Requests answered, by route and status.",
                                {{"route", entry.label}, {"status", std::to_string(status)}});
  requests->add();
  entry.duration->observe(std::chrono::duration<double>(took).count());
}

}  // namespace muster::http
