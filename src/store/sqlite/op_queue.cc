#include "store/sqlite/op_queue.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "store/refusals.h"

namespace muster::store::sqlite {
namespace {

// What who helps does at once. More is worth a thread of its own, which runs it while the loop reads on.
constexpr std::size_t kShortGroupMax = 64;
// Who helped for so long (rows had to be read from a slow disk, say) does not for a while: others wait for it.
constexpr Ticks kHelpedTooLong = std::chrono::milliseconds(5);
constexpr Ticks kHelpsNotFor = std::chrono::seconds(1);

}  // namespace

// What calls the thread, or has its work done by who helps.
class OpQueue::Calls final : public Sleeper {
 public:
  explicit Calls(OpQueue& queue) : queue_(&queue) {}

  void wake() override {
    {
      const std::lock_guard lock(mutex_);
      if (std::exchange(called_, true)) return;
    }
    some_.notify_one();
  }
  bool work_here() override {
    const std::unique_lock alone(at_work, std::try_to_lock);
    return alone.owns_lock() && queue_ != nullptr && queue_->run_short();
  }
  void wait() {
    std::unique_lock lock(mutex_);
    some_.wait(lock, [this] { return std::exchange(called_, false); });
  }
  void end() {
    const std::lock_guard alone(at_work);
    queue_ = nullptr;
  }

  std::mutex at_work;  // held by whoever runs the writer; the thread waits for it, who helps does not

 private:
  OpQueue* queue_;    // guarded by at_work
  std::mutex mutex_;  // leaf; guards called_
  std::condition_variable some_;
  bool called_ = false;
};

OpQueue::OpQueue(Writer& writer, const Clock& clock, std::size_t pending_max)
    : writer_(writer), clock_(clock), pending_max_(pending_max), calls_(std::make_shared<Calls>(*this)) {}

OpQueue::~OpQueue() { calls_->end(); }

void OpQueue::put(std::unique_ptr<Op> op, std::size_t cost) {
  std::unique_lock lock(mutex_);
  const bool full = pending_.size() >= pending_max_;
  if (closing_ || full) {
    lock.unlock();
    if (!full) return op->refuse(refusal::closed());
    return op->refuse(Status::exhausted(fmt::format("{} requests wait for the store, which is the most it takes", pending_max_)));
  }
  pending_.push_back(std::move(op));
  pending_cost_ += cost;
  lock.unlock();
  wake(calls_);
}

void OpQueue::start_thread() {
  thread_ = std::thread([this] { run(); });
}

void OpQueue::set_helper(std::shared_ptr<Helper> helper) {
  const bool gone = helper == nullptr;
  {
    const std::lock_guard lock(mutex_);
    helper_ = std::move(helper);
  }
  if (gone) calls_->wake();  // what it was asked for is the thread's now
}

void OpQueue::write_ended() {
  std::shared_ptr<Helper> helper;
  {
    const std::lock_guard lock(mutex_);
    if (!thread_needed_) helper = helper_;
  }
  helper != nullptr ? helper->come_by(calls_) : calls_->wake();
}

bool OpQueue::take(std::vector<std::unique_ptr<Op>>& ops) {
  const std::lock_guard lock(mutex_);
  ops.swap(pending_);
  pending_cost_ = 0;
  return std::exchange(thread_needed_, false) || !ops.empty();
}

bool OpQueue::run_short() {
  const Ticks begun = clock_.elapsed();
  {
    const std::lock_guard lock(mutex_);
    if (helper_ == nullptr || closing_ || thread_needed_ || pending_cost_ > kShortGroupMax || begun < helps_again_at_)
      return false;
    group_.swap(pending_);
    pending_cost_ = 0;
  }
  const bool done = writer_.process_short(group_);
  if (const Ticks end = clock_.elapsed(); end - begun > kHelpedTooLong) helps_again_at_ = end + kHelpsNotFor;
  if (done) return true;
  const std::lock_guard lock(mutex_);
  thread_needed_ = true;
  // In front of those that came meanwhile.
  group_.insert(group_.end(), std::make_move_iterator(pending_.begin()), std::make_move_iterator(pending_.end()));
  pending_.clear();
  group_.swap(pending_);
  return false;
}

void OpQueue::run() {
  std::vector<std::unique_ptr<Op>> ops;
  while (true) {
    calls_->wait();
    const std::lock_guard alone(calls_->at_work);
    const bool is_something_due = take(ops);
    // What is durable leaves first, and what ran meanwhile is written while the next group runs.
    writer_.go_on();
    if (is_something_due) writer_.process(ops);
    const std::lock_guard lock(mutex_);
    if (closing_ && pending_.empty()) break;
  }
  const std::lock_guard alone(calls_->at_work);
  writer_.drain();
}

bool OpQueue::stop_thread() {
  {
    const std::lock_guard lock(mutex_);
    if (std::exchange(closing_, true)) return false;
  }
  calls_->wake();
  if (thread_.joinable()) thread_.join();
  return true;
}

std::vector<std::unique_ptr<Op>> OpQueue::give_up() {
  std::vector<std::unique_ptr<Op>> left;
  {
    const std::lock_guard lock(mutex_);
    closing_ = true;
    left.swap(pending_);
  }
  calls_->wake();
  if (thread_.joinable()) thread_.join();
  return left;
}

bool OpQueue::pump(bool short_first) {
  const std::lock_guard alone(calls_->at_work);
  std::vector<std::unique_ptr<Op>> ops;
  if (!take(ops) && writer_.all_settled()) return false;
  if (!short_first || !writer_.process_short(ops)) writer_.process(ops);
  return true;
}

}  // namespace muster::store::sqlite
