// Plans, the actions that run them over many inputs, and what the tools of a job wrote.
//
// Fields are named as on the wire; absent ones are empty or std::nullopt. `document` is the object exactly as the server sent it,
// so that a program can show fields this version does not know.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sdk/cpp/time.h"

namespace muster::sdk {

struct Plan {
  std::string id, ns, description;
  std::uint32_t tasks = 0;  // how many
  std::vector<std::string> needs;
  std::optional<Instant> created_at, last_used_at;
  std::uint64_t actions = 0, jobs = 0;
  bool existed = false;  // in the answer to a submit: this very text was there
  std::string text;      // the plan's own JSON; only when one plan is read
  std::string document;
};

struct PlanRequest {
  std::string ns;
  std::string text;      // JSON
  bool replace = false;  // another text under a known name takes its place
};

struct PlanQuery {
  std::string ns;
  std::optional<std::uint64_t> offset;
  std::optional<std::uint32_t> limit;
};

struct PlanPage {
  std::vector<Plan> plans;  // oldest first
  std::uint64_t total = 0;
};

struct ActionCounts {
  std::uint64_t waiting = 0, running = 0, completed = 0, failed = 0, dead = 0, cancelled = 0;
  std::uint64_t unfinished() const { return waiting + running; }
  std::uint64_t finished() const { return completed + failed + dead + cancelled; }
};

struct Action {
  std::string id, ns, plan;
  std::string state;  // pending, running, completed or failed
  std::optional<Instant> created_at;
  std::uint64_t jobs = 0;  // how many
  ActionCounts counts;
  std::vector<std::string> job_ids;  // of a submit, or the page that was asked for
  std::string document;
};

// Only `plan` and at least one input are required; what is left empty is left to the server.
struct ActionRequest {
  std::string ns, id, plan;
  std::vector<std::string> inputs;  // JSON texts
  std::string job_unit;             // plan or task
  std::optional<std::int32_t> priority;
  std::optional<Duration> timeout;
  std::optional<std::uint32_t> attempts_max, rescues_max;
};

struct ActionListQuery {
  std::string ns, plan, order;
  std::optional<std::uint64_t> offset;
  std::optional<std::uint32_t> limit;
};

struct ActionPage {
  std::vector<Action> actions;
  std::uint64_t total = 0;
};

struct JobLogs {
  std::string id, state;
  std::string output;  // bytes of standard output
  std::string errors;  // bytes of standard error
  std::string document;
};

}  // namespace muster::sdk
