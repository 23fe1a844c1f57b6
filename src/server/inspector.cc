#include "server/inspector.h"

#include <fmt/format.h>

#include <iterator>
#include <utility>

#include "base/incident.h"
#include "server/config_command.h"
#include "server/doctor.h"

namespace muster::server {
namespace {

using command::Check;
using command::CheckState;
using command::CheckUp;

CheckState state_of(Grade grade) {
  switch (grade) {
    case Grade::ok: return CheckState::ok;
    case Grade::warn: return CheckState::warn;
    case Grade::fail: return CheckState::fail;
  }
  unreachable();
}

Finding check_writable(const store::StoreHealth& health) {
  if (health.writable) return good("store", "it can be written");
  return {
      .name = "store", .grade = Grade::fail, .text = health.reason, .remedy = "mend what it names; the server goes on by itself"};
}

Finding check_background(bool alive) {
  if (alive) return good("background work", "goes on");
  return {.name = "background work",
          .grade = Grade::fail,
          .text = "no pass has ended for a while",
          .remedy = "look at the log and at the disk; if it stays like this, start the server again"};
}

}  // namespace

command::ConfigShown shown_config(const Config& config) {
  command::ConfigShown out;
  out.file = config.file;
  for (const ConfigEntry& entry : config.entries)
    out.settings.push_back({.section = std::string(entry.setting->section),
                            .key = std::string(entry.setting->key),
                            .value = shown_setting(entry),
                            .fallback = std::string(entry.setting->fallback),
                            .source = entry.source,
                            .help = std::string(entry.setting->help),
                            .reloadable = entry.setting->reloadable});
  for (const NamespaceEntry& own : config.namespace_entries)
    out.namespaces.push_back({.ns = own.ns,
                              .section = std::string(own.entry.setting->section),
                              .key = std::string(own.entry.setting->key),
                              .value = shown_setting(own.entry),
                              .source = own.entry.source});
  for (const Credential& credential : config.credentials)
    out.credentials.push_back({.name = credential.name,
                               .role = std::string(command::to_string(credential.role)),
                               .worker = credential.worker,
                               .namespaces = credential.namespaces,
                               .source = credential.source});
  return out;
}

Inspector::Inspector(Config config, const Clock& clock, InspectorOptions options)
    : clock_(clock), options_(std::move(options)), config_(std::move(config)) {}

Inspector::~Inspector() { stop(); }

command::ConfigShown Inspector::config() const {
  const std::lock_guard lock(mutex_);
  return shown_config(config_);
}

Config Inspector::running() const {
  const std::lock_guard lock(mutex_);
  return config_;
}

void Inspector::reloaded(const Config& config) {
  const std::lock_guard lock(mutex_);
  for (std::size_t i = 0; i < config_.entries.size(); ++i)
    if (config_.entries[i].setting->reloadable) config_.entries[i] = config.entries[i];
  config_.credentials = config.credentials;
}

void Inspector::check(Reply<CheckUp> reply) {
  std::optional<CheckUp> known;
  {
    const std::lock_guard lock(mutex_);
    if (last_ && clock_.elapsed() - last_at_ < kCheckUpKept) {
      known = last_;
    } else if (!stopped_ && waiting_.size() < kCheckUpWaitersMax) {
      if (!thread_.joinable()) thread_ = std::thread([this] { run(); });
      waiting_.push_back(std::move(reply));
      asked_.notify_one();
      return;
    }
  }
  if (known) return reply(*std::move(known));
  reply(Status::exhausted("too many wait for a check-up of the server"));
}

void Inspector::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
  }
  asked_.notify_one();
  if (thread_.joinable()) thread_.join();
}

void Inspector::run() {
  std::unique_lock lock(mutex_);
  while (true) {
    asked_.wait(lock, [this] { return stopped_ || !waiting_.empty(); });
    if (waiting_.empty()) return;
    const Config config = config_;
    lock.unlock();
    const Result<CheckUp> result = guarded(config);
    lock.lock();
    if (result.ok()) {
      last_ = *result;
      last_at_ = clock_.elapsed();
    }
    auto waiting = std::exchange(waiting_, {});
    lock.unlock();
    for (Reply<CheckUp>& reply : waiting) reply(result);
    lock.lock();
  }
}

Result<CheckUp> Inspector::guarded(const Config& config) const {
  try {
    return examine(config);
  } catch (...) {
    const Incident incident(Incidents("engine"), "check-up");
    return incident.status();
  }
}

CheckUp Inspector::examine(const Config& config) const {
  std::vector<Finding> findings{check_writable(options_.store_health()), check_background(options_.alive())};
  const auto take = [&findings](std::vector<Finding> more) { std::move(more.begin(), more.end(), std::back_inserter(findings)); };
  take(check_data_dir(config));
  take(check_system(config, clock_));
  if (config.on_postgres()) take(check_postgres(config));
  take(check_secret_files(config));
  take(check_tls(config, clock_));
  take(check_agents(config));
  CheckUp out;
  out.at = clock_.now();
  for (Finding& finding : findings)
    out.checks.push_back({.name = std::move(finding.name),
                          .state = state_of(finding.grade),
                          .text = std::move(finding.text),
                          .remedy = std::move(finding.remedy)});
  return out;
}

}  // namespace muster::server
