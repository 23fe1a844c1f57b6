// Which queues workers name in their claims. A worker of the RESP dialect registers for every queue and then asks for a few, and
// `why` must not count it as one that could take a job of another.
//
// Memory of this node: a worker that claims elsewhere, or has not claimed since the start, is taken at its registration's word.
// Any thread.
#pragma once

#include <cstddef>
#include <map>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/clock.h"
#include "store/verbs.h"

namespace muster::engine {

class AskedQueues {
 public:
  void note(const store::ClaimRequest& request, Ticks now);
  // Those it named in the last kLately before its last claim; empty: it named none.
  std::vector<QueueName> of(const NamespaceName& ns, const WorkerId& worker) const;

  static constexpr std::size_t kWorkersMax = 100'000;  // then all are forgotten
  static constexpr std::size_t kQueuesMax = 64;        // of one worker
  static constexpr Duration kLately{60'000};

 private:
  struct Asked {
    std::map<QueueName, Ticks> at;
    Ticks last{};
    bool many = false;  // too many to keep: it is taken at its registration's word
  };
  static std::string key_of(const NamespaceName& ns, const WorkerId& worker) { return ns.text() + '\0' + worker.text(); }

  mutable std::mutex mutex_;  // leaf; guards workers_
  std::unordered_map<std::string, Asked> workers_;
};

// Takes those workers out of the able ones whose claims name other queues than the job's.
void leave_out_elsewhere(const AskedQueues& asked, store::WaitFacts& facts);

}  // namespace muster::engine
