#include "store/sqlite/reader.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include <fmt/format.h>

#include "store/codec/spec_text.h"
#include "store/refusals.h"
#include "store/sqlite/keys/rows.h"
#include "store/sqlite/rows.h"
#include "store/sqlite/snapshot.h"

namespace muster::store::sqlite {
namespace {

std::uint64_t number_in(Statement& st) {
  Rows rows(st);
  return rows.next() ? static_cast<std::uint64_t>(st.integer(0)) : 0;
}

}  // namespace

PlanLists::PlanLists(Connection& connection)
    : db_(connection),
      namespace_(connection, "namespace_find"),
      plan_count_(connection, "plan_count"),
      plan_list_(connection, "plan_list"),
      action_count_(connection, "action_count"),
      newest_(connection, "action_list_newest"),
      oldest_(connection, "action_list_oldest"),
      outcomes_(connection, "action_outcomes") {}

Result<std::int64_t> PlanLists::namespace_row(const NamespaceName& ns) {
  db_.clear_fault();
  Rows rows(namespace_.bind_text(1, ns.text()));
  if (rows.next()) return namespace_.integer(0);
  if (!db_.fault().ok()) return db_.fault();
  return refusal::namespace_not_made(ns);
}

template <class Page>
Result<Page> PlanLists::judged(Page page) {
  const Status fault = db_.fault();
  db_.clear_fault();
  if (!fault.ok()) return fault;
  return page;
}

Result<PlanPage> PlanLists::list_plans(const PlanQuery& query) {
  const auto ns_row = namespace_row(query.ns);
  if (!ns_row.ok()) return ns_row.status();
  PlanPage page;
  page.total = number_in(plan_count_.bind(1, *ns_row));
  Statement& st = plan_list_;
  st.bind(1, *ns_row).bind(2, static_cast<std::int64_t>(query.limit)).bind(3, static_cast<std::int64_t>(query.offset));
  std::size_t bytes = 0;
  Rows rows(st.bind(4, std::int64_t{query.with_text}));
  while (bytes < limits::kPageBytesMax && rows.next()) {
    page.plans.push_back(read_plan(st, query.ns).plan);
    bytes += page.plans.back().spec.text.size();
  }
  return judged(std::move(page));
}

Result<ActionPage> PlanLists::list_actions(const ActionListQuery& query) {
  const auto ns_row = namespace_row(query.ns);
  if (!ns_row.ok()) return ns_row.status();
  ActionPage page;
  page.total = number_in(action_count_.bind(1, *ns_row).bind_text_or_null(2, query.plan.text()));
  std::vector<FoundAction> found;
  {
    Statement& st = query.newest_first ? newest_ : oldest_;
    st.bind(1, *ns_row).bind_text_or_null(2, query.plan.text());
    Rows rows(st.bind(3, static_cast<std::int64_t>(query.limit)).bind(4, static_cast<std::int64_t>(query.offset)));
    while (rows.next()) found.push_back(read_action(st, query.ns));
  }
  for (FoundAction& one : found) page.actions.push_back(with_counts(outcomes_, std::move(one)));
  return judged(std::move(page));
}

namespace {

// "n<key>" or "o<key>": the order and the last key that was looked at.
std::string cursor_text(Order order, JobKey key) { return fmt::format("{}{}", order == Order::newest_first ? 'n' : 'o', key); }

std::optional<JobKey> parse_cursor(Order order, const std::string& text) {
  if (text.size() < 2 || text[0] != (order == Order::newest_first ? 'n' : 'o')) return std::nullopt;
  JobKey key = 0;
  const auto [end, error] = std::from_chars(text.data() + 1, text.data() + text.size(), key);
  if (error != std::errc() || end != text.data() + text.size() || key < 0) return std::nullopt;
  return key;
}

// One job always fits, so a page of contents never stands still.
static_assert(limits::kPayloadBytesMax + limits::kResultBytesMax <= limits::kPageBytesMax);

std::int64_t bits_of(const std::vector<JobState>& states) {
  std::int64_t bits = 0;
  for (const JobState state : states) bits |= std::int64_t{1} << static_cast<int>(state);
  return bits;
}

std::size_t content_bytes(const Job& job) { return job.spec.payload.data.size() + (job.result ? job.result->data.size() : 0); }

}  // namespace

Reader::Reader(Connection& connection, IdCodec ids)
    : db_(connection),
      ids_(ids),
      newest_(connection, "job_list_newest"),
      oldest_(connection, "job_list_oldest"),
      bounds_(connection, "job_bounds"),
      content_(connection, "content_get"),
      namespace_(connection, "namespace_find"),
      counts_(connection, "job_counts"),
      keys_(connection),
      plans_(connection),
      agents_(connection, ids) {}

Status Reader::must_exist(const NamespaceName& ns) {
  if (ns.empty()) return {};
  Rows rows(namespace_.bind_text(1, ns.text()));
  if (rows.next()) return {};
  return refusal::no_namespace(ns);
}

void Reader::bind_filter(Statement& st, const JobFilter& filter, const std::string& labels, Instant now) {
  const std::int64_t states = bits_of(filter.states);
  st.bind_text_or_null(3, filter.ns.text()).bind_text_or_null(4, filter.queue.text()).bind_text_or_null(5, filter.type.text());
  st.bind_text_or_null(6, filter.worker.text()).bind(7, states).bind(8, to_ms(now));
  filter.created_after ? st.bind(9, to_ms(*filter.created_after)) : st.bind_null(9);
  filter.created_before ? st.bind(10, to_ms(*filter.created_before)) : st.bind_null(10);
  st.bind_text_or_null(11, filter.error_kind).bind_text_or_null(12, labels).bind(14, std::int64_t{filter.runs_only});
}

Job Reader::read(Statement& st, bool with_payload, Instant now) {
  JobRow row = read_row(st, now);
  Job job = std::move(row.job);
  job.id = ids_.encode(row.key);
  job.spec.ns = NamespaceName(st.text(19));
  job.spec.queue = QueueName(st.text(20));
  job.spec.type = JobType(st.text(21));
  job.worker = WorkerId(st.text(23));
  if (!with_payload) {
    job.spec.payload.data.clear();
    job.result.reset();
    return job;
  }
  const auto fetch = [&](std::int64_t kind, std::string& into) {
    Rows rows(content_.bind(1, row.key).bind(2, kind));
    if (rows.next()) into = content_.text(0);
  };
  if ((row.flags & kPayloadApart) != 0) fetch(0, job.spec.payload.data);
  if ((row.flags & kResultApart) != 0) fetch(1, job.result->data);
  return job;
}

Result<JobPage> Reader::list(const JobQuery& query, Instant now) {
  db_.clear_fault();
  if (Status found = must_exist(query.filter.ns); !found.ok()) return found;
  const bool newest = query.order == Order::newest_first;
  JobKey low = 0;
  JobKey high = 0;
  {
    Rows rows(bounds_);
    if (rows.next()) {
      low = bounds_.integer(0);
      high = bounds_.integer(1);
    }
  }
  JobKey from = newest ? high + 1 : low - 1;
  if (!query.cursor.empty()) {
    const auto key = parse_cursor(query.order, query.cursor);
    if (!key) return refusal::bad_cursor(query.cursor);
    from = *key;
  }
  const auto scan = static_cast<JobKey>(limits::kSearchScanMax);
  const JobKey to = newest ? std::max(low, from - scan) : std::min(high, from + scan);
  const std::string labels = query.filter.labels.empty() ? std::string() : labels_to_text(query.filter.labels);
  Statement& st = newest ? newest_ : oldest_;
  st.bind(1, from).bind(2, to).bind(13, static_cast<std::int64_t>(query.limit) + 1);
  bind_filter(st, query.filter, labels, now);

  JobPage page;
  Rows rows(st);
  JobKey last = from;
  std::size_t bytes = 0;
  while (rows.next()) {
    if (page.jobs.size() == query.limit) {
      page.next = cursor_text(query.order, last);
      break;
    }
    Job job = read(st, query.with_payload, now);
    bytes += content_bytes(job);
    if (bytes > limits::kPageBytesMax) {
      page.next = cursor_text(query.order, last);
      break;
    }
    last = st.integer(0);
    page.jobs.push_back(std::move(job));
  }
  if (page.next.empty() && (newest ? to > low : to < high)) page.next = cursor_text(query.order, to);
  const Status fault = db_.fault();
  db_.clear_fault();
  if (!fault.ok()) return fault;
  return page;
}

Result<std::vector<JobCount>> Reader::count(const JobFilter& filter, Instant now) {
  db_.clear_fault();
  if (Status found = must_exist(filter.ns); !found.ok()) return found;
  Statement& st = counts_;
  st.bind_text_or_null(1, filter.ns.text()).bind_text_or_null(2, filter.queue.text()).bind_text_or_null(3, filter.type.text());
  st.bind(4, bits_of(filter.states)).bind(5, std::int64_t{filter.runs_only}).bind(6, to_ms(now));
  std::vector<JobCount> out;
  {
    Rows rows(st);
    while (rows.next())
      out.push_back({NamespaceName(st.text(0)), QueueName(st.text(1)), JobType(st.text(2)), static_cast<JobState>(st.integer(3)),
                     static_cast<std::uint64_t>(st.integer(4))});
  }
  const Status fault = db_.fault();
  db_.clear_fault();
  if (!fault.ok()) return fault;
  return out;
}

Result<keyspace::Part> Reader::read_keys(const KeyBatch& batch, const keyspace::Run& what) {
  db_.clear_fault();
  std::optional<std::int64_t> ns;
  {
    Rows rows(namespace_.bind_text(1, batch.ns.text()));
    if (rows.next()) ns = namespace_.integer(0);
  }
  if (!db_.fault().ok()) return db_.fault();
  if (!ns) return refusal::no_namespace(batch.ns);
  const Snapshot snapshot(db_);
  SqliteKeyRows rows(db_, keys_, *ns, batch.space);
  keyspace::Ran ran = keyspace::run(rows, what);
  if (!db_.fault().ok()) return db_.fault();
  if (!ran.refused.ok()) return ran.refused;
  return keyspace::Part{std::move(ran.answers), false};
}

Result<Reader::Found> Reader::find(const JobFilter& filter, std::size_t limit, Instant now) {
  const auto page = list({.filter = filter, .order = Order::oldest_first, .limit = limit}, now);
  if (!page.ok()) return page.status();
  Found found;
  for (const Job& job : page->jobs)
    if (const auto key = ids_.decode(job.id)) found.keys.push_back(*key);
  found.more = !page->next.empty();
  return found;
}

ReaderPool::ReaderPool(std::vector<std::unique_ptr<Connection>> connections, IdCodec ids, Incidents incidents)
    : connections_(std::move(connections)), incidents_(std::move(incidents)) {
  for (auto& connection : connections_) threads_.emplace_back([this, &connection, ids] { run(*connection, ids); });
}

ReaderPool::~ReaderPool() { close(); }

bool ReaderPool::post(Task& task) {
  {
    const std::lock_guard lock(mutex_);
    if (closing_ || tasks_.size() >= kTasksMax) return false;
    tasks_.push_back(std::move(task));
  }
  wake_.notify_one();
  return true;
}

void ReaderPool::close() {
  {
    const std::lock_guard lock(mutex_);
    closing_ = true;
  }
  wake_.notify_all();
  for (std::thread& thread : threads_)
    if (thread.joinable()) thread.join();
}

void ReaderPool::run(Connection& connection, IdCodec ids) {
  Reader reader(connection, ids);
  while (true) {
    Task task;
    bool closing = false;
    {
      std::unique_lock lock(mutex_);
      wake_.wait(lock, [this] { return closing_ || !tasks_.empty(); });
      if (tasks_.empty()) return;
      task = std::move(tasks_.front());
      tasks_.pop_front();
      closing = closing_;
    }
    try {
      task(closing ? nullptr : &reader);
    } catch (...) {
      // Its answer was given; only the reply to it can have thrown.
      const Incident incident(incidents_, "reply");
      task = {};
    }
  }
}

}  // namespace muster::store::sqlite
