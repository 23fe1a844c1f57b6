#include "engine/workers.h"

#include <utility>

#include "engine/batch.h"
#include "engine/requests.h"
#include "model/limits.h"
#include "model/validate.h"

namespace muster::engine {

Workers::Workers(store::Store& store, const Clock& clock, const Options& options)
    : store_(store), options_(options), names_(clock, random_seed()), lost_grants_(store), load_drains_(store, options) {}

void Workers::register_workers(std::vector<WorkerSpec> batch, Reply<store::Each<store::Registered>> reply) {
  if (Status status = validate_batch("workers", batch.size(), limits::kSettleBatchMax); !status.ok()) return reply(status);
  const auto complete = [this](WorkerSpec& spec) -> Status {
    if (Status status = muster::validate(spec); !status.ok()) return status;
    // A process that resumes a session had a name in it; giving it another one would lose its leases.
    if (spec.resume && spec.id.empty())
      return Status::invalid_argument("resume is set without an id; the worker's id is accepted with it");
    if (spec.id.empty()) spec.id = WorkerId(names_.next().text());
    if (!spec.policy) spec.policy = options_.policies[static_cast<std::size_t>(spec.dialect)];
    return {};
  };
  forward_valid<store::Registered>(
      std::move(batch), complete, [this](auto valid, auto done) { store_.register_workers(std::move(valid), std::move(done)); },
      std::move(reply));
}

void Workers::heartbeat(std::vector<store::Beat> batch, Reply<store::Each<store::BeatReply>> reply) {
  if (Status status = validate_batch("heartbeats", batch.size(), limits::kSettleBatchMax); !status.ok()) return reply(status);
  forward_valid<store::BeatReply>(
      std::move(batch), [](const store::Beat& beat) { return validate(beat); },
      [this](std::vector<store::Beat> valid, Reply<store::Each<store::BeatReply>> done) {
        std::vector<store::Beat> sent = valid;
        store_.heartbeat(std::move(valid), [this, sent = std::move(sent),
                                            done = std::move(done)](Result<store::Each<store::BeatReply>> answers) mutable {
          if (!answers.ok()) return done(std::move(answers));
          for (std::size_t i = 0; i < sent.size(); ++i)
            if ((*answers)[i].ok()) lost_grants_.heard(sent[i], *(*answers)[i]);
          load_drains_.heard(sent, *std::move(answers), std::move(done));
        });
      },
      std::move(reply));
}

void Workers::drain(std::vector<store::Drain> batch, Reply<store::Each<Worker>> reply) {
  if (Status status = validate_batch("drains", batch.size(), limits::kSettleBatchMax); !status.ok()) return reply(status);
  forward_valid<Worker>(
      std::move(batch), [](const store::Drain& drain) { return validate(drain); },
      [this](auto valid, auto done) { store_.drain(std::move(valid), std::move(done)); }, std::move(reply));
}

void Workers::resume(std::vector<store::Resume> batch, Reply<store::Each<Worker>> reply) {
  if (Status status = validate_batch("workers", batch.size(), limits::kSettleBatchMax); !status.ok()) return reply(status);
  forward_valid<Worker>(
      std::move(batch), [](const store::Resume& resume) { return validate(resume); },
      [this](auto valid, auto done) { store_.resume(std::move(valid), std::move(done)); }, std::move(reply));
}

void Workers::unregister(std::vector<store::Unregister> batch, Reply<store::Each<Worker>> reply) {
  if (Status status = validate_batch("workers", batch.size(), limits::kSettleBatchMax); !status.ok()) return reply(status);
  forward_valid<Worker>(
      std::move(batch), [](const store::Unregister& unregister) { return validate(unregister); },
      [this](auto valid, auto done) { store_.unregister(std::move(valid), std::move(done)); }, std::move(reply));
}

void Workers::get(NamespaceName ns, std::vector<WorkerId> workers, Reply<store::Each<Worker>> reply) {
  if (Status status = validate_name("namespace", ns.text()); !status.ok()) return reply(status);
  if (Status status = validate_batch("workers", workers.size(), limits::kPageMax); !status.ok()) return reply(status);
  forward_valid<Worker>(
      std::move(workers), [](const WorkerId& worker) { return validate_name("worker", worker.text()); },
      [this, ns = std::move(ns)](auto valid, auto done) { store_.get_workers(ns, std::move(valid), std::move(done)); },
      std::move(reply));
}

void Workers::list(store::WorkerQuery query, Reply<store::WorkerPage> reply) {
  if (Status status = validate(query); !status.ok()) return reply(status);
  store_.list_workers(std::move(query), std::move(reply));
}

}  // namespace muster::engine
