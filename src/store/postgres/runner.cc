#include "store/postgres/runner.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/log.h"
#include "store/postgres/cluster/backoff.h"
#include "store/postgres/migrations.h"
#include "store/refusals.h"

namespace muster::store::postgres {

// What they submit comes out of answers they deliver, and they look for work right after. Waking another thread for the first of
// them would tear groups apart.
thread_local bool Runner::is_runner_thread = false;

Ticks Runner::ticks_now() { return RealClock().elapsed(); }

Runner::Runner(Node& node, const Clock& contact_clock) : node_(node), contact_clock_(contact_clock), contact_(contact_now()) {}
Runner::~Runner() { abandon(); }

// --- connections ---------------------------------------------------------------------------------------------------

Result<std::unique_ptr<Connection>> Runner::connect() {
  const Options& options = node_.options;
  ConnectOptions connect_options;
  connect_options.url = options.url;
  connect_options.application = "muster " + options.node;
  connect_options.schema = options.schema;
  connect_options.connect_timeout = options.connect_timeout;
  connect_options.statement_timeout = options.statement_timeout;
  connect_options.preparing = options.preparing;
  auto opened = Connection::open(connect_options);
  if (!opened.ok()) return opened.status();
  const std::unique_ptr<Connection>& connection = *opened;
  {
    const std::lock_guard lock(init_mutex_);
    if (!initialised_) {
      if (Status status = migrate(*connection, options.schema); !status.ok()) return status;
      const auto salt = connection->query(fmt::format("SELECT value FROM {}.meta WHERE name = 'salt'", quoted(options.schema)));
      if (!salt.ok()) return salt.status();
      if (salt->size() == 0) return Status::corrupt("the schema's meta table has no salt");
      node_.use_salt(std::strtoull(salt->text(0, 0).c_str(), nullptr, 10));
      initialised_ = true;
    }
  }
  if (Status status = connection->start_pipeline(); !status.ok()) return status;
  return std::move(*opened);
}

Status Runner::start() {
  auto opened = connect();
  if (!opened.ok() && opened.status().code() != Code::unavailable) return opened.status();
  if (opened.ok()) {
    first_ = std::move(*opened);
  } else {
    health_ = {false, opened.status().message()};
    log::warn("the database cannot be reached yet; the node starts and keeps trying", {{"reason", opened.status().message()}});
  }
  const std::size_t count = std::clamp(node_.options.connections, kConnectionsMin, kConnectionsMax);
  if (first_) connected_ = 1;
  for (std::size_t i = 0; i < count; ++i) threads_.emplace_back([this, i] { run(i); });
  threads_.emplace_back([this] { run_long_reads(); });
  return {};
}

void Runner::run(std::size_t index) {
  is_runner_thread = true;
  std::unique_ptr<Connection> connection;
  const bool prefers_units = index + 1 == std::clamp(node_.options.connections, kConnectionsMin, kConnectionsMax);
  if (index == 0) connection = std::move(first_);
  bool counted = connection != nullptr;
  if (counted) node_.metrics.connections.add(1);
  Backoff backoff(node_);
  while (true) {
    if (connection == nullptr || !connection->alive()) {
      if (counted) {
        counted = false;
        node_.metrics.connections.add(-1);
        node_.metrics.reconnects.add();
        went_down(connection->trouble().status());
      }
      connection.reset();
      auto opened = connect();
      if (opened.ok()) {
        connection = std::move(*opened);
        backoff.reset();
        counted = true;
        node_.metrics.connections.add(1);
        came_up();
        continue;
      }
      could_not_connect(opened.status());
      std::unique_lock lock(mutex_);
      // On the way out only a thread with a connection can still do what waits.
      if (wake_.wait_for(lock, backoff.next(), [this] { return stopping_; })) break;
      continue;
    }
    Work work;
    if (!wait_for_work(prefers_units, work)) break;
    if (!connection->still_there()) {
      // It went away while it was idle: nothing was sent, so the work goes to another one, or to this one made anew.
      put_back(std::move(work));
      continue;
    }
    try {
      excuse_gap(*connection);
      if (!connection->alive()) {
        put_back(std::move(work));
        continue;
      }
      const Contact begun = contact_now();
      perform(*connection, work);
      if (connection->alive() && health().writable) reached(begun);
    } catch (...) {
      const Incident incident(node_.incidents, "store verbs");
      clear(*connection);
    }
  }
  if (counted) {
    node_.metrics.connections.add(-1);
    const std::lock_guard lock(mutex_);
    --connected_;
  }
}

void Runner::reached(Contact begun) {
  const std::lock_guard lock(contact_mutex_);
  if (begun.elapsed >= contact_.elapsed) contact_ = begun;
}

void Runner::excuse_gap(Connection& connection) {
  const std::lock_guard lock(contact_mutex_);
  const Contact now = contact_now();
  if (now.elapsed - contact_.elapsed <= kContactGapMax && now.wall - contact_.wall <= kContactGapMax) return;
  if (excuse_silence(connection)) contact_ = now;
}

void Runner::came_up() {
  const std::lock_guard lock(mutex_);
  if (connected_++ == 0) log::info("the database is there", {{"store", without_secrets(node_.options.url)}});
  health_ = {};
}

void Runner::went_down(const Status& status) {
  bool last = false;
  {
    const std::lock_guard lock(mutex_);
    last = --connected_ == 0;
    if (last) health_ = {false, status.message()};
  }
  if (!last) return;
  log::warn("the database is away", {{"reason", status.message()}});
  drain_refused(Status::unavailable(status.message()));
}

void Runner::could_not_connect(const Status& status) {
  const std::lock_guard lock(mutex_);
  // One connection that cannot be made while others work is not the store's health.
  if (connected_ == 0) health_ = {false, status.message()};
}

// The server answers and refuses: a full disk, a standby, a missing right. Reads may go on; only a write that goes through ends
// it.
void Runner::could_not_write(const std::string& reason) {
  const std::lock_guard lock(mutex_);
  health_ = {false, reason};
}

void Runner::wrote() {
  const std::lock_guard lock(mutex_);
  if (connected_ > 0 && !health_.writable) health_ = {};
}

StoreHealth Runner::health() const {
  const std::lock_guard lock(mutex_);
  return health_;
}

std::uint32_t Runner::pending() const {
  const std::lock_guard lock(mutex_);
  return static_cast<std::uint32_t>(waiting_);
}

// --- the end -------------------------------------------------------------------------------------------------------

void Runner::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_all();
  wake_long_reads_.notify_all();
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
  drain_refused(refusal::closed());
}

void Runner::abandon() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = abandoned_ = true;
  }
  wake_.notify_all();
  wake_long_reads_.notify_all();
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
  drain_refused(refusal::closed());
}

}  // namespace muster::store::postgres
