// As whom connections act. A connection is one worker's (Client::bond), its key says whose it is, or it shares the node's
// anonymous worker with all the others that never gave a name.
//
// The anonymous worker is registered when it is first needed and kept alive by the roster's own beats. It is the same one after a
// restart of the node: what it held then belongs to connections that are gone.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/clock.h"
#include "base/status.h"
#include "base/unique_function.h"
#include "command/workers.h"
#include "fronts/resp/client.h"
#include "model/job.h"
#include "model/worker.h"

namespace muster::resp {
struct Core;
}

namespace muster::resp::work {

// As whom a connection takes a job.
struct Claimant {
  WorkerId worker;
  std::optional<SessionId> session;
};

// A worker that comes in by its name alone. What is empty stays as an earlier registration said it.
struct Enlistment {
  WorkerId worker;
  std::optional<CapabilitySet> tools;
  std::optional<std::string> tags;
};

class Roster {
 public:
  using WithClaimant = UniqueFunction<void(Result<Claimant>)>;

  explicit Roster(Core& core);

  // The worker that this connection is, or is the only one it may be; empty: none in particular.
  static const WorkerId& acting_as(const Client& client);

  // Sees to it that the worker is registered and, when no other open connection acts as it, that this one does.
  // already_exists: somebody else's worker, by another wire or, when tools or tags are to change, by another connection.
  void enlist(const std::shared_ptr<Client>& client, Enlistment enlistment, WithClaimant then);
  // From now on the client acts as the worker. One that is gone already is treated as if it left now.
  void bind(const std::shared_ptr<Client>& client, Bond bond, const WorkerId& worker, SessionId session);
  void unbind(Client& client);
  // The connection that acts as this worker and is open; null: none.
  std::shared_ptr<Client> open_connection_of(const WorkerId& worker) const;

  // As whom the next job is taken. recover: the store knew nothing of the one it was; not_found: it has to register again.
  void with_claimant(const std::shared_ptr<Client>& client, WithClaimant then);
  void recover(const std::shared_ptr<Client>& client, const Claimant& lost, WithClaimant then);

  // A heartbeat of the worker with what it holds through this connection; what it has lost meanwhile is forgotten.
  void beat(const std::shared_ptr<Client>& client, const WorkerId& worker, std::string stats,
            UniqueFunction<void(Result<store::BeatReply>)> then);
  // A sign of life that is no heartbeat, such as a pop. Told to the registry now and then.
  void noticed(const Claimant& claimant);

  // Ends of connections: of a pinged worker, and of any (what is remembered about it goes).
  void end_pinged(const std::shared_ptr<Client>& client);
  void left(const Client& client);

  const WorkerId& anonymous() const { return anonymous_; }
  void tick(Instant now);

  // A job was taken from its holder. When that was for its timeout the worker is flagged.
  void look_into(const std::vector<LeaseRef>& lost);
  std::size_t flagged() const { return flagged_; }

  // exhausted when no further worker may register (Limits::workers_max).
  void with_room(UniqueFunction<void(Status)> then);

 private:
  void found(const std::shared_ptr<Client>& client, Enlistment enlistment, Result<Worker> known, WithClaimant then);
  void enter(const std::shared_ptr<Client>& client, WorkerSpec spec, WithClaimant then);
  void entered(ClientId client);

  void with_anonymous(WithClaimant then);
  void register_anonymous(std::optional<SessionId> resume);
  void anonymous_answered(Result<SessionId> session);
  void adopt(std::string cursor);
  void beat_anonymous();
  void flag(const WorkerId& worker, const JobId& job);

  Core& core_;
  const WorkerId anonymous_;
  std::optional<SessionId> anonymous_session_;
  Duration anonymous_beats_{};
  Instant anonymous_beat_at_{};
  std::vector<WithClaimant> anonymous_waiting_;

  std::unordered_map<std::uint64_t, std::vector<UniqueFunction<void()>>> entering_;  // by client: about to become a worker
  std::unordered_map<WorkerId, Instant> noticed_;
  std::size_t flagged_ = 0;
};

// Where the front keeps what it learnt about one session of a worker, in store::KeySpace::internal.
std::string flag_key(const WorkerId& worker, SessionId session);
inline constexpr Duration kWorkerFactsKept = limits::kOfflineKept;

}  // namespace muster::resp::work
