// Reading rows of either store, column by column. Row: integer(), real(), text(), view() and is_null() of a column.
//
// Both stores list the columns of a noun in the same order, so that what a column means is said once, here.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>

#include "base/clock.h"
#include "model/job.h"
#include "model/plan.h"
#include "model/schedule.h"
#include "model/worker.h"
#include "store/codec/spec_text.h"

namespace muster::store {

template <class T>
inline constexpr bool kIsOptional = false;
template <class T>
inline constexpr bool kIsOptional<std::optional<T>> = true;

// Numbers, enumerators, instants, durations, texts and names; null is nothing of an optional one, and 0 or empty of another.
template <class Row, class T>
void read_column(const Row& row, int column, T& value) {
  if constexpr (kIsOptional<T>) {
    value.reset();
    if (!row.is_null(column)) read_column(row, column, value.emplace());
  } else if constexpr (std::is_same_v<T, bool>) {
    value = row.integer(column) != 0;
  } else if constexpr (std::is_enum_v<T> || std::is_integral_v<T>) {
    value = static_cast<T>(row.integer(column));
  } else if constexpr (std::is_floating_point_v<T>) {
    value = row.real(column);
  } else if constexpr (std::is_same_v<T, Instant>) {
    value = from_ms(row.integer(column));
  } else if constexpr (std::is_same_v<T, Duration>) {
    value = Duration(row.integer(column));
  } else {
    value = T(row.text(column));
  }
}

// Columns that follow each other, from `first` on.
template <class Row, class... Values>
void read_columns(const Row& row, int first, Values&... values) {
  (read_column(row, first++, values), ...);
}

inline Encoding encoding_of(bool bytes) { return bytes ? Encoding::bytes : Encoding::json; }

// Null: no content.
template <class Row>
std::optional<Content> read_content(const Row& row, int column, bool bytes) {
  if (row.is_null(column)) return std::nullopt;
  return Content{row.text(column), encoding_of(bytes)};
}

// From its name on; the namespace is the caller's to know.
template <class Row>
void read_plan(const Row& row, int first, Plan& plan) {
  read_columns(row, first, plan.spec.id, plan.spec.text, plan.spec.description, plan.spec.tasks);
  plan.spec.needs = CapabilitySet::from_key(row.view(first + 4));
  read_columns(row, first + 5, plan.created_at, plan.last_used_at, plan.actions, plan.jobs);
}

// From its name on. The counts are those that the row itself keeps.
template <class Row>
void read_action(const Row& row, int first, Action& action, std::optional<Instant>& settled_at) {
  read_columns(row, first, action.id, action.plan, action.created_at, action.jobs, settled_at, action.counts.completed,
               action.counts.failed, action.counts.dead, action.counts.cancelled);
}

// Name, session and state from column 2 on, the rest from its description on.
template <class Row>
void read_worker(const Row& row, int described, Worker& worker) {
  worker_from_text(row.view(described), worker.spec);
  read_columns(row, 2, worker.spec.id, worker.session, worker.state);
  read_columns(row, described + 1, worker.registered_at, worker.last_seen_at, worker.offline_at, worker.offline_cause,
               worker.drain_deadline, worker.drain_reason, worker.drain_origin, worker.completed, worker.failed, worker.stats);
}

// From its name in column 2 on. The key of its last job, which the caller turns into an id.
template <class Row>
std::optional<std::int64_t> read_schedule(const Row& row, Schedule& schedule) {
  std::optional<std::int64_t> last_job;
  read_columns(row, 2, schedule.spec.id, schedule.spec.enabled, schedule.created_at, schedule.updated_at, schedule.next_fire_at,
               schedule.last_fired_at, schedule.caught_up_to, schedule.buffered, last_job, schedule.fired, schedule.skipped,
               schedule.revision);
  schedule_from_text(row.view(14), schedule.spec);
  schedule.spec.job.payload.data = row.text(15);
  return last_job;
}

}  // namespace muster::store
