// Which keys are views of the registry or of a queue, and of what.
//
// Only names of these very forms are; `job:<id>:anything-else` is an ordinary key. `job:queue`, which an early document of the
// original uses as a list, is one too.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace muster::resp::views {

enum class Kind : std::uint8_t {
  worker,           // worker:<id>
  worker_metadata,  // worker:<id>:metadata, and so on
  worker_alive,
  worker_stats,
  worker_tools,
  worker_tags,
  capability,  // capability:<tool>:workers
  job,         // job:<id>
  job_worker,
  job_status,
  job_stdout,
  job_stderr,
  job_metadata,
  job_plan,
  job_input,
  job_output,
  plan,  // plan:<id>
  plan_stats,
  plan_actions,
  plan_jobs,
  action,  // action:<id>
  action_jobs,
  queue,       // queue:<name>
  processing,  // queue:processing
  scheduled,   // queue:scheduled
  all_plans,   // plans:all
  all_actions,
  all_workers,
};

struct ViewKey {
  Kind kind = Kind::worker;
  std::string id;  // of the worker, tool, job, plan or action; a queue's name; empty for the others
};

std::optional<ViewKey> parse_view_key(std::string_view key);
// The same for those who need not know whose it is.
std::optional<Kind> kind_of_view(std::string_view key);

// What to use instead of writing to it.
std::string_view command_for(Kind kind);

}  // namespace muster::resp::views
