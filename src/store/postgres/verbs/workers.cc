// Registration: a name gets a session, new ones and offline ones many at a time. A live worker keeps its session when it names
// it; otherwise its leases are lost and another session begins.
#include <set>

#include "model/limits.h"
#include "store/codec/spec_text.h"
#include "store/jobs/rules.h"
#include "store/postgres/node.h"
#include "store/postgres/shared_statements.h"
#include "store/postgres/verbs/leaving.h"
#include "store/postgres/verbs/verbs.h"
#include "store/postgres/verbs/worker_counts.h"
#include "store/refusals.h"

namespace muster::store::postgres {
namespace {

const Sql kWorkerCount{"worker_count"};
const Sql kWorkerAdd{"worker_add"};
const Sql kWorkerOwnTtl{"worker_own_ttl"};
const Sql kBeatLapse{"beat_lapse"};
const Sql kBeatOpen{"beat_open"};

// Rounds in which names may be lost to another node that registers them at the same time.
constexpr std::size_t kLostRacesMax = 3;

// One registration on its way.
struct Joining {
  std::size_t at = 0;  // in the batch
  NamespaceKey ns = 0;
  WorkerKey key = 0;      // 0: the name is new
  bool replaces = false;  // a live worker, by the look of it
};

WorkerSpec filled_in(const WorkerSpec& spec) {
  WorkerSpec out = spec;
  out.resume.reset();
  if (!out.policy) out.policy = default_policy(out.dialect);
  return out;
}

bool resumes(const WorkerSpec& spec, const Worker& worker) { return spec.resume && *spec.resume == worker.session; }

class Registration {
 public:
  Registration(Tx& tx, const std::vector<WorkerSpec>& batch)
      : tx_(tx), batch_(batch), answers_(batch.size(), Status::unavailable("another node registers this worker; try again")) {}

  Each<Registered> run() {
    std::vector<Joining> todo;
    for (std::size_t i = 0; i < batch_.size(); ++i) {
      const auto ns = tx_.namespace_key(batch_[i].ns);
      if (ns.ok())
        todo.push_back({i, *ns});
      else
        answers_[i] = ns.status();
    }
    // A name that stands in the batch again has its turn in the next round.
    const std::size_t rounds = batch_.size() + kLostRacesMax;
    for (std::size_t i = 0; i < rounds && !todo.empty() && !tx_.failed(); ++i) todo = round(std::move(todo));
    return std::move(answers_);
  }

 private:
  // Returns those that are left.
  std::vector<Joining> round(std::vector<Joining> todo) {
    std::vector<Joining> later;
    std::vector<Joining> now = first_of_each_name(std::move(todo), later);
    look(now);
    std::vector<WorkerKey> replaced, known;
    for (const Joining& joining : now) {
      if (joining.replaces) replaced.push_back(joining.key);
      if (joining.key != 0) known.push_back(joining.key);
    }
    // What this node counted is of the session that may end here.
    std::optional<WrittenCounts> counts;
    if (!known.empty()) counts.emplace(tx_);
    // Replaced ones are locked with the others, after the gates they need.
    auto rows = replaced.empty() ? lock_workers(tx_, known) : lock_leaving(tx_, known);
    add_new(now, later);
    std::vector<Departure> departures;
    std::vector<Joining> returning;
    for (Joining& joining : now) {
      if (joining.key == 0) continue;
      const auto found = rows.find(joining.key);
      if (found == rows.end()) {
        later.push_back(joining);  // its row was pruned meanwhile
        continue;
      }
      const WorkerSpec& spec = batch_[joining.at];
      joining.replaces = found->second.live() && !resumes(spec, found->second.worker);
      if (joining.replaces) departures.push_back({&found->second, jobs::worker_replaced(spec.id)});
      returning.push_back(joining);
    }
    end_leases(tx_, departures);
    take_back(returning, rows);
    open_beats();
    return later;
  }

  std::vector<Joining> first_of_each_name(std::vector<Joining> todo, std::vector<Joining>& later) const {
    std::set<std::pair<NamespaceKey, std::string>> names;
    std::vector<Joining> first;
    for (const Joining& joining : todo)
      (names.emplace(joining.ns, batch_[joining.at].id.text()).second ? first : later).push_back({joining.at, joining.ns});
    return first;
  }

  void look(std::vector<Joining>& joinings) {
    NameColumns names;
    for (const Joining& joining : joinings) names.add(joining.ns, batch_[joining.at].id);
    const Rows rows = tx_.ask(kWorkerLook, names.params());
    for (std::size_t i = 0; i < rows.size(); ++i) {
      Joining& joining = joinings.at(static_cast<std::size_t>(rows.integer(i, 0) - 1));
      const std::optional<SessionId>& resume = batch_[joining.at].resume;
      joining.key = static_cast<WorkerKey>(rows.integer(i, 1));
      joining.replaces = static_cast<WorkerState>(rows.integer(i, 2)) != WorkerState::offline &&
                         !(resume && to_number(*resume) == static_cast<std::uint64_t>(rows.integer(i, 3)));
    }
  }

  // How many more workers there may be, up to `wanted`.
  std::size_t room_for(std::size_t wanted) {
    const auto enough = static_cast<std::int64_t>(limits::kWorkersMax) - static_cast<std::int64_t>(wanted);
    const Rows rows = tx_.ask(kWorkerCount, Params().int8(enough));
    count_ = rows.size() == 0 ? 0 : rows.integer(0, 0);
    return static_cast<std::size_t>(std::max<std::int64_t>(0, static_cast<std::int64_t>(limits::kWorkersMax) - count_));
  }

  void add_new(const std::vector<Joining>& joinings, std::vector<Joining>& later) {
    std::vector<Joining> fresh;
    for (const Joining& joining : joinings)
      if (joining.key == 0) fresh.push_back(joining);
    if (fresh.empty()) return;
    const std::size_t room = room_for(fresh.size());
    for (std::size_t i = room; i < fresh.size(); ++i)
      answers_[fresh[i].at] = refusal::too_many_workers(static_cast<std::size_t>(count_) + room);
    if (fresh.size() > room) fresh.resize(room);
    if (fresh.empty()) return;

    NameColumns names;
    Column slots(Type::int4), dead_after(Type::int8), text(Type::text);
    std::map<std::pair<NamespaceKey, std::string>, Joining> by_name;
    for (const Joining& joining : fresh) {
      const WorkerSpec spec = filled_in(batch_[joining.at]);
      names.add(joining.ns, spec.id);
      slots.add(std::int64_t{spec.slots});
      dead_after.add(std::int64_t{spec.policy->dead_after.count()});
      text.add(std::string_view(worker_to_text(spec)));
      by_name[{joining.ns, spec.id.text()}] = joining;
    }
    Params params = names.params();
    params.array(std::move(slots)).array(std::move(dead_after)).array(std::move(text));
    const Rows rows = tx_.ask(kWorkerAdd, std::move(params));
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const auto found = by_name.find({static_cast<NamespaceKey>(rows.integer(i, 1)), rows.text(i, 2)});
      WorkerRow row;
      row.key = static_cast<WorkerKey>(rows.integer(i, 0));
      row.ns = found->second.ns;
      row.revision = rows.integer(i, 4);
      row.worker.spec = filled_in(batch_[found->second.at]);
      row.worker.session = SessionId{static_cast<std::uint64_t>(rows.integer(i, 3))};
      row.worker.registered_at = row.worker.last_seen_at = tx_.now();
      welcome(found->second.at, row, std::nullopt, "registered", true);
      by_name.erase(found);
    }
    for (const auto& [name, joining] : by_name) later.push_back(joining);  // somebody else was quicker
  }

  void take_back(const std::vector<Joining>& joinings, std::map<WorkerKey, WorkerRow>& rows) {
    std::vector<WorkerRow*> written;
    std::map<WorkerKey, WorkerState> before;
    std::vector<WorkerKey> resumed;
    Column changed(Type::int4), dead_after(Type::int8);
    for (const Joining& joining : joinings) {
      WorkerRow& row = rows.at(joining.key);
      Worker& worker = row.worker;
      before[row.key] = worker.state;
      const bool resumes = row.live() && !joining.replaces;
      worker.spec = filled_in(batch_[joining.at]);
      worker.last_seen_at = tx_.now();
      worker.offline_at.reset();
      worker.offline_cause.clear();
      written.push_back(&row);
      if (resumes) {
        resumed.push_back(row.key);
        changed.add(std::int64_t{row.key});
        dead_after.add(std::int64_t{worker.spec.policy->dead_after.count()});
        continue;
      }
      row.renewed = true;
      worker.registered_at = tx_.now();
      worker.completed = worker.failed = 0;
      worker.stats.clear();
      worker.state = WorkerState::online;
      worker.drain_deadline.reset();
      worker.drain_reason.clear();
      worker.running = 0;
    }
    if (!resumed.empty()) {
      tx_.write(kBeatLapse, Params().int4s(resumed));
      tx_.write(kWorkerOwnTtl, std::move(Params().array(std::move(changed)).array(std::move(dead_after))));
    }
    const std::set<WorkerKey> kept(resumed.begin(), resumed.end());
    write_workers(tx_, written, Answer::yes);
    for (const Joining& joining : joinings) {
      const bool resumes = kept.contains(joining.key);
      welcome(joining.at, rows.at(joining.key), before.at(joining.key),
              resumes            ? "resumed"
              : joining.replaces ? "replaced"
                                 : "registered",
              !resumes);
      answers_[joining.at]->replaced = joining.replaces;
    }
  }

  void welcome(std::size_t at, const WorkerRow& row, std::optional<WorkerState> from, const char* cause, bool new_session) {
    seen_.push_back(row.key);
    if (new_session) begun_.push_back(row.key);
    tell_worker(tx_, row.worker, from, cause);
    remember_worker(tx_, row);
    answers_[at] = Registered{row.worker.spec.id, row.worker.session, *row.worker.spec.policy, false};
  }

  void open_beats() {
    if (!seen_.empty()) tx_.write(kBeatOpen, Params().int4s(seen_).int4s(begun_).text(tx_.node().options.node));
    seen_.clear();
    begun_.clear();
  }

  Tx& tx_;
  const std::vector<WorkerSpec>& batch_;
  Each<Registered> answers_;
  std::int64_t count_ = 0;        // of workers, at the last look
  std::vector<WorkerKey> seen_;   // of this round
  std::vector<WorkerKey> begun_;  // of them, those with a new session
};

}  // namespace

Each<Registered> register_workers(Tx& tx, const std::vector<WorkerSpec>& batch) { return Registration(tx, batch).run(); }

}  // namespace muster::store::postgres
