#include "fronts/http/event_hub.h"

#include <vector>

namespace muster::http {
namespace {

constexpr std::size_t kReadBatch = 256;  // events taken from the ring at a time
constexpr Duration kSilenceTick{1'000};
constexpr const char* kComment = ": still here\n\n";

}  // namespace

EventHub::EventHub(net::IoLoop& loop, command::Events& events, const Limits& limits, Incidents incidents)
    : loop_(loop), events_(events), limits_(limits), incidents_(std::move(incidents)), silence_(loop) {}

EventHub::~EventHub() { unsubscribe(); }

void EventHub::subscribe() {
  if (subscribed_) return;
  subscribed_ = true;
  subscription_ = events_.subscribe([weak = weak_from_this(), &loop = loop_] {
    const auto self = weak.lock();
    // Many publishes between two turns of the loop are one wake.
    if (!self || self->wake_pending_.exchange(true, std::memory_order_acq_rel)) return;
    loop.post([weak] {
      const auto hub = weak.lock();
      if (!hub) return;
      hub->wake_pending_.store(false, std::memory_order_release);
      hub->feed_all();
    });
  });
  comment_on_silence();
}

void EventHub::unsubscribe() {
  if (!subscribed_) return;
  subscribed_ = false;
  events_.unsubscribe(subscription_);
}

void EventHub::add(net::Connection& connection, EventFilter filter, std::uint64_t after, Credential credential) {
  subscribe();
  Stream& stream = streams_[&connection];
  stream = {
      .filter = std::move(filter), .after = after, .credential = std::move(credential), .last_sent = loop_.clock().elapsed()};
  feed(connection, stream);
}

void EventHub::remove(net::Connection& connection) {
  streams_.erase(&connection);
  if (!streams_.empty()) return;
  unsubscribe();
  if (loop_.inside()) silence_.cancel();
}

void EventHub::drained(net::Connection& connection) {
  const auto found = streams_.find(&connection);
  if (found != streams_.end() && found->second.starved) feed(connection, found->second);
}

void EventHub::revoke(const Authenticator& authenticator) {
  for (auto& [connection, stream] : streams_)
    if (!authenticator.still_valid(stream.credential)) connection->close_when_sent();
}

void EventHub::feed_all() {
  for (auto& [connection, stream] : streams_) {
    try {
      feed(*connection, stream);
    } catch (...) {
      const Incident incident(incidents_, "events");
      connection->close_now();
    }
  }
}

void EventHub::feed(net::Connection& connection, Stream& stream) {
  stream.starved = false;
  for (;;) {
    if (connection.closing()) return;
    if (connection.unsent() >= limits_.event_buffer_bytes_max || (connection.unsent() > 0 && !connection.has_room())) {
      stream.starved = true;
      return;
    }
    const command::Events::Slice slice = events_.read(stream.after, kReadBatch);
    std::string bytes;
    // The gap takes the number before what follows it, so that a client that reconnects right here misses nothing.
    if (slice.gap) append_gap(bytes, slice.events.empty() ? slice.next : slice.events.front().number - 1);
    for (const command::Event& event : slice.events)
      if (passes(stream.filter, event)) append_event(bytes, event);
    stream.after = slice.next;
    if (!bytes.empty()) {
      stream.last_sent = loop_.clock().elapsed();
      connection.send(std::move(bytes));
    }
    if (slice.events.size() < kReadBatch) return;
  }
}

void EventHub::comment_on_silence() {
  silence_.start(kSilenceTick, [this] {
    const Ticks now = loop_.clock().elapsed();
    for (auto& [connection, stream] : streams_) {
      if (now - stream.last_sent < limits_.event_silence || connection->closing()) continue;
      stream.last_sent = now;
      if (connection->unsent() == 0) connection->send(kComment);
    }
    if (subscribed_) comment_on_silence();
  });
}

}  // namespace muster::http
