// The inside of Worker. Private to this folder.
//
// live() is the worker's own thread and the order of its life; pollers and the heartbeat run beside it, each run on a thread of
// `crew`. One mutex guards what they share; it is a leaf, except that a context of a poll is cancelled under it, which does not
// block.
#pragma once

#include <atomic>
#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "sdk/cpp/backoff.h"
#include "sdk/cpp/crew.h"
#include "sdk/cpp/workflow/grpc_port.h"
#include "sdk/cpp/workflow/run_core.h"
#include "sdk/cpp/workflow/wire.h"
#include "sdk/cpp/workflow/worker.h"

namespace muster::sdk::workflow {

// While the server is away: soon at first, so that a restart is hardly noticed.
inline constexpr Backoff::Limits kReconnect{.min = Duration(50), .max = Duration(3'000)};

// A run that this worker was handed. The heartbeat speaks for it and may take it away.
struct HeldRun {
  RunFacts facts;
  std::atomic<bool> lost{false};
  std::mutex mutex;  // leaf; guards core
  detail::RunCore* core = nullptr;
  void lose();
};

struct Worker::State : std::enable_shared_from_this<Worker::State> {
  explicit State(WorkerSettings given);

  const WorkerSettings settings;
  detail::Surroundings surroundings;
  wire::Wire link;       // for everything but polls
  wire::Wire poll_link;  // its own connection: a poll in the way of a heartbeat would be a strange reason to be buried
  Crew crew;
  Crew step_crew;
  std::map<std::string, Handler> handlers;
  std::optional<Error> mistake;  // in what was registered

  std::mutex registering;    // held during a registration; never taken while holding `mutex`
  mutable std::mutex mutex;  // guards what follows
  std::condition_variable changed;
  bool started = false;
  bool draining = false;
  bool over = false;   // nothing is waited for any more: calls that would be repeated are not
  bool ended = false;  // live() is through
  bool beat_now = false;
  bool beats_end = false;
  std::chrono::steady_clock::time_point drain_until = std::chrono::steady_clock::time_point::max();
  std::string worker_id;
  Duration beat_every{10'000};
  std::optional<Error> fatal;
  std::uint32_t polling = 0;
  std::map<std::string, std::shared_ptr<HeldRun>> held;
  std::set<grpc::ClientContext*> polls;
  WorkerStatus counts;  // without worker_id and running
  std::thread life;

  void say(std::string_view line) const;
  bool is_draining() const;
  std::string id() const;
  void begin_drain(Duration deadline);
  void give_up(const Error& error);

  // Waits that long; false: cut short by the end of the worker, or of the run.
  bool pause(Duration wait, const std::atomic<bool>* lost);
  bool pause_unless_draining(Duration wait);

  void live();
  void settle_drain();

  // worker_link.cc: what is said about the worker itself.
  bool register_until_accepted();
  Result<Nothing> register_once();
  // The server refused the worker of this id: finds out why and registers again if that helps.
  void refresh(const std::string& refused);
  void beat_loop();
  // False: the server does not know the worker.
  Result<bool> beat_once();
  Result<bool> beat_part(const std::string& worker, const std::vector<std::shared_ptr<HeldRun>>& runs);
  void lose_named(const std::string& ids);
  void deregister();

  // worker_runs.cc: what is done for runs.
  void poll_loop();
  bool wait_for_room();
  Result<std::shared_ptr<HeldRun>> poll_once(const std::string& worker);
  void take(std::shared_ptr<HeldRun> run);
  void execute(HeldRun& run);
  void report(GrpcRunPort& port, HeldRun& run, const Result<std::string>& output, bool bad_input);
  std::vector<std::shared_ptr<HeldRun>> all_held() const;
};

}  // namespace muster::sdk::workflow
