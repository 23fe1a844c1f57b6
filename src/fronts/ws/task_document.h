// A job as AstraFlow's workers see it: the payload of its dispatch.
//
// A job for these workers has a node type as its type, and needs `node:<type>`. Its payload is one of two things:
//   a task document   an object with `node_type` and `parameters`, and any other field that a dispatch may have; it is sent as it
//   is anything else     the parameters: an object as such, every other value as {"payload": value}
// What is not said is filled in: run and task are named after the job, the node after its type, the package is the newest one
// of the worker that has the node.
//
// What it says about where and when it runs has been judged when its job was made (engine/task_terms.h); each protocol has its
// own name for the worker of a resource.
//
// A document may have a `chain`: documents of what the task, a middleware, may ask for next, the host last. It is not sent; each
// next request makes a job of its first element (next_requests.h).
#pragma once

#include <optional>
#include <string>

#include "base/json_reader.h"
#include "base/status.h"
#include "fronts/ws/registration.h"
#include "model/job.h"

namespace muster::ws {

struct TaskDocument {
  std::string run_id;
  std::string task_id;
  std::string node_id;
  std::string node_type;
  std::string concurrency_key;
  std::string payload;       // of the dispatch
  json::Tree next;           // the document of what it may ask for next; null: it is no middleware
  std::string affinity_key;  // empty: none
  std::optional<Instant> affinity_until;
};

// invalid_argument: the document is not one, what it says about its chain does not fit together, or the worker has no package for
// it.
Result<TaskDocument> task_document(const Grant& grant, const Registration& registration,
                                   session::Protocol protocol = session::Protocol::v2);

// The job of a document that a task asked for.
JobSpec job_of_next(const json::Tree& next);

}  // namespace muster::ws
