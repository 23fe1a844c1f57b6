#include "store/postgres/cluster/notifier.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/log.h"

namespace muster::store::postgres {
Notifier::Notifier(Node& node, Metrics& metrics)
    : node_(node),
      channels_(node.options.schema),
      batches_(metrics.counter("muster_postgres_notify_batches_total", "Batches of notifications sent.")),
      failed_(metrics.counter("muster_postgres_notify_failed_total", "Batches of notifications that could not be sent.")),
      backoff_(node) {}

void Notifier::start() {
  if (!thread_.joinable()) thread_ = std::thread([this] { run(); });
}

void Notifier::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void Notifier::enqueue(const Changes& changes) {
  bool first = false;
  {
    const std::lock_guard lock(mutex_);
    first = backlog_.empty();
    backlog_.add(changes);
  }
  if (first) changed_.notify_one();
}

void Notifier::probe(std::string text) {
  {
    const std::lock_guard lock(mutex_);
    backlog_.probe = std::move(text);  // an older one that is still here has missed its time
  }
  changed_.notify_one();
}

void Notifier::run() {
  while (true) {
    if (connection_ == nullptr && !connect()) {
      rest(backoff_.next());
      const std::lock_guard lock(mutex_);
      if (stopping_) break;
      continue;
    }
    Backlog batch;
    bool last = false;
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return stopping_ || !backlog_.empty(); });
      changed_.wait_for(lock, kNotifyGather, [this] { return stopping_; });
      batch = std::exchange(backlog_, {});
      last = stopping_;
    }
    const Ticks begun = clock_.elapsed();
    if (!batch.empty() && !send_guarded(batch)) {
      const std::lock_guard lock(mutex_);
      backlog_.lost(batch);
    }
    if (last) break;
    rest(rest_after(clock_.elapsed() - begun));
  }
  if (connection_ != nullptr) node_.metrics.connections.add(-1);
  connection_.reset();
}

// A batch that took long met a busy database, which is then asked less often.
Duration Notifier::rest_after(Ticks sending) {
  return std::clamp(std::chrono::ceil<Duration>(sending * kNotifyRestFactor), kNotifyRestMin, kNotifyRestMax);
}

bool Notifier::send_guarded(const Backlog& batch) {
  try {
    return send(batch);
  } catch (...) {
    const Incident incident(node_.incidents, "notify");
    if (connection_ != nullptr) connection_->forget_calls();
    return false;
  }
}

bool Notifier::connect() {
  // Nothing is prepared: one small statement is all there is to say.
  auto opened = Connection::open({.url = node_.options.url,
                                  .application = "muster-notifier " + node_.options.node,
                                  .schema = node_.options.schema,
                                  .connect_timeout = node_.options.connect_timeout,
                                  .statement_timeout = node_.options.statement_timeout,
                                  .preparing = Preparing::never});
  Status status = opened.ok() ? (*opened)->start_pipeline() : opened.status();
  if (!status.ok()) {
    if (!std::exchange(told_trouble_, true))
      log::warn("notifications cannot be sent; other nodes find this node's work by polling until they can",
                {{"reason", status.message()}});
    return false;
  }
  connection_ = std::move(*opened);
  node_.metrics.connections.add(1);
  if (std::exchange(connected_before_, true)) node_.metrics.reconnects.add();
  if (std::exchange(told_trouble_, false)) log::info("notifications are sent again");
  backoff_.reset();
  return true;
}

bool Notifier::send(const Backlog& batch) {
  const Sender sender{.node = node_.options.node,
                      .sent_at_ms = to_ms(RealClock().now()),
                      .directory_version = node_.directory.version(),
                      .lane_number = [this](const LaneRef& lane) { return lane_number(lane); }};
  const std::vector<Payload> payloads = to_payloads(batch, channels_, sender);
  connection_->call_text("BEGIN");
  // A notification that is lost with a crash of the database costs a poll; waiting for its sync would cost every batch one.
  connection_->call_text("SET LOCAL synchronous_commit = off");
  for (const Payload& payload : payloads) connection_->call("notify"_sql, Params().text(payload.channel).text(payload.text));
  connection_->call_text("COMMIT");
  const auto answer = connection_->exchange();
  if (answer.ok()) {
    batches_.add();
    return true;
  }
  failed_.add();
  if (!std::exchange(told_trouble_, true))
    log::warn("notifications could not be sent; the connection is made anew", {{"reason", answer.status().message()}});
  // Whatever state it is in, a new one is in none.
  connection_.reset();
  node_.metrics.connections.add(-1);
  return false;
}

void Notifier::rest(Ticks longest) {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, longest, [this] { return stopping_; });
}

// A change names its lane by value; its number is that of the directory's entry that shares the value.
LaneKey Notifier::lane_number(const LaneRef& lane) {
  if (const auto known = lane_numbers_.find(lane); known != lane_numbers_.end()) return known->second;
  if (lane_numbers_.size() >= kLaneNumbersMax) lane_numbers_.clear();
  LaneKey number = 0;
  const auto ns = node_.directory.find_namespace(lane->ns);
  const QueueRef queue = ns ? node_.directory.find_queue(*ns, lane->queue) : nullptr;
  if (queue != nullptr)
    for (const LanePtr& entry : node_.directory.lanes_of_queue(queue->key)) {
      if (entry->lane == lane) {
        number = entry->key;
        break;
      }
      if (number == 0 && *entry->lane == *lane) number = entry->key;
    }
  lane_numbers_.emplace(lane, number);
  return number;
}

void Outbox::set_listener(Listener* listener) {
  const std::lock_guard lock(mutex_);
  listener_ = listener;
}

void Outbox::tell(const Changes& changes, bool remote) {
  if (changes.empty()) return;
  {
    const std::lock_guard lock(mutex_);
    if (listener_ != nullptr) {
      std::vector<LaneRef> wakes;
      wakes.reserve(changes.wakes.size());
      for (const LanePtr& lane : changes.wakes) wakes.push_back(lane->lane);
      try {
        listener_->committed(
            {.jobs = changes.jobs, .workers = changes.workers, .queues = changes.queues, .wakes = wakes, .keys = changes.keys});
      } catch (...) {
        const Incident incident(incidents_, "listener");
      }
    }
  }
  if (!remote && notifier_ != nullptr) notifier_->enqueue(changes);
}

}  // namespace muster::store::postgres
