#include "store/sqlite/redo/redo_writer.h"

#include <chrono>
#include <utility>

#include "store/sqlite/redo/recording.h"

namespace muster::store::sqlite {

void RedoWriter::stop_thread() {
  {
    const std::lock_guard lock(mutex_);
    closing_ = true;
  }
  to_do_.notify_all();
  if (has_thread()) thread_.join();
}

void RedoWriter::start_thread(UniqueFunction<void()> ended) {
  ended_ = std::move(ended);
  thread_ = std::thread([this] { run(); });
}

void RedoWriter::add(std::uint64_t group, std::string_view recorded, bool synced) {
  const std::lock_guard lock(mutex_);
  if (waiting_.empty()) waiting_.resize(RedoFile::kHeaderBytes);
  waiting_ += recorded;
  waiting_synced_ = waiting_synced_ || synced;
  waiting_group_ = group;
}

void RedoWriter::wake() {
  {
    const std::lock_guard lock(mutex_);
    if (began_) return;  // it looks again when that has ended
  }
  to_do_.notify_one();
}

bool RedoWriter::begin_locked() {
  if (began_ || waiting_.empty() || !progress_.failure.ok()) return false;
  record_.swap(waiting_);
  waiting_.clear();
  if (waiting_.capacity() > kRecordingKept) waiting_.shrink_to_fit();
  record_synced_ = std::exchange(waiting_synced_, false);
  record_group_ = waiting_group_;
  began_ = clock_.elapsed();
  return true;
}

bool RedoWriter::begin() {
  const std::lock_guard lock(mutex_);
  return begin_locked();
}

void RedoWriter::write() {
  Status status = files_.append(++newest_, record_, record_synced_);
  {
    const std::lock_guard lock(mutex_);
    progress_.tried = record_group_;
    if (status.ok()) {
      progress_.written = record_group_;
      progress_.seconds += std::chrono::duration<double>(clock_.elapsed() - *began_).count();
      ++progress_.writes;
    }
    progress_.failure = std::move(status);
    began_.reset();
  }
  ended_write_.notify_one();
}

bool RedoWriter::under_way() {
  const std::lock_guard lock(mutex_);
  return began_.has_value();
}

void RedoWriter::wait() {
  std::unique_lock lock(mutex_);
  ended_write_.wait(lock, [this] { return !began_; });
}

RedoWriter::Progress RedoWriter::progress() {
  const std::lock_guard lock(mutex_);
  Progress out = progress_;
  progress_.seconds = 0;
  progress_.writes = 0;
  return out;
}

std::optional<Ticks> RedoWriter::busy_since() {
  const std::lock_guard lock(mutex_);
  return began_;
}

void RedoWriter::restart() {
  const std::lock_guard lock(mutex_);
  files_.restart();
  waiting_.clear();
  waiting_synced_ = false;
  progress_.failure = {};
}

void RedoWriter::run() {
  std::unique_lock lock(mutex_);
  while (true) {
    to_do_.wait(lock, [this] { return closing_ || (!began_ && !waiting_.empty() && progress_.failure.ok()); });
    if (closing_) return;
    begin_locked();
    lock.unlock();
    write();
    ended_();
    lock.lock();
  }
}

}  // namespace muster::store::sqlite
