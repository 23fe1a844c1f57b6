// One forwarding function per verb; those that promise something tell the shadow.
#include "tests/sim/observed_store.h"

namespace muster::sim {
namespace {

// Calls `hear` with each element's answer, or with the failure of the whole batch for each.
template <class T, class Batch, class Hear>
void for_each_answer(const Batch& batch, const Result<store::Each<T>>& answer, Hear hear) {
  for (std::size_t i = 0; i < batch.size(); ++i) {
    if (!answer.ok())
      hear(batch[i], Result<T>(answer.status()));
    else if (i < answer->size())
      hear(batch[i], (*answer)[i]);
  }
}

}  // namespace

void ObservedStore::enqueue(std::vector<JobSpec> jobs, Reply<std::vector<store::Enqueued>> reply) {
  shadow_.enqueue_sent(jobs);
  auto copy = jobs;
  store_.enqueue(std::move(copy), heard<std::vector<store::Enqueued>>(
                                      std::move(reply), [this, jobs = std::move(jobs), at = clock_.now()](const auto& result) {
                                        shadow_.enqueue_answered(jobs, at, result);
                                      }));
  work_();
}

void ObservedStore::claim(store::ClaimRequest request, Reply<store::ClaimReply> reply) {
  store_.claim(request, heard<store::ClaimReply>(
                            std::move(reply), [this, request](const auto& result) { shadow_.claim_answered(request, result); }));
  work_();
}

void ObservedStore::complete(std::vector<store::Completion> batch, Reply<store::Each<store::Settled>> reply) {
  store_.complete(batch, heard<store::Each<store::Settled>>(std::move(reply), [this, batch](const auto& result) {
                    for_each_answer<store::Settled>(batch, result, [&](const auto& one, const auto& answer) {
                      shadow_.outcome_answered(Outcome::complete, one.lease, answer);
                    });
                  }));
  work_();
}

void ObservedStore::fail(std::vector<store::Failure> batch, Reply<store::Each<store::Settled>> reply) {
  store_.fail(batch, heard<store::Each<store::Settled>>(std::move(reply), [this, batch](const auto& result) {
                for_each_answer<store::Settled>(batch, result, [&](const auto& one, const auto& answer) {
                  shadow_.outcome_answered(Outcome::fail, one.lease, answer);
                });
              }));
  work_();
}

void ObservedStore::snooze(std::vector<store::Snooze> batch, Reply<store::Each<store::Settled>> reply) {
  store_.snooze(batch, heard<store::Each<store::Settled>>(std::move(reply), [this, batch](const auto& result) {
                  for_each_answer<store::Settled>(batch, result, [&](const auto& one, const auto& answer) {
                    shadow_.outcome_answered(Outcome::snooze, one.lease, answer);
                  });
                }));
  work_();
}

void ObservedStore::release(std::vector<store::Release> batch, Reply<store::Each<store::Settled>> reply) {
  store_.release(batch, heard<store::Each<store::Settled>>(std::move(reply), [this, batch](const auto& result) {
                   for_each_answer<store::Settled>(batch, result, [&](const auto& one, const auto& answer) {
                     shadow_.outcome_answered(Outcome::release, one.lease, answer);
                   });
                 }));
  work_();
}

void ObservedStore::report_progress(std::vector<store::ProgressUpdate> batch, Reply<store::Each<store::Renewed>> reply) {
  store_.report_progress(batch, heard<store::Each<store::Renewed>>(std::move(reply), [this, batch](const auto& result) {
                           for_each_answer<store::Renewed>(batch, result, [&](const auto& one, const auto& answer) {
                             shadow_.renewal_answered(one.lease, answer);
                           });
                         }));
  work_();
}

void ObservedStore::renew(std::vector<store::Renewal> batch, Reply<store::Each<store::Renewed>> reply) {
  store_.renew(batch, heard<store::Each<store::Renewed>>(std::move(reply), [this, batch](const auto& result) {
                 for_each_answer<store::Renewed>(
                     batch, result, [&](const auto& one, const auto& answer) { shadow_.renewal_answered(one.lease, answer); });
               }));
  work_();
}

void ObservedStore::cancel(std::vector<store::Cancel> batch, Reply<store::Each<store::Cancelled>> reply) {
  store_.cancel(batch, heard<store::Each<store::Cancelled>>(std::move(reply), [this, batch](const auto& result) {
                  for_each_answer<store::Cancelled>(
                      batch, result, [&](const auto& one, const auto& answer) { shadow_.cancel_answered(one.job, answer); });
                }));
  work_();
}

void ObservedStore::redrive(std::vector<JobId> jobs, Reply<store::Each<store::Settled>> reply) {
  shadow_.redrive_sent(jobs);
  store_.redrive(jobs, heard<store::Each<store::Settled>>(std::move(reply), [this, jobs](const auto& result) {
                   // An unknown outcome may still turn up after a crash.
                   if (result.code() != Code::outcome_unknown) shadow_.redrive_answered(jobs);
                   if (!result.ok()) shadow_.code_answered("redrive", result.status());
                 }));
  work_();
}

void ObservedStore::redrive_matching(store::RedriveFilter filter, Reply<store::Redriven> reply) {
  shadow_.redrive_sent({});
  store_.redrive_matching(std::move(filter), heard<store::Redriven>(std::move(reply), [this](const auto& result) {
                            if (result.code() != Code::outcome_unknown) shadow_.redrive_answered({});
                            if (!result.ok()) shadow_.code_answered("redrive_matching", result.status());
                          }));
  work_();
}

void ObservedStore::register_workers(std::vector<WorkerSpec> batch, Reply<store::Each<store::Registered>> reply) {
  std::vector<std::uint64_t> sent;
  for (const WorkerSpec& spec : batch) sent.push_back(shadow_.register_sent(spec));
  store_.register_workers(
      batch, heard<store::Each<store::Registered>>(std::move(reply), [this, batch, sent = std::move(sent)](const auto& result) {
        std::size_t at = 0;
        for_each_answer<store::Registered>(
            batch, result, [&](const auto& one, const auto& answer) { shadow_.register_answered(sent[at++], one, answer); });
      }));
  work_();
}

void ObservedStore::heartbeat(std::vector<store::Beat> batch, Reply<store::Each<store::BeatReply>> reply) {
  store_.heartbeat(batch, heard<store::Each<store::BeatReply>>(std::move(reply), [this, batch](const auto& result) {
                     for_each_answer<store::BeatReply>(
                         batch, result, [&](const auto& one, const auto& answer) { shadow_.beat_answered(one, answer); });
                   }));
  work_();
}

void ObservedStore::change_queue(QueueChange change, Reply<QueueStats> reply) {
  shadow_.queue_sent(change);
  store_.change_queue(std::move(change),
                      heard<QueueStats>(std::move(reply), [this](const auto& result) { shadow_.queue_answered(result); }));
  work_();
}

void ObservedStore::get_jobs(std::vector<JobId> jobs, Reply<store::Each<Job>> reply) {
  store_.get_jobs(std::move(jobs), passed("get", std::move(reply)));
  work_();
}
void ObservedStore::list_jobs(store::JobQuery query, Reply<store::JobPage> reply) {
  store_.list_jobs(std::move(query), passed("list", std::move(reply)));
  work_();
}
void ObservedStore::explain(JobId job, Reply<store::WaitFacts> reply) {
  store_.explain(job, passed("explain", std::move(reply)));
  work_();
}
void ObservedStore::drain(std::vector<store::Drain> batch, Reply<store::Each<Worker>> reply) {
  store_.drain(std::move(batch), passed("drain", std::move(reply)));
  work_();
}
void ObservedStore::unregister(std::vector<store::Unregister> batch, Reply<store::Each<Worker>> reply) {
  store_.unregister(std::move(batch), passed("unregister", std::move(reply)));
  work_();
}
void ObservedStore::get_workers(NamespaceName ns, std::vector<WorkerId> workers, Reply<store::Each<Worker>> reply) {
  store_.get_workers(std::move(ns), std::move(workers), passed("get_workers", std::move(reply)));
  work_();
}
void ObservedStore::list_workers(store::WorkerQuery query, Reply<store::WorkerPage> reply) {
  store_.list_workers(std::move(query), passed("list_workers", std::move(reply)));
  work_();
}
void ObservedStore::list_queues(NamespaceName ns, Reply<std::vector<QueueStats>> reply) {
  store_.list_queues(std::move(ns), passed("list_queues", std::move(reply)));
  work_();
}
void ObservedStore::create_namespace(NamespaceInfo info, Reply<NamespaceInfo> reply) {
  store_.create_namespace(std::move(info), passed("create_namespace", std::move(reply)));
  work_();
}
void ObservedStore::list_namespaces(Reply<std::vector<NamespaceInfo>> reply) {
  store_.list_namespaces(passed("list_namespaces", std::move(reply)));
  work_();
}
void ObservedStore::delete_namespace(NamespaceName ns, Reply<NamespaceInfo> reply) {
  store_.delete_namespace(std::move(ns), passed("delete_namespace", std::move(reply)));
  work_();
}
void ObservedStore::promote_due(std::size_t limit, Reply<store::SweepReport> reply) {
  store_.promote_due(limit, passed("promote_due", std::move(reply)));
  work_();
}
void ObservedStore::expire_leases(std::size_t limit, Reply<store::SweepReport> reply) {
  store_.expire_leases(limit, passed("expire_leases", std::move(reply)));
  work_();
}
void ObservedStore::time_out_jobs(std::size_t limit, Reply<store::SweepReport> reply) {
  store_.time_out_jobs(limit, passed("time_out_jobs", std::move(reply)));
  work_();
}
void ObservedStore::expire_waiting(std::size_t limit, Reply<store::SweepReport> reply) {
  store_.expire_waiting(limit, passed("expire_waiting", std::move(reply)));
  work_();
}
void ObservedStore::end_preferences(std::size_t limit, Reply<store::SweepReport> reply) {
  store_.end_preferences(limit, passed("end_preferences", std::move(reply)));
  work_();
}
void ObservedStore::bury_silent_workers(std::size_t limit, Reply<store::SweepReport> reply) {
  store_.bury_silent_workers(limit, passed("bury_silent_workers", std::move(reply)));
  work_();
}
void ObservedStore::end_drains(std::size_t limit, Reply<store::SweepReport> reply) {
  store_.end_drains(limit, passed("end_drains", std::move(reply)));
  work_();
}
void ObservedStore::prune_finished(store::Retention retention, std::size_t limit, Reply<store::SweepReport> reply) {
  store_.prune_finished(retention, limit, passed("prune_finished", std::move(reply)));
  work_();
}
void ObservedStore::prune_workers(Duration offline_kept, std::size_t limit, Reply<store::SweepReport> reply) {
  store_.prune_workers(offline_kept, limit, passed("prune_workers", std::move(reply)));
  work_();
}
void ObservedStore::settle_actions(store::Retention retention, std::size_t limit, Reply<store::SweepReport> reply) {
  store_.settle_actions(retention, limit, passed("settle_actions", std::move(reply)));
  work_();
}
void ObservedStore::expire_keys(std::size_t limit, Reply<store::SweepReport> reply) {
  store_.expire_keys(limit, passed("expire_keys", std::move(reply)));
  work_();
}
void ObservedStore::info(Reply<store::StoreInfo> reply) {
  store_.info(passed("info", std::move(reply)));
  work_();
}
void ObservedStore::backup(std::string path, Reply<store::BackupReport> reply) {
  store_.backup(std::move(path), passed("backup", std::move(reply)));
  work_();
}

void ObservedStore::set_listener(store::Listener* listener) {
  listener_ = listener;
  store_.set_listener(listener == nullptr ? nullptr : this);
}

void ObservedStore::committed(const store::Committed& commit) {
  if (dead()) return;
  shadow_.committed(commit);
  if (listener_ != nullptr) listener_->committed(commit);
}

}  // namespace muster::sim
