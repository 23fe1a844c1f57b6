// The job as a client sees it: what is asked for, what it is now, and how it is searched.
//
// Fields are named as on the wire; absent ones are empty or std::nullopt. `document` is the object exactly as the server sent it,
// so that a program can show fields this version does not know.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sdk/cpp/time.h"

namespace muster::sdk {

using Labels = std::map<std::string, std::string>;

// A payload or result: JSON text, or bytes that travel as base64.
struct Content {
  std::string data;
  bool binary = false;
  friend bool operator==(const Content&, const Content&) = default;
};

struct RetryPolicy {
  std::optional<std::uint32_t> attempts_max;
  std::optional<Duration> backoff_base;
  std::optional<double> backoff_factor;
  std::optional<Duration> backoff_max;
  std::optional<double> jitter;
  std::vector<std::string> non_retryable;
};

struct KeyLimit {
  std::string key;
  std::uint32_t limit = 1;
};

struct UniqueKey {
  std::string key;
  std::string during = "unfinished";  // or "waiting"
};

// What a client asks for. Only `type` is required; what is left empty is left to the server.
struct JobSpec {
  std::string ns;
  std::string queue;
  std::string type;
  std::optional<Content> payload;
  std::vector<std::string> needs;
  Labels selector;
  Labels labels;
  std::optional<std::int32_t> priority;
  std::optional<Instant> run_at;
  std::optional<Duration> delay;
  std::optional<Duration> expires_in;
  std::optional<Duration> timeout;
  std::optional<Duration> lease;
  std::optional<RetryPolicy> retry;
  std::optional<std::uint32_t> rescues_max;
  std::string idempotency_key;
  std::optional<UniqueKey> unique;
  std::optional<KeyLimit> concurrency;
  std::optional<KeyLimit> fairness;  // limit is the weight
  std::string sticky_key;
  std::string prefer;
  std::vector<std::string> after;
  std::string on_dependency_failure;
  std::string correlation;
  std::optional<Instant> deadline;  // unfinished then: dead, also while it runs
};

struct Submitted {
  std::string id;
  std::string state;
  bool existed = false;
};

struct Failure {
  std::string kind;
  std::string message;
};

struct Progress {
  double fraction = 0;
  std::string message;
  std::optional<Content> partial;
  std::optional<Instant> at;
};

struct Attempt {
  std::uint32_t attempt = 0;
  std::string worker;
  std::optional<Instant> started_at;
  std::optional<Instant> ended_at;
  std::string outcome;
  Failure error;
};

// What a job that is a durable workflow has besides.
struct RunFacts {
  std::string external_id, version, schedule;
  std::string parent_run, parent_step;
  Labels metadata;
  bool sleeping = false;  // it sleeps, or waits for a signal or a child
};

struct Job {
  std::string id, ns, queue, type, state;
  std::optional<Instant> created_at, due_at, expires_at, started_at, finished_at, lease_expires_at;
  std::uint32_t attempt = 0;
  std::uint32_t attempts_max = 0;
  std::uint32_t rescues = 0;
  std::uint64_t fence = 0;
  std::int32_t priority = 0;
  std::string worker;
  bool cancel_requested = false;
  std::vector<std::string> needs;
  Labels labels;
  std::optional<Content> payload;
  std::optional<Content> result;
  std::optional<Failure> error;
  std::optional<Progress> progress;
  std::vector<Attempt> attempts;
  std::uint64_t dependencies_pending = 0;
  std::optional<Instant> deadline;
  std::optional<RunFacts> run;  // set: it is a durable workflow
  std::string document;
};

bool is_finished(std::string_view state);

struct JobPage {
  std::vector<Job> jobs;
  std::string next;  // empty: the end; a page may be short or empty while it is set
};

struct JobFilter {
  std::string ns, queue, type;
  std::vector<std::string> states;
  std::string worker;
  Labels labels;
  std::optional<Instant> created_after, created_before;
  std::string error_kind;
};

struct JobQuery {
  JobFilter filter;
  std::string order;  // "newest" or "oldest"
  std::optional<std::uint32_t> limit;
  std::string cursor;
  bool payload = false;
};

// What is to be done to every job that matches. Without states: to cancel all unfinished ones, to retry dead ones.
struct ActRequest {
  std::string action;  // "cancel" or "retry"
  JobFilter filter;
  bool dry_run = false;                   // only count
  std::optional<std::uint32_t> limit;     // of one slice
  std::string cursor;                     // `next` of the slice before
  std::string reason;                     // of a cancel
  std::optional<std::uint64_t> expected;  // with the first slice: `conflict` when more match by now
};

struct Acted {
  bool dry_run = false;
  std::uint64_t matched = 0;  // of a dry run all, else those of this slice
  bool more = false;          // of a dry run: counting stopped before the end
  std::uint64_t changed = 0, skipped = 0;
  std::string next;  // cursor of the next slice; empty: that was the last
  std::string document;
};

struct Why {
  std::string id, state, code, text;
  std::string document;
};

}  // namespace muster::sdk
