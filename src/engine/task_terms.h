// What the document of a task for AstraFlow's workers says about where, when and beside whom its job may run, and what becomes of
// the job by that. Pure rules; command/submission.h looks up the facts and applies them to every job that is submitted, whatever
// the wire, so that the tasks a middleware asks for get them too.
//
//   resource_refs      it runs on the worker that has them, and nowhere else
//   affinity           sticky: where the key ran last; preferred: there, or after a short wait anywhere
//   concurrency_key    one task of the key at a time, on all workers together
//   constraints        timeout_ms is the job's timeout
//   priority           the job's
//   fail_fast          refused when the worker that it must run on is not there
//
// What the job itself says (JobSpec) goes before what its document says.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/status.h"
#include "model/job.h"
#include "model/resource.h"

namespace muster::engine {

inline constexpr std::size_t kResourceRefsMax = 32;  // of one task
// Of a job whose resource is not there. It is AstraFlow's code, which its workers give for the same reason.
inline constexpr const char* kErrorResourceMissing = "E.RESOURCE.MISSING";
// How long a job that is dead from its birth can exist otherwise: it is ended at once, and by the sweep if that fails.
inline constexpr Duration kStillbornKept{60'000};

struct ResourceRef {
  std::string id;
  std::string worker;  // the name that the document gives; empty: none
  std::optional<Instant> expires_at;
};

enum class AffinityMode : std::uint8_t { sticky, preferred };

struct TaskAffinity {
  std::string key;
  AffinityMode mode = AffinityMode::sticky;
  std::optional<Instant> expires_at;
};

struct TaskTerms {
  std::vector<ResourceRef> refs;
  std::optional<TaskAffinity> affinity;
  std::string concurrency_key;  // empty: none
  std::optional<Duration> timeout;
  std::optional<std::int32_t> priority;
  bool fail_fast = false;

  // Where the key of its affinity ran last decides.
  bool asks_for_place() const;
};

// The terms of a job whose payload is a task document; nullopt: it is none, or says nothing of the kind. invalid_argument names
// the member, the value and what is accepted.
Result<std::optional<TaskTerms>> read_task_terms(const JobSpec& spec);

// What is known about what the terms name.
struct TaskFacts {
  std::map<std::string, Resource> resources;  // by id; absent: unknown or expired
  std::map<std::string, WorkerId> places;     // by affinity key; where it ran last
  Instant now{};
};

// Puts the terms into the job. conflict: its resources, or what it says itself, name different workers. unavailable: it asks to
// fail fast and its worker is not there. `missing` is set when it refers to what is not there: the job is made, to be ended
// with that error, and nobody can claim it.
struct TaskVerdict {
  Status refused;
  std::optional<JobError> missing;
};
TaskVerdict apply_task_terms(JobSpec& spec, const TaskTerms& terms, const TaskFacts& facts);

}  // namespace muster::engine
