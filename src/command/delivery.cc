#include "command/delivery.h"

#include <fmt/format.h>

#include <utility>

#include "base/log.h"

namespace muster::command {
namespace {

namespace key = store::key;
using store::KeyAnswer;
using Answers = std::vector<KeyAnswer>;

// What could not be given up is found when its lease expires.
void report_leases(const Result<store::Each<store::Settled>>& settled) {
  if (!settled.ok())
    log::warn("jobs could not be given up; their leases will expire", {{"code", std::string(to_string(settled.code()))}});
}

void report_element(const Result<Answers>& answers) {
  if (!answers.ok())
    log::error("an element that could not be delivered could not be given back",
               {{"code", std::string(to_string(answers.code()))}, {"reason", answers.status().message()}});
}

void put_back_popped(engine::Keys& keys, const key::Pop& pop, KeyAnswer answer) {
  if (answer.list.size() != 2) return;
  store::KeyBatch batch;
  batch.commands.emplace_back(key::Push{answer.list[0].text, pop.end, {std::move(answer.list[1].text)}});
  keys.run(std::move(batch), &report_element);
}

// First there, then away from here: a crash in between leaves it twice and never loses it. If it was not here any more, somebody
// else got it meanwhile, and the one that was just put back is one too many.
void put_back_moved(engine::Keys& keys, const key::Move& move, const KeyAnswer& answer) {
  if (move.from == move.to) return;
  const auto side = [](store::ListEnd end) { return end == store::ListEnd::left ? 1 : -1; };
  store::KeyBatch batch;
  batch.commands.emplace_back(key::Push{move.from, move.take, {answer.text}});
  batch.commands.emplace_back(key::ListRemove{move.to, side(move.put), answer.text});
  store::KeyBatch undo;
  undo.commands.emplace_back(key::ListRemove{move.from, side(move.take), answer.text});
  keys.run(std::move(batch), [&keys, undo = std::move(undo)](Result<Answers> answers) mutable {
    report_element(answers);
    if (answers.ok() && answers->back().number == 0) keys.run(std::move(undo), &report_element);
  });
}

}  // namespace

std::vector<LeaseRef> leases_of(const std::vector<Grant>& grants) {
  std::vector<LeaseRef> leases;
  leases.reserve(grants.size());
  for (const Grant& grant : grants) leases.push_back({grant.id, grant.fence});
  return leases;
}

void Delivery::hand_back(const std::vector<Grant>& grants) {
  if (!grants.empty()) engine_.claims().hand_back(grants);
}

void Delivery::failed(const std::vector<LeaseRef>& leases, const Status& why) {
  if (leases.empty()) return;
  const JobError error{"hand_out_failed", fmt::format("it could not be handed to its worker: {}", why.message())};
  std::vector<store::Failure> batch;
  batch.reserve(leases.size());
  for (const LeaseRef& lease : leases) batch.push_back({.lease = lease, .error = error, .undelivered = true});
  engine_.jobs().fail(std::move(batch), &report_leases);
}

void Delivery::lost(const std::vector<LeaseRef>& leases, const std::string& why, Reply<store::Each<store::Settled>> reply) {
  std::vector<store::Failure> batch;
  batch.reserve(leases.size());
  for (const LeaseRef& lease : leases)
    batch.push_back({.lease = lease, .error = {kErrorWorkerLost, why}, .retryable = true, .delay = Duration(0)});
  engine_.jobs().fail(std::move(batch), [reply = std::move(reply)](Result<store::Each<store::Settled>> settled) mutable {
    report_leases(settled);
    reply(std::move(settled));
  });
}

void Delivery::put_back(const store::KeyCommand& taken_by, KeyAnswer answer) {
  if (answer.kind != KeyAnswer::Kind::list && answer.kind != KeyAnswer::Kind::text) return;
  if (const auto* pop = std::get_if<key::Pop>(&taken_by)) return put_back_popped(engine_.keys(), *pop, std::move(answer));
  if (const auto* move = std::get_if<key::Move>(&taken_by)) put_back_moved(engine_.keys(), *move, answer);
}

}  // namespace muster::command
