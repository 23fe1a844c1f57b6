// Long reads of keys. Their connection is made when one comes and closed when none has come for a while.
#include <fmt/format.h>

#include "store/postgres/runner.h"

namespace muster::store::postgres {

void Runner::submit_long_read(std::unique_ptr<Unit> unit) {
  Status refused;
  {
    const std::lock_guard lock(mutex_);
    refused = admission();
    if (refused.ok() && long_reads_.size() >= kLongReadsMax)
      refused = Status::exhausted(fmt::format("{} long reads of keys wait already; try again", kLongReadsMax));
    if (refused.ok()) long_reads_.push_back(std::move(unit));
  }
  if (!refused.ok()) return unit->refuse(refused);
  wake_long_reads_.notify_one();
}

std::unique_ptr<Unit> Runner::wait_for_long_read(bool connected) {
  const auto is_time = [this] { return stopping_ || !long_reads_.empty(); };
  std::unique_lock lock(mutex_);
  if (connected)
    wake_long_reads_.wait_for(lock, kLongReadConnectionIdle, is_time);
  else
    wake_long_reads_.wait(lock, is_time);
  if (long_reads_.empty() || abandoned_) return nullptr;
  std::unique_ptr<Unit> unit = std::move(long_reads_.front());
  long_reads_.pop_front();
  return unit;
}

void Runner::run_long_reads() {
  std::unique_ptr<Connection> connection;
  for (;;) {
    std::unique_ptr<Unit> unit = wait_for_long_read(connection != nullptr);
    if (unit == nullptr) {
      connection.reset();
      const std::lock_guard lock(mutex_);
      if (stopping_) return;
      continue;
    }
    if (connection == nullptr || !connection->alive() || !connection->still_there()) {
      auto opened = connect();
      if (!opened.ok()) {
        unit->refuse(opened.status());
        continue;
      }
      connection = std::move(*opened);
    }
    run_unit(*connection, std::move(unit));
  }
}

}  // namespace muster::store::postgres
