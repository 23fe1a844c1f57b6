// Requests and answers of the verbs about plans and actions.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "model/limits.h"
#include "model/plan.h"

namespace muster::store {

struct PlanPut {
  PlanSpec plan;
  bool replace = false;  // a plan of this name with another text: true overwrites it, false refuses
};

struct PlanStored {
  Plan plan;
  bool existed = false;  // the same text was there already; nothing was written
};

// Oldest first.
struct PlanQuery {
  NamespaceName ns;
  std::uint64_t offset = 0;
  std::size_t limit = limits::kPageDefault;
  bool with_text = false;
};

struct PlanPage {
  std::vector<Plan> plans;
  std::uint64_t total = 0;  // of the namespace
};

struct ActionSubmitted {
  Action action;
  std::vector<JobId> jobs;  // in the order of ActionSpec::jobs
};

struct ActionQuery {
  NamespaceName ns;
  ActionId id;
  std::uint64_t job_offset = 0;
  std::size_t job_limit = 0;  // 0: no ids
  bool newest_first = false;  // order of the jobs
};

struct ActionView {
  Action action;
  std::vector<JobId> jobs;
};

// Oldest first.
struct ActionListQuery {
  NamespaceName ns;
  PlanId plan;  // empty: of every plan
  std::uint64_t offset = 0;
  std::size_t limit = limits::kPageDefault;
  bool newest_first = false;
};

struct ActionPage {
  std::vector<Action> actions;
  std::uint64_t total = 0;  // that match, whatever the page
};

}  // namespace muster::store
