// Jobs to read: by id, by the keys their clients gave them, as pages of a list, and counted.
#include <algorithm>
#include <charconv>
#include <limits>
#include <map>
#include <tuple>
#include <unordered_map>

#include <fmt/format.h>

#include "store/codec/spec_text.h"
#include "store/postgres/moves.h"
#include "store/postgres/read_rows.h"
#include "store/postgres/verbs/list.h"
#include "store/postgres/verbs/verbs.h"
#include "store/refusals.h"

namespace muster::store::postgres {
namespace {

constexpr std::int64_t kEverySource = 15;

std::int64_t source_of(JobState state) {
  switch (state) {
    case JobState::scheduled:
    case JobState::ready: return 1;
    case JobState::running: return 2;
    case JobState::dead: return 4;
    case JobState::completed:
    case JobState::cancelled: return 8;
  }
  return 0;
}

}  // namespace

std::int64_t sources_of(const std::vector<JobState>& states) {
  std::int64_t sources = 0;
  for (const JobState state : states) sources |= source_of(state);
  return states.empty() ? kEverySource : sources;
}

std::int64_t bits_of(const std::vector<JobState>& states) {
  std::int64_t bits = 0;
  for (const JobState state : states) bits |= std::int64_t{1} << static_cast<int>(state);
  return bits;
}

std::vector<LaneKey> lanes_for(const Directory& directory, const JobFilter& filter) {
  std::vector<LaneKey> out;
  for (const QueueRef& queue : directory.queues()) {
    if (!filter.ns.empty() && queue->ns_name != filter.ns) continue;
    if (!filter.queue.empty() && queue->name != filter.queue) continue;
    for (const LanePtr& lane : directory.lanes_of_queue(queue->key))
      if (filter.type.empty() || lane->lane->type == filter.type) out.push_back(lane->key);
  }
  return out;
}

namespace {

// Finding jobs: one stretch of keys at a time, along the primary keys of the four tables side by side.
//
// What the names of a filter stand for (lanes, workers) is settled first, so that the statement compares numbers. Labels and
// error kinds live inside JSON that SQL functions cannot always read (they refuse an escaped NUL): the statement looks for their
// text, and the parsed values decide here.

constexpr int kBytesColumn = 20;
constexpr auto kStretch = static_cast<JobKey>(limits::kSearchScanMax);
// One job always fits, so a page of contents never stands still.
static_assert(limits::kPayloadBytesMax + limits::kResultBytesMax <= limits::kPageBytesMax);

// "n<key>" or "o<key>": the order and the last key that was looked at.
std::string cursor_text(Order order, JobKey key) { return fmt::format("{}{}", order == Order::newest_first ? 'n' : 'o', key); }

std::optional<JobKey> parse_cursor(Order order, const std::string& text) {
  if (text.size() < 2 || text[0] != (order == Order::newest_first ? 'n' : 'o')) return std::nullopt;
  JobKey key = 0;
  const auto [end, error] = std::from_chars(text.data() + 1, text.data() + text.size(), key);
  if (error != std::errc() || end != text.data() + text.size() || key < 0) return std::nullopt;
  return key;
}

// A filter as the statement takes it.
struct Listing {
  std::int64_t sources = 0;  // bits, as list.h says
  std::int64_t states = 0;
  std::optional<std::vector<LaneKey>> lanes;
  std::optional<std::vector<WorkerKey>> workers;
  std::string error_start;
  std::string label_part;
  Labels labels;  // as they read after having been stored
  std::string error_kind;
  bool hopeless() const { return (lanes && lanes->empty()) || (workers && workers->empty()); }
  bool matches(const Job& job) const;
};

bool Listing::matches(const Job& job) const {
  if (!error_kind.empty() && (!job.error || job.error->kind != error_kind)) return false;
  return std::all_of(labels.begin(), labels.end(), [&job](const auto& wanted) {
    const auto found = job.spec.labels.find(wanted.first);
    return found != job.spec.labels.end() && found->second == wanted.second;
  });
}

void look_for_text(const JobFilter& filter, Listing& search) {
  if (!filter.error_kind.empty()) {
    const std::string text = error_to_text({filter.error_kind, ""});
    search.error_kind = error_from_text(text).kind;
    search.error_start = text.substr(0, text.size() - 2);  // up to where the message begins
  }
  if (filter.labels.empty()) return;
  JobSpec stored;
  JobSpec wanted;
  wanted.labels = filter.labels;
  spec_from_text(spec_to_text(wanted), stored);
  search.labels = std::move(stored.labels);
  // One of them is enough to spare most rows the way here; the longest says most.
  for (const auto& label : filter.labels) {
    const std::string text = labels_to_text(Labels{label});
    if (text.size() > search.label_part.size() + 2) search.label_part = text.substr(1, text.size() - 2);
  }
}

Result<Listing> settle(Tx& tx, const JobFilter& filter) {
  Listing search;
  NamespaceKey ns = 0;
  if (!filter.ns.empty()) {
    const auto key = tx.namespace_key(filter.ns);
    if (!key.ok()) return key.status();
    ns = *key;
  }
  search.sources = sources_of(filter.states);
  search.states = bits_of(filter.states);
  if (!filter.ns.empty() || !filter.queue.empty() || !filter.type.empty()) search.lanes = lanes_for(tx.directory(), filter);
  if (!filter.worker.empty()) {
    const Rows rows = tx.ask("list_workers_named"_sql, Params().text(filter.worker.text()).int4(ns));
    search.workers.emplace();
    for (std::size_t i = 0; i < rows.size(); ++i) search.workers->push_back(static_cast<WorkerKey>(rows.integer(i, 0)));
  }
  look_for_text(filter, search);
  return search;
}

Params params_of(const JobQuery& query, const Listing& search, JobKey from, JobKey to, std::int64_t now) {
  const auto ms = [](const std::optional<Instant>& at) { return at ? std::optional(to_ms(*at)) : std::nullopt; };
  const auto text_or_null = [](Params& params, const std::string& text) { text.empty() ? params.null() : params.text(text); };
  Params params;
  params.int8(from).int8(to).int4(search.sources).int4(search.states).int8(now);
  search.lanes ? params.int4s(*search.lanes) : params.null();
  search.workers ? params.int4s(*search.workers) : params.null();
  params.int8(ms(query.filter.created_after)).int8(ms(query.filter.created_before));
  text_or_null(params, search.error_start);
  text_or_null(params, search.label_part);
  params.int8(static_cast<std::int64_t>(query.limit) + 1).boolean(query.with_payload);
  params.int8(static_cast<std::int64_t>(limits::kPageBytesMax)).int4(query.filter.runs_only ? kRun : std::uint16_t{0});
  return params;
}

// The key of the first job beyond `from`, of those the search is about.
std::optional<JobKey> edge(Tx& tx, Order order, JobKey from, std::int64_t sources) {
  const Rows rows =
      tx.ask(order == Order::newest_first ? "list_edge_newest"_sql : "list_edge_oldest"_sql, Params().int8(from).int4(sources));
  if (rows.size() == 0) return std::nullopt;
  return rows.integer(0, 0);
}

JobPage scan(Tx& tx, const JobQuery& query, const Listing& search, JobKey from) {
  JobPage page;
  const bool newest = query.order == Order::newest_first;
  const auto first = edge(tx, query.order, from, search.sources);
  if (!first) return page;
  const JobKey start = newest ? *first + 1 : *first - 1;
  const JobKey end = newest ? std::max<JobKey>(0, start - kStretch) : start + kStretch;
  const Rows rows = tx.ask(newest ? "list_newest"_sql : "list_oldest"_sql, params_of(query, search, start, end, tx.now_ms()));
  know_lanes(tx, rows);
  JobKey last = start;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const bool heavy = i > 0 && rows.integer(i, kBytesColumn) > static_cast<std::int64_t>(limits::kPageBytesMax);
    if (heavy || page.jobs.size() == query.limit) {
      page.next = cursor_text(query.order, last);
      return page;
    }
    last = rows.integer(i, 0);
    Job job = read_row(tx, rows, i);
    if (search.matches(job)) page.jobs.push_back(std::move(job));
  }
  if (rows.size() > query.limit) {  // some of them only looked right: the stretch is not at its end
    page.next = cursor_text(query.order, last);
    return page;
  }
  // A stretch counts keys, not jobs: what was deleted long ago is stepped over.
  if (const auto rest = edge(tx, query.order, end, search.sources))
    page.next = cursor_text(query.order, newest ? *rest + 1 : *rest - 1);
  return page;
}

}  // namespace

Result<JobPage> list_jobs(Tx& tx, const JobQuery& query) {
  const auto search = settle(tx, query.filter);
  if (!search.ok()) return search.status();
  JobKey from = query.order == Order::newest_first ? std::numeric_limits<JobKey>::max() : 0;
  if (!query.cursor.empty()) {
    const auto key = parse_cursor(query.order, query.cursor);
    if (!key) return refusal::bad_cursor(query.cursor);
    from = *key;
  }
  if (search->hopeless()) return JobPage{};
  return scan(tx, query, *search, from);
}

Result<Redriven> redrive_matching(Tx& tx, const RedriveFilter& request) {
  JobQuery query;
  query.filter = request.filter;
  query.order = Order::oldest_first;
  query.limit = request.limit;
  std::erase_if(query.filter.states, [](JobState state) { return !next(state, JobEvent::redriven); });
  if (query.filter.states.empty()) query.filter.states = {JobState::dead};
  const auto page = list_jobs(tx, query);
  if (!page.ok()) return page.status();
  std::vector<JobId> found;
  for (const Job& job : page->jobs) found.push_back(job.id);
  Redriven out;
  out.more = !page->next.empty();
  const Each<Settled> settled = redrive(tx, found);
  for (std::size_t i = 0; i < settled.size(); ++i)
    if (settled[i].ok()) out.jobs.push_back(found[i]);
  return out;
}

namespace {

// Jobs by their ids, whole.

}  // namespace

Each<Job> get_jobs(Tx& tx, const std::vector<JobId>& jobs) {
  std::vector<std::int64_t> keys;
  for (const JobId& id : jobs)
    if (const auto key = tx.ids().decode(id)) keys.push_back(*key);
  const Rows rows = tx.ask("read_jobs"_sql, Params().int8s(keys).int8(tx.now_ms()));
  know_lanes(tx, rows);
  std::unordered_map<JobId, std::size_t> row_of;
  for (std::size_t i = 0; i < rows.size(); ++i) row_of.emplace(tx.ids().encode(rows.integer(i, 0)), i);
  Each<Job> out;
  out.reserve(jobs.size());
  for (const JobId& id : jobs) {
    if (const auto found = row_of.find(id); found != row_of.end())
      out.emplace_back(read_whole_row(tx, rows, found->second));
    else
      out.emplace_back(refusal::no_job(id));
  }
  return out;
}

namespace {

// How many jobs are where.

}  // namespace

Result<std::vector<JobCount>> count_jobs(Tx& tx, const JobFilter& filter) {
  if (!filter.ns.empty())
    if (const auto ns = tx.namespace_key(filter.ns); !ns.ok()) return ns.status();
  Params params;
  params.int4(sources_of(filter.states)).int4(bits_of(filter.states));
  if (!filter.ns.empty() || !filter.queue.empty() || !filter.type.empty())
    params.int4s(lanes_for(tx.directory(), filter));
  else
    params.null();
  const Rows rows = tx.ask("count_jobs"_sql, std::move(params.int4(filter.runs_only ? kRun : std::uint16_t{0})));
  // Several lanes may be of one type.
  std::map<std::tuple<std::string, std::string, std::string, JobState>, std::uint64_t> sums;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto key = static_cast<LaneKey>(rows.integer(i, 0));
    if (tx.directory().lane(key) == nullptr) tx.reload_directory();  // made after this transaction began
    const LanePtr lane = tx.directory().lane(key);
    if (lane == nullptr) continue;
    sums[{lane->lane->ns.text(), lane->lane->queue.text(), lane->lane->type.text(), static_cast<JobState>(rows.integer(i, 1))}] +=
        static_cast<std::uint64_t>(rows.integer(i, 2));
  }
  std::vector<JobCount> out;
  for (const auto& [of, count] : sums)
    out.push_back({NamespaceName(std::get<0>(of)), QueueName(std::get<1>(of)), JobType(std::get<2>(of)), std::get<3>(of), count});
  return out;
}

namespace {

// Jobs by the keys their clients gave them.

// The statement takes namespaces and keys and answers (namespace, key, job) for those it has.
Each<JobId> find(Tx& tx, Sql statement, const NamespaceName& ns, const std::vector<std::string>& keys,
                 Status (*nobody)(std::string_view key)) {
  const auto ns_key = tx.namespace_key(ns);
  if (!ns_key.ok()) return Each<JobId>(keys.size(), ns_key.status());
  Table asked({Type::int4, Type::bytes});
  for (const std::string& key : keys) asked.add(*ns_key, key);
  const Rows rows = tx.ask(statement, asked.params());
  std::unordered_map<std::string, JobId> found;
  for (std::size_t i = 0; i < rows.size(); ++i) found.emplace(rows.text(i, 1), tx.ids().encode(rows.integer(i, 2)));
  Each<JobId> out;
  for (const std::string& one : keys) {
    const auto it = found.find(one);
    if (it != found.end())
      out.emplace_back(it->second);
    else
      out.emplace_back(nobody(one));
  }
  return out;
}

}  // namespace

Each<JobId> find_jobs(Tx& tx, const NamespaceName& ns, const std::vector<std::string>& keys) {
  return find(tx, "idempotency_find"_sql, ns, keys, refusal::no_key);
}

Each<JobId> find_holders(Tx& tx, const NamespaceName& ns, const std::vector<std::string>& keys) {
  return find(tx, "unique_holders"_sql, ns, keys, refusal::no_holder);
}

}  // namespace muster::store::postgres
