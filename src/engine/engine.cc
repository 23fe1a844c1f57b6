#include "engine/engine.h"

#include <algorithm>
#include <exception>
#include <string>

#include "engine/job_moves.h"
#include "engine/sweeps/catalogue.h"

namespace muster::engine {
namespace {

// Microseconds of the wall clock at start: above every number of an earlier process that published less than a million events
// in each second of its life, and small enough to be exact in a JSON number.
std::uint64_t first_event_number(const Clock& clock) {
  return static_cast<std::uint64_t>(std::max<std::int64_t>(1, std::chrono::microseconds(clock.now().time_since_epoch()).count()));
}

template <std::size_t N>
std::array<Counter*, N> move_counters(Metrics& metrics) {
  std::array<Counter*, N> counters{};
  for (std::size_t i = 0; i < N; ++i) counters[i] = &job_moves(metrics, static_cast<JobEvent>(i));
  return counters;
}

// All of them, even when one throws; then the first exception goes to the caller's guard.
template <class... Parts>
void each_in_turn(Parts... parts) {
  std::exception_ptr first;
  const auto run = [&first](auto& part) {
    try {
      part();
    } catch (...) {
      if (!first) first = std::current_exception();
    }
  };
  (run(parts), ...);
  if (first) std::rethrow_exception(first);
}

}  // namespace

Engine::Engine(store::Store& store, const Clock& clock, Metrics& metrics, Options options)
    : store_(store),
      clock_(clock),
      moves_(move_counters<kEventCount>(metrics)),
      events_(options.events_kept, first_event_number(clock)),
      claims_(store, clock, metrics, options),
      jobs_(store, &claims_.asked()),
      workers_(store, clock, options),
      queues_(store, &claims_.asked()),
      plans_(store),
      packages_(store, events_, clock, metrics, options),
      keys_(store, clock, options),
      resources_(store, clock),
      mail_(store, clock, events_),
      feedback_(store, clock, options),
      runs_(store, jobs_, clock, options),
      schedules_(store, runs_, clock, metrics, options),
      orphaned_runs_(jobs_, runs_, clock, options.orphaned_runs_after),
      audit_(store, clock, metrics, options),
      history_(store, clock, metrics, options),
      sweeper_(store, clock, metrics, options, all_sweeps()) {
  store_.set_listener(this);
}

Engine::~Engine() {
  store_.set_listener(nullptr);
  stop();
}

Duration Engine::tick() {
  Duration pause = kSleepMax;
  each_in_turn([&] { pause = std::min(pause, sweeper_.tick()); }, [&] { pause = std::min(pause, claims_.tick()); },
               [&] { pause = std::min(pause, keys_.tick()); }, [&] { pause = std::min(pause, feedback_.tick()); },
               [&] { pause = std::min(pause, runs_.tick()); }, [&] { pause = std::min(pause, schedules_.tick()); },
               [&] { pause = std::min(pause, orphaned_runs_.tick()); }, [&] { pause = std::min(pause, audit_.tick()); },
               [&] { pause = std::min(pause, history_.tick()); });
  return std::max(pause, Duration(0));
}

void Engine::stop() {
  claims_.stop();
  keys_.stop();
  feedback_.stop();
  runs_.stop();
  schedules_.stop();
  orphaned_runs_.stop();
  audit_.stop();
}

void Engine::committed(const store::Committed& commit) {
  each_in_turn([&] { events_.publish(commit); }, [&] { claims_.committed(commit); },
               [&] {
                 if (!commit.keys.empty()) keys_.committed(commit);
               },
               [&] { feedback_.committed(commit); }, [&] { runs_.committed(commit); }, [&] { schedules_.committed(commit); });
  bool scheduled = false;
  for (const JobChange& change : commit.jobs) {
    moves_[static_cast<std::size_t>(change.event)]->add();
    scheduled = scheduled || change.to == JobState::scheduled;
  }
  if (scheduled) sweeper_.hint();
}

}  // namespace muster::engine
