// The threads of a node, one per connection, and the requests that wait for them.
//
//   any thread ──submit──► pending ──take──► a group: all hot requests that wait, one exchange ──► tell, answer
//                                     └────► a unit: one transaction with as many exchanges as it needs ──► tell, answer
//
// The last connection prefers units and the others prefer groups, so that neither starves behind the other. While no connection
// is up everything is answered `unavailable` with the reason, at once; each thread reconnects with growing pauses.
//
// A node that did not reach the database for longer than kContactGapMax, because it was stopped or the database was away, could
// not write down what it heard. Before it does anything else it gives everybody time to be heard again (excuse_silence).
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/reply.h"
#include "base/wake.h"
#include "store/postgres/group/group.h"
#include "store/postgres/node.h"
#include "store/postgres/tx.h"
#include "store/postgres/wire/connection.h"

namespace muster::store::postgres {

// One verb that is a transaction of its own, on its way: queued by any thread, run on a connection, answered once.

class Unit {
 public:
  virtual ~Unit() = default;
  // May be called again after trouble that passes; each time with a transaction that has just begun.
  virtual void run(Tx& tx) = 0;
  virtual void deliver() = 0;
  virtual void refuse(const Status& status) = 0;
  // The server refused one row's data, or run() threw. True: the unit stood for several callers and has seen to it that each is
  // tried by itself.
  virtual bool take_apart() { return false; }
  // How many callers it stands for.
  virtual std::size_t callers() const { return 1; }

  Ticks queued_at{};
  int tries = 0;
};

template <class T, class Body>
class UnitOf final : public Unit {
 public:
  UnitOf(Body body, Reply<T> reply) : body_(std::move(body)), reply_(std::move(reply)) {}
  void run(Tx& tx) override { result_.emplace(body_(tx)); }
  void deliver() override { reply_(std::move(*result_)); }
  void refuse(const Status& status) override { reply_(status); }

 private:
  Body body_;
  Reply<T> reply_;
  std::optional<Result<T>> result_;
};

// A node asks for its sweeps every second, so a longer silence between it and the database is none of the workers'.
inline constexpr Duration kContactGapMax{3'000};
inline constexpr std::size_t kLongReadsMax = 1'000;        // that wait for the one that runs; more are refused
inline constexpr Duration kLongReadConnectionIdle{5'000};  // then their connection is closed

class Runner {
 public:
  Runner(Node& node, const Clock& contact_clock);
  ~Runner();
  Runner(const Runner&) = delete;
  Runner& operator=(const Runner&) = delete;

  // Connects once. Trouble that no waiting mends is returned; other trouble is left to the threads. Starts them.
  Status start();
  // Answers everything accepted so far, then ends the threads. Idempotent.
  void stop();
  // Ends the threads without doing what waits; it is answered `unavailable`.
  void abandon();

  void submit(EnqueueRequest request);
  void submit(SettleRequest request);  // completions try the quick way first
  void submit(PendingClaim request);
  void submit(ExtendRequest request);
  void submit(BeatRequest request);
  void submit(StepRequest request);
  void submit(std::unique_ptr<Unit> unit);
  // Reads that may take seconds: one at a time, on a connection of their own, so that no verb waits for them.
  void submit_long_read(std::unique_ptr<Unit> unit);

  StoreHealth health() const;
  std::uint32_t pending() const;

 private:
  // What one take() got: requests of one kind.
  struct Work {
    std::unique_ptr<Group> group;
    std::vector<SettleRequest> settles;
    std::vector<ExtendRequest> extends;
    std::vector<BeatRequest> beats;
    std::vector<StepRequest> steps;
    std::vector<PendingClaim> claims;  // one by one
    std::vector<EnqueueRequest> enqueues;
    std::unique_ptr<Unit> unit;
  };

  // By both clocks: the monotonic one stands still while the machine sleeps.
  struct Contact {
    Ticks elapsed{};
    Instant wall{};
  };

  static thread_local bool is_runner_thread;
  static Ticks ticks_now();

  // runner.cc: connections and their threads
  void run(std::size_t index);
  Result<std::unique_ptr<Connection>> connect();
  void could_not_connect(const Status& status);
  void could_not_write(const std::string& reason);
  void wrote();
  Contact contact_now() const { return {contact_clock_.elapsed(), contact_clock_.now()}; }
  void excuse_gap(Connection& connection);  // before anything is done on this connection
  void reached(Contact begun);              // what began then went through
  void went_down(const Status& status);
  void came_up();

  // runner_long_reads.cc
  void run_long_reads();
  std::unique_ptr<Unit> wait_for_long_read(bool connected);  // null: none came for a while, or stop

  // runner_requests.cc: what waits
  Status admission() const;  // why a request is refused now, or ok
  template <class Request>
  void push(std::vector<Request>& queue, Request request);
  bool wait_for_work(bool prefers_units, Work& work);  // false: stop
  bool take_group(Work& work);
  bool take_unit(Work& work);
  void put_back(Work work);
  void put_back_claim(PendingClaim claim);
  void keep(Leftovers later);
  void drain_refused(const Status& status);

  // runner_units.cc: what is done with it
  void perform(Connection& connection, Work& work);
  void run_group(Connection& connection, Group& group);
  void run_unit(Connection& connection, std::unique_ptr<Unit> unit);
  void try_group(Connection& connection, Group& group, Leftovers& later);
  void try_unit(Connection& connection, Unit& unit, bool& answered);
  // After an exception: what was noted is not sent, and the transaction under way is undone.
  void clear(Connection& connection);
  void run_claim(Connection& connection, PendingClaim claim);
  void run_enqueues(Connection& connection, std::vector<EnqueueRequest> requests);
  void promote(Connection& connection);
  void catch_up(Connection& connection);
  bool excuse_silence(Connection& connection);
  void make_names(Connection& connection, const Tx& lacking);

  Node& node_;
  mutable std::mutex mutex_;                                                                 // guards everything below
  const std::shared_ptr<WaitingSleeper> idle_sleeper_ = std::make_shared<WaitingSleeper>();  // shared with those about to wake it
  std::vector<EnqueueRequest> enqueues_;
  std::vector<SettleRequest> completions_;
  std::vector<PendingClaim> claims_;
  std::vector<SettleRequest> settles_;
  std::vector<ExtendRequest> extends_;
  std::vector<BeatRequest> beats_;
  std::vector<StepRequest> steps_;
  std::vector<PendingClaim> gated_claims_;
  std::vector<EnqueueRequest> special_enqueues_;
  std::deque<std::unique_ptr<Unit>> units_;
  std::deque<std::unique_ptr<Unit>> long_reads_;
  std::condition_variable wake_long_reads_;
  std::condition_variable wake_reconnects_;  // of threads without a connection, which take no work and so no wake-up for it
  Ticks beats_at_{};                         // when the last batch of heartbeats left
  std::size_t waiting_ = 0;
  std::size_t idle_ = 0;  // threads that wait for work
  std::size_t connected_ = 0;
  bool stopping_ = false;
  bool abandoned_ = false;
  StoreHealth health_;
  std::unique_ptr<Connection> first_;  // made by start(), taken by the first thread
  std::vector<std::thread> threads_;

  const Clock& contact_clock_;
  std::mutex contact_mutex_;  // held while a gap is excused, so that nobody judges meanwhile; guards contact_
  Contact contact_;           // when the last exchange that went through began

  std::mutex init_mutex_;  // the first to reach the database prepares it
  bool initialised_ = false;
};

}  // namespace muster::store::postgres
