// What the sessions of one RESP front share. Made by the front, used on the loop's thread; post() alone may be called from
// elsewhere.
#pragma once

#include <memory>
#include <string>

#include "base/metrics.h"
#include "command/context.h"
#include "engine/engine.h"
#include "fronts/resp/client.h"
#include "fronts/resp/keyspace/cursors.h"
#include "fronts/resp/options.h"
#include "net/io_loop.h"

namespace muster::resp {

class Clients;     // clients.h: who is connected, by id and by worker
class Gatekeeper;  // gatekeeper.h: AUTH
class Channels;    // link/channels.h: SUBSCRIBE
class Meter;       // meter.h: what is counted
namespace work {
class Desk;  // work/desk.h: the anonymous worker, claims of connections that are gone, verifications
}
namespace plans {
class Shelf;  // plans/shelf.h: plans read lately, rate limits
}

struct Core : std::enable_shared_from_this<Core> {
  Core(net::IoLoop& on, engine::Engine& with, Metrics& counted, RespOptions options_in, command::ServerFacts facts_in);
  ~Core();

  net::IoLoop& loop;
  engine::Engine& engine;
  Metrics& metrics;
  RespOptions options;
  command::ServerFacts facts;
  std::unique_ptr<Meter> meter;
  std::unique_ptr<Clients> clients;
  std::unique_ptr<Gatekeeper> gatekeeper;
  std::shared_ptr<Channels> channels;  // shared with wakes that are on their way to it
  std::unique_ptr<work::Desk> desk;
  std::unique_ptr<plans::Shelf> shelf;
  keyspace::Cursors cursors;
  bool stopping = false;

  const Clock& clock() const { return engine.clock(); }
  Instant now() const { return engine.clock().now(); }
  // For command::handle(): one per request.
  command::Context context(const Client& client) { return {engine, facts, client.caller}; }

  // From any thread: runs on the loop while the front lives, else is dropped.
  void post(UniqueFunction<void()> work);
  // An engine reply that comes back on the loop. `then` runs there with the result; dropped when the front is gone.
  template <class T, class Then>
  Reply<T> on_loop(Then then) {
    return [self = weak_from_this(), then = std::move(then)](Result<T> result) mutable {
      if (const auto core = self.lock())
        core->post([then = std::move(then), result = std::move(result)]() mutable { then(std::move(result)); });
    };
  }
};

// The error line for a failed command, after "-ERR ": the status's message, with a hint to try again where that helps.
std::string error_text(const Status& status);

}  // namespace muster::resp
