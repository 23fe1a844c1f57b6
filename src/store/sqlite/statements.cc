#include "store/sqlite/statements.h"

#include "store/sqlite/statements_text.h"

namespace muster::store::sqlite {

std::string_view statement_text(std::string_view name) {
  for (const auto& file : embedded::statements_text())
    if (file.name.substr(0, file.name.rfind('.')) == name) return file.text;
  fail_check(name, __FILE__, __LINE__);
}

Statements::Statements(Connection& c)
    : attempt_delete(c, "attempt_delete"),
      attempt_insert(c, "attempt_insert"),
      attempt_list(c, "attempt_list"),
      attempt_trim(c, "attempt_trim"),
      begin(c, "begin"),
      commit(c, "commit"),
      content_delete(c, "content_delete"),
      content_delete_one(c, "content_delete_one"),
      content_get(c, "content_get"),
      content_put(c, "content_put"),
      dependency_all(c, "dependency_all"),
      dependency_delete(c, "dependency_delete"),
      dependency_delete_of_job(c, "dependency_delete_of_job"),
      dependency_insert(c, "dependency_insert"),
      idempotency_delete(c, "idempotency_delete"),
      idempotency_find(c, "idempotency_find"),
      idempotency_insert(c, "idempotency_insert"),
      job_body(c, "job_body"),
      job_cancel_reason(c, "job_cancel_reason"),
      job_cancel_request(c, "job_cancel_request"),
      job_claim(c, "job_claim"),
      job_complete(c, "job_complete"),
      job_count_finished(c, "job_count_finished"),
      job_count_range(c, "job_count_range"),
      job_delete(c, "job_delete"),
      job_flags(c, "job_flags"),
      job_insert(c, "job_insert"),
      job_last(c, "job_last"),
      job_lease(c, "job_lease"),
      job_live(c, "job_live"),
      job_move(c, "job_move"),
      job_prune_scan(c, "job_prune_scan"),
      job_read(c, "job_read"),
      job_redrive(c, "job_redrive"),
      job_settled(c, "job_settled"),
      lane_all(c, "lane_all"),
      lane_delete_of_namespace(c, "lane_delete_of_namespace"),
      lane_insert(c, "lane_insert"),
      meta_get(c, "meta_get"),
      meta_put(c, "meta_put"),
      namespace_all(c, "namespace_all"),
      namespace_delete(c, "namespace_delete"),
      namespace_insert(c, "namespace_insert"),
      namespace_jobs(c, "namespace_jobs"),
      progress_delete(c, "progress_delete"),
      progress_get(c, "progress_get"),
      progress_put(c, "progress_put"),
      queue_all(c, "queue_all"),
      queue_delete_of_namespace(c, "queue_delete_of_namespace"),
      queue_insert(c, "queue_insert"),
      queue_update(c, "queue_update"),
      sticky_all(c, "sticky_all"),
      sticky_delete_of_worker(c, "sticky_delete_of_worker"),
      sticky_put(c, "sticky_put"),
      worker_all(c, "worker_all"),
      worker_delete(c, "worker_delete"),
      worker_put(c, "worker_put") {}

}  // namespace muster::store::sqlite
