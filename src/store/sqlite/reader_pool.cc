#include "store/sqlite/reader_pool.h"

namespace muster::store::sqlite {

ReaderPool::ReaderPool(std::vector<std::unique_ptr<Connection>> connections, IdCodec ids, Incidents incidents)
    : connections_(std::move(connections)), incidents_(std::move(incidents)) {
  for (auto& connection : connections_) threads_.emplace_back([this, &connection, ids] { run(*connection, ids); });
}

ReaderPool::~ReaderPool() { close(); }

bool ReaderPool::post(Task& task) {
  {
    const std::lock_guard lock(mutex_);
    if (closing_ || tasks_.size() >= kTasksMax) return false;
    tasks_.push_back(std::move(task));
  }
  wake_.notify_one();
  return true;
}

void ReaderPool::close() {
  {
    const std::lock_guard lock(mutex_);
    closing_ = true;
  }
  wake_.notify_all();
  for (std::thread& thread : threads_)
    if (thread.joinable()) thread.join();
}

void ReaderPool::run(Connection& connection, IdCodec ids) {
  Reader reader(connection, ids);
  while (true) {
    Task task;
    bool closing = false;
    {
      std::unique_lock lock(mutex_);
      wake_.wait(lock, [this] { return closing_ || !tasks_.empty(); });
      if (tasks_.empty()) return;
      task = std::move(tasks_.front());
      tasks_.pop_front();
      closing = closing_;
    }
    try {
      task(closing ? nullptr : &reader);
    } catch (...) {
      // Its answer was given; only the reply to it can have thrown.
      const Incident incident(incidents_, "reply");
      task = {};
    }
  }
}

}  // namespace muster::store::sqlite
