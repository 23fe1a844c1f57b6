// Jobs that were handed out through this front: by whom they are held, under which fence, and what became of them.
//
// A client's own list (Client::held) answers the usual question, "may this connection settle that job", without reading the job.
// This index answers it for other connections of this node, and remembers what the dialects need besides.
#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/unique_function.h"
#include "fronts/resp/client.h"
#include "model/job.h"

namespace muster::resp {
struct Core;
}

namespace muster::resp::work {

struct Taken {
  Fence fence{};
  WorkerId worker;
  std::optional<Instant> times_out_at;
  std::weak_ptr<Client> client;
  bool moved = false;                    // by BRPOPLPUSH or its kin: an LREM follows its outcome
  bool element = false;                  // pushed by a client: that LREM is its outcome
  std::optional<std::size_t> text_hash;  // of an element that is no document and is named by its text
  std::optional<std::string> output{};   // what it wrote, when that is a short text
  std::optional<std::string> errors{};
  bool streams_apart = false;  // it wrote more than a result should hold
};

class HeldJobs {
 public:
  static constexpr Duration kGraceOfGone{90'000};
  static constexpr std::size_t kRemovalsMax = 100'000;  // settled jobs whose LREM has not come; beyond, the oldest is forgotten

  explicit HeldJobs(Core& core) : core_(core) {}

  void take(const std::shared_ptr<Client>& client, const WorkerId& worker, const Grant& grant, bool moved);
  // The reply that carried these jobs to the client left; or it did not, and they go back to their queues.
  void delivered(Client& client, const std::vector<LeaseRef>& leases, bool sent);

  Taken* find(const JobId& job);
  // The oldest job but these that this client, or any other when it has none, holds under this text.
  std::optional<JobId> find_element(const Client& client, const std::string& text, const std::set<JobId>& but) const;
  // It is held here, or was and its LREM may still come.
  bool knows(const JobId& job) const { return taken_.contains(job) || removals_.contains(job); }
  // The job ended, or is no longer ours. With a fence: unless it has been taken anew.
  void forget(const JobId& job);
  void forget(const LeaseRef& lease);
  // It ended by the word of its holder. When it was moved to a list, or may have been, one LREM of it is answered with 1.
  void settled(const JobId& job, bool may_be_listed);
  bool take_removal(const JobId& job);

  // Gives jobs up: the attempt counts, and they may run again at once. `then` runs whatever came of it.
  void give_up(const std::vector<LeaseRef>& leases, const std::string& why, UniqueFunction<void()> then);
  // What the client holds and knows of: replies that are still on their way are not counted.
  std::vector<LeaseRef> held_by(const Client& client) const;
  // What is held as this worker, through any connection.
  std::vector<LeaseRef> held_as(const WorkerId& worker) const;

  // The connection ended. leave: its jobs are given up after kGraceOfGone. drop: they are somebody else's concern.
  void leave(Client& client);
  void drop(Client& client);
  // A job that an earlier process handed out to a connection that cannot be there any more.
  void leave(const LeaseRef& lease, const std::string& because = {});

  void tick(Instant now);
  // What a client still lists, but somebody else has taken since.
  void forget_earlier_claims(Client& client) const;
  std::size_t size() const { return taken_.size(); }
  std::size_t left() const { return gone_.size(); }

 private:
  struct Gone {
    LeaseRef lease;
    Instant until{};
    std::string why;
  };

  using TakenJobs = std::unordered_map<JobId, Taken>;

  void forget(TakenJobs::iterator at);
  void forget_text(const JobId& job, const Taken& taken);

  Core& core_;
  TakenJobs taken_;
  std::set<std::pair<std::size_t, JobId>> by_text_;  // by the hash of an element's text
  std::deque<Gone> gone_;                            // by `until`
  std::unordered_set<JobId> removals_;
  std::deque<JobId> removals_order_;
};

}  // namespace muster::resp::work
