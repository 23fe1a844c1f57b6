// The way of verbs to the writer: queued by any thread, taken as one group by whoever runs the writer next.
//
// That is a thread of its own, or one that helps: the I/O loop at the end of its round (base/wake.h). To hand a few verbs to
// another thread and their answers back costs more than to run them, and a claim waits for nothing else. So the loop runs a group
// by itself when nobody is at it, its verbs are few and soon done, and nothing is due that may take long; everything else is the
// thread's. Who helps never waits for the disk: writes have a thread of their own (redo/redo_writer.h), and what became durable
// is settled by who helps, who is asked to come by.
//
//    loop: requests ─┬─ few, short, nobody at it ─► group on the loop ─► claims answered, writes handed to the disk's thread
//                    └─ otherwise ─► writer's thread ─► group              …settled on the loop, or by the thread
#pragma once

#include <condition_variable>
#include <cstddef>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "base/wake.h"
#include "store/sqlite/writer.h"

namespace muster::store::sqlite {

class OpQueue {
 public:
  OpQueue(Writer& writer, const Clock& clock, std::size_t pending_max);
  ~OpQueue();  // REQUIRES: stop_thread() or give_up() was called, or start_thread() was not

  // From any thread. Refuses it when too many wait, or after the end. `cost`: see verb_cost.h.
  void put(std::unique_ptr<Op> op, std::size_t cost);

  // A thread runs groups from here on.
  void start_thread();
  // Null: nobody helps any more.
  void set_helper(std::shared_ptr<Helper> helper);
  // Takes no more, does what is there, and ends the thread. False: it was called before.
  bool stop_thread();
  // Takes no more and ends the thread after the group it is in; returns what was left.
  std::vector<std::unique_ptr<Op>> give_up();
  // Without a thread: runs everything queued so far as one group, as who helps does it if `short_first`. False when there was
  // nothing to do, and nothing to be settled.
  bool pump(bool short_first);
  // A group has been written. From any thread.
  void write_ended();

 private:
  class Calls;
  void run();
  bool run_short();
  // Everything that waits. False: nothing does, and nothing is due.
  bool take(std::vector<std::unique_ptr<Op>>& ops);

  Writer& writer_;  // of whoever holds Calls::at_work
  const Clock& clock_;
  const std::size_t pending_max_;
  const std::shared_ptr<Calls> calls_;  // shared with rounds that may end after this

  std::mutex mutex_;  // leaf; guards what follows
  std::vector<std::unique_ptr<Op>> pending_;
  std::size_t pending_cost_ = 0;
  bool thread_needed_ = false;  // something is due that who helps must not do
  bool closing_ = false;
  std::shared_ptr<Helper> helper_;

  Ticks helps_again_at_{};                  // guarded by Calls::at_work
  std::vector<std::unique_ptr<Op>> group_;  // guarded by Calls::at_work; its memory is used again
  std::thread thread_;
};

}  // namespace muster::store::sqlite
