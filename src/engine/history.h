// Records what the server does over time, for those who look later: a row of figures every kHistoryStep (history_book.h).
//
// Rates come from the counters this process keeps, depths and workers from the store. The store is asked once a step and rests at
// least kHistoryRest times as long as its answer took, so that a store of millions of jobs is not kept busy by its own history;
// what was read last stands in for kHistoryReadKept. Each node of a cluster records by itself: its rates are what it did, depths
// and workers are everybody's.
//
// Thread-safe: replies come on store threads.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "base/clock.h"
#include "base/metrics.h"
#include "engine/history_book.h"
#include "engine/options.h"
#include "store/store.h"

namespace muster::engine {

inline constexpr int kHistoryRest = 20;
inline constexpr Duration kHistoryReadKept{60'000};
inline constexpr Duration kHistoryWorkersEvery{15'000};  // there may be ten thousand of them

class History {
 public:
  // store, clock and metrics outlive it. Nothing is recorded unless Options::history.
  History(store::Store& store, const Clock& clock, Metrics& metrics, const Options& options);
  ~History();

  HistoryPoints read(HistorySpan span, std::optional<Instant> since) const;

  std::string image() const;
  // In the place of what was recorded so far. corrupt: see HistoryBook; nothing changes.
  Status restore(std::string_view image);

  // Writes the row of the step that ended and asks for what the next one needs; returns how long until then.
  Duration tick();

 private:
  class Recorder;
  std::shared_ptr<Recorder> recorder_;  // shared with replies that are still on their way when this goes
};

}  // namespace muster::engine
