// Finding jobs: one stretch of keys at a time, along the primary keys of the four tables side by side.
//
// What the names of a filter stand for (lanes, workers) is settled first, so that the statement compares numbers. Labels and
// error kinds live inside JSON that SQL functions cannot always read (they refuse an escaped NUL): the statement looks for their
// text, and the parsed values decide here.
#include <algorithm>
#include <charconv>
#include <limits>

#include <fmt/format.h>

#include "store/codec/spec_text.h"
#include "store/postgres/moves.h"
#include "store/postgres/row.h"
#include "store/postgres/verbs/job_search.h"
#include "store/postgres/verbs/verbs.h"
#include "store/refusals.h"

namespace muster::store::postgres {
namespace {

const Sql kListNewest{"list_newest"};
const Sql kListOldest{"list_oldest"};
const Sql kListEdgeNewest{"list_edge_newest"};
const Sql kListEdgeOldest{"list_edge_oldest"};
const Sql kListWorkersNamed{"list_workers_named"};

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
struct Search {
  std::int64_t sources = 0;  // bits, as job_search.h says
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

bool Search::matches(const Job& job) const {
  if (!error_kind.empty() && (!job.error || job.error->kind != error_kind)) return false;
  return std::all_of(labels.begin(), labels.end(), [&job](const auto& wanted) {
    const auto found = job.spec.labels.find(wanted.first);
    return found != job.spec.labels.end() && found->second == wanted.second;
  });
}

void look_for_text(const JobFilter& filter, Search& search) {
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

Result<Search> settle(Tx& tx, const JobFilter& filter) {
  Search search;
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
    const Rows rows = tx.ask(kListWorkersNamed, Params().text(filter.worker.text()).int4(ns));
    search.workers.emplace();
    for (std::size_t i = 0; i < rows.size(); ++i) search.workers->push_back(static_cast<WorkerKey>(rows.integer(i, 0)));
  }
  look_for_text(filter, search);
  return search;
}

Params params_of(const JobQuery& query, const Search& search, JobKey from, JobKey to, std::int64_t now) {
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
  const Rows rows = tx.ask(order == Order::newest_first ? kListEdgeNewest : kListEdgeOldest, Params().int8(from).int4(sources));
  if (rows.size() == 0) return std::nullopt;
  return rows.integer(0, 0);
}

JobPage scan(Tx& tx, const JobQuery& query, const Search& search, JobKey from) {
  JobPage page;
  const bool newest = query.order == Order::newest_first;
  const auto first = edge(tx, query.order, from, search.sources);
  if (!first) return page;
  const JobKey start = newest ? *first + 1 : *first - 1;
  const JobKey end = newest ? std::max<JobKey>(0, start - kStretch) : start + kStretch;
  const Rows rows = tx.ask(newest ? kListNewest : kListOldest, params_of(query, search, start, end, tx.now_ms()));
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

}  // namespace muster::store::postgres
