// What became of a job, as the dialects say it, read into values. Pure.
//
//   JOB.UPDATE <job> <json>                       strict: what cannot be is an error
//   SET job:<job>:status|stdout|stderr <value>    lenient: a report that comes too late is accepted and ignored
//   LREM queue:processing <count> <element>       the job leaves the list of those in work
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/status.h"
#include "fronts/resp/call.h"

namespace muster::resp::work {

enum class Report : std::uint8_t {
  running,   // still at it
  progress,  // how far it is
  completed,
  failed,
  returned,  // SET … pending: somebody else may do it
  output,    // what it wrote
  errors,
  removal,
};

struct UpdateRequest {
  Report report = Report::running;
  std::string job;  // as the client names it; of a removal the whole element
  bool strict = false;
  std::string worker;                    // JOB.UPDATE: who says so; empty: it does not tell
  double fraction = 0;                   // progress
  std::string message;                   // progress, or why it failed
  std::optional<std::string> results{};  // JOB.UPDATE completed or failed: the JSON as it came
  std::string value;                     // output, errors
};

// Into one that is as it was made: there are many, and they are large. invalid_argument: the dialect's own words.
Status read_update(const Args& args, UpdateRequest& out);

// The state that a report leads to, as an update names it.
std::string_view target_word(Report report);
// A reason that the model accepts: UTF-8 within its bound, cut with a mark when it is longer.
std::string readable_error(std::string_view text);

}  // namespace muster::resp::work
