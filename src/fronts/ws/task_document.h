// A job as AstraFlow's workers see it: the payload of its dispatch.
//
// A job for these workers has a node type as its type, and needs `node:<type>`. Its payload is one of two things:
//   a task document   an object with `node_type` and `parameters`, and any other field that a dispatch may have; it is sent as it
//   is anything else     the parameters: an object as such, every other value as {"payload": value}
// What is not said is filled in: run and task are named after the job, the node after its type, the package is the newest one
// of the worker that has the node.
#pragma once

#include <optional>
#include <string>

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
  std::string payload;  // of the dispatch
};

// invalid_argument: the document is not one, or the worker has no package for it.
Result<TaskDocument> task_document(const Grant& grant, const Registration& registration);

}  // namespace muster::ws
