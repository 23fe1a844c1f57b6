// Pages and counts of runs. The registry's index knows states; PENDING and SLEEPING are told apart by what last happened to a
// run, so those two are picked out here, chunk by chunk.
#include <algorithm>
#include <memory>
#include <utility>

#include "command/jobs.h"
#include "command/runs.h"
#include "fronts/grpc/dialect/runs.h"

namespace muster::rpc {
namespace {

constexpr std::size_t kChunk = 200;       // runs looked at in one reading while some are picked out
constexpr std::size_t kReadingsMax = 50;  // for one page; then it is short, and the next one goes on

std::vector<JobState> states_of(RunStatus status) {
  switch (status) {
    case RunStatus::pending: return {JobState::ready, JobState::scheduled};
    case RunStatus::sleeping: return {JobState::scheduled};
    case RunStatus::running: return {JobState::running};
    case RunStatus::completed: return {JobState::completed};
    case RunStatus::failed: return {JobState::dead};
    case RunStatus::cancelled: return {JobState::cancelled};
    case RunStatus::none: return {};
  }
  return {};
}

bool picks(const RunListing& listing) { return listing.status == RunStatus::pending || listing.status == RunStatus::sleeping; }

// Every reading takes everything that matches, so that a count is one too.
class Walk : public std::enable_shared_from_this<Walk> {
 public:
  // Where a run that was taken stands: the cursor its reading began at, and its place in it.
  struct Taken {
    JobId id;
    std::string from;
    std::size_t place = 0;
    std::string after;  // cursor behind it, when it is known without another reading
  };
  struct Found {
    std::vector<Taken> taken;
    std::string next;   // behind everything that was looked at; empty: behind the last one taken
    bool more = false;  // there is more, or may be
  };

  Walk(CallRef call, RunListing listing) : call_(std::move(call)), listing_(std::move(listing)) {
    listing_.filter.runs_only = true;
    if (listing_.status) listing_.filter.states = states_of(*listing_.status);
  }

  void run(Reply<Found> reply) {
    reply_ = std::move(reply);
    read(listing_.cursor);
  }

  store::JobQuery query(std::string cursor, std::size_t limit) const {
    store::JobQuery out;
    out.filter = listing_.filter;
    out.limit = limit;
    out.cursor = std::move(cursor);
    return out;
  }

 private:
  void read(std::string cursor) {
    const std::size_t wanted = listing_.limit - found_.taken.size();
    const std::size_t limit = std::min(picks(listing_) ? std::max(kChunk, wanted) : wanted, limits::kPageMax);
    ask(call_, command::RunListRequest{query(cursor, limit)},
        [self = shared_from_this(), cursor](Result<store::JobPage> page) { self->got(cursor, std::move(page)); });
  }

  void got(const std::string& cursor, Result<store::JobPage> page) {
    if (page.code() == Code::not_found) return finish(std::move(found_));
    if (!page.ok()) return finish(page.status());
    for (std::size_t i = 0; i < page->jobs.size(); ++i) {
      const Job& job = page->jobs[i];
      if (listing_.status && status_of(job) != *listing_.status) continue;
      if (found_.taken.size() == listing_.limit) {
        found_.more = true;
        found_.next.clear();
        return finish(std::move(found_));
      }
      const bool last = i + 1 == page->jobs.size();
      found_.taken.push_back({job.id, cursor, i, last ? page->next : std::string()});
    }
    found_.next = page->next;
    found_.more = !page->next.empty();
    if (!found_.more || found_.taken.size() == listing_.limit || ++readings_ == kReadingsMax) return finish(std::move(found_));
    read(page->next);
  }

  // The reply may hold this walk, so that it is let go of when it was called.
  void finish(Result<Found> found) { std::exchange(reply_, {})(std::move(found)); }

  const CallRef call_;
  RunListing listing_;
  Reply<Found> reply_;
  Found found_;
  std::size_t readings_ = 0;
};

std::size_t bytes_of(const Job& job) {
  return job.spec.payload.data.size() + (job.result ? job.result->data.size() : 0) +
         (job.spec.run ? job.spec.run->context.size() : 0);
}

// The runs whose ids were found, as many as fit on a page; then the cursor behind the last of them.
void fill(const CallRef& call, const std::shared_ptr<Walk>& walk, Walk::Found found, Reply<RunsPage> reply) {
  std::vector<command::JobGetRequest> ids;
  for (const Walk::Taken& taken : found.taken) ids.push_back({taken.id});
  call->core.door.run_all(
      call->caller, std::move(ids),
      [call, walk, found = std::move(found), reply = std::move(reply)](Result<store::Each<Job>> jobs) mutable {
        if (!jobs.ok()) return reply(jobs.status());
        RunsPage page;
        std::size_t bytes = 0;
        std::size_t used = 0;
        for (Result<Job>& job : *jobs) {
          if (job.ok()) {
            bytes += bytes_of(*job);
            if (bytes > kListBytesMax && !page.runs.empty()) break;
            page.runs.push_back(std::move(*job));
          }
          ++used;
        }
        if (used == found.taken.size() && (!found.more || !found.next.empty())) {
          page.next = std::move(found.next);
          return reply(std::move(page));
        }
        const Walk::Taken& last = found.taken[used - 1];
        if (!last.after.empty()) {
          page.next = last.after;
          return reply(std::move(page));
        }
        ask(call, command::RunListRequest{walk->query(last.from, last.place + 1)},
            [page = std::move(page), reply = std::move(reply)](Result<store::JobPage> prefix) mutable {
              if (!prefix.ok()) return reply(prefix.status());
              page.next = std::move(prefix->next);
              reply(std::move(page));
            });
      });
}

}  // namespace

void list_runs(const CallRef& call, RunListing listing, Reply<RunsPage> reply) {
  if (listing.status == RunStatus::none) return reply(RunsPage());
  auto walk = std::make_shared<Walk>(call, std::move(listing));
  walk->run([call, walk, reply = std::move(reply)](Result<Walk::Found> found) mutable {
    if (!found.ok()) return reply(found.status());
    if (!found->taken.empty()) return fill(call, walk, std::move(*found), std::move(reply));
    RunsPage page;
    if (found->more) page.next = found->next;
    reply(std::move(page));
  });
}

void count_runs(const CallRef& call, RunListing listing, Reply<std::uint64_t> reply) {
  if (listing.status == RunStatus::none) return reply(std::uint64_t{0});
  if (picks(listing) || listing.filter.created_after || listing.filter.created_before || !listing.filter.labels.empty()) {
    listing.limit = kCountScanMax;
    listing.cursor.clear();
    auto walk = std::make_shared<Walk>(call, std::move(listing));
    return walk->run([walk, reply = std::move(reply)](Result<Walk::Found> found) mutable {
      if (!found.ok()) return reply(found.status());
      reply(static_cast<std::uint64_t>(found->taken.size()));
    });
  }
  listing.filter.runs_only = true;
  if (listing.status) listing.filter.states = states_of(*listing.status);
  ask(call, command::JobCountRequest{listing.filter},
      [reply = std::move(reply)](Result<std::vector<store::JobCount>> counts) mutable {
        if (counts.code() == Code::not_found) return reply(std::uint64_t{0});
        if (!counts.ok()) return reply(counts.status());
        std::uint64_t total = 0;
        for (const store::JobCount& one : *counts) total += one.count;
        reply(total);
      });
}

namespace {

RunStatus counted_as(JobState state) {
  Job job;
  job.state = state;
  job.last_event = JobEvent::snoozed;
  return status_of(job);
}

// Scheduled runs were counted as sleeping; those that wait for a retry or a later start are pending. All of them are looked at,
// up to kCountScanMax.
class Retries : public std::enable_shared_from_this<Retries> {
 public:
  Retries(CallRef call, RunCounts counts, Reply<RunCounts> reply)
      : call_(std::move(call)), counts_(std::move(counts)), reply_(std::move(reply)) {}

  void read(store::JobQuery query) {
    store::JobQuery next = query;
    ask(call_, command::RunListRequest{std::move(query)},
        [self = shared_from_this(), next = std::move(next)](Result<store::JobPage> page) mutable {
          if (!page.ok()) return self->reply_(page.status());
          for (const Job& job : page->jobs) self->see(job);
          self->seen_ += page->jobs.size();
          if (page->next.empty() || self->seen_ >= kCountScanMax) return self->reply_(std::move(self->counts_));
          next.cursor = page->next;
          self->read(std::move(next));
        });
  }

 private:
  void see(const Job& job) {
    if (status_of(job) != RunStatus::pending) return;
    auto& counts = counts_[{job.spec.queue.text(), job.spec.type.text()}];
    if (counts[RunStatus::sleeping] == 0) return;
    --counts[RunStatus::sleeping];
    ++counts[RunStatus::pending];
  }

  const CallRef call_;
  RunCounts counts_;
  Reply<RunCounts> reply_;
  std::size_t seen_ = 0;
};

}  // namespace

void count_statuses(const CallRef& call, NamespaceName ns, QueueName queue, Reply<RunCounts> reply) {
  store::JobFilter filter;
  filter.ns = std::move(ns);
  filter.queue = std::move(queue);
  filter.runs_only = true;
  store::JobFilter asked = filter;
  auto counted = [call, filter = std::move(filter),
                  reply = std::move(reply)](Result<std::vector<store::JobCount>> counts) mutable {
    RunCounts out;
    if (counts.code() == Code::not_found) return reply(std::move(out));
    if (!counts.ok()) return reply(counts.status());
    bool scheduled = false;
    for (const store::JobCount& one : *counts) {
      if (one.count == 0) continue;
      out[{one.queue.text(), one.type.text()}][counted_as(one.state)] += one.count;
      scheduled = scheduled || one.state == JobState::scheduled;
    }
    if (!scheduled) return reply(std::move(out));
    filter.states = {JobState::scheduled};
    store::JobQuery query;
    query.filter = std::move(filter);
    query.limit = limits::kPageMax;
    std::make_shared<Retries>(call, std::move(out), std::move(reply))->read(std::move(query));
  };
  ask(call, command::JobCountRequest{std::move(asked)}, std::move(counted));
}

}  // namespace muster::rpc
