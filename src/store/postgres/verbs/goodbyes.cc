// Drain and unregister: a worker is told to leave, or says that it does.
#include <set>

#include "store/jobs/workers.h"
#include "store/postgres/verbs/leaving.h"
#include "store/postgres/verbs/verbs.h"
#include "store/postgres/verbs/worker_counts.h"
#include "store/refusals.h"

namespace muster::store::postgres {
namespace {

template <class Item>
std::vector<Result<WorkerKey>> look_up_all(Tx& tx, const std::vector<Item>& batch) {
  std::vector<WorkerName> names;
  for (const Item& item : batch) names.push_back({item.ns, item.worker});
  return look_up(tx, names);
}

std::vector<WorkerKey> known_keys(const std::vector<Result<WorkerKey>>& looked) {
  std::set<WorkerKey> keys;
  for (const auto& key : looked)
    if (key.ok()) keys.insert(*key);
  return {keys.begin(), keys.end()};
}

}  // namespace

Each<Worker> drain(Tx& tx, const std::vector<Drain>& batch) {
  const WrittenCounts counts(tx);
  const auto looked = look_up_all(tx, batch);
  auto rows = lock_workers(tx, known_keys(looked));
  std::map<WorkerKey, WorkerRow*> changed;
  const auto drain_one = [&](const Drain& item, const Result<WorkerKey>& key) -> Result<Worker> {
    if (!key.ok()) return key.status();
    const auto found = rows.find(*key);
    if (found == rows.end()) return refusal::no_worker(item.ns, item.worker);
    Worker& worker = found->second.worker;
    if (Status status = jobs::live_session(worker, std::nullopt); !status.ok()) return status;
    const WorkerState from = worker.state;
    worker.state = WorkerState::draining;
    worker.drain_deadline = tx.now() + item.deadline;
    worker.drain_reason = item.reason;
    if (from != WorkerState::draining) tell_worker(tx, worker, from, item.reason);
    changed[*key] = &found->second;
    return worker;
  };
  Each<Worker> answers;
  for (std::size_t i = 0; i < batch.size(); ++i) answers.push_back(drain_one(batch[i], looked[i]));
  std::vector<WorkerRow*> written;
  for (const auto& [key, row] : changed) written.push_back(row);
  write_workers(tx, written, Answer::no);
  for (const auto& [key, row] : changed) tx.directory().forget_worker(key);
  return answers;
}

Each<Worker> unregister(Tx& tx, const std::vector<Unregister>& batch) {
  const WrittenCounts counts(tx);
  const auto looked = look_up_all(tx, batch);
  auto rows = lock_leaving(tx, known_keys(looked));
  std::vector<Departure> departures;
  std::set<WorkerKey> leaving;
  std::vector<std::optional<Status>> refused(batch.size());
  for (std::size_t i = 0; i < batch.size(); ++i) {
    if (!looked[i].ok()) continue;
    const auto found = rows.find(*looked[i]);
    if (found == rows.end() || !found->second.live() || leaving.contains(*looked[i])) continue;
    if (Status status = jobs::live_session(found->second.worker, batch[i].session); !status.ok()) {
      refused[i] = std::move(status);
      continue;
    }
    leaving.insert(*looked[i]);
    departures.push_back({&found->second, std::nullopt});
  }
  take_offline(tx, departures, "unregistered");

  Each<Worker> answers;
  for (std::size_t i = 0; i < batch.size(); ++i) {
    const auto found = looked[i].ok() ? rows.find(*looked[i]) : rows.end();
    if (!looked[i].ok())
      answers.push_back(looked[i].status());
    else if (refused[i])
      answers.push_back(*refused[i]);
    else if (found == rows.end())
      answers.push_back(refusal::no_worker(batch[i].ns, batch[i].worker));
    // Saying goodbye again, after an answer that did not arrive, is fine.
    else if (!batch[i].session || *batch[i].session == found->second.worker.session)
      answers.push_back(found->second.worker);
    else
      answers.push_back(jobs::live_session(found->second.worker, batch[i].session));
  }
  return answers;
}

}  // namespace muster::store::postgres
