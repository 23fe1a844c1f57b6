// What happens to AstraFlow's runs and workers here, told to its UIs as it happens: server-sent events in AstraFlow's shapes.
//
// The sessions of workers say what they see (dispatches, feedback, results, beats), and the changes of the store what became of
// the jobs. Each tenant has its own numbers and its own buffer; whoever opens a stream is sent the buffer, or what follows the
// event it has seen, and then what comes. A reader that falls behind the whole buffer is closed. While nobody listens, what
// happens to tasks is only noted (quiet_log.h), and becomes events when somebody does. On the loop's thread.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>

#include "base/status.h"
#include "fronts/auth/authenticator.h"
#include "fronts/ws/deadlines.h"
#include "fronts/ws/feed/event_buffer.h"
#include "fronts/ws/feed/quiet_log.h"
#include "fronts/ws/feed/run_board.h"
#include "model/change.h"
#include "net/connection.h"

namespace muster::ws::feed {

inline constexpr std::size_t kFeedTenantsMax = 1'000;            // with a buffer; the one that was told of longest ago goes
inline constexpr std::size_t kFeedStreamsMax = 1'000;            // 429 beyond
inline constexpr std::size_t kFeedUnsentBytesMax = 256 * 1024;   // of one stream; the rest waits in the buffer
inline constexpr std::size_t kFeedContentBytesMax = 256 * 1024;  // of a result in an event; a longer one is left out
inline constexpr Duration kFeedSilence{45'000};                  // then a comment
inline constexpr Duration kFeedAwakeFor{10 * 60'000};            // after the last listener left, who may come back

// Who wants to listen.
struct Listener {
  std::string tenant;
  std::string client;  // its client session; empty: it sees runs that belong to none
  std::string last_event_id;
  auth::Credential credential;
};

// What a worker says while it runs a task.
struct Told {
  std::string stage;
  std::optional<double> progress;
  std::string message;
  const std::vector<OutputChunk>* chunks = nullptr;
  std::string_view results;  // a JSON object of changes; empty: none
};

class RunFeed {
 public:
  RunFeed(const Clock& clock, Deadlines& deadlines);
  ~RunFeed();

  void dispatched(const Dispatched& dispatch);
  void acknowledged(const TaskName& task);
  void told(const TaskName& task, const Told& told);
  // `content`: the result as JSON.
  void result(const TaskName& task, std::string_view status, std::string_view content, const json::Tree* artifacts);
  void failed(const TaskName& task, Error error);
  // What became of a job; others' are ignored.
  void changed(const JobChange& change);

  void beat(std::string_view tenant, const WorkerFacts& worker, const json::Tree* beat);
  void package(std::string_view tenant, std::string_view worker, const PackageState& package);

  // The session of a stream on this connection. It begins when the head of the response has been taken (output_drained).
  // exhausted: too many are open.
  Result<std::shared_ptr<net::Session>> open(Listener listener, net::Connection& connection);
  void revoke(const std::function<bool(const auth::Credential&)>& still_valid);
  void close_all();

 private:
  class Stream;
  struct Tenant {
    EventBuffer buffer;
    std::set<Stream*> streams;
    std::uint64_t used = 0;
  };
  struct Sequences {
    std::uint64_t chunks = 0;
    std::uint64_t values = 0;
    std::string results;  // as merged so far
  };

  void note(const TaskName& task, const Told& told);
  // Nobody listens, and nobody did lately.
  bool quiet() const;
  // What was noted becomes events.
  void wake();
  Instant now() const { return telling_of_.value_or(clock_.now()); }
  Tenant& tenant(std::string_view name);
  void publish(std::string_view type, const Scope& scope, std::string data, std::string_view meta = {});
  void publish_node(const TaskName& name, const Run& run, const Node& node);
  void publish_run(const TaskName& name, const Run& run, RunStatus before);
  void move(const TaskName& name, RunBoard::Place place, RunStatus to);
  void remove(Stream& stream);

  const Clock& clock_;
  Deadlines& deadlines_;
  RunBoard board_;
  std::map<std::string, Tenant, std::less<>> tenants_;
  std::map<TaskName, Sequences> sequences_;  // of tasks that run and have told something
  QuietLog noted_{[this](const Dispatched& dispatch) { dispatched(dispatch); }};
  std::optional<Instant> telling_of_;   // set: what was noted is told, as of then
  std::optional<Instant> awake_until_;  // whoever left may come back until then
  std::size_t streams_ = 0;
  std::uint64_t uses_ = 0;
};

}  // namespace muster::ws::feed
