// The parts of a job's, worker's or queue's description that the hot path does not order by, as JSON text in one column.
//
// Only what differs from the default is written, so that a plain job has no text at all. Namespace, queue, type, payload and
// priority live in columns of their own and are not part of it.
#pragma once

#include <string>
#include <string_view>

#include "model/job.h"
#include "model/queue.h"
#include "model/schedule.h"
#include "model/worker.h"

namespace muster::store {

std::string spec_to_text(const JobSpec& spec);              // empty: all defaults
void spec_from_text(std::string_view text, JobSpec& spec);  // fills in what the text names
std::string policy_to_text(const StepPolicy& policy);       // empty: says nothing
StepPolicy policy_from_text(std::string_view text);
std::string error_to_text(const JobError& error);
JobError error_from_text(std::string_view text);
// A job's past attempts, oldest first.
std::string attempts_to_text(const std::vector<AttemptRecord>& attempts);
std::vector<AttemptRecord> attempts_from_text(std::string_view text);
// Without the bytes of the partial result, which stand beside it.
std::string progress_to_text(const Progress& progress);
Progress progress_from_text(std::string_view text);
Encoding partial_encoding_from_text(std::string_view text);
std::string worker_to_text(const WorkerSpec& spec);
void worker_from_text(std::string_view text, WorkerSpec& spec);
std::string settings_to_text(const QueueSettings& settings);
QueueSettings settings_from_text(std::string_view text);
std::string labels_to_text(const Labels& labels);
// Without namespace, id, `enabled` and the bytes of the job's payload, which stand beside it; the payload's encoding is in it.
std::string schedule_to_text(const ScheduleSpec& spec);
void schedule_from_text(std::string_view text, ScheduleSpec& spec);  // the job's namespace is set to spec.ns

}  // namespace muster::store
