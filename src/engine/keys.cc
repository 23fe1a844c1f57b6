#include "engine/keys.h"

#include <algorithm>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace muster::engine {
namespace {

std::vector<std::string> sources_of(const store::KeyCommand& command) {
  if (const auto* pop = std::get_if<store::key::Pop>(&command)) return pop->keys;
  if (const auto* move = std::get_if<store::key::Move>(&command)) return {move->from};
  return {};
}

}  // namespace

// Who waits for which list, behind a mutex. A waiter is either parked in its lines or out asking the store; a push that comes
// while it is out makes it ask once more, so no element is missed between its look and its place in the line.
class Keys::Line : public std::enable_shared_from_this<Keys::Line> {
 public:
  Line(store::Store& store, const Clock& clock, const Options& options)
      : store_(store), clock_(clock), poll_every_(options.claim_poll_every), waiters_max_(options.parked_max) {}

  KeyTicket await(store::KeyCommand command, Duration wait, Reply<store::KeyAnswer> reply) {
    const Ticks now = clock_.elapsed();
    std::unique_lock lock(mutex_);
    if (stopped_ || waiters_.size() >= waiters_max_) {
      const bool full = !stopped_;
      lock.unlock();
      if (full)
        reply(Status::exhausted(fmt::format("{} clients wait for keys, which is the most there may be", waiters_max_)));
      else
        reply(store::KeyAnswer::none());
      return KeyTicket{0};
    }
    const std::uint64_t ticket = next_++;
    Waiter waiter;
    waiter.keys = sources_of(command);
    waiter.command = std::move(command);
    waiter.reply = std::move(reply);
    if (wait > Duration(0)) waiter.until = now + wait;
    for (const std::string& key : waiter.keys) lines_[key].insert(ticket);
    waiters_.emplace(ticket, std::move(waiter));
    lock.unlock();
    ask(ticket);
    return KeyTicket{ticket};
  }

  void cancel(std::uint64_t ticket) {
    std::unique_lock lock(mutex_);
    const auto it = waiters_.find(ticket);
    if (it == waiters_.end()) return;
    if (it->second.is_out) {
      it->second.cancelled = true;
      return;
    }
    end(std::move(lock), it, store::KeyAnswer::none());
  }

  void committed(std::span<const store::KeyPushed> keys) {
    std::vector<std::uint64_t> woken;
    {
      const std::lock_guard lock(mutex_);
      for (const store::KeyPushed& pushed : keys) {
        if (pushed.ns.text() != kDefaultNamespace) continue;
        if (const auto line = lines_.find(pushed.key); line != lines_.end()) wake_first(line->second, woken);
      }
    }
    for (const std::uint64_t ticket : woken) ask(ticket);
  }

  Duration tick() {
    const Ticks now = clock_.elapsed();
    std::vector<std::uint64_t> polls;
    std::vector<std::uint64_t> over;
    Ticks next = kTickMax;
    {
      const std::lock_guard lock(mutex_);
      while (!agenda_.empty() && agenda_.begin()->first <= now && polls.size() < kPollsPerTick) {
        const std::uint64_t ticket = agenda_.begin()->second;
        Waiter& waiter = waiters_.at(ticket);
        unpark(ticket, waiter);
        if (waiter.until && *waiter.until <= now) {
          over.push_back(ticket);
        } else if (leads(ticket, waiter)) {
          polls.push_back(ticket);
        } else {
          park(ticket, waiter, now);
        }
      }
      if (!agenda_.empty()) next = std::clamp(agenda_.begin()->first - now, Ticks(0), kTickMax);
    }
    for (const std::uint64_t ticket : over) finish(ticket, store::KeyAnswer::none());
    for (const std::uint64_t ticket : polls) ask(ticket);
    return std::chrono::ceil<Duration>(next);
  }

  void stop() {
    std::vector<std::uint64_t> all;
    {
      const std::lock_guard lock(mutex_);
      stopped_ = true;
      for (const auto& [ticket, waiter] : waiters_) all.push_back(ticket);
    }
    for (const std::uint64_t ticket : all) cancel(ticket);
  }

 private:
  static constexpr Ticks kTickMax = std::chrono::seconds(1);
  static constexpr std::size_t kPollsPerTick = 100;

  struct Waiter {
    store::KeyCommand command;
    std::vector<std::string> keys;
    Reply<store::KeyAnswer> reply;
    std::optional<Ticks> until;
    Ticks due{};             // while parked: its place in the agenda
    bool is_out = true;      // the store is asked, or its end has come
    bool again = false;      // a push came meanwhile
    bool cancelled = false;  // its next empty answer is the last
  };
  using Waiters = std::map<std::uint64_t, Waiter>;

  void park(std::uint64_t ticket, Waiter& waiter, Ticks now) {
    waiter.is_out = false;
    waiter.due = std::min(now + poll_every_, waiter.until.value_or(now + poll_every_));
    agenda_.emplace(waiter.due, ticket);
  }
  void unpark(std::uint64_t ticket, Waiter& waiter) {
    waiter.is_out = true;
    agenda_.erase({waiter.due, ticket});
  }

  // Elements go to the first in line, so nobody else has to look for itself.
  bool leads(std::uint64_t ticket, const Waiter& waiter) const {
    return std::any_of(waiter.keys.begin(), waiter.keys.end(),
                       [&](const std::string& key) { return *lines_.at(key).begin() == ticket; });
  }

  // The first in line that is not out looks; one that is out looks once more after its answer.
  void wake_first(const std::set<std::uint64_t>& line, std::vector<std::uint64_t>& woken) {
    for (const std::uint64_t ticket : line) {
      Waiter& waiter = waiters_.at(ticket);
      if (waiter.is_out) {
        waiter.again = true;
        continue;
      }
      unpark(ticket, waiter);
      woken.push_back(ticket);
      return;
    }
  }

  void ask(std::uint64_t ticket) {
    store::KeyBatch batch;
    {
      const std::lock_guard lock(mutex_);
      const auto it = waiters_.find(ticket);
      if (it == waiters_.end()) return;
      batch.commands.push_back(it->second.command);
    }
    store_.keyspace(std::move(batch), [self = shared_from_this(), ticket](Result<std::vector<store::KeyAnswer>> answers) {
      self->answered(ticket, std::move(answers));
    });
  }

  void answered(std::uint64_t ticket, Result<std::vector<store::KeyAnswer>> answers) {
    const Ticks now = clock_.elapsed();
    std::unique_lock lock(mutex_);
    const auto it = waiters_.find(ticket);
    if (it == waiters_.end()) return;
    Waiter& waiter = it->second;
    if (!answers.ok()) return end(std::move(lock), it, answers.status());
    store::KeyAnswer& answer = answers->front();
    const bool over = waiter.cancelled || stopped_ || (waiter.until && *waiter.until <= now);
    if (over || answer.kind != store::KeyAnswer::Kind::nothing) return end(std::move(lock), it, std::move(answer));
    if (std::exchange(waiter.again, false)) {
      lock.unlock();
      return ask(ticket);
    }
    park(ticket, waiter, now);
  }

  void finish(std::uint64_t ticket, store::KeyAnswer answer) {
    std::unique_lock lock(mutex_);
    const auto it = waiters_.find(ticket);
    if (it != waiters_.end()) end(std::move(lock), it, std::move(answer));
  }

  void end(std::unique_lock<std::mutex> lock, Waiters::iterator it, Result<store::KeyAnswer> result) {
    const std::uint64_t ticket = it->first;
    Waiter waiter = std::move(it->second);
    waiters_.erase(it);
    if (!waiter.is_out) agenda_.erase({waiter.due, ticket});
    // Whoever got an element may have been woken for several, and whoever failed may have been woken for one: the next in line
    // looks.
    const bool pass_on = !result.ok() || result->kind != store::KeyAnswer::Kind::nothing;
    std::vector<std::uint64_t> woken;
    for (const std::string& key : waiter.keys) {
      const auto line = lines_.find(key);
      if (line == lines_.end()) continue;
      line->second.erase(ticket);
      if (line->second.empty())
        lines_.erase(line);
      else if (pass_on)
        wake_first(line->second, woken);
    }
    lock.unlock();
    for (const std::uint64_t each : woken) ask(each);
    waiter.reply(std::move(result));
  }

  store::Store& store_;
  const Clock& clock_;
  const Ticks poll_every_;
  const std::size_t waiters_max_;
  std::mutex mutex_;  // leaf; guards everything below
  Waiters waiters_;   // by ticket: in order of arrival
  std::map<std::string, std::set<std::uint64_t>> lines_;
  std::set<std::pair<Ticks, std::uint64_t>> agenda_;  // when the parked ones end or look for themselves
  std::uint64_t next_ = 1;
  bool stopped_ = false;
};

Keys::Keys(store::Store& store, const Clock& clock, const Options& options)
    : line_(std::make_shared<Line>(store, clock, options)), store_(store) {}
Keys::~Keys() { stop(); }

void Keys::run(store::KeyBatch batch, Reply<std::vector<store::KeyAnswer>> reply) {
  store_.keyspace(std::move(batch), std::move(reply));
}
store::KeyGlance Keys::glance(std::string_view key) const { return store_.glance(key); }

KeyTicket Keys::await(store::KeyCommand command, Duration wait, Reply<store::KeyAnswer> reply) {
  return line_->await(std::move(command), wait, std::move(reply));
}
void Keys::cancel(KeyTicket ticket) { line_->cancel(static_cast<std::uint64_t>(ticket)); }
void Keys::committed(const store::Committed& commit) { line_->committed(commit.keys); }
Duration Keys::tick() { return line_->tick(); }
void Keys::stop() { line_->stop(); }

}  // namespace muster::engine
