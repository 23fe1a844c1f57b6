// Schedules: rows with a revision that grows with every write. Whoever writes holds the row and names the revision that was read,
// so two nodes that fire the same one do it once.
#include <charconv>
#include <limits>
#include <unordered_map>

#include "store/codec/columns.h"
#include "store/postgres/read_rows.h"
#include "store/postgres/verbs/sweeps.h"
#include "store/postgres/verbs/verbs.h"
#include "store/refusals.h"

namespace muster::store::postgres {
namespace {

NamespaceName name_of(Tx& tx, NamespaceKey key) {
  for (const NamespaceEntry& entry : tx.directory().namespaces())
    if (entry.key == key) return entry.info.name;
  return {};
}

Schedule at(Tx& tx, const Rows& rows, std::size_t row, const NamespaceName& ns) {
  Schedule schedule;
  schedule.spec.ns = ns;
  if (const auto job = read_schedule(rows.at(row), schedule)) schedule.last_job = tx.ids().encode(*job);
  return schedule;
}
Schedule at(Tx& tx, const Rows& rows, std::size_t row) {
  return at(tx, rows, row, name_of(tx, static_cast<NamespaceKey>(rows.integer(row, 1))));
}

Params params_of(Tx& tx, const Schedule& schedule, NamespaceKey ns) {
  return schedule_params(schedule, ns, schedule.last_job ? tx.ids().decode(*schedule.last_job) : std::nullopt);
}

struct Held {
  NamespaceKey ns = 0;
  std::int64_t number = 0;
  Schedule schedule;
};

Result<Held> hold(Tx& tx, const NamespaceName& name, const ScheduleId& id) {
  const auto ns = tx.namespace_key(name);
  if (!ns.ok()) return ns.status();
  const Rows rows = tx.ask("schedule_lock"_sql, Params().int4(*ns).text(id.text()));
  if (rows.size() == 0) return refusal::no_schedule(id);
  return Held{*ns, rows.integer(0, 0), at(tx, rows, 0, name)};
}

// As hold(), at the revision that was read.
Result<Held> hold(Tx& tx, const Schedule& wanted) {
  auto held = hold(tx, wanted.spec.ns, wanted.spec.id);
  if (held.ok() && held->schedule.revision != wanted.revision)
    return refusal::schedule_moved_on(wanted.spec.id, held->schedule.revision, wanted.revision);
  return held;
}

Schedule replace(Tx& tx, const Held& held, Schedule after) {
  after.created_at = held.schedule.created_at;
  after.revision = held.schedule.revision + 1;
  after.spec.job.ns = after.spec.ns;
  tx.write("schedule_replace"_sql, params_of(tx, after, held.ns));
  return after;
}

std::optional<std::int64_t> parse_cursor(const std::string& text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number <= 0) return std::nullopt;
  return number;
}

void text_or_null(Params& params, const std::string& text) { text.empty() ? params.null() : params.text(text); }

}  // namespace

Result<Schedule> create_schedule(Tx& tx, const Schedule& schedule) {
  const auto ns = tx.namespace_key(schedule.spec.ns);
  if (!ns.ok()) return ns.status();
  Schedule made = schedule;
  made.created_at = made.updated_at = tx.now();
  made.revision = 1;
  made.spec.job.ns = made.spec.ns;
  if (tx.ask("schedule_put"_sql, params_of(tx, made, *ns)).size() == 0) return refusal::schedule_exists(made.spec.id);
  return made;
}

Result<Schedule> update_schedule(Tx& tx, const Schedule& schedule) {
  const auto held = hold(tx, schedule);
  if (!held.ok()) return held.status();
  Schedule after = schedule;
  after.updated_at = tx.now();
  return replace(tx, *held, std::move(after));
}

Each<Schedule> get_schedules(Tx& tx, const NamespaceName& name, const std::vector<ScheduleId>& ids) {
  const auto ns = tx.namespace_key(name);
  if (!ns.ok()) return Each<Schedule>(ids.size(), ns.status());
  Column names(Type::text);
  for (const ScheduleId& id : ids) names.add(std::string_view(id.text()));
  const Rows rows = tx.ask("schedule_read"_sql, std::move(Params().int4(*ns).array(std::move(names))));
  std::unordered_map<std::string, std::size_t> row_of;
  for (std::size_t i = 0; i < rows.size(); ++i) row_of.emplace(rows.text(i, 2), i);
  Each<Schedule> out;
  for (const ScheduleId& id : ids) {
    const auto found = row_of.find(id.text());
    if (found != row_of.end())
      out.emplace_back(at(tx, rows, found->second, name));
    else
      out.emplace_back(refusal::no_schedule(id));
  }
  return out;
}

Result<SchedulePage> list_schedules(Tx& tx, const ScheduleQuery& query) {
  std::int64_t below = std::numeric_limits<std::int64_t>::max();
  if (!query.cursor.empty()) {
    const auto number = parse_cursor(query.cursor);
    if (!number) return refusal::bad_cursor(query.cursor);
    below = *number;
  }
  std::optional<NamespaceKey> ns;
  if (!query.ns.empty()) {
    const auto key = tx.namespace_key(query.ns);
    if (!key.ok()) return key.status();
    ns = *key;
  }
  const auto filter = [&](Params& params) {
    ns ? params.int4(*ns) : params.null();
    text_or_null(params, query.queue.text());
    text_or_null(params, query.type.text());
    query.enabled ? params.boolean(*query.enabled) : params.null();
  };
  Params page_params, count_params;
  page_params.int8(below);
  filter(page_params);
  filter(count_params);
  tx.write("schedule_count"_sql, std::move(count_params));
  tx.write("schedule_page"_sql, std::move(page_params.int8(static_cast<std::int64_t>(query.limit) + 1)));
  const std::vector<Rows> rows = tx.ask_all();
  SchedulePage page;
  if (tx.failed() || rows.size() < 2) return page;
  page.total = static_cast<std::uint64_t>(rows[rows.size() - 2].integer(0, 0));
  const Rows& found = rows.back();
  std::size_t bytes = 0;
  for (std::size_t i = 0; i < found.size(); ++i) {
    bytes += found.view(i, kScheduleColumns - 1).size();
    // One always fits, so a page never stands still.
    if (page.schedules.size() == query.limit || (bytes > limits::kPageBytesMax && i > 0)) {
      page.next = i > 0 ? std::to_string(found.integer(i - 1, 0)) : query.cursor;
      break;
    }
    page.schedules.push_back(at(tx, found, i));
  }
  return page;
}

Result<Schedule> delete_schedule(Tx& tx, const NamespaceName& ns, const ScheduleId& id) {
  const auto held = hold(tx, ns, id);
  if (!held.ok()) return held.status();
  tx.write("schedule_delete"_sql, Params().int8(held->number));
  return held->schedule;
}

Result<DueSchedules> due_schedules(Tx& tx, std::size_t limit) {
  DueSchedules due;
  const auto found = ask_leading(tx, "schedule_due"_sql, std::move(Params().int8(static_cast<std::int64_t>(limit) + 1)));
  if (!found) return due;
  due.more = found->size() > limit;
  for (std::size_t i = 0; i < found->size() && i < limit; ++i) due.schedules.push_back(at(tx, *found, i));
  due.next_due = ask_instant(tx, "schedule_due_next"_sql);
  return due;
}

Result<ScheduleFired> fire_schedule(Tx& tx, ScheduleFire& fire) {
  const auto held = hold(tx, fire.after);
  if (!held.ok()) return held.status();
  ScheduleFired fired;
  if (!fire.jobs.empty()) {
    auto jobs = enqueue(tx, fire.jobs);
    if (!jobs.ok()) return jobs.status();
    fired.jobs = std::move(*jobs);
  }
  Schedule after = fire.after;
  after.updated_at = held->schedule.updated_at;
  if (!fired.jobs.empty()) after.last_job = fired.jobs.back().id;
  fired.schedule = replace(tx, *held, std::move(after));
  return fired;
}

}  // namespace muster::store::postgres
