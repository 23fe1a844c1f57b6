#include "tests/sim/observed_store.h"

namespace muster::sim {

ObservedStore::Ear<std::vector<store::Enqueued>> ObservedStore::ear(For<std::vector<store::Enqueued>>, Verb,
                                                                    const std::vector<JobSpec>& jobs) {
  shadow_.enqueue_sent(jobs);
  return [this, jobs, at = clock_.now()](const auto& answer) { shadow_.enqueue_answered(jobs, at, answer); };
}

ObservedStore::Ear<store::ClaimReply> ObservedStore::ear(For<store::ClaimReply>, Verb, const store::ClaimRequest& request) {
  return [this, request](const auto& answer) { shadow_.claim_answered(request, answer); };
}

ObservedStore::Ear<store::Each<store::Settled>> ObservedStore::ear(ForEach<store::Settled>, Verb verb,
                                                                   const std::vector<JobId>& redriven) {
  shadow_.redrive_sent(redriven);
  return [this, verb, redriven](const auto& answer) {
    // An unknown outcome may still turn up after a crash.
    if (answer.code() != Code::outcome_unknown) shadow_.redrive_answered(redriven);
    if (!answer.ok()) shadow_.code_answered(to_string(verb), answer.status());
  };
}

ObservedStore::Ear<store::Redriven> ObservedStore::ear(For<store::Redriven>, Verb verb, const store::RedriveFilter&) {
  shadow_.redrive_sent({});
  return [this, verb](const auto& answer) {
    if (answer.code() != Code::outcome_unknown) shadow_.redrive_answered({});
    if (!answer.ok()) shadow_.code_answered(to_string(verb), answer.status());
  };
}

ObservedStore::Ear<store::Each<store::Registered>> ObservedStore::ear(ForEach<store::Registered>, Verb,
                                                                      const std::vector<WorkerSpec>& batch) {
  std::vector<std::pair<std::uint64_t, WorkerSpec>> sent;
  for (const WorkerSpec& spec : batch) sent.emplace_back(shadow_.register_sent(spec), spec);
  return each<store::Registered>(std::move(sent), [this, sent_at = clock_.elapsed()](const auto& one, const auto& answer) {
    shadow_.register_answered(one.first, sent_at, one.second, answer);
  });
}

ObservedStore::Ear<QueueStats> ObservedStore::ear(For<QueueStats>, Verb, const QueueChange& change) {
  shadow_.queue_sent(change);
  return [this](const auto& answer) { shadow_.queue_answered(answer); };
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
