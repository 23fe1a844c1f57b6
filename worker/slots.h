// The places where jobs run: a fixed number of threads, and which job each of them holds.
//
// Threads live as long as the object: the kernel ends a tool when the thread that started it ends.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "worker/job.h"
#include "worker/process/cancel.h"

namespace muster::worker {

class Slots {
 public:
  using Work = std::function<void(const Job&, Cancel&)>;

  Slots(std::size_t count, Work work);
  ~Slots() { stop(); }
  Slots(const Slots&) = delete;
  Slots& operator=(const Slots&) = delete;

  // Whether a slot is free, now or within `wait`.
  bool wait_free(Duration wait);
  // False: this job is here already, or no slot is free.
  bool start(Job job);

  bool idle() const;
  bool holds(const std::string& id) const;
  std::vector<std::string> active() const;  // ids
  void cancel(const std::string& id);
  void cancel_all();
  // What was started is finished first. Idempotent.
  void stop();

 private:
  void serve();

  const std::size_t count_;
  const Work work_;
  mutable std::mutex mutex_;  // leaf; guards what follows
  std::condition_variable changed_;
  std::map<std::string, std::shared_ptr<Cancel>> held_;  // by id; shared by the table and the thread that runs it
  std::deque<Job> waiting_;
  bool stopping_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace muster::worker
