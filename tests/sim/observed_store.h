// The seam between the engine and the store under test: passes every verb on, lets the shadow hear requests, answers and commits,
// and swallows whatever a dead process would have said.
//
// The world puts it between the two for each life of the process. An answer that is still on its way when the disk dies
// never leaves; that is what a crash is.
#pragma once

#include <functional>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "store/funnel.h"
#include "tests/sim/disk.h"
#include "tests/sim/shadow.h"

namespace muster::sim {

class ObservedStore final : public store::Funnel<ObservedStore>, private store::Listener {
 public:
  // store, shadow and disk outlive it; `work` is called whenever a verb may have queued something.
  ObservedStore(store::Store& store, Shadow& shadow, const Disk& disk, const Clock& clock, std::function<void()> work)
      : store_(store), shadow_(shadow), disk_(disk), clock_(clock), life_(disk.life()), work_(std::move(work)) {}

  store::StoreHealth health() const override { return store_.health(); }
  store::KeyGlance glance(std::string_view key) const override { return store_.glance(key); }
  void set_listener(store::Listener* listener) override;
  Status close() override { return store_.close(); }

 private:
  friend class store::Funnel<ObservedStore>;
  using Verb = store::Verb;
  // Hears an answer before the caller does.
  template <class T>
  using Ear = UniqueFunction<void(const Result<T>&)>;
  // Which answer an ear is for, to choose among the functions below.
  template <class T>
  using For = std::type_identity<T>;
  template <class T>
  using ForEach = std::type_identity<store::Each<T>>;

  // Workflows, schedules, plans and keys: no part of the simulated world.
  static constexpr bool is_outside(Verb verb) {
    return (verb >= Verb::find_jobs && verb <= Verb::keyspace) || verb == Verb::update_namespace;
  }

  template <class T, class Method, class... Args>
  void pass(Verb verb, Method method, Reply<T> reply, Args... args) {
    if (is_outside(verb)) return (store_.*method)(std::move(args)..., std::move(reply));
    Ear<T> hear = ear(For<T>(), verb, args...);
    (store_.*method)(std::move(args)...,
                     Reply<T>([this, reply = std::move(reply), hear = std::move(hear)](Result<T> result) mutable {
                       if (dead()) return;
                       hear(result);
                       reply(std::move(result));
                     }));
    work_();
  }

  // What the shadow is told when a verb is called, and the ear for its answer. Of most verbs only designed codes are expected.
  template <class T, class... Args>
  Ear<T> ear(For<T>, Verb verb, const Args&...) {
    return [this, verb](const Result<T>& answer) {
      if (!answer.ok()) shadow_.code_answered(to_string(verb), answer.status());
    };
  }
  Ear<std::vector<store::Enqueued>> ear(For<std::vector<store::Enqueued>>, Verb verb, const std::vector<JobSpec>& jobs);
  Ear<store::ClaimReply> ear(For<store::ClaimReply>, Verb verb, const store::ClaimRequest& request);
  Ear<store::Each<store::Settled>> ear(ForEach<store::Settled>, Verb verb, const std::vector<JobId>& redriven);
  Ear<store::Redriven> ear(For<store::Redriven>, Verb verb, const store::RedriveFilter& filter);
  Ear<store::Each<store::Registered>> ear(ForEach<store::Registered>, Verb verb, const std::vector<WorkerSpec>& batch);
  Ear<QueueStats> ear(For<QueueStats>, Verb verb, const QueueChange& change);
  template <class One>
  Ear<store::Each<store::Settled>> ear(ForEach<store::Settled>, Verb verb, const std::vector<One>& batch) {
    return each<store::Settled>(
        batch, [this, verb](const auto& one, const auto& answer) { shadow_.outcome_answered(verb, one.lease, answer); });
  }
  template <class One>
  Ear<store::Each<store::Renewed>> ear(ForEach<store::Renewed>, Verb, const std::vector<One>& batch) {
    return each<store::Renewed>(batch,
                                [this](const auto& one, const auto& answer) { shadow_.renewal_answered(one.lease, answer); });
  }
  Ear<store::Each<store::Cancelled>> ear(ForEach<store::Cancelled>, Verb, const std::vector<store::Cancel>& batch) {
    return each<store::Cancelled>(batch,
                                  [this](const auto& one, const auto& answer) { shadow_.cancel_answered(one.job, answer); });
  }
  Ear<store::Each<store::BeatReply>> ear(ForEach<store::BeatReply>, Verb, const std::vector<store::Beat>& batch) {
    return each<store::BeatReply>(batch, [this, sent_at = clock_.elapsed()](const auto& one, const auto& answer) {
      shadow_.beat_answered(one, sent_at, answer);
    });
  }

  // `hear` gets each element with its answer, or with the failure of the whole batch.
  template <class T, class One, class Hear>
  static Ear<store::Each<T>> each(std::vector<One> batch, Hear hear) {
    return [batch = std::move(batch), hear = std::move(hear)](const Result<store::Each<T>>& answer) mutable {
      for (std::size_t i = 0; i < batch.size(); ++i) {
        if (!answer.ok())
          hear(batch[i], Result<T>(answer.status()));
        else if (i < answer->size())
          hear(batch[i], (*answer)[i]);
      }
    };
  }

  void committed(const store::Committed& commit) override;
  bool dead() const { return disk_.dead() || disk_.life() != life_; }

  store::Store& store_;
  Shadow& shadow_;
  const Disk& disk_;
  const Clock& clock_;
  std::uint64_t life_;
  std::function<void()> work_;
  store::Listener* listener_ = nullptr;
};

}  // namespace muster::sim
