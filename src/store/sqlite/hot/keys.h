// Keys that tie jobs together: concurrency keys, unique keys and sticky bonds. Memory only; rebuilt from the jobs' rows.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <unordered_set>

#include "store/sqlite/hot/job.h"
#include "store/sqlite/hot/lanes.h"

namespace muster::store::sqlite {

// A key within a namespace or a queue, as one string.
std::string scoped_key(std::int64_t scope, const std::string& key);

struct KeyHold {
  std::unordered_set<JobKey> holders;  // granted and not yet durably given up
  // Ready jobs that found the key full, in their order, by lane and limit: a freed key calls the first of each, because a waiter
  // whose workers are missing, or that wants the key for itself, must not stand in the way of one that could run.
  struct Place {
    LaneIndex lane = 0;
    std::uint32_t limit = 0;
    friend auto operator<=>(const Place&, const Place&) = default;
  };
  std::map<Place, std::set<LaneEntry>> waiters;

  void wait(Place place, LaneEntry entry) { waiters[place].insert(entry); }
  void leave(Place place, LaneEntry entry);
};

class ConcurrencyKeys {
 public:
  KeyHold& at(std::int64_t ns_row, const std::string& key) { return holds_[scoped_key(ns_row, key)]; }
  const KeyHold* find(std::int64_t ns_row, const std::string& key) const;
  // Forgets a key nobody holds or waits for.
  void drop_if_idle(std::int64_t ns_row, const std::string& key);

 private:
  std::unordered_map<std::string, KeyHold> holds_;
};

class UniqueKeys {
 public:
  JobKey find(std::int64_t ns_row, const std::string& key) const;  // 0: free
  void put(std::int64_t ns_row, const std::string& key, JobKey job);
  void erase(std::int64_t ns_row, const std::string& key, JobKey job);

 private:
  std::unordered_map<std::string, JobKey> jobs_;
};

// Which worker a sticky key of a queue belongs to.
class StickyBonds {
 public:
  WorkerKey find(std::int64_t queue_row, const std::string& key) const;  // 0: free
  void put(std::int64_t queue_row, const std::string& key, WorkerKey worker);
  void erase_worker(WorkerKey worker);

 private:
  std::unordered_map<std::string, WorkerKey> workers_;
};

}  // namespace muster::store::sqlite
