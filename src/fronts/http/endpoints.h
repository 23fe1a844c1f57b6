// The endpoints that the route table names, one function per row; each file endpoints_*.cc holds those of one noun.
#pragma once

#include "fronts/http/exchange.h"

namespace muster::http::endpoints {

void job_submit(ExchangePtr exchange);
void job_submit_bulk(ExchangePtr exchange);
void job_claim(ExchangePtr exchange);
void job_list(ExchangePtr exchange);
void job_search(ExchangePtr exchange);
void job_get(ExchangePtr exchange);
void job_why(ExchangePtr exchange);
void job_heartbeat(ExchangePtr exchange);
void job_progress(ExchangePtr exchange);
void job_complete(ExchangePtr exchange);
void job_fail(ExchangePtr exchange);
void job_snooze(ExchangePtr exchange);
void job_release(ExchangePtr exchange);
void job_settle(ExchangePtr exchange);
void job_cancel(ExchangePtr exchange);
void job_act(ExchangePtr exchange);
void job_cancel_bulk(ExchangePtr exchange);
void job_retry(ExchangePtr exchange);
void job_retry_matching(ExchangePtr exchange);
void job_feedback(ExchangePtr exchange);
void job_output(ExchangePtr exchange);
void job_logs(ExchangePtr exchange);

void agent_create(ExchangePtr exchange);
void agent_list(ExchangePtr exchange);
void agent_get(ExchangePtr exchange);
void agent_update(ExchangePtr exchange);
void agent_delete(ExchangePtr exchange);
void tool_define(ExchangePtr exchange);
void tool_list(ExchangePtr exchange);
void tool_get(ExchangePtr exchange);
void tool_delete(ExchangePtr exchange);
void tool_run(ExchangePtr exchange);

void session_create(ExchangePtr exchange);
void session_list(ExchangePtr exchange);
void session_get(ExchangePtr exchange);
void session_update(ExchangePtr exchange);
void session_delete(ExchangePtr exchange);
void session_messages(ExchangePtr exchange);
void session_compact(ExchangePtr exchange);
void session_compactions(ExchangePtr exchange);
void session_restore(ExchangePtr exchange);

void agent_run_start(ExchangePtr exchange);
void agent_run_list(ExchangePtr exchange);
void agent_run_get(ExchangePtr exchange);
void agent_run_cancel(ExchangePtr exchange);
void agent_run_approve(ExchangePtr exchange);
void agent_run_deny(ExchangePtr exchange);
void agent_run_fork(ExchangePtr exchange);
void agent_run_stream(ExchangePtr exchange);
void tool_execution_list(ExchangePtr exchange);
void tool_execution_output(ExchangePtr exchange);

void package_list(ExchangePtr exchange);
void package_get(ExchangePtr exchange);
void package_install(ExchangePtr exchange);
void package_uninstall(ExchangePtr exchange);
void package_events(ExchangePtr exchange);
void package_archive(ExchangePtr exchange);

void plan_submit(ExchangePtr exchange);
void plan_list(ExchangePtr exchange);
void plan_get(ExchangePtr exchange);
void plan_delete(ExchangePtr exchange);
void action_submit(ExchangePtr exchange);
void action_list(ExchangePtr exchange);
void action_get(ExchangePtr exchange);

void run_start(ExchangePtr exchange);
void run_list(ExchangePtr exchange);
void run_get(ExchangePtr exchange);
void run_history(ExchangePtr exchange);
void run_result(ExchangePtr exchange);
void run_cancel(ExchangePtr exchange);
void run_terminate(ExchangePtr exchange);
void run_retry(ExchangePtr exchange);
void run_signal(ExchangePtr exchange);
void run_step(ExchangePtr exchange);

void schedule_create(ExchangePtr exchange);
void schedule_list(ExchangePtr exchange);
void schedule_get(ExchangePtr exchange);
void schedule_update(ExchangePtr exchange);
void schedule_delete(ExchangePtr exchange);
void schedule_pause(ExchangePtr exchange);
void schedule_resume(ExchangePtr exchange);
void schedule_trigger(ExchangePtr exchange);
void schedule_backfill(ExchangePtr exchange);
void schedule_preview(ExchangePtr exchange);
void schedule_explain(ExchangePtr exchange);
void schedule_fires(ExchangePtr exchange);

void worker_register(ExchangePtr exchange);
void worker_heartbeat(ExchangePtr exchange);
void worker_drain(ExchangePtr exchange);
void worker_resume(ExchangePtr exchange);
void worker_unregister(ExchangePtr exchange);
void worker_list(ExchangePtr exchange);
void worker_get(ExchangePtr exchange);
void worker_send(ExchangePtr exchange);

void resource_list(ExchangePtr exchange);
void resource_put(ExchangePtr exchange);
void resource_get(ExchangePtr exchange);
void resource_delete(ExchangePtr exchange);

void queue_list(ExchangePtr exchange);
void queue_lanes(ExchangePtr exchange);
void queue_pause(ExchangePtr exchange);
void queue_resume(ExchangePtr exchange);
void queue_limit(ExchangePtr exchange);
void namespace_list(ExchangePtr exchange);
void namespace_create(ExchangePtr exchange);
void namespace_delete(ExchangePtr exchange);
void audit_list(ExchangePtr exchange);
void backup_create(ExchangePtr exchange);

void cluster_settings(ExchangePtr exchange);
void cluster_status(ExchangePtr exchange);
void server_config(ExchangePtr exchange);
void server_doctor(ExchangePtr exchange);
void server_history(ExchangePtr exchange);
void server_info(ExchangePtr exchange);
void server_search(ExchangePtr exchange);
void whoami(ExchangePtr exchange);
void sign_in(ExchangePtr exchange);
void sign_in_link(ExchangePtr exchange);
void sign_out(ExchangePtr exchange);
void openapi(ExchangePtr exchange);
void events(ExchangePtr exchange);
void run_events(ExchangePtr exchange);
void metrics(ExchangePtr exchange);
void healthz(ExchangePtr exchange);
void readyz(ExchangePtr exchange);

}  // namespace muster::http::endpoints
