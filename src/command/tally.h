// What is counted and timed of commands. Any thread.
#pragma once

#include <cstddef>
#include <memory>
#include <utility>

#include "base/clock.h"
#include "base/metrics.h"
#include "command/context.h"
#include "command/spec.h"
#include "store/store.h"

namespace muster::command {

// Replies that are still on their way hold it.
class Tally {
 public:
  explicit Tally(Metrics& metrics);
  ~Tally();
  static std::size_t place_of(const Spec& command);  // in the catalogue
  void count(std::size_t place, Code outcome, std::uint64_t times = 1);
  void time(std::size_t place, Ticks took);

 private:
  struct Row;
  Metrics& metrics_;
  std::unique_ptr<Row[]> rows_;  // by place
};

// One call of a command, from its beginning to its reply.
class Stopwatch {
 public:
  Stopwatch(std::shared_ptr<Tally> tally, const Clock& clock, std::size_t place)
      : tally_(std::move(tally)), clock_(clock), place_(place), began_(clock.elapsed()) {}

  void end(Code outcome) const {
    tally_->count(place_, outcome);
    tally_->time(place_, clock_.elapsed() - began_);
  }
  // Of `count` requests that were taken together.
  template <class T>
  void end_all(std::size_t count, const Result<store::Each<T>>& answers) const {
    tally_->time(place_, clock_.elapsed() - began_);
    if (!answers.ok()) return tally_->count(place_, answers.code(), count);
    std::uint64_t good = 0;
    for (const Result<T>& answer : *answers) answer.ok() ? void(++good) : tally_->count(place_, answer.code());
    if (good > 0) tally_->count(place_, Code::ok, good);
  }

 private:
  std::shared_ptr<Tally> tally_;
  const Clock& clock_;
  std::size_t place_;
  Ticks began_;
};

}  // namespace muster::command
