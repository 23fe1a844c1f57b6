#include "fronts/ws/packages.h"

#include <algorithm>
#include <utility>

#include "base/log.h"
#include "fronts/ws/core.h"
#include "fronts/ws/member_text.h"
#include "fronts/ws/worker_session.h"

namespace muster::ws {
namespace {

using session::FrameKind;
using session::Protocol;

constexpr Duration kAskAgainAfterFailure{5'000};
constexpr std::string_view kCannotInstall =
    "E.PKG.INVALID: workers of protocol 1 end when they are asked to install; one that can offers the feature pkg";

std::string unable(const WorkerSession& session) {
  if (session.identity().protocol == Protocol::v2) return {};
  const std::vector<std::string>& features = session.registration().features;
  return std::find(features.begin(), features.end(), kPackageFeature) != features.end() ? std::string()
                                                                                        : std::string(kCannotInstall);
}

std::vector<WorkerPackage> packages_of(const Registration& registration) {
  std::vector<WorkerPackage> out;
  for (const Package& package : registration.packages)
    out.push_back({package.name, package.version, parse_package_status(package.status).value_or(PackageStatus::failed)});
  return out;
}

// What a package event tells besides its status.
std::string message_of(const json::Tree& payload) {
  std::string out;
  if (const json::Tree* details = json::member(payload, "details")) {
    for (const char* name : {"message", "error", "reason"})
      if (out.empty()) out = text_of(*details, name);
    if (out.empty() && details->is_object() && !details->empty()) out = json::dump(*details);
  }
  if (out.empty()) out = text_of(payload, "log_url");
  return out;
}

}  // namespace

SessionPackages::SessionPackages(WorkerSession& session)
    : session_(session), due_(session.core().deadlines, [this] { time_over(); }) {}

SessionPackages::~SessionPackages() { *alive_ = false; }

void SessionPackages::registered(Registered how) {
  ordered_ = false;
  tells_ = true;
  afresh_ = afresh_ || how == Registered::anew;
  look();
}

void SessionPackages::look() {
  // Who is away is looked at when it is back.
  if (session_.channel().socket() != nullptr) due();
}

void SessionPackages::time_over() {
  too_late_ = ordered_;
  look();
}

// Time is over for who is away, too.
void SessionPackages::due() {
  if (asking_)
    again_ = true;
  else
    ask();
}

void SessionPackages::ask() {
  asking_ = true;
  again_ = false;
  const Identity& identity = session_.identity();
  command::PackageReconcileRequest report;
  report.ns = NamespaceName(identity.tenant);
  report.worker = WorkerId(identity.instance);
  report.worker_name = identity.name;
  report.labels = session_.spec().labels;
  report.unable = unable(session_);
  const bool afresh = std::exchange(afresh_, false);
  report.contact = {.afresh = afresh, .away = session_.channel().socket() == nullptr};
  const bool tells = std::exchange(tells_, false);
  if (tells) {
    report.packages = packages_of(session_.registration());
    report.manifests = session_.take_manifests();
  }
  session_.core().ask(session_.caller(), std::move(report),
                      [this, alive = alive_, tells, afresh](const Result<command::PackageInstructions>& instructions) {
                        if (!*alive) return;
                        asking_ = false;
                        if (instructions.ok()) return answered(*instructions);
                        tells_ = tells_ || tells;
                        afresh_ = afresh_ || afresh;
                        refused(instructions.status());
                      });
}

void SessionPackages::refused(const Status& why) {
  log::warn("the packages of a worker were not taken down",
            {{"worker_id", session_.identity().instance}, {"reason", why.message()}});
  due_.set(session_.core().steady() + kAskAgainAfterFailure);
}

void SessionPackages::answered(const command::PackageInstructions& instructions) {
  const Core& core = session_.core();
  drift_ = instructions.drift;
  // Perhaps it has done what it was told, and cannot say so.
  if (std::exchange(too_late_, false) && drift_) {
    ordered_ = false;
    session_.make_it_register();
  }
  for (const command::PackageOrder& order : instructions.orders) send(order);
  due_.set(instructions.look_at ? std::optional(core.steady() + std::max(*instructions.look_at - core.now(), Duration::zero()))
                                : std::nullopt);
  if (again_) look();
}

void SessionPackages::send(const command::PackageOrder& order) {
  json::Tree payload{{"name", order.name}};
  if (!order.version.empty()) payload["version"] = order.version;
  if (!order.url.empty()) payload["url"] = order.url;
  if (!order.sha256.empty()) payload["sha256"] = order.sha256;
  const std::string id = session_.core().next_id();
  const std::string text = json::dump(payload);
  const FrameKind kind = order.op == PackageOp::install ? FrameKind::package_install : FrameKind::package_uninstall;
  const Status sent = session_.channel().send({.kind = kind, .id = id, .corr = id, .payload = text});
  ordered_ = ordered_ || sent.ok();
  // It is sent again when its time is over.
  if (!sent.ok())
    log::warn("an order about a package was not sent",
              {{"worker_id", session_.identity().instance}, {"id", id}, {"reason", sent.message()}});
}

void SessionPackages::event(const session::Envelope& frame, Arrived arrived) {
  ordered_ = false;
  const std::string name = text_of(frame.payload.tree(), "name");
  const std::string version = text_of(frame.payload.tree(), "version");
  command::PackageNoteRequest notice;
  notice.ns = NamespaceName(session_.identity().tenant);
  notice.worker = WorkerId(session_.identity().instance);
  notice.worker_name = session_.identity().name;
  notice.name = name;
  notice.version = version;
  notice.status = text_of(frame.payload.tree(), "status") == "installed" ? PackageStatus::installed : PackageStatus::failed;
  notice.message = message_of(frame.payload.tree());
  const bool installed = notice.status == PackageStatus::installed;
  session_.core().ask(session_.caller(), std::move(notice),
                      [this, alive = alive_, arrived, name, version, installed](const Result<command::PackageNoticed>& noted) {
                        if (!*alive) return;
                        if (!noted.ok())
                          log::warn("an event of a package was not taken down",
                                    {{"worker_id", session_.identity().instance}, {"reason", noted.status().message()}});
                        session_.channel().done(arrived);
                        // A worker of protocol 1 does not register again: its event is all it says.
                        if (noted.ok() && installed && session_.identity().protocol == Protocol::v1)
                          return learn(name, version, noted->op.value_or(PackageOp::install));
                        look();
                      });
}

void SessionPackages::learn(const std::string& name, const std::string& version, PackageOp op) {
  Registration registration = session_.registration();
  std::erase_if(registration.packages,
                [&](const Package& package) { return package.name == name && package.version == version; });
  if (op == PackageOp::install) registration.packages.push_back({name, version, "installed"});
  session_.registered_again(std::move(registration));
}

}  // namespace muster::ws
