#include "store/postgres/cluster/listener.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/check.h"
#include "base/log.h"
#include "store/postgres/cluster/notifier.h"

namespace muster::store::postgres {

ClusterListener::ClusterListener(Node& node, Notifier& notifier, Metrics& metrics, std::function<void()> poll)
    : node_(node),
      notifier_(notifier),
      poll_(std::move(poll)),
      channels_(node.options.schema),
      listening_(metrics.gauge("muster_postgres_listening", "1 while notifications reach this node.")),
      wake_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
      backoff_(node) {
  check(wake_ >= 0, "an event descriptor can be made");
}

ClusterListener::~ClusterListener() {
  stop();
  ::close(wake_);
}

void ClusterListener::start() {
  if (!thread_.joinable()) thread_ = std::thread([this] { run(); });
}

void ClusterListener::stop() {
  stopping_ = true;
  const std::uint64_t one = 1;
  static_cast<void>(!::write(wake_, &one, sizeof one));  // it fails only when it is readable already
  if (thread_.joinable()) thread_.join();
}

void ClusterListener::run() {
  while (!stopping_) {
    if (connect()) {
      poll_now();  // what was told while nobody listened
      send_probe();
      serve();
      node_.metrics.connections.add(-1);
      connection_.reset();
    }
    if (stopping_) break;
    set_listening(false, "the listening connection is lost");
    rest(backoff_.next());
  }
  node_.listening = false;
  listening_.set(0);
}

bool ClusterListener::connect() {
  const Options& options = node_.options;
  auto opened = Connection::open({.url = options.listen_url.empty() ? options.url : options.listen_url,
                                  .application = "muster-listener " + options.node,
                                  .schema = options.schema,
                                  .connect_timeout = options.connect_timeout,
                                  .statement_timeout = options.statement_timeout,
                                  .preparing = Preparing::never});
  Status status = opened.status();
  std::string text;
  for (const std::string& channel :
       {channels_.jobs, channels_.workers, channels_.queues, channels_.lanes, channels_.keys, channels_.test})
    text += "LISTEN " + quoted(channel) + ";";
  if (status.ok()) status = (*opened)->script(text);
  if (!status.ok()) {
    set_listening(false, status.message());
    return false;
  }
  connection_ = std::move(*opened);
  node_.metrics.connections.add(1);
  if (std::exchange(connected_before_, true)) node_.metrics.reconnects.add();
  return true;
}

void ClusterListener::serve() {
  while (!stopping_) {
    const bool alive = connection_->wait_for_notifications(wake_, until_next());
    for (const Connection::Notification& notification : connection_->take_notifications()) hear_guarded(notification);
    if (!alive) return;
    judge_probe();
    poll_if_due();
  }
}

void ClusterListener::hear_guarded(const Connection::Notification& notification) {
  try {
    hear(notification);
  } catch (...) {
    const Incident incident(node_.incidents, "notification");
  }
}

void ClusterListener::rest(Duration longest) {
  const Ticks end = now() + longest;
  while (!stopping_) {
    poll_if_due();
    const Ticks left = std::min(end - now(), next_poll_ - now());
    if (end <= now()) return;
    pollfd entry{wake_, POLLIN, 0};
    static_cast<void>(::poll(&entry, 1, static_cast<int>(std::max<std::int64_t>(0, std::chrono::ceil<Duration>(left).count()))));
  }
}

void ClusterListener::hear(const Connection::Notification& notification) {
  if (const auto sent_at = sent_by(notification.payload, node_.options.node)) {
    // One clock wrote it and reads it, so this is the way through the database and nothing else.
    const std::int64_t lag = std::max<std::int64_t>(0, to_ms(clock_.now()) - *sent_at);
    node_.notify_lag_ms = lag;
    node_.metrics.notify_lag.set(static_cast<double>(lag) / 1'000);
    if (notification.channel != channels_.test || probe_.empty() || probe_of(notification.payload) != probe_) return;
    probe_.clear();
    backoff_.reset();
    set_listening(true, {});
    return;
  }
  if (notification.channel == channels_.test) return;
  node_.metrics.notifications.add();
  const Heard heard = from_payload(notification.channel, notification.payload, channels_, node_.directory);
  if (node_.outbox != nullptr) node_.outbox->tell(heard.changes, true);
  if (heard.look) poll_();
}

void ClusterListener::send_probe() {
  probe_ = fmt::format("{}-{}", ++probes_, now().count());
  probe_deadline_ = now() + kProbePatience;
  notifier_.probe(probe_);
}

void ClusterListener::judge_probe() {
  if (probe_.empty() || now() < probe_deadline_) return;
  probe_.clear();
  set_listening(false,
                connection_->through_pooler()
                    ? "a pooler in transaction mode does not pass them on: set postgres.listen_url to the server itself"
                    : fmt::format("one that this node sent to itself did not come back within {} ms", kProbePatience.count()));
}

void ClusterListener::poll_if_due() {
  if (now() < next_poll_) return;
  poll_now();
  if (connection_ != nullptr && probe_.empty()) send_probe();
}

void ClusterListener::poll_now() {
  next_poll_ = now() + (node_.listening ? node_.options.poll_every_listening : node_.options.poll_every);
  poll_();
}

Duration ClusterListener::until_next() const {
  Ticks next = next_poll_;
  if (!probe_.empty()) next = std::min(next, probe_deadline_);
  return std::max(Duration(0), std::chrono::ceil<Duration>(next - now()));
}

// Says so once per change, not once per try.
void ClusterListener::set_listening(bool listening, const std::string& why) {
  node_.listening = listening;
  listening_.set(listening ? 1 : 0);
  const Ticks latest = now() + (listening ? node_.options.poll_every_listening : node_.options.poll_every);
  next_poll_ = listening ? latest : std::min(next_poll_, latest);
  if (listening) {
    if (std::exchange(told_trouble_, false)) log::info("notifications arrive again");
    return;
  }
  if (std::exchange(told_trouble_, true)) return;
  log::warn("notifications do not arrive; looking for work of other nodes by polling",
            {{"reason", why}, {"poll_every_ms", static_cast<std::int64_t>(node_.options.poll_every.count())}});
}

}  // namespace muster::store::postgres
