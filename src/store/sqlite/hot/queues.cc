#include "store/sqlite/hot/queues.h"

#include "store/jobs/rules.h"

#include <algorithm>

namespace muster::store::sqlite {

void RateMeter::forget(std::int64_t second) {
  const std::int64_t steps = std::min(second - last_, kSeconds);
  for (std::int64_t i = 0; i < steps; ++i) counts_[static_cast<std::size_t>((second - i) % kSeconds)] = 0;
  last_ = std::max(last_, second);
}

void RateMeter::add(Instant now) {
  const std::int64_t second = to_ms(now) / 1000;
  forget(second);
  ++counts_[static_cast<std::size_t>(last_ % kSeconds)];
}

double RateMeter::per_second(Instant now) {
  forget(to_ms(now) / 1000);
  std::uint64_t sum = 0;
  for (const std::uint32_t count : counts_) sum += count;
  return static_cast<double>(sum) / static_cast<double>(kSeconds);
}

bool HotQueue::has_room(const JobType& type) const {
  return jobs::has_room(settings, type, held, [this](const std::string& of) {
    const auto held_now = held_by_type.find(of);
    return held_now == held_by_type.end() ? 0 : held_now->second;
  });
}

std::string Queues::key_of(std::int64_t ns_row, const QueueName& name) {
  std::string key(reinterpret_cast<const char*>(&ns_row), sizeof ns_row);
  return key.append(name.text());
}

HotNamespace* Queues::find_namespace(const NamespaceName& name) {
  const auto it = namespaces_.find(name.text());
  return it == namespaces_.end() ? nullptr : &it->second;
}

HotNamespace& Queues::add_namespace(HotNamespace entry) {
  const std::string name = entry.info.name.text();
  return namespaces_.emplace(name, std::move(entry)).first->second;
}

void Queues::remove_namespace(const NamespaceName& name) { namespaces_.erase(name.text()); }

const HotNamespace* Queues::namespace_by_row(std::int64_t row) const {
  for (const auto& [name, entry] : namespaces_)
    if (entry.row == row) return &entry;
  return nullptr;
}

const QueueIndex* Queues::find(std::int64_t ns_row, const QueueName& name) const {
  const auto it = by_key_.find(key_of(ns_row, name));
  return it == by_key_.end() ? nullptr : &it->second;
}

QueueIndex Queues::add(HotQueue queue) {
  const auto index = static_cast<QueueIndex>(queues_.size());
  by_key_.emplace(key_of(queue.ns_row, queue.name), index);
  queues_.push_back(std::move(queue));
  return index;
}

}  // namespace muster::store::sqlite
