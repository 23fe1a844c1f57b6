// One pass over due jobs each. A row that was found due is judged again once it is locked, since its time may have moved in
// between.
#include "store/postgres/verbs/sweeps.h"

#include <algorithm>

#include "store/postgres/moves.h"
#include "store/postgres/node.h"
#include "store/postgres/verbs/verbs.h"
#include "store/postgres/wishes.h"

namespace muster::store::postgres {
namespace {

std::int64_t term_of(Tx& tx) { return tx.node().leadership.term.load(); }

Params leader_params(Tx& tx) { return std::move(Params().text(tx.node().options.node).int8(term_of(tx))); }

}  // namespace

bool leads(Tx& tx) { return term_of(tx) != 0 && tx.ask("sweep_leads"_sql, leader_params(tx)).size() == 1; }

std::optional<Rows> ask_leading(Tx& tx, Sql statement, Params params) {
  if (term_of(tx) == 0) return std::nullopt;
  tx.write("sweep_leads"_sql, leader_params(tx));
  tx.write(statement, std::move(params));
  std::vector<Rows> rows = tx.ask_all();
  if (tx.failed() || rows.size() < 2 || rows[rows.size() - 2].size() != 1) return std::nullopt;
  return std::move(rows.back());
}

std::vector<std::int64_t> PassBudget::keys(const Rows& found) const {
  std::vector<std::int64_t> out;
  for (std::size_t i = 0; i < std::min(found.size(), rows); ++i) out.push_back(found.integer(i, 0));
  return out;
}

std::optional<Instant> ask_instant(Tx& tx, Sql statement) {
  const Rows rows = tx.ask(statement);
  if (rows.size() == 0 || rows.null(0, 0)) return std::nullopt;
  return from_ms(rows.integer(0, 0));
}

namespace {

// Finds, locks, moves: `act` says whether the job was due and moved. `next` answers when the pass has something to do again.
template <class Act>
SweepReport pass(Tx& tx, std::size_t limit, Sql find, Sql next, Act act) {
  SweepReport report;
  const PassBudget budget(limit);
  const auto found = ask_leading(tx, find, budget.params());
  if (!found) return report;
  report.more = budget.more(*found);
  if (found->size() > 0) {
    Moves moves(tx);
    for (auto& [key, job] : lock_jobs(tx, budget.keys(*found))) report.moved += act(moves, job) ? 1 : 0;
    moves.flush();
  }
  report.next_due = ask_instant(tx, next);
  return report;
}

std::size_t promote_plain(Tx& tx, const Rows& rows) {
  for (std::size_t i = 0; i < rows.size(); ++i) {
    tx.tell(rows.integer(i, 0), static_cast<LaneKey>(rows.integer(i, 1)), JobState::scheduled, JobState::ready, JobEvent::due,
            static_cast<std::uint32_t>(rows.integer(i, 3)), rows.integer(i, 4), 0);
    tx.wake(static_cast<LaneKey>(rows.integer(i, 2)));
  }
  return rows.size();
}

std::size_t promote_special(Tx& tx, const std::vector<JobKey>& keys) {
  std::size_t moved = 0;
  Moves moves(tx);
  for (auto& [key, job] : lock_jobs(tx, keys)) {
    if (job.running || job.place != Place::scheduled || !job.run_at || *job.run_at > tx.now_ms()) continue;
    moves.make_ready(job, *job.run_at, JobEvent::due);
    ++moved;
  }
  moves.flush();
  return moved;
}

}  // namespace

// On every node: whoever claims must see what is due, and rows that another node moves at this moment are passed over.
SweepReport promote_due(Tx& tx, std::size_t limit) {
  SweepReport report;
  report.next_due = ask_instant(tx, "sweep_due_next"_sql);
  if (report.next_due && *report.next_due <= tx.now()) {
    const PassBudget budget(limit);
    tx.write("sweep_due_plain"_sql, std::move(Params().int8(static_cast<std::int64_t>(budget.rows))));
    tx.write("sweep_due_special"_sql, std::move(Params().int8(static_cast<std::int64_t>(budget.rows))));
    const std::vector<Rows> rows = tx.ask_all();
    if (tx.failed() || rows.size() < 2) return {};
    report.moved = promote_plain(tx, rows[rows.size() - 2]);
    std::vector<JobKey> special;
    for (std::size_t i = 0; i < rows.back().size() && report.moved + special.size() < budget.rows; ++i)
      special.push_back(rows.back().integer(i, 0));
    if (!special.empty()) report.moved += promote_special(tx, special);
    report.next_due = ask_instant(tx, "sweep_due_next"_sql);
    // What is still due and did not move is in somebody else's hands.
    report.more = report.moved > 0 && report.next_due && *report.next_due <= tx.now();
  }
  if (!tx.failed()) tx.node().next_due_ms = report.next_due ? to_ms(*report.next_due) : INT64_MAX;
  return report;
}

SweepReport expire_leases(Tx& tx, std::size_t limit) {
  return pass(tx, limit, "sweep_leases"_sql, "sweep_leases_next"_sql, [&tx](Moves& moves, LiveJob& job) {
    if (!job.running || job.lease_until > tx.now_ms()) return false;
    const WorkerPtr worker = tx.worker(job.worker);
    moves.lose(job, jobs::lease_expired(worker != nullptr ? worker->worker.spec.id.text() : std::string()));
    return true;
  });
}

SweepReport time_out_jobs(Tx& tx, std::size_t limit) {
  return pass(tx, limit, "sweep_timeouts"_sql, "sweep_timeouts_next"_sql, [&tx](Moves& moves, LiveJob& job) {
    if (!job.running || !job.times_out_at || *job.times_out_at > tx.now_ms()) return false;
    const Duration ran(tx.now_ms() - job.started_at.value_or(tx.now_ms()));
    moves.fail(job, {.lease = {}, .error = jobs::timed_out(ran)});
    return true;
  });
}

SweepReport expire_waiting(Tx& tx, std::size_t limit) {
  return pass(tx, limit, "sweep_expiries"_sql, "sweep_expiries_next"_sql, [&tx](Moves& moves, LiveJob& job) {
    if (!job.expires_at || *job.expires_at > tx.now_ms()) return false;
    const auto deadline = deadline_of(job.flags, job.spec);
    if (job.running && !deadline) return false;
    if (job.running && *deadline > tx.now()) {
      tx.write("running_expires_at"_sql, Params().int8(job.key).int8(to_ms(*deadline)));
      return false;
    }
    moves.move(job, jobs::expire(job.standing(), deadline, tx.now()));
    return true;
  });
}

SweepReport end_preferences(Tx& tx, std::size_t limit) {
  SweepReport report;
  const PassBudget budget(limit);
  const auto found = ask_leading(tx, "sweep_preferences"_sql, budget.params());
  if (!found) return report;
  report.more = budget.more(*found);
  if (const std::vector<JobKey> keys = budget.keys(*found); !keys.empty()) {
    Moves moves(tx);
    for (auto& [key, job] : lock_jobs(tx, keys)) {
      if (job.running || job.place != Place::ready || job.stand == job.lane || !job.wishes) continue;
      if (job.wishes->prefer_until.value_or(0) > tx.now_ms()) continue;
      moves.place(job);
      ++report.moved;
    }
    moves.flush();
    tx.write("sweep_preferences_end"_sql, Params().int8s(keys));
  }
  report.next_due = ask_instant(tx, "sweep_preferences_next"_sql);
  return report;
}

}  // namespace muster::store::postgres
