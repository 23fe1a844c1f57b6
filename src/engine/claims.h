// Parked claims: a blocked pop, a long poll and a push-dispatch slot are the same thing here.
//
// A claim that finds nothing and may wait is parked under what it offers. When the store tells that a lane may have a claimable
// head, the longest waiting claim that can serve the lane is tried again: FIFO per lane. A wake-up is passed on to the next one
// when the first could not look (no free slot, cancelled) or took a job of another lane. Notification only makes it
// faster: every parked claim also looks for itself each claim_poll_every.
//
// A wake-up runs on the store thread that committed, and its second look is queued behind that commit without another
// thread in between; that is what keeps the way from enqueue to a waiting worker near one commit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/clock.h"
#include "base/metrics.h"
#include "base/reply.h"
#include "engine/asked_queues.h"
#include "engine/options.h"
#include "store/store.h"

namespace muster::engine {

enum class ClaimTicket : std::uint64_t {};

class Claims {
 public:
  Claims(store::Store& store, const Clock& clock, Metrics& metrics, const Options& options);
  ~Claims();

  // invalid_argument: the request or the wait is out of range. The ticket is for cancel(); it is stale once the reply was called.
  //
  // Replies at once with what there is, or when something came, or empty when `wait` is over. wait 0 never parks.
  // A worker that drains gets its empty answer at once. exhausted: parked_max.
  ClaimTicket claim(store::ClaimRequest request, Duration wait, Reply<store::ClaimReply> reply);

  // The caller went away. Its reply is still called once (with an empty list); grants that are already on their way are
  // handed back to the store without cost instead of being delivered. Unknown or answered tickets are ignored.
  void cancel(ClaimTicket ticket);
  // The caller waits no longer, but still takes what there is: a look that is under way is the last one, and a parked claim is
  // answered empty. Unknown or answered tickets are ignored.
  void hurry(ClaimTicket ticket);

  // A grant that was delivered to a reply but could not be sent on is handed back at once.
  void hand_back(const std::vector<Grant>& grants);

  // From the store's listener. A worker that drains or goes offline has its parked claims answered with an empty list; one
  // that registers again has them tried again.
  void committed(const store::Committed& commit);

  // Answers those whose wait is over and polls those that are due, at most kPollsPerPeriod in each claim_poll_every; returns how
  // long until the next of either.
  Duration tick();
  std::size_t parked() const;
  // Answers every parked claim with an empty list and parks no more. Idempotent.
  void stop();

  // With more claims parked than this, each is polled less often instead of the store being flooded.
  static constexpr std::size_t kPollsPerPeriod = 1'000;

  const AskedQueues& asked() const { return asked_; }

 private:
  class Shared;
  std::shared_ptr<Shared> shared_;  // shared with replies that are still on their way when this goes
  const Clock& clock_;
  AskedQueues asked_;
};

}  // namespace muster::engine
