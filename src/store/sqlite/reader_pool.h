// Threads that answer lists, searches and backups, each with a connection of its own, fed by one bounded queue.
#pragma once

#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "base/incident.h"
#include "base/status.h"
#include "base/unique_function.h"
#include "store/sqlite/reader.h"

namespace muster::store::sqlite {

class ReaderPool {
 public:
  // Gets a Reader, or nullptr when the pool is closed: then the task must refuse.
  using Task = UniqueFunction<void(Reader*)>;
  static constexpr std::size_t kTasksMax = 10'000;

  ReaderPool(std::vector<std::unique_ptr<Connection>> connections, IdCodec ids, Incidents incidents);
  ~ReaderPool();

  // False: the queue is full; the task was not taken.
  bool post(Task& task);
  // Finishes what is under way and refuses what waits, then ends. Idempotent.
  void close();

 private:
  void run(Connection& connection, IdCodec ids);

  std::vector<std::unique_ptr<Connection>> connections_;
  const Incidents incidents_;
  std::mutex mutex_;  // leaf; guards the two below
  std::deque<Task> tasks_;
  bool closing_ = false;
  std::condition_variable wake_;
  std::vector<std::thread> threads_;
};

}  // namespace muster::store::sqlite
