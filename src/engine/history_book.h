// Figures over time in memory of fixed size: the last hour in steps of five seconds, the last day in steps of a minute.
//
// A row is what was so at the beginning of its step, and for rates during it; a figure nobody knew is NaN. Rows of a minute are
// folded into one when the next minute begins. A clock that was put back takes away what lies ahead of it; steps that nobody
// recorded are unknown. Pure: `at` comes from the caller.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/status.h"

namespace muster::engine {

inline constexpr Duration kHistoryStep{5'000};
inline constexpr std::size_t kHistoryRowsMax = 720;  // an hour of steps
inline constexpr Duration kHistoryDayStep{60'000};
inline constexpr std::size_t kHistoryDayRowsMax = 1'440;  // a day of minutes
static_assert(kHistoryDayStep % kHistoryStep == Duration(0));

enum class Figure : std::uint8_t {
  jobs_in,
  jobs_out,
  jobs_failed,
  ready,
  running,
  dead,
  oldest_ready,
  workers_live,
  workers_draining,
  workers_unhealthy,
  store_commit,
  cpu,
};

// A figure as wires and files call it.
inline constexpr std::array<std::string_view, 12> kFigureNames{
    "jobs_in_per_second",
    "jobs_out_per_second",
    "jobs_failed_per_second",
    "ready",
    "running",
    "dead",
    "oldest_ready_ms",
    "workers_live",
    "workers_draining",
    "workers_unhealthy",
    "store_commit_ms",
    "cpu_cores",
};
inline constexpr std::size_t kFigures = kFigureNames.size();
static_assert(static_cast<std::size_t>(Figure::cpu) + 1 == kFigures);

inline constexpr float kUnknown = std::numeric_limits<float>::quiet_NaN();

struct HistoryRow {
  std::array<float, kFigures> values;  // 24 bits: of a count above 16 million the last digits are lost

  HistoryRow() { values.fill(kUnknown); }
  float& operator[](Figure figure) { return values[static_cast<std::size_t>(figure)]; }
  float operator[](Figure figure) const { return values[static_cast<std::size_t>(figure)]; }
};

enum class HistorySpan : std::uint8_t { hour, day };

// One list for each figure, all as long as `points`; the first is of `from` and each further one a step later.
struct HistoryPoints {
  Duration step{};
  Instant from{};
  std::size_t points = 0;
  std::map<std::string, std::vector<double>> series;
};

class HistoryRing {
 public:
  HistoryRing(Duration step, std::size_t rows_max);

  void put(Instant at, const HistoryRow& row);
  // Those after `since`, oldest first.
  HistoryPoints read(std::optional<Instant> since) const;
  // Of the rows from `from` to before `to`: the mean of each figure, the greatest age.
  HistoryRow folded(Instant from, Instant to) const;
  std::optional<Instant> newest() const;

 private:
  friend class HistoryBook;
  std::int64_t step_of(Instant at) const;
  Instant instant_of(std::int64_t step) const;
  std::size_t place_of(std::int64_t step) const;
  HistoryRow& row_of(std::int64_t step) { return rows_[place_of(step)]; }
  const HistoryRow& row_of(std::int64_t step) const { return rows_[place_of(step)]; }
  bool empty() const { return newest_ < oldest_; }

  Duration step_;
  std::vector<HistoryRow> rows_;  // by step modulo their number
  std::int64_t oldest_ = 0;
  std::int64_t newest_ = -1;
};

class HistoryBook {
 public:
  HistoryBook();

  // Overwrites a row of the same step.
  void put(Instant at, const HistoryRow& row);
  HistoryPoints read(HistorySpan span, std::optional<Instant> since) const;

  // The whole book as bytes, for a file. Figures are told by their names, so that another version reads those it knows.
  std::string image() const;
  // corrupt: it is cut, changed, or none of ours. What lies after `now` is left out.
  static Result<HistoryBook> from_image(std::string_view image, Instant now);

 private:
  HistoryRing hour_;
  HistoryRing day_;
};

// No image is longer.
inline constexpr std::size_t kHistoryImageBytesMax = 256 * 1024;

}  // namespace muster::engine
