#include "engine/load_drains.h"

#include "base/log.h"

namespace muster::engine {

// The beats of one call, with what load makes of them.
struct LoadDrains::Work {
  store::Each<store::BeatReply> answers;
  Reply<store::Each<store::BeatReply>> reply;
  std::vector<store::Drain> drains;
  std::vector<std::size_t> drained;  // the answer of each
  std::vector<store::Resume> resumes;
  std::vector<std::size_t> resumed;

  // What is refused or fails is tried again with the next beat.
  void take(const Result<store::Each<Worker>>& workers, const std::vector<std::size_t>& places) {
    if (!workers.ok()) return;
    for (std::size_t i = 0; i < places.size(); ++i) {
      const Result<Worker>& worker = (*workers)[i];
      if (!worker.ok()) continue;
      store::BeatReply& answer = *answers[places[i]];
      answer.state = worker->state;
      answer.drain_deadline = worker->drain_deadline;
      answer.drain_reason = worker->drain_reason;
      answer.drain_origin = worker->drain_origin;
      log::info("load changed a worker", {{"tenant", worker->spec.ns.text()},
                                          {"worker_id", worker->spec.id.text()},
                                          {"state", std::string(to_string(worker->state))},
                                          {"reason", worker->drain_reason}});
    }
  }
};

LoadDrains::LoadDrains(store::Store& store, const Options& options)
    : store_(store), limits_(options.load), limits_by_namespace_(options.load_by_namespace) {}

const LoadLimits& LoadDrains::limits_of(const NamespaceName& ns) const {
  const auto own = limits_by_namespace_.find(ns.text());
  return own == limits_by_namespace_.end() ? limits_ : own->second;
}

LoadVerdict LoadDrains::judge(const store::Beat& beat, const store::BeatReply& answer, const LoadTold& told) {
  const std::lock_guard lock(mutex_);
  WorkerKey key{beat.ns.text(), beat.worker.text()};
  const auto counted = calm_beats_.find(key);
  const LoadFacts facts{answer.state, answer.drain_origin, counted == calm_beats_.end() ? 0 : counted->second};
  LoadVerdict verdict = judge_load(facts, told, limits_of(beat.ns));
  if (counted != calm_beats_.end()) {
    if (verdict.calm_beats == 0)
      calm_beats_.erase(counted);
    else
      counted->second = verdict.calm_beats;
  } else if (verdict.calm_beats != 0) {
    if (calm_beats_.size() >= kCalmWorkersMax) calm_beats_.clear();
    calm_beats_.emplace(std::move(key), verdict.calm_beats);
  }
  return verdict;
}

void LoadDrains::heard(const std::vector<store::Beat>& beats, store::Each<store::BeatReply> answers,
                       Reply<store::Each<store::BeatReply>> reply) {
  auto work = std::make_shared<Work>();
  for (std::size_t i = 0; i < beats.size(); ++i) {
    if (!answers[i].ok()) continue;
    const LoadTold told = load_told(beats[i].stats);
    if (!told.mem_pct && !told.disk_pct) continue;
    LoadVerdict verdict = judge(beats[i], *answers[i], told);
    if (verdict.step == LoadStep::drain) {
      work->drains.push_back({.ns = beats[i].ns,
                              .worker = beats[i].worker,
                              .deadline = Duration(0),
                              .reason = std::move(verdict.reason),
                              .origin = DrainOrigin::load});
      work->drained.push_back(i);
    } else if (verdict.step == LoadStep::resume) {
      work->resumes.push_back({.ns = beats[i].ns, .worker = beats[i].worker, .origin = DrainOrigin::load});
      work->resumed.push_back(i);
    }
  }
  if (work->drains.empty() && work->resumes.empty()) return reply(std::move(answers));
  work->answers = std::move(answers);
  work->reply = std::move(reply);
  drain(std::move(work));
}

void LoadDrains::drain(std::shared_ptr<Work> work) {
  if (work->drains.empty()) return resume(std::move(work));
  store_.drain(std::move(work->drains), [this, work](const Result<store::Each<Worker>>& drained) {
    work->take(drained, work->drained);
    resume(work);
  });
}

void LoadDrains::resume(std::shared_ptr<Work> work) {
  if (work->resumes.empty()) return work->reply(std::move(work->answers));
  store_.resume(std::move(work->resumes), [work](const Result<store::Each<Worker>>& resumed) {
    work->take(resumed, work->resumed);
    work->reply(std::move(work->answers));
  });
}

}  // namespace muster::engine
