// Plans read lately, parsed and ready to be put into the documents of jobs; the counters behind the original's rate limits; and
// the names that walks over the views have listed.
//
// Core owns one; it lives on the loop's thread. A pop that hands out the job of a known plan asks no store. Whoever replaces or
// deletes a plan through this front drops it here; since other fronts and other nodes change plans too, nothing is believed for
// longer than kKept.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/status.h"
#include "base/unique_function.h"
#include "fronts/resp/views/walks.h"
#include "model/rate_bucket.h"
#include "plan/plan.h"

namespace muster::resp {
struct Core;
}

namespace muster::resp::plans {

struct StoredPlan {
  std::string text;  // JSON, as submitted
  plan::Document document;
  // Parts of a job's document that are the same for every job of the plan, as compact JSON.
  std::string json;                    // the plan itself
  std::string tasks;                   // the array of its tasks
  std::vector<std::string> task;       // each task, as the only one of a plan
  std::vector<std::string> arguments;  // each task's array of arguments
  std::vector<std::string> commands;   // each task's command as a JSON string
  std::string description;             // a JSON string; empty for none
};

// The text is a stored one. corrupt: it does not read as a plan.
Result<StoredPlan> read_plan(std::string text);

// What the original limits by the minute; 0 in Limits is no limit.
enum class Limited : std::uint8_t { plan_submit, action_submit, job_get, heartbeat };

class PlanCache {
 public:
  static constexpr std::size_t kPlansMax = 1'000;
  static constexpr Duration kKept{5'000};

  using Found = UniqueFunction<void(std::shared_ptr<const StoredPlan>)>;

  explicit PlanCache(Core& core);
  ~PlanCache();

  // Calls `then` on the loop's thread, before it returns when the plan is at hand; with null when there is no such plan or the
  // store cannot say.
  void find(const std::string& plan_id, Found then);
  // It was stored, replaced or deleted through this front.
  void drop(const std::string& plan_id);
  void keep(const std::string& plan_id, std::shared_ptr<const StoredPlan> plan);
  std::size_t size() const { return entries_.size(); }

  // Spends one of this minute's; false when none is left.
  bool spend(Limited what);

  views::Walks walks;

 private:
  struct Entry {
    std::shared_ptr<const StoredPlan> plan;
    Ticks read_at{};
    std::list<std::string>::iterator place;  // in by_use_
  };
  struct Asked {
    std::vector<Found> waiting;
    bool stale = false;  // dropped while it was being read: answer, but do not keep
    bool again = false;  // asked for after that: read once more before anybody is told
  };

  void read(const std::string& plan_id);
  void answer(const std::string& plan_id, std::shared_ptr<const StoredPlan> plan);

  Core& core_;
  std::map<std::string, Entry, std::less<>> entries_;
  std::list<std::string> by_use_;  // the least lately used first
  std::map<std::string, Asked, std::less<>> asked_;
  std::array<RateBucket, 4> buckets_;  // by Limited
};

}  // namespace muster::resp::plans
