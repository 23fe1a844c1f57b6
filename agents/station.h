// This node's worker in one namespace: registered under the node's name, heard every kRuntimeBeat, and asking for runs as long as
// there is room. A registration that is lost (silence, a restored database) is made again. On the agenda.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "agents/base.h"
#include "model/worker.h"

namespace muster::agents {

inline constexpr Duration kClaimWait{30'000};
inline constexpr Duration kRegisterAgainAfter{2'000};

class Station : public std::enable_shared_from_this<Station> {
 public:
  struct Ears {
    std::function<void(Grant)> granted;
    std::function<void(JobId)> ended;   // its lease is no longer ours, or somebody wants it stopped
    std::function<std::size_t()> room;  // jobs that may be taken now
    std::function<std::vector<LeaseRef>(const NamespaceName&)> held;
  };
  Station(BasePtr base, NamespaceName ns, Ears ears) : base_(std::move(base)), ns_(std::move(ns)), ears_(std::move(ears)) {}

  void start() { sign_up(); }
  // There is room, perhaps.
  void claim();
  // Asks for no more.
  void stop();
  // Says goodbye: what it holds is handed back without cost.
  void leave(UniqueFunction<void()> done);

 private:
  void sign_up();
  void beat();
  void beaten(const Result<store::BeatReply>& reply);
  void again(Duration delay, void (Station::*what)());

  const BasePtr base_;
  const NamespaceName ns_;
  const Ears ears_;
  std::optional<SessionId> session_;
  std::optional<command::ClaimTicket> ticket_;
  Ticks asked_at_{};
  bool claiming_ = false;
  bool signing_up_ = false;
  bool beating_ = false;  // the next beat is on its way
  bool stopped_ = false;
};

}  // namespace muster::agents
