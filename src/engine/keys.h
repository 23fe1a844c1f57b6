// The keyspace as the fronts see it: batches of commands, and clients that wait for an element of a list.
//
// Those who wait stand in line per key. When the store tells that a list got elements, the first in line tries again; it is
// told nothing until it got one, its time is over, or it is cancelled. As with claims, notification only makes it faster: every
// waiter also looks for itself now and then, since on a cluster another node may have pushed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "base/clock.h"
#include "base/reply.h"
#include "engine/options.h"
#include "store/store.h"

namespace muster::engine {

enum class KeyTicket : std::uint64_t {};

class Keys {
 public:
  Keys(store::Store& store, const Clock& clock, const Options& options);
  ~Keys();

  void run(store::KeyBatch batch, Reply<std::vector<store::KeyAnswer>> reply);
  store::KeyGlance glance(std::string_view key) const;

  // `command` is a key::Pop or key::Move; it runs at once and again whenever one of the lists it takes from may have an element.
  // Replies with its answer, or with nothing when `wait` is over (0: never). A refusal is answered at once. exhausted:
  // parked_max. The ticket is for cancel(); it is stale once the reply was called.
  KeyTicket await(store::KeyCommand command, Duration wait, Reply<store::KeyAnswer> reply);
  // The caller went away or wants to go on: its reply is called with nothing, unless an element is on its way, which it then gets
  // and has to give back if it has no use for it. Unknown tickets are ignored.
  void cancel(KeyTicket ticket);

  // From the store's listener.
  void committed(const store::Committed& commit);
  // Answers those whose wait is over and polls those that are due; returns how long until the next of either.
  Duration tick();
  // Answers everybody with nothing and lets nobody wait any more. Idempotent.
  void stop();

 private:
  class Line;
  std::shared_ptr<Line> line_;  // shared with replies that are still on their way when this goes
  store::Store& store_;
};

}  // namespace muster::engine
