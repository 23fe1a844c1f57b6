// What happened to tasks while nobody listened: kept as it came, and told when somebody does. Pure.
//
// Events that nobody reads would be a third of what a task costs the server. The latest happenings are kept, as many as the
// buffer has events, and the dispatch of every task that still runs, however long ago it was.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <unordered_map>

#include "base/clock.h"
#include "base/unique_function.h"
#include "fronts/ws/feed/run_board.h"
#include "model/ids.h"

namespace muster::ws::feed {

// A dispatch.
struct Dispatched {
  TaskName task;
  JobId job;
  std::string node_id;
  std::string worker;
  std::string dispatch_id;
  std::string client;  // of the run; empty: none
  std::uint64_t seq = 0;
};

class QuietLog {
 public:
  // Tells one happening, as of the instant.
  using Tell = UniqueFunction<void()>;
  using Teller = UniqueFunction<void(Instant at, Tell& tell)>;
  using TellDispatch = UniqueFunction<void(const Dispatched& dispatch)>;

  explicit QuietLog(TellDispatch tell_dispatch) : tell_dispatch_(std::move(tell_dispatch)) {}

  void dispatched(Dispatched dispatch, Instant at);
  // Something else. `bytes` of it are kept.
  void happened(Instant at, std::size_t bytes, Tell tell);
  // A job of which a dispatch is kept.
  bool knows(JobId job) const { return running_.contains(job); }
  // Its dispatch is not told any more once it is no longer among the latest.
  void ended(JobId job) { running_.erase(job); }
  // Everything that is kept, oldest first, and nothing is kept any more.
  void tell_all(Teller teller);

 private:
  using DispatchRef = std::shared_ptr<const Dispatched>;  // shared by the latest and those that run
  struct Happening {
    Instant at;
    std::size_t bytes = 0;
    DispatchRef dispatch;  // or
    Tell tell;
  };
  struct Running {
    Instant at;
    std::uint64_t number = 0;
    DispatchRef dispatch;
  };
  void add(Happening happening);

  TellDispatch tell_dispatch_;
  std::deque<Happening> latest_;
  std::uint64_t next_ = 0;  // number of the happening to come
  std::size_t bytes_ = 0;
  std::unordered_map<JobId, Running> running_;
};

}  // namespace muster::ws::feed
