// What the sockets and workers of the WebSocket front share. Made by the front, used on the loop's thread; post() alone may be
// called from elsewhere.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/incident.h"
#include "base/uuid.h"
#include "command/door.h"
#include "fronts/auth/authenticator.h"
#include "fronts/ws/deadlines.h"
#include "fronts/ws/feed/run_feed.h"
#include "fronts/ws/log_brake.h"
#include "fronts/ws/meter.h"
#include "fronts/ws/options.h"
#include "fronts/ws/result_numbers.h"
#include "fronts/ws/run_numbers.h"
#include "fronts/ws/schemas.h"
#include "net/io_loop.h"

namespace muster::ws {

class ChangeWatch;   // change_watch.h: what others do to workers and jobs
class PackageWatch;  // package_watch.h: what others want of workers' packages
class WorkerSession;
class Sessions;  // sessions.h: who has a session, by instance

// What our frames say of their sender.
inline constexpr std::string_view kSchedulerId = "scheduler-control";

struct Core : std::enable_shared_from_this<Core> {
  Core(net::IoLoop& on, command::Door& through, Metrics& counted, WsOptions options_in, Schemas compiled);
  ~Core();

  net::IoLoop& loop;
  command::Door& door;
  const Incidents incidents;
  const WsOptions options;
  Meter meter;
  const Schemas schemas;
  const std::shared_ptr<auth::Brake> brake;  // shared with the other fronts
  auth::Authenticator authenticator;
  Deadlines deadlines;
  LogBrake strangers;  // lines about sockets whose worker is not known
  feed::RunFeed feed;
  RunNumbers run_numbers;
  ResultNumbers result_numbers;
  std::map<JobId, std::weak_ptr<WorkerSession>> awaited;  // jobs of next requests → who waits
  std::map<JobId, std::uint32_t> lost_dispatches;         // of a job, without an acknowledgement
  std::unique_ptr<Sessions> sessions;
  std::shared_ptr<ChangeWatch> changes;         // shared with wakes that are on their way to it
  std::shared_ptr<PackageWatch> package_watch;  // shared with answers that are on their way to it
  std::size_t sockets = 0;
  bool stopping = false;

  Instant now() const { return door.clock().now(); }     // what peers are told
  Instant steady() const { return deadlines.steady(); }  // what waits are counted in
  Ticks ticks() const { return door.clock().elapsed(); }
  std::string next_id() { return ids_.next().text(); }  // of a frame, a session or an instance
  std::uint64_t next_seed() { return mix64(seed_++); }

  // After a session came or went.
  void sessions_changed();
  // From any thread: runs on the loop while the front lives, else is dropped.
  void post(UniqueFunction<void()> work);
  // Runs a command. Its answer comes back on the loop, or nowhere when the front is gone.
  template <class Request, class Then>
  auto ask(const command::Caller& caller, Request request, Then then) {
    return door.run(caller, std::move(request), on_loop<command::AnswerTo<Request>>(std::move(then)));
  }
  // The same for many requests of one command, each answered by itself.
  template <class Request, class Then>
  void ask_all(const command::Caller& caller, std::vector<Request> requests, Then then) {
    door.run_all(caller, std::move(requests), on_loop<store::Each<command::AnswerTo<Request>>>(std::move(then)));
  }

 private:
  template <class T, class Then>
  Reply<T> on_loop(Then then) {
    // Only the loop's thread looks whether the front is still there: the last one to hold it ends it, and its timers are the
    // loop's. The loop outlives the store's answers.
    return [self = weak_from_this(), &loop = loop, then = std::move(then)](Result<T> result) mutable {
      loop.post([self = std::move(self), then = std::move(then), result = std::move(result)]() mutable {
        if (const auto core = self.lock()) then(std::move(result));
      });
    };
  }

  UuidSource ids_;
  std::uint64_t seed_;
};

}  // namespace muster::ws
