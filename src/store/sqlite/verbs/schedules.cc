// Schedules: rows that are replaced at the revision they were read with. A fire enqueues by the same path as everybody.
#include <algorithm>
#include <charconv>

#include "store/refusals.h"
#include "store/sqlite/rows.h"
#include "store/sqlite/verbs/verbs.h"

namespace muster::store::sqlite {
namespace {

std::optional<Schedule> find_schedule(Core& core, std::int64_t ns_row, const NamespaceName& ns, const ScheduleId& id) {
  Rows rows(core.sql.schedule_find.bind(1, ns_row).bind_text(2, id.text()));
  if (!rows.next()) return std::nullopt;
  Schedule out = read_schedule_row(core.sql.schedule_find, core.ids).schedule;
  set_namespace(out, ns);
  return out;
}

// The schedule as it is, at the revision that the caller has read.
struct Current {
  std::int64_t ns_row = 0;
  Schedule schedule;
};

Result<Current> at_revision(Core& core, const Schedule& read) {
  const auto ns_row = core.namespace_row(read.spec.ns);
  if (!ns_row.ok()) return ns_row.status();
  auto found = find_schedule(core, *ns_row, read.spec.ns, read.spec.id);
  if (!found) return refusal::no_schedule(read.spec.id);
  if (found->revision != read.revision) return refusal::schedule_moved_on(read.spec.id, found->revision, read.revision);
  return Current{*ns_row, std::move(*found)};
}

// Of the rows of a statement, those that belong to a namespace there is.
std::optional<Schedule> with_namespace(Core& core, ScheduleRow row) {
  const HotNamespace* ns = core.queues.namespace_by_row(row.ns_row);
  if (ns == nullptr) return std::nullopt;
  set_namespace(row.schedule, ns->info.name);
  return std::move(row.schedule);
}

bool is_live(Core& core, const std::optional<JobId>& job) {
  const auto key = job ? core.ids.decode(*job) : std::nullopt;
  return key && core.find(*key) != nullptr;
}

// Filters of a list, from parameter `first` on: namespace row, queue, type, enabled.
void bind_filter(Statement& st, int first, std::optional<std::int64_t> ns_row, const ScheduleQuery& query) {
  st.bind_optional(first, ns_row).bind_text_or_null(first + 1, query.queue.text());
  st.bind_text_or_null(first + 2, query.type.text()).bind_optional(first + 3, query.enabled);
}

}  // namespace

Result<Schedule> create_schedule(Core& core, const Schedule& schedule) {
  const auto ns_row = core.namespace_row(schedule.spec.ns);
  if (!ns_row.ok()) return ns_row.status();
  if (find_schedule(core, *ns_row, schedule.spec.ns, schedule.spec.id)) return refusal::schedule_exists(schedule.spec.id);
  Schedule made = schedule;
  made.created_at = made.updated_at = core.now;
  made.revision = 1;
  write_schedule(core.sql.schedule_insert, *ns_row, made, core.ids);
  return made;
}

Result<Schedule> update_schedule(Core& core, const Schedule& schedule) {
  const auto current = at_revision(core, schedule);
  if (!current.ok()) return current.status();
  Schedule after = schedule;
  after.created_at = current->schedule.created_at;
  after.updated_at = core.now;
  ++after.revision;
  write_schedule(core.sql.schedule_update, current->ns_row, after, core.ids);
  return after;
}

Result<Schedule> get_schedule(Core& core, const NamespaceName& ns, const ScheduleId& id) {
  const auto ns_row = core.namespace_row(ns);
  if (!ns_row.ok()) return ns_row.status();
  auto found = find_schedule(core, *ns_row, ns, id);
  if (!found) return refusal::no_schedule(id);
  return std::move(*found);
}

Result<SchedulePage> list_schedules(Core& core, const ScheduleQuery& query) {
  std::optional<std::int64_t> ns_row;
  if (!query.ns.empty()) {
    const auto row = core.namespace_row(query.ns);
    if (!row.ok()) return row.status();
    ns_row = *row;
  }
  // The cursor is the row of the last one.
  std::int64_t below = std::numeric_limits<std::int64_t>::max();
  if (!query.cursor.empty()) {
    const char* const end = query.cursor.data() + query.cursor.size();
    const auto [stop, error] = std::from_chars(query.cursor.data(), end, below);
    if (error != std::errc() || stop != end || below <= 0) return refusal::bad_cursor(query.cursor);
  }
  SchedulePage page;
  {
    Statement& st = core.sql.schedule_count;
    bind_filter(st, 1, ns_row, query);
    Rows rows(st);
    if (rows.next()) page.total = static_cast<std::uint64_t>(st.integer(0));
  }
  Statement& st = core.sql.schedule_list;
  st.bind(1, below);
  bind_filter(st, 2, ns_row, query);
  Rows rows(st.bind(6, static_cast<std::int64_t>(query.limit) + 1));
  std::size_t bytes = 0;
  while (rows.next()) {
    ScheduleRow row = read_schedule_row(st, core.ids);
    bytes += row.schedule.spec.job.payload.data.size();
    if (page.schedules.size() == query.limit || (bytes > limits::kPageBytesMax && !page.schedules.empty())) {
      page.next = std::to_string(below);
      break;
    }
    below = row.row;
    if (auto one = with_namespace(core, std::move(row))) page.schedules.push_back(std::move(*one));
  }
  return page;
}

Result<Schedule> delete_schedule(Core& core, const NamespaceName& ns, const ScheduleId& id) {
  auto found = get_schedule(core, ns, id);
  if (!found.ok()) return found;
  core.sql.schedule_delete.bind(1, *core.namespace_row(ns)).bind_text(2, id.text()).run();
  return found;
}

// A buffered fire whose job before it still lives is left out: it would only stand in the way of others.
Result<DueSchedules> due_schedules(Core& core, std::size_t limit) {
  struct Due {
    Instant at;
    std::int64_t row;
    Schedule schedule;
  };
  std::vector<Due> found;
  const auto take = [&](Instant at, ScheduleRow row) {
    const std::int64_t number = row.row;
    if (auto one = with_namespace(core, std::move(row))) found.push_back({at, number, std::move(*one)});
  };
  {
    Statement& st = core.sql.schedule_buffered;
    Rows rows(st);
    while (found.size() <= limit && rows.next()) {
      ScheduleRow row = read_schedule_row(st, core.ids);
      const Instant at = *row.schedule.buffered;
      if (at <= core.now && !is_live(core, row.schedule.last_job)) take(at, std::move(row));
    }
  }
  {
    Statement& st = core.sql.schedule_due;
    Rows rows(st.bind(1, to_ms(core.now)).bind(2, static_cast<std::int64_t>(limit) + 1));
    while (rows.next()) {
      ScheduleRow row = read_schedule_row(st, core.ids);
      const bool known = std::any_of(found.begin(), found.end(), [&](const Due& due) { return due.row == row.row; });
      const Instant at = *row.schedule.next_fire_at;
      if (!known) take(at, std::move(row));
    }
  }
  std::sort(found.begin(), found.end(),
            [](const Due& a, const Due& b) { return std::pair(a.at, a.row) < std::pair(b.at, b.row); });
  DueSchedules out;
  out.more = found.size() > limit;
  for (std::size_t i = 0; i < std::min(limit, found.size()); ++i) out.schedules.push_back(std::move(found[i].schedule));
  Rows rows(core.sql.schedule_next.bind(1, to_ms(core.now)));
  if (rows.next())
    if (const auto at = core.sql.schedule_next.optional_integer(0)) out.next_due = from_ms(*at);
  return out;
}

Result<ScheduleFired> fire_schedule(Core& core, ScheduleFire& fire) {
  const auto current = at_revision(core, fire.after);
  if (!current.ok()) return current.status();
  ScheduleFired out;
  if (!fire.jobs.empty()) {
    auto jobs = enqueue(core, fire.jobs);
    if (!jobs.ok()) return jobs.status();
    out.jobs = std::move(*jobs);
  }
  out.schedule = std::move(fire.after);
  out.schedule.created_at = current->schedule.created_at;
  out.schedule.updated_at = current->schedule.updated_at;
  ++out.schedule.revision;
  if (!out.jobs.empty()) out.schedule.last_job = out.jobs.back().id;
  write_schedule(core.sql.schedule_update, current->ns_row, out.schedule, core.ids);
  return out;
}

}  // namespace muster::store::sqlite
