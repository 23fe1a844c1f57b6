// Every statement of the writer, prepared at open from sql/*.sql. A member is named like its statement.
#pragma once

#include <string_view>

#include "store/sqlite/db.h"

namespace muster::store::sqlite {

// REQUIRES: a file of sql/ has a statement of that name.
std::string_view statement_text(std::string_view name);

struct Statements {
  explicit Statements(Connection& connection) : db(connection) {}

  Connection& db;
  Statement action_delete{db, "action_delete"};
  Statement action_delete_of_namespace{db, "action_delete_of_namespace"};
  Statement action_ended{db, "action_ended"};
  Statement action_find{db, "action_find"};
  Statement action_forget_job{db, "action_forget_job"};
  Statement action_insert{db, "action_insert"};
  Statement action_jobs{db, "action_jobs"};
  Statement action_jobs_delete{db, "action_jobs_delete"};
  Statement action_jobs_delete_of_namespace{db, "action_jobs_delete_of_namespace"};
  Statement action_jobs_insert{db, "action_jobs_insert"};
  Statement action_of_job{db, "action_of_job"};
  Statement action_open{db, "action_open"};
  Statement action_open_of_plan{db, "action_open_of_plan"};
  Statement action_outcomes{db, "action_outcomes"};
  Statement action_read{db, "action_read"};
  Statement action_settle{db, "action_settle"};
  Statement attempt_delete{db, "attempt_delete"};
  Statement attempt_insert{db, "attempt_insert"};
  Statement attempt_list{db, "attempt_list"};
  Statement attempt_trim{db, "attempt_trim"};
  Statement begin{db, "begin"};
  Statement commit{db, "commit"};
  Statement content_delete{db, "content_delete"};
  Statement content_delete_one{db, "content_delete_one"};
  Statement content_get{db, "content_get"};
  Statement content_put{db, "content_put"};
  Statement dependency_all{db, "dependency_all"};
  Statement dependency_delete{db, "dependency_delete"};
  Statement dependency_delete_of_job{db, "dependency_delete_of_job"};
  Statement dependency_insert{db, "dependency_insert"};
  Statement idempotency_delete{db, "idempotency_delete"};
  Statement idempotency_find{db, "idempotency_find"};
  Statement idempotency_insert{db, "idempotency_insert"};
  Statement job_body{db, "job_body"};
  Statement job_cancel_reason{db, "job_cancel_reason"};
  Statement job_cancel_request{db, "job_cancel_request"};
  Statement job_claim{db, "job_claim"};
  Statement job_complete{db, "job_complete"};
  Statement job_count_finished{db, "job_count_finished"};
  Statement job_count_range{db, "job_count_range"};
  Statement job_delete{db, "job_delete"};
  Statement job_flags{db, "job_flags"};
  Statement job_insert{db, "job_insert"};
  Statement job_lanes{db, "job_lanes"};
  Statement job_last{db, "job_last"};
  Statement job_lease{db, "job_lease"};
  Statement job_live{db, "job_live"};
  Statement job_move{db, "job_move"};
  Statement job_prune_scan{db, "job_prune_scan"};
  Statement job_read{db, "job_read"};
  Statement job_redrive{db, "job_redrive"};
  Statement job_settled{db, "job_settled"};
  Statement key_delete_of_namespace{db, "key_delete_of_namespace"};
  Statement key_fields_delete_of_namespace{db, "key_fields_delete_of_namespace"};
  Statement key_items_delete_of_namespace{db, "key_items_delete_of_namespace"};
  Statement key_scores_delete_of_namespace{db, "key_scores_delete_of_namespace"};
  Statement lane_all{db, "lane_all"};
  Statement lane_count{db, "lane_count"};
  Statement lane_delete{db, "lane_delete"};
  Statement lane_delete_of_namespace{db, "lane_delete_of_namespace"};
  Statement lane_find{db, "lane_find"};
  Statement lane_ids{db, "lane_ids"};
  Statement lane_insert{db, "lane_insert"};
  Statement lane_read{db, "lane_read"};
  Statement meta_get{db, "meta_get"};
  Statement meta_put{db, "meta_put"};
  Statement namespace_all{db, "namespace_all"};
  Statement namespace_delete{db, "namespace_delete"};
  Statement namespace_insert{db, "namespace_insert"};
  Statement namespace_jobs{db, "namespace_jobs"};
  Statement namespace_update{db, "namespace_update"};
  Statement plan_delete{db, "plan_delete"};
  Statement plan_delete_of_namespace{db, "plan_delete_of_namespace"};
  Statement plan_find{db, "plan_find"};
  Statement plan_insert{db, "plan_insert"};
  Statement plan_replace{db, "plan_replace"};
  Statement plan_used{db, "plan_used"};
  Statement progress_delete{db, "progress_delete"};
  Statement progress_get{db, "progress_get"};
  Statement progress_put{db, "progress_put"};
  Statement queue_all{db, "queue_all"};
  Statement queue_delete_of_namespace{db, "queue_delete_of_namespace"};
  Statement queue_insert{db, "queue_insert"};
  Statement queue_update{db, "queue_update"};
  Statement schedule_buffered{db, "schedule_buffered"};
  Statement schedule_count{db, "schedule_count"};
  Statement schedule_delete{db, "schedule_delete"};
  Statement schedule_delete_of_namespace{db, "schedule_delete_of_namespace"};
  Statement schedule_due{db, "schedule_due"};
  Statement schedule_find{db, "schedule_find"};
  Statement schedule_insert{db, "schedule_insert"};
  Statement schedule_list{db, "schedule_list"};
  Statement schedule_next{db, "schedule_next"};
  Statement schedule_update{db, "schedule_update"};
  Statement signal_count{db, "signal_count"};
  Statement signal_delete{db, "signal_delete"};
  Statement signal_insert{db, "signal_insert"};
  Statement signal_oldest{db, "signal_oldest"};
  Statement signal_take{db, "signal_take"};
  Statement step_asleep{db, "step_asleep"};
  Statement step_delete{db, "step_delete"};
  Statement step_insert{db, "step_insert"};
  Statement step_last{db, "step_last"};
  Statement step_list{db, "step_list"};
  Statement step_newest{db, "step_newest"};
  Statement step_parked_on{db, "step_parked_on"};
  Statement step_read{db, "step_read"};
  Statement step_update{db, "step_update"};
  Statement step_waiting{db, "step_waiting"};
  Statement sticky_all{db, "sticky_all"};
  Statement sticky_delete_of_worker{db, "sticky_delete_of_worker"};
  Statement sticky_put{db, "sticky_put"};
  Statement worker_all{db, "worker_all"};
  Statement worker_delete{db, "worker_delete"};
  Statement worker_put{db, "worker_put"};
};

}  // namespace muster::store::sqlite
