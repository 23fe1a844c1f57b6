// Jobs on their way to the queue: what the documents of tasks say about where and when they run is looked up and put into them
// (engine/task_terms.h), then they are enqueued, all or none.
//
// Used by job.submit and job.submit_bulk, so every wire and the tasks of middleware get the same. A job without such a document
// goes straight on.
#pragma once

#include <vector>

#include "base/reply.h"
#include "engine/engine.h"

namespace muster::command {

// Replies as engine::Jobs::enqueue does. conflict, unavailable: what a document asks for cannot be (`job 3: …` in a batch). A job
// that refers to a resource that is not there is made and dead at once, with E.RESOURCE.MISSING.
void submit_jobs(engine::Engine& engine, std::vector<JobSpec> jobs, Reply<std::vector<store::Enqueued>> reply);

}  // namespace muster::command
