// What the sessions of one RESP front share. Made by the front, used on the loop's thread; post() alone may be called from
// elsewhere.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/incident.h"
#include "base/metrics.h"
#include "command/door.h"
#include "fronts/resp/call.h"
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
class WorkState;  // work/work_state.h: the anonymous worker, claims of connections that are gone, verifications
}
namespace plans {
class PlanCache;  // plans/plan_cache.h: plans read lately, rate limits
}

struct Core : std::enable_shared_from_this<Core> {
  Core(net::IoLoop& on, command::Door& through, Metrics& counted, RespOptions options_in);
  ~Core();

  net::IoLoop& loop;
  command::Door& door;
  Metrics& metrics;
  const Incidents incidents;
  RespOptions options;
  std::unique_ptr<Meter> meter;
  std::unique_ptr<Clients> clients;
  std::unique_ptr<Gatekeeper> gatekeeper;
  std::shared_ptr<Channels> channels;  // shared with wakes that are on their way to it
  std::unique_ptr<work::WorkState> work_state;
  std::unique_ptr<plans::PlanCache> plan_cache;
  keyspace::Cursors cursors;
  bool stopping = false;

  const Clock& clock() const { return door.clock(); }
  Instant now() const { return door.clock().now(); }

  // From any thread: runs on the loop while the front lives, else is dropped.
  void post(UniqueFunction<void()> work);
  // A reply that comes back on the loop, for the commands that are being run now. `then` runs there with the result;
  // dropped when the front is gone.
  template <class T, class Then>
  Reply<T> on_loop(Then then) {
    // Only the loop's thread looks whether the front is still there: the last one to hold it ends it, and its timers are the
    // loop's. The loop outlives the store's answers.
    return [self = weak_from_this(), &loop = loop, group = running(), then = std::move(then)](Result<T> result) mutable {
      loop.post([self = std::move(self), group = std::move(group), then = std::move(then), result = std::move(result)]() mutable {
        if (const auto core = self.lock()) core->run_for(group, [&] { then(std::move(result)); });
      });
    };
  }
  // Runs a command. Its answer comes back on the loop.
  template <class Request, class Then>
  auto ask(const command::Caller& caller, Request request, Then then) {
    return door.run(caller, std::move(request), on_loop<command::AnswerTo<Request>>(std::move(then)));
  }
  template <class Request, class Then>
  void ask_all(const command::Caller& caller, std::vector<Request> requests, Then then) {
    door.run_all(caller, std::move(requests), on_loop<store::Each<command::AnswerTo<Request>>>(std::move(then)));
  }
  // Something that waits its turn, for the commands that are being run now.
  template <class... Args>
  UniqueFunction<void(Args...)> later(UniqueFunction<void(Args...)> then) {
    return [this, group = running(), then = std::move(then)](Args... args) mutable {
      run_for(group, [&] { then(std::move(args)...); });
    };
  }
  // Runs `work` for these commands. What it throws ends here and is their answer. Without commands it is the loop's to catch.
  template <class Work>
  void run_for(const CallGroupRef& group, Work work) {
    if (!group) return work();
    const CallGroupRef before = std::exchange(running_, group);
    try {
      work();
    } catch (...) {
      fail_unanswered(*group);
    }
    running_ = before;
  }

 private:
  CallGroupRef running() const { return loop.inside() ? running_ : nullptr; }
  // REQUIRES: inside a catch block.
  void fail_unanswered(const CallGroup& group) const;

  CallGroupRef running_;  // whose handler runs; on the loop's thread
};

// Runs a command for the client of a call.
template <class Request, class Then>
void ask(const CallRef& call, Request request, Then then) {
  call->core().ask(call->client().caller, std::move(request), std::move(then));
}
template <class Request, class Then>
void ask_all(const CallRef& call, std::vector<Request> requests, Then then) {
  call->core().ask_all(call->client().caller, std::move(requests), std::move(then));
}

// The namespace of this wire, which names none.
NamespaceName default_namespace();

// The error line for a failed command, after "-ERR ": the status's message, with a hint to try again where that helps.
std::string error_text(const Status& status);

}  // namespace muster::resp
