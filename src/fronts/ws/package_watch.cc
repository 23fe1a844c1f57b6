#include "fronts/ws/package_watch.h"

#include <utility>

#include "command/packages.h"
#include "fronts/ws/core.h"
#include "fronts/ws/sessions.h"
#include "fronts/ws/worker_session.h"

namespace muster::ws {
namespace {

constexpr Duration kPollEvery{2'000};
constexpr std::size_t kTenantsAtOnce = 100;  // asked about in one poll
constexpr Duration kLookPause{50};
constexpr std::size_t kLooksAtOnce = 50;  // sessions that look between two pauses

}  // namespace

PackageWatch::PackageWatch(Core& core)
    : core_(core), poll_(core.deadlines, [this] { poll(); }), look_(core.deadlines, [this] { look_some(); }) {}

void PackageWatch::start() {
  if (std::exchange(watching_, true)) return;
  poll_.set(core_.steady() + kPollEvery);
}

void PackageWatch::stop() {
  watching_ = false;
  poll_.set(std::nullopt);
  look_.set(std::nullopt);
  tenants_.clear();
  waiting_.clear();
}

void PackageWatch::poll() {
  poll_.set(core_.steady() + kPollEvery);
  std::map<std::string, Tenant> present;
  for (const auto& session : core_.sessions->all()) {
    const std::string& tenant = session->identity().tenant;
    if (!present.contains(tenant)) present.emplace(tenant, std::move(tenants_[tenant]));
  }
  tenants_ = std::move(present);
  if (tenants_.empty()) return;
  auto next = tenants_.upper_bound(polled_up_to_);
  for (std::size_t i = 0; i < std::min(kTenantsAtOnce, tenants_.size()); ++i, ++next) {
    if (next == tenants_.end()) next = tenants_.begin();
    const std::string& name = next->first;
    polled_up_to_ = name;
    if (std::exchange(next->second.asking, true)) continue;
    core_.ask(command::itself(), command::PackageWatchRequest{NamespaceName(name)},
              [weak = weak_from_this(), name](const Result<std::string>& version) {
                if (const auto self = weak.lock()) self->polled(name, version);
              });
  }
}

void PackageWatch::polled(const std::string& tenant, const Result<std::string>& version) {
  const auto found = tenants_.find(tenant);
  if (found == tenants_.end()) return;
  found->second.asking = false;
  if (!version.ok()) return;
  const bool other = found->second.known && found->second.version != *version;
  // What is wanted before the first answer was seen by every session when it connected, or is told by an event.
  const bool first = !std::exchange(found->second.known, true);
  found->second.version = *version;
  if (other || (first && !version->empty())) changed(tenant);
}

void PackageWatch::changed(const std::string& tenant) {
  if (!watching_) return;
  for (const auto& session : core_.sessions->all())
    if (session->identity().tenant == tenant) waiting_.push_back(session);
  look_some();
}

void PackageWatch::look_some() {
  for (std::size_t i = 0; i < kLooksAtOnce && !waiting_.empty(); ++i) {
    const auto session = waiting_.front().lock();
    waiting_.pop_front();
    if (session) session->packages().look();
  }
  look_.set(waiting_.empty() ? std::nullopt : std::optional(core_.steady() + kLookPause));
}

}  // namespace muster::ws
