// A job as the dialects read it: its name and state in their words, and the one JSON document that satisfies all their parsers.
//
// Shared by the commands about jobs, the views of job:<id> and the pops that answer with a document.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "fronts/resp/plans/plan_cache.h"
#include "model/job.h"

namespace muster::resp::plans {

// Label of a job that was pushed with a job_id of its client's own choice.
inline constexpr const char* kLabelJob = "job";
// Type of the jobs that clients push into a queue, and of the jobs of an action.
inline constexpr const char* kTypeElement = "element";
inline constexpr const char* kTypePlan = "plan";

// `job_` and 32 hexadecimal digits.
std::string job_name(JobId id);
// The same, unless its client named it.
std::string job_name(JobId id, const Labels& labels);

// pending, running, completed, failed, dead or cancelled. `error` is that of the last attempt that failed.
std::string_view status_word(JobState state, const std::optional<JobError>& error);
std::string_view status_word(const Job& job);
bool is_engine_error(std::string_view kind);  // the engine's own kinds, as opposed to what a worker reported

// The plan a job belongs to; empty when it is no plan's.
std::string plan_of(const Labels& labels);

// What a document says about a job. Everything referred to outlives the call that renders it.
struct JobFacts {
  JobId id;
  std::string_view type;
  const Labels& labels;
  const Content& payload;
  std::string_view status;
  std::uint32_t attempt = 0;
  std::string_view worker{};  // empty: nobody's
  std::optional<Instant> created_at{};
  std::optional<Instant> started_at{};
  std::optional<Instant> finished_at{};
  const JobError* error = nullptr;
};

JobFacts facts_of(const Job& job);
JobFacts facts_of(const Grant& grant, std::string_view worker);

// Compact, keys in alphabetical order. `plan`: null when the job has none or it is gone. An element that is a JSON object comes
// back with what is known about the job added to it; its own job_id is kept.
std::string job_document(const JobFacts& facts, const StoredPlan* plan);

}  // namespace muster::resp::plans
