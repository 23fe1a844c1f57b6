// Two links over a bad network, in virtual time, from one seed: every frame arrives exactly once and in order, in both
// directions.
//
// The network drops, repeats, reorders and delays messages, and cuts the connection; what is under way is then lost, and the
// worker resumes. At some cuts the server restarts and continues from its link's exported state. The same message is dropped at
// most twice in a row: TCP does not drop at all, and a hole must never look permanent that is not. A second network has a worker
// on its other end that behaves like the real one, which uses numbers up while it is offline and never sends them.
//
// A failure prints the line that replays it: MUSTER_SESSION_SIM=<seed>:<window> muster_session_test --gtest_filter=…
#include <gtest/gtest.h>

#include <charconv>
#include <cstdlib>
#include <deque>
#include <map>
#include <queue>

#include "base/uuid.h"
#include "session/frames_testing.h"
#include "session/link.h"

namespace muster::session {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

constexpr std::size_t kSeeds = 1'000;
constexpr Duration kDelayWorst{80};
constexpr std::uint32_t kDropsInARow = 2;

class Chance {
 public:
  explicit Chance(std::uint64_t seed) : state_(mix64(seed)) {}
  std::uint64_t below(std::uint64_t bound) {
    state_ = mix64(state_);
    return state_ % bound;
  }
  bool percent(std::uint64_t share) { return below(100) < share; }
  Duration between(std::int64_t least, std::int64_t most) {
    return Duration(least + static_cast<std::int64_t>(below(static_cast<std::uint64_t>(most - least + 1))));
  }

 private:
  std::uint64_t state_;
};

enum Direction : std::size_t { to_worker = 0, to_server = 1 };

struct Message {
  Direction direction = to_worker;
  std::uint64_t connection = 0;
  std::optional<WindowAck> ack;  // absent: a frame
  std::uint64_t number = 0;
  std::uint64_t value = 0;
};

// Messages under way, by arrival.
class Network {
 public:
  explicit Network(Chance& chance) : chance_(chance) {}
  Network(const Network&) = delete;

  void send(Message message, Instant now) {
    if (!connected_) return;
    message.connection = connection_;
    std::uint32_t& drops = drops_[message.direction][message.ack ? 0 : message.number];
    if (drops < kDropsInARow && chance_.percent(loss_)) {
      ++drops;
      return;
    }
    drops = 0;
    for (int copies = chance_.percent(5) ? 2 : 1; copies > 0; --copies)
      under_way_.push({now + chance_.between(1, kDelayWorst.count()), order_++, message});
  }
  void cut() { connected_ = false; }
  void connect() {
    connected_ = true;
    ++connection_;
    loss_ = chance_.below(30);
  }
  bool connected() const { return connected_; }
  std::optional<Instant> next_arrival() const { return under_way_.empty() ? std::nullopt : std::optional(under_way_.top().at); }
  // The next message, unless its connection is gone.
  std::optional<Message> arrive() {
    const Message message = under_way_.top().message;
    under_way_.pop();
    return connected_ && message.connection == connection_ ? std::optional(message) : std::nullopt;
  }

 private:
  struct UnderWay {
    Instant at;
    std::uint64_t order;
    Message message;
    bool operator<(const UnderWay& other) const { return std::tie(at, order) > std::tie(other.at, other.order); }
  };
  Chance& chance_;
  std::priority_queue<UnderWay> under_way_;
  std::uint64_t order_ = 0;
  std::uint64_t connection_ = 0;
  bool connected_ = true;
  std::uint64_t loss_ = 10;
  std::map<std::uint64_t, std::uint32_t> drops_[2];
};

std::uint64_t number_behind(std::string_view text, std::string_view name) {
  std::uint64_t number = 0;
  const std::size_t at = text.find(name) + name.size();
  std::from_chars(text.data() + at, text.data() + text.size(), number);
  return number;
}

Envelope envelope_of(const Message& message) {
  Envelope frame;
  frame.session_seq = message.number;
  frame.seq = message.value;
  frame.bytes = 100;
  return frame;
}

// One side: its link, what it still has to send, and what it got.
struct End {
  Link link;
  Direction sends;
  std::uint64_t sent = 0;
  std::uint64_t got = 0;

  bool is_idle() const { return link.sending().frames() == 0; }
};

struct Run {  // never moved: the network refers to its chance
  std::uint64_t seed;
  std::uint32_t window;
  Chance chance{seed};
  Network network{chance};
  std::uint64_t frames = 40 + chance.below(100);
  Instant now = kTestStart;
  Instant next_cut = now + chance.between(50, 5'000);
  std::string failure = {};
  LinkOutput out = {};

  LinkOptions options() {
    return {.send = {.window = window, .queued_frames = 16, .bytes = 4'000},
            .receive = {.window = window, .held_bytes = 2'000},
            .seed = chance.below(1'000'000)};
  }
  End server{Link(options()), to_worker};
  End worker{Link(options()), to_server};

  void fail(const std::string& what) {
    if (failure.empty()) failure = what;
  }

  void carry_out(End& end) {
    for (const std::string_view text : out.transmit)
      network.send({.direction = end.sends, .number = number_behind(text, "seq\":"), .value = number_behind(text, "p\":")}, now);
    for (const Envelope& frame : out.deliver) {
      if (frame.seq != ++end.got) fail(fmt::format("frame {} was delivered as number {}", *frame.seq, end.got));
    }
    if (out.ack) network.send({.direction = end.sends, .ack = out.ack->window}, now);
    if (out.skipped != 0) fail("a hole was skipped that was none");
    if (out.fault) fail("an honest peer was called a liar");
    if (end.link.sending().frames() > window + 16 || end.link.sending().bytes() > 4'000) fail("more is kept than may be");
    if (end.link.receiving().held().size() >= window || end.link.receiving().held_bytes() > 2'000)
      fail("more is held than may be");
    out.clear();
  }

  void deliver(const Message& message) {
    End& end = message.direction == to_worker ? worker : server;
    if (message.ack)
      end.link.acknowledged(*message.ack, now, out);
    else
      end.link.received(envelope_of(message), now, out);
    carry_out(end);
  }

  void produce(End& end) {
    for (std::uint64_t burst = chance.below(8); burst > 0 && end.sent < frames; --burst) {
      if (!end.link.send(plain_text(end.sent + 1), now, out).ok()) break;  // no room: later
      ++end.sent;
    }
    carry_out(end);
  }

  void lose_connection() {
    network.cut();
    server.link.disconnected();
    worker.link.disconnected();
    if (!chance.percent(20)) return;
    LinkState state = server.link.state();
    server.link = Link(options());
    if (!server.link.restore(std::move(state)).ok()) fail("an exported state was refused");
  }

  void resume() {
    network.connect();
    const std::uint64_t worker_has = worker.link.window_ack().ack_seq;
    const std::uint64_t server_has = server.link.window_ack().ack_seq;
    if (!server.link.resumed(worker_has, now, out).ok()) fail("a resume was refused");
    carry_out(server);
    if (!worker.link.resumed(chance.percent(50) ? std::optional(server_has) : std::nullopt, now, out).ok())
      fail("an accept was refused");
    carry_out(worker);
  }

  bool is_done() const {
    return server.got == frames && worker.got == frames && server.is_idle() && worker.is_idle() && network.connected();
  }

  // The first line that is wrong, or nothing.
  std::string play() {
    Instant next_frames = now;
    Instant next_resume = Instant::max();
    const Instant end = now + minutes(60);
    while (failure.empty() && !is_done()) {
      Instant next = std::min({next_frames, next_cut, next_resume});
      for (const auto& due : {network.next_arrival(), server.link.next_due(), worker.link.next_due()})
        if (due) next = std::min(next, *due);
      now = std::max(now, next);
      if (now > end) fail(fmt::format("stalled: {} and {} of {} frames", server.got, worker.got, frames));
      while (network.next_arrival() && *network.next_arrival() <= now)
        if (const auto message = network.arrive()) deliver(*message);
      for (End* each : {&server, &worker}) {
        each->link.tick(now, out);
        carry_out(*each);
        if (each->link.next_due() && *each->link.next_due() <= now) fail("a timer fires again and again");
      }
      if (now >= next_frames) {
        produce(server);
        produce(worker);
        next_frames = server.sent == frames && worker.sent == frames ? Instant::max() : now + chance.between(1, 200);
      }
      if (now >= next_cut) {
        lose_connection();
        next_cut = Instant::max();
        next_resume = now + chance.between(1, chance.percent(10) ? 30'000 : 500);
      }
      if (now >= next_resume) {
        resume();
        next_resume = Instant::max();
        next_cut = now + chance.between(50, 8'000);
      }
    }
    if (server.link.receiving().held_bytes() + worker.link.receiving().held_bytes() != 0) fail("bytes are held of nothing");
    return failure;
  }
};

// The worker of the reference: it counts unacknowledged frames instead of their span, gives a frame up after six resends, forgets
// some of what it holds when the connection is lost, and uses numbers up while it is offline.
struct RealWorkerRun {
  struct Pending {
    std::uint32_t resends = 0;
    Instant due;
  };

  std::uint64_t seed;
  Chance chance{seed};
  Link server{LinkOptions{.seed = seed}};
  LinkOutput out = {};
  Instant now = kTestStart;
  bool connected = true;
  std::uint64_t next_number = 1;
  std::map<std::uint64_t, Pending> pending = {};
  std::uint64_t last_delivered = 0;
  std::uint64_t delivered = 0;
  std::vector<bool> was_delivered = std::vector<bool>(1);
  std::string failure = {};

  void carry_out() {
    for (const Envelope& frame : out.deliver) {
      if (*frame.session_seq <= last_delivered)
        failure = fmt::format("{} was delivered after {}", *frame.session_seq, last_delivered);
      last_delivered = *frame.session_seq;
      was_delivered.resize(std::max<std::size_t>(was_delivered.size(), last_delivered + 1));
      was_delivered[last_delivered] = true;
      ++delivered;
    }
    if (out.ack) {
      const WindowAck& ack = out.ack->window;
      std::erase_if(pending, [&](const auto& one) {
        const std::uint64_t number = one.first;
        if (number <= ack.ack_seq) return true;
        const std::uint64_t offset = number - ack.ack_seq - 1;
        return offset < ack.recv_window && (ack.ack_bitmap >> offset & 1) != 0;
      });
    }
    out.clear();
  }

  void transmit(std::uint64_t number) {
    Envelope frame;
    frame.session_seq = number;
    frame.bytes = 100;
    server.received(std::move(frame), now, out);
    carry_out();
  }

  void produce() {
    const std::uint64_t number = next_number++;
    if (!connected) return;  // lost, the number is used up
    pending[number] = {.due = now + retry_gap(0)};
    transmit(number);
  }

  void resend_due() {
    std::vector<std::uint64_t> due;
    for (const auto& [number, one] : pending)
      if (one.due <= now) due.push_back(number);
    for (const std::uint64_t number : due) {
      const auto at = pending.find(number);
      if (at == pending.end()) continue;
      if (at->second.resends == kResendsUntilStalled) {
        pending.erase(at);
        continue;
      }
      ++at->second.resends;
      at->second.due = now + retry_gap(at->second.resends);
      transmit(number);
    }
  }

  void play() {
    for (int round = 0; round < 60 && failure.empty(); ++round) {
      connected = true;
      server.disconnected();
      if (!server.resumed(0, now, out).ok()) failure = "a resume was refused";
      carry_out();
      flow(chance.between(0, 9'000), 3);
      connected = false;
      server.disconnected();
      std::erase_if(pending, [&](const auto&) { return chance.percent(50); });
      for (std::uint64_t lost = chance.below(chance.percent(10) ? 200 : 4); lost > 0; --lost) produce();
      now += chance.between(0, 5'000);
    }
    // The last connection holds: once the holes of the past are given up, whatever is produced arrives.
    connected = true;
    if (!server.resumed(0, now, out).ok()) failure = "a resume was refused";
    carry_out();
    flow(seconds(40), 3);
    const std::uint64_t first_of_the_end = next_number;
    flow(seconds(20), 3);
    flow(seconds(40), 0);
    for (std::uint64_t number = first_of_the_end; number < next_number && failure.empty(); ++number)
      if (number >= was_delivered.size() || !was_delivered[number])
        failure = fmt::format("{} of {} never came", number, next_number - 1);
    if (failure.empty() && (!pending.empty() || !server.receiving().held().empty())) failure = "something is held for ever";
  }

  // Time in steps; in some of them the worker has something to say, but no more than a window of it.
  void flow(Duration span, std::uint64_t busy_percent) {
    for (const Instant end = now + span; now < end; now += Duration(50)) {
      if (chance.percent(busy_percent) && pending.size() < kSessionWindowMax) produce();
      resend_due();
      server.tick(now, out);
      carry_out();
    }
  }
};

struct Replay {
  std::uint64_t seed;
  std::uint32_t window;
};

// <seed>:<window> of the environment; nothing: all seeds.
std::optional<Replay> replayed() {
  const char* text = std::getenv("MUSTER_SESSION_SIM");
  if (text == nullptr) return std::nullopt;
  char* rest = nullptr;
  const std::uint64_t seed = std::strtoull(text, &rest, 10);
  const auto window = *rest == ':' ? static_cast<std::uint32_t>(std::strtoul(rest + 1, nullptr, 10)) : kSessionWindowMax;
  return Replay{seed, window};
}

void play_exactly_once(std::uint64_t seed, std::uint32_t window) {
  Run run{.seed = seed, .window = window};
  const std::string failure = run.play();
  ASSERT_EQ(failure, "") << "replay: MUSTER_SESSION_SIM=" << seed << ":" << window
                         << " muster_session_test --gtest_filter=SessionSim.EveryFrame*";
}

TEST(SessionSim, EveryFrameArrivesExactlyOnceAndInOrder) {
  if (const auto replay = replayed()) return play_exactly_once(replay->seed, replay->window);
  for (const std::uint32_t window : {1u, 2u, 64u}) {
    for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
      play_exactly_once(seed, window);
      if (HasFatalFailure()) return;
    }
  }
}

void play_real_worker(std::uint64_t seed) {
  RealWorkerRun run{.seed = seed};
  run.play();
  ASSERT_EQ(run.failure, "") << "replay: MUSTER_SESSION_SIM=" << seed
                             << ":64 muster_session_test --gtest_filter=SessionSim.AWorker*";
  EXPECT_GT(run.delivered, 0u);
  EXPECT_GT(run.server.counters().holes, 0u);
}

TEST(SessionSim, AWorkerThatLosesNumbersOfflineStillMakesProgress) {
  if (const auto replay = replayed()) return play_real_worker(replay->seed);
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    play_real_worker(seed);
    if (HasFatalFailure()) return;
  }
}

}  // namespace
}  // namespace muster::session
