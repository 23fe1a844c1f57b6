#include "fronts/resp/keyspace/parcel.h"

#include <string>
#include <utility>

#include "base/log.h"

namespace muster::resp::keyspace {
namespace {

namespace key = store::key;
using store::KeyAnswer;
using Answers = std::vector<KeyAnswer>;

void report(const Result<Answers>& answers) {
  if (!answers.ok())
    log::error("an element that could not be delivered could not be given back",
               {{"code", std::string(to_string(answers.code()))}, {"reason", answers.status().message()}});
}

void return_popped(engine::Engine& engine, const key::Pop& pop, KeyAnswer& answer) {
  if (answer.list.size() != 2) return;
  store::KeyBatch batch;
  batch.commands.emplace_back(key::Push{answer.list[0].text, pop.end, {std::move(answer.list[1].text)}});
  engine.keys().run(std::move(batch), &report);
}

// First there, then away from here: a crash in between leaves it twice and never loses it. If it was not here any more, somebody
// else got it meanwhile, and the one that was just put back is one too many.
void return_moved(engine::Engine& engine, const key::Move& move, const KeyAnswer& answer) {
  if (move.from == move.to) return;
  const auto side = [](store::ListEnd end) { return end == store::ListEnd::left ? 1 : -1; };
  store::KeyBatch batch;
  batch.commands.emplace_back(key::Push{move.from, move.take, {answer.text}});
  batch.commands.emplace_back(key::ListRemove{move.to, side(move.put), answer.text});
  store::KeyBatch undo;
  undo.commands.emplace_back(key::ListRemove{move.from, side(move.take), answer.text});
  engine.keys().run(std::move(batch), [&engine, undo = std::move(undo)](Result<Answers> answers) mutable {
    report(answers);
    if (answers.ok() && answers->back().number == 0) engine.keys().run(std::move(undo), &report);
  });
}

}  // namespace

Parcel::Parcel(engine::Engine& engine, store::KeyCommand taken_by, store::KeyAnswer answer)
    : contents_(std::make_unique<Contents>(Contents{engine, std::move(taken_by), std::move(answer)})) {}

Parcel::~Parcel() {
  if (!contents_) return;
  const KeyAnswer::Kind kind = contents_->answer.kind;
  if (kind != KeyAnswer::Kind::list && kind != KeyAnswer::Kind::text) return;
  if (const auto* pop = std::get_if<key::Pop>(&contents_->taken_by)) return_popped(contents_->engine, *pop, contents_->answer);
  if (const auto* move = std::get_if<key::Move>(&contents_->taken_by)) return_moved(contents_->engine, *move, contents_->answer);
}

}  // namespace muster::resp::keyspace
