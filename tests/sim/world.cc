// The life, death and return of the simulated process.
#include "tests/sim/world.h"

#include <sqlite3.h>

namespace muster::sim {
namespace {

constexpr const char* kPath = "/sim/muster.db";
constexpr Duration kTroubleSpell{3'000};    // how long a spell of disk trouble lasts at most
constexpr std::int64_t kCountdownMax = 60;  // disk operations until a planned crash
constexpr int kPumpsMax = 1'000;            // a store that never runs out of work within one instant is broken
constexpr int kOpensMax = 50;
constexpr std::size_t kListPage = 200;

std::string vfs_name() { return "muster-sim"; }

}  // namespace

World::World(std::uint64_t seed, bool print_trace)
    : random_(seed),
      plan_(make_plan(random_)),
      trace_(clock_, print_trace),
      timeline_(clock_),
      shadow_(clock_, trace_, plan_.engine.retention),
      disk_(random_.fork()),
      vfs_(vfs_name(), disk_),
      store_seed_(random_.next() | 1) {
  // SQLite draws WAL salts from a generator of its own that lives as long as the process.
  sqlite3_test_control(SQLITE_TESTCTRL_PRNG_SEED, static_cast<int>(seed % 0x7FFFFFFF) + 1, nullptr);
}

World::~World() {
  disk_.kill();
  engine_.reset();
  store_.reset();
  observed_.reset();
}

Duration World::latency() {
  if (!peaceful_ && random_.chance(plan_.slow)) return Duration(random_.between(500, 20'000));
  return Duration(random_.between(0, 5));
}

void World::start() { open(); }

void World::open() {
  for (int attempt = 0; attempt < kOpensMax; ++attempt) {
    const std::uint64_t injected = disk_.injected();
    store::sqlite::Options options;
    options.path = kPath;
    options.threading = store::sqlite::Threading::manual;
    options.vfs = vfs_.name();
    options.readers = plan_.readers;
    options.redo_bytes = plan_.redo_bytes;
    options.overlapped = plan_.overlapped;
    options.helped = plan_.helped;
    options.seed = store_seed_;
    if (!peaceful_ && plan_.crash_every != 0 && random_.chance(0.15))
      disk_.die_after(static_cast<std::uint64_t>(random_.between(1, 30)));
    auto opened = store::sqlite::SqliteStore::open(std::move(options), clock_, metrics_);
    if (opened.ok() && !disk_.dead()) {
      store_ = std::move(opened).value();
      break;
    }
    if (disk_.dead()) {
      trace_.line("the process dies while it opens its file");
      opened = Status::unavailable("died");
      disk_.revive(static_cast<Loss>(random_.below(3)));
      continue;
    }
    if (disk_.injected() == injected || opened.code() == Code::corrupt || opened.code() == Code::internal)
      return shadow_.violate("rule 1 (start)", fmt::format("the store does not open: {}", opened.status().text()));
    trace_.line("the store does not open yet: {}", to_string(opened.code()));
    disk_.faults = {};
  }
  if (store_ == nullptr) return shadow_.violate("rule 1 (start)", "the store does not open");
  observed_ = std::make_unique<ObservedStore>(*store_, shadow_, disk_, clock_, [this] { work_arrived(); });
  engine_ = std::make_unique<engine::Engine>(*observed_, clock_, metrics_, plan_.engine);
  if (ever_opened_) compare_after_crash();
  ever_opened_ = true;
  if (engine_ != nullptr) schedule_tick(Duration(0));
}

void World::work_arrived() {
  if (std::exchange(pump_planned_, true)) return;
  // What arrives while a commit is in flight goes into the next group.
  timeline_.after(Duration(random_.between(0, 2)), [this] { pump(); });
}

void World::pump() {
  pump_planned_ = false;
  if (store_ == nullptr) return;
  shadow_.pump_begins();
  if (store_->pump() && !disk_.dead()) work_arrived();
  if (disk_.dead()) return die("at a write");
  if (store_->health().writable) return;
  shadow_.group_failed();
  // The moment that tells an unknown outcome from a refused one: power goes before anything overwrites the failed commit.
  if (!peaceful_ && plan_.crash_every != 0 && random_.chance(0.1)) die("right after a failed commit");
}

void World::schedule_tick(Duration delay) {
  const std::uint64_t number = ++tick_number_;
  timeline_.after(delay, [this, number] {
    if (number == tick_number_) tick();
  });
}

void World::tick() {
  if (engine_ == nullptr) return;
  constexpr Duration kLeast{1};
  const Duration sleep = std::max(kLeast, engine_->tick());
  if (disk_.dead()) return die("at a write");
  schedule_tick(sleep);
}

void World::die(std::string_view how) {
  disk_.kill();
  engine_.reset();
  store_.reset();
  observed_.reset();
  const Loss loss = static_cast<Loss>(random_.below(3));
  trace_.line("CRASH {} (loss {})", how, static_cast<int>(loss));
  disk_.revive(loss);
  disk_.faults = {};
  shadow_.crashed();
  timeline_.after(Duration(random_.chance(0.3) ? random_.between(1'000, 15'000) : random_.between(0, 50)), [this] {
    trace_.line("the process starts again");
    open();
  });
}

void World::restart_cleanly() {
  if (!settle()) return;
  trace_.line("clean restart");
  engine_->stop();
  shadow_.pump_begins();
  const Status closed = store_->close();
  if (disk_.dead()) return die("while closing");
  if (!closed.ok() && disk_.injected() == 0) shadow_.violate("stop", closed.text());
  disk_.kill();
  engine_.reset();
  store_.reset();
  observed_.reset();
  disk_.revive(Loss::unsynced);
  disk_.faults = {};
  shadow_.crashed();
  open();
}

bool World::settle() {
  for (int i = 0; i < kPumpsMax; ++i) {
    shadow_.pump_begins();
    const bool more = store_->pump();
    if (disk_.dead()) {
      die("at a write");
      return false;
    }
    if (!store_->health().writable) shadow_.group_failed();
    if (!more) return true;
  }
  shadow_.violate("liveness", "the store always has more to do within one instant");
  return true;
}

void World::compare_after_crash() {
  // The first look happens before anybody else gets a word in: what the rows say is what survived.
  store::JobQuery query;
  query.order = store::Order::oldest_first;
  query.limit = kListPage;
  query.with_payload = true;
  bool done = false;
  while (!done) {
    std::optional<Result<store::JobPage>> page;
    store_->list_jobs(query, [&page](Result<store::JobPage> result) { page = std::move(result); });
    if (!settle()) return;
    if (!page) return shadow_.violate("store promise (replies)", "list_jobs was never answered");
    if (!page->ok())
      return shadow_.violate("rule 1 (start)", fmt::format("the jobs cannot be listed: {}", page->status().text()));
    for (const Job& job : (*page)->jobs) shadow_.seen_after_crash(job, clock_.now());
    query.cursor = (*page)->next;
    done = query.cursor.empty();
  }
  shadow_.all_seen_after_crash();
  audit(0);
}

void World::audit(std::size_t sample) {
  if (store_ == nullptr || !settle()) return;
  std::vector<JobId> ids;
  const auto& all = shadow_.by_number();
  if (sample == 0 || all.size() <= sample) {
    for (const auto& [number, id] : all) ids.push_back(id);
  } else {
    for (std::size_t i = 0; i < sample; ++i)
      ids.push_back(all.at(static_cast<std::uint32_t>(random_.between(1, static_cast<std::int64_t>(all.size())))));
  }
  std::optional<Result<std::vector<QueueStats>>> queues;
  std::optional<Result<store::Each<Job>>> jobs;
  store_->list_queues(NamespaceName(), [&queues](Result<std::vector<QueueStats>> result) { queues = std::move(result); });
  if (!ids.empty()) store_->get_jobs(ids, [&jobs](Result<store::Each<Job>> result) { jobs = std::move(result); });
  if (!settle()) return;
  if (!queues || (!ids.empty() && !jobs)) return shadow_.violate("store promise (replies)", "a read was never answered");
  if (queues->ok()) shadow_.counted(**queues);
  if (!jobs || !jobs->ok()) return;
  for (std::size_t i = 0; i < ids.size(); ++i) shadow_.seen(ids[i], (**jobs)[i]);
}

void World::explain(const JobId& job) {
  if (engine_ == nullptr) return;
  engine_->jobs().why(job, [this, job](Result<engine::Why> why) {
    trace_.line("j{} waits: {}", shadow_.number(job), why.ok() ? why->text : why.status().text());
  });
  (void)settle();
}

void World::trouble() {
  if (peaceful_ || engine_ == nullptr) return;
  const auto spell = [this](std::string_view what, auto set, auto unset) {
    trace_.line("trouble: {}", what);
    set();
    timeline_.after(Duration(random_.between(1, kTroubleSpell.count())), [this, unset, life = disk_.life()] {
      if (life == disk_.life()) unset();
    });
  };
  if (due(plan_.crash_every) && !disk_.countdown_running())
    disk_.die_after(static_cast<std::uint64_t>(random_.between(1, kCountdownMax)));
  if (due(plan_.sync_trouble_every))
    spell(
        "syncs fail", [this] { disk_.faults.sync_failure = random_.chance(0.3) ? 1.0 : 0.3; },
        [this] { disk_.faults.sync_failure = 0; });
  if (due(plan_.full_every))
    spell(
        "disk full", [this] { disk_.faults.full = true; }, [this] { disk_.faults.full = false; });
  if (due(plan_.read_trouble_every))
    spell(
        "reads fail", [this] { disk_.faults.read_failure = random_.chance(0.3) ? 0.5 : 0.05; },
        [this] { disk_.faults.read_failure = 0; });
  if (due(plan_.clock_jump_every)) {
    const Duration by(random_.chance(0.5) ? random_.between(-2'000, -1) : random_.between(1'000, 120'000));
    trace_.line("trouble: the wall clock jumps by {} ms", by.count());
    clock_.jump_wall(by);
    schedule_tick(Duration(0));
  }
  if (due(plan_.kill_every)) return die("between two steps");
  if (due(plan_.clean_restart_every)) return restart_cleanly();
}

bool World::step() {
  if (timeline_.empty()) return false;
  timeline_.run_next();
  if (!shadow_.violation()) trouble();
  return true;
}

void World::make_peace() {
  trace_.line("peace");
  peaceful_ = true;
  disk_.faults = {};
  disk_.die_after(0);
}

}  // namespace muster::sim
