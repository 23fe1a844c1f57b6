#include "fronts/http/event_hub.h"

#include <algorithm>
#include <vector>

#include "fronts/http/event_pulse.h"

namespace muster::http {
namespace {

constexpr std::size_t kReadBatch = 256;  // events taken from the ring at a time
constexpr Duration kSilenceTick{1'000};
constexpr std::size_t kSharedTurns = 16;  // different ones of one round that are kept for the next stream
constexpr const char* kComment = ": still here\n\n";

}  // namespace

EventHub::EventHub(net::IoLoop& loop, command::Events& events, const Limits& limits, Incidents incidents)
    : loop_(loop), events_(events), limits_(limits), incidents_(std::move(incidents)), turn_(loop), silence_(loop) {}

EventHub::~EventHub() { unsubscribe(); }

void EventHub::subscribe() {
  if (subscribed_) return;
  subscribed_ = true;
  wake_pending_.store(false, std::memory_order_release);
  subscription_ = events_.subscribe([weak = weak_from_this(), &loop = loop_] {
    const auto self = weak.lock();
    // Many publishes between two turns of the loop are one wake.
    if (!self || self->wake_pending_.exchange(true, std::memory_order_acq_rel)) return;
    loop.post([weak] {
      const auto hub = weak.lock();
      if (!hub) return;
      // While there are paced streams alone, nobody needs another wake before their turn.
      if (hub->paced_ == hub->streams_.size()) return hub->plan_turn();
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

void EventHub::add(net::Connection& connection, ReturnPath::StreamStart start) {
  subscribe();
  const Ticks now = loop_.clock().elapsed();
  Stream& stream = streams_[&connection];
  stream = {.filter = std::move(start.filter),
            .after = start.after,
            .credential = std::move(start.credential),
            .pace = start.pace,
            .due = now,
            .last_sent = now};
  if (stream.pace > Duration::zero()) {
    ++paced_;
    return plan_turn();
  }
  wake_pending_.store(false, std::memory_order_release);  // a turn that is planned may be holding wakes back
  feed(connection, stream);
}

void EventHub::remove(net::Connection& connection) {
  const auto found = streams_.find(&connection);
  if (found == streams_.end()) return;
  if (found->second.pace > Duration::zero()) --paced_;
  streams_.erase(found);
  if (!streams_.empty()) return;
  unsubscribe();
  if (!loop_.inside()) return;
  silence_.cancel();
  turn_.cancel();
  turn_at_.reset();
}

void EventHub::plan_turn() {
  if (paced_ == 0) return;
  const Ticks now = loop_.clock().elapsed();
  Ticks first = Ticks::max();
  for (const auto& [connection, stream] : streams_)
    if (stream.pace > Duration::zero()) first = std::min(first, stream.due);
  if (turn_at_ && *turn_at_ <= std::max(first, now)) return;
  turn_at_ = std::max(first, now);
  turn_.start(std::chrono::ceil<Duration>(*turn_at_ - now), [this] {
    turn_at_.reset();
    take_turns();
  });
}

void EventHub::take_turns() {
  struct Shared {
    const EventFilter* filter;
    std::uint64_t after;
    Pulse pulse;
  };
  // Before anything is read: what is published from here on wakes us again.
  wake_pending_.store(false, std::memory_order_release);
  const Ticks now = loop_.clock().elapsed();
  const std::uint64_t newest = events_.newest();
  std::vector<Shared> turns;
  bool more = false;
  for (auto& [connection, stream] : streams_) {
    if (stream.pace == Duration::zero() || stream.after == newest || connection->closing()) continue;
    // It has not taken its last turn, or it is not its time: the next turn tells of both at once.
    if (connection->unsent() > 0 || stream.due > now) {
      more = true;
      if (stream.due <= now) stream.due = now + stream.pace;
      continue;
    }
    stream.due = Ticks((now / stream.pace + 1) * stream.pace);
    const auto same = [&](const Shared& each) { return each.after == stream.after && *each.filter == stream.filter; };
    auto turn = std::find_if(turns.begin(), turns.end(), same);
    if (turn == turns.end()) {
      if (turns.size() == kSharedTurns) turns.pop_back();
      turn = turns.insert(turns.end(), {&stream.filter, stream.after, pulse_of(events_, stream.filter, stream.after)});
    }
    stream.after = turn->pulse.next;
    if (turn->pulse.bytes.empty()) continue;
    stream.last_sent = now;
    connection->send(turn->pulse.bytes);
  }
  if (more || events_.newest() != newest) plan_turn();
}

void EventHub::drained(net::Connection& connection) {
  const auto found = streams_.find(&connection);
  if (found != streams_.end() && found->second.starved) feed(connection, found->second);
}

void EventHub::revoke(const std::function<bool(const Credential&)>& still_valid) {
  for (auto& [connection, stream] : streams_)
    if (!still_valid(stream.credential)) connection->close_when_sent();
}

void EventHub::feed_all() {
  plan_turn();
  for (auto& [connection, stream] : streams_) {
    if (stream.pace > Duration::zero()) continue;
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
