// The connection on which the worker is registered and takes jobs: one blocking pop at a time, only while a slot is free.
//
//   connect ─► AUTH, HELLO 3 ─► WORKER.REGISTER ─► what is ours but runs nowhere ─► BRPOP … ─► slot
//      ▲                                                                             │
//      └──────────────── 1, 2, 4 … 60 s with jitter ◄── broken, or not registered ───┘
//
// After every registration it asks which running jobs the server counts as this worker's. One that neither runs nor waits for
// delivery was handed out in an answer that got lost, or to an earlier process of this worker; since heartbeats keep its lease
// alive, nobody else would ever get it, so it is run here. One thread runs run(); stop() and register_again() come from any.
#pragma once

#include <atomic>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "sdk/cpp/backoff.h"
#include "sdk/cpp/resp/client.h"
#include "worker/job.h"
#include "worker/pause.h"

namespace muster::worker {

inline constexpr std::chrono::seconds kPopWait{5};
inline constexpr std::chrono::seconds kPopWaitOnce{1};  // with `once`: how long the queue must stay empty
inline constexpr std::size_t kProcessingMax = 1'000;    // running jobs looked at after a registration
inline constexpr std::size_t kFirstTriesMax = 5;  // registrations of an id that another connection still holds, at the start

// Why the worker cannot go on at all.
struct Fatal {
  int exit_code = 1;
  std::string text;
};

struct PullerOptions {
  sdk::resp::ClientOptions client;
  std::string worker_id;
  std::string registration;         // JSON
  std::vector<std::string> queues;  // names, without `queue:`
  bool once = false;                // end when the queue stays empty; an unreachable server is fatal
  bool adopts = true;               // the id was known before: look for jobs of an earlier process
  std::uint64_t seed = 0;
};

// What the puller asks of the rest of the worker. Called on its thread.
struct PullerSeams {
  std::function<bool(Duration)> slot_free;          // waits at most that long
  std::function<bool()> idle;                       // nothing runs, nothing waits for delivery
  std::function<bool(const std::string&)> has_job;  // runs, or its result waits
  std::function<void(Job)> start;                   // REQUIRES: slot_free()
  std::function<void(Verification)> verify;
  std::function<void(std::optional<Duration>)> registered;  // with the interval the server wants
  std::function<void()> drop_control;
};

class Puller {
 public:
  Puller(PullerOptions options, PullerSeams seams, Pause& pause);

  void run();
  void stop();            // lossless: a pop under way is ended by the server or delivers its job
  void abort();           // at once; a job on its way is the server's to give to others
  void register_again();  // the server forgot this worker
  std::optional<Fatal> fatal() const;

 private:
  bool ready();  // connected and registered
  sdk::Result<sdk::resp::Value> say_register();
  bool register_now();
  void adopt();
  void pull();
  sdk::Result<sdk::resp::Value> pop();
  void take(const sdk::resp::Value& reply);
  void take_element(const std::string& element);
  void fetch(const std::string& id);
  void lose(std::string_view why);
  bool end(int exit_code, std::string text);

  PullerOptions options_;
  PullerSeams seams_;
  Pause& pause_;
  sdk::resp::Client client_;
  sdk::Backoff backoff_;
  bool registered_ = false;
  bool ever_registered_ = false;
  std::size_t refusals_ = 0;
  bool outage_told_ = false;
  std::atomic<bool> stopping_{false};
  std::atomic<bool> aborting_{false};
  std::atomic<bool> again_{false};
  mutable std::mutex mutex_;  // leaf; guards fatal_
  std::optional<Fatal> fatal_;
};

}  // namespace muster::worker
