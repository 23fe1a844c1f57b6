#include "fronts/resp/work/lengths.h"

#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "command/queues.h"
#include "fronts/resp/core.h"

namespace muster::resp::work {

void Lengths::find(const QueueName& queue, Found then) {
  const Ticks now = core_.clock().elapsed();
  if (entries_.size() >= kQueuesMax && !entries_.contains(queue.text()))
    std::erase_if(entries_, [](const auto& entry) { return entry.second.waiting.empty(); });
  Entry& entry = entries_[queue.text()];
  if (entry.known && now - entry.read_at < kKept) return then(static_cast<std::uint64_t>(std::max<std::int64_t>(entry.count, 0)));
  const bool reading =
      std::any_of(entries_.begin(), entries_.end(), [](const auto& other) { return !other.second.waiting.empty(); });
  entry.waiting.push_back(std::move(then));
  // Everybody who asks while a read is under way is answered by it: one read tells about all queues.
  if (!reading) read();
}

void Lengths::read() {
  auto tell = [this](Result<std::vector<QueueStats>> queues) {
    const Ticks now = core_.clock().elapsed();
    std::unordered_map<std::string_view, std::uint64_t> ready;
    if (queues.ok())
      for (const QueueStats& stats : *queues) ready.emplace(stats.queue.text(), stats.ready);
    std::vector<std::pair<Found, std::uint64_t>> answers;
    for (auto& [name, entry] : entries_) {
      if (queues.ok()) {
        const auto found = ready.find(name);
        entry.count = found == ready.end() ? 0 : static_cast<std::int64_t>(found->second);
        entry.known = true;
        entry.read_at = now;
      }
      for (Found& waiting : entry.waiting)
        answers.emplace_back(std::move(waiting), static_cast<std::uint64_t>(std::max<std::int64_t>(entry.count, 0)));
      entry.waiting.clear();
    }
    for (auto& [then, count] : answers) then(count);
  };
  core_.ask(command::itself(), command::QueueListRequest{default_namespace()}, std::move(tell));
}

void Lengths::add(const QueueName& queue, std::int64_t change) {
  const auto at = entries_.find(queue.text());
  if (at != entries_.end()) at->second.count += change;
}

}  // namespace muster::resp::work
