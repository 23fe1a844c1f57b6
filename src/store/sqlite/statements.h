// Every statement of the writer, prepared at open from sql/*.sql. A member is named like its statement.
#pragma once

#include <string_view>

#include "store/sqlite/db.h"

namespace muster::store::sqlite {

// REQUIRES: a file of sql/ has a statement of that name.
std::string_view statement_text(std::string_view name);

struct Statements {
  explicit Statements(Connection& c);

  Statement action_delete;
  Statement action_delete_of_namespace;
  Statement action_ended;
  Statement action_find;
  Statement action_forget_job;
  Statement action_insert;
  Statement action_jobs;
  Statement action_jobs_delete;
  Statement action_jobs_delete_of_namespace;
  Statement action_jobs_insert;
  Statement action_of_job;
  Statement action_open;
  Statement action_open_of_plan;
  Statement action_outcomes;
  Statement action_read;
  Statement action_settle;
  Statement attempt_delete;
  Statement attempt_insert;
  Statement attempt_list;
  Statement attempt_trim;
  Statement begin;
  Statement commit;
  Statement content_delete;
  Statement content_delete_one;
  Statement content_get;
  Statement content_put;
  Statement dependency_all;
  Statement dependency_delete;
  Statement dependency_delete_of_job;
  Statement dependency_insert;
  Statement idempotency_delete;
  Statement idempotency_find;
  Statement idempotency_insert;
  Statement job_body;
  Statement job_cancel_reason;
  Statement job_cancel_request;
  Statement job_claim;
  Statement job_complete;
  Statement job_count_finished;
  Statement job_count_range;
  Statement job_delete;
  Statement job_flags;
  Statement job_insert;
  Statement job_lanes;
  Statement job_last;
  Statement job_lease;
  Statement job_live;
  Statement job_move;
  Statement job_prune_scan;
  Statement job_read;
  Statement job_redrive;
  Statement job_settled;
  Statement key_delete_of_namespace;
  Statement key_fields_delete_of_namespace;
  Statement key_items_delete_of_namespace;
  Statement key_scores_delete_of_namespace;
  Statement lane_all;
  Statement lane_count;
  Statement lane_delete;
  Statement lane_delete_of_namespace;
  Statement lane_find;
  Statement lane_ids;
  Statement lane_insert;
  Statement lane_read;
  Statement meta_get;
  Statement meta_put;
  Statement namespace_all;
  Statement namespace_delete;
  Statement namespace_insert;
  Statement namespace_jobs;
  Statement namespace_update;
  Statement plan_delete;
  Statement plan_delete_of_namespace;
  Statement plan_find;
  Statement plan_insert;
  Statement plan_replace;
  Statement plan_used;
  Statement progress_delete;
  Statement progress_get;
  Statement progress_put;
  Statement queue_all;
  Statement queue_delete_of_namespace;
  Statement queue_insert;
  Statement queue_update;
  Statement schedule_buffered;
  Statement schedule_count;
  Statement schedule_delete;
  Statement schedule_delete_of_namespace;
  Statement schedule_due;
  Statement schedule_find;
  Statement schedule_insert;
  Statement schedule_list;
  Statement schedule_next;
  Statement schedule_update;
  Statement signal_count;
  Statement signal_delete;
  Statement signal_insert;
  Statement signal_oldest;
  Statement signal_take;
  Statement step_asleep;
  Statement step_delete;
  Statement step_insert;
  Statement step_last;
  Statement step_list;
  Statement step_newest;
  Statement step_parked_on;
  Statement step_read;
  Statement step_update;
  Statement step_waiting;
  Statement sticky_all;
  Statement sticky_delete_of_worker;
  Statement sticky_put;
  Statement worker_all;
  Statement worker_delete;
  Statement worker_put;
};

}  // namespace muster::store::sqlite
