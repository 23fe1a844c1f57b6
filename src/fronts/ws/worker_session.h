// One worker of this wire: its session with us, which outlives its sockets, its registration, and its beats. Its work is tasks.h.
//
// Made when it registers or comes back, kept by Sessions until its session is over. On the loop's thread.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/status.h"
#include "command/workers.h"
#include "fronts/ws/channel.h"
#include "fronts/ws/log_brake.h"
#include "fronts/ws/next_requests.h"
#include "fronts/ws/packages.h"
#include "fronts/ws/registration.h"
#include "fronts/ws/tasks.h"
#include "model/ids.h"
#include "session/quick_ack.h"

namespace muster::ws {

struct Core;
class Socket;

class WorkerSession final : public ChannelOwner, public std::enable_shared_from_this<WorkerSession> {
 public:
  using Joined = std::function<void(Result<std::shared_ptr<WorkerSession>>)>;

  // Registers the worker: its own session goes on if it has one here or elsewhere, so what it holds stays its own. The answer's
  // worker is not connected yet.
  static void join(Core& core, Identity identity, Registration registration, Joined then);
  // A worker whose session another process accepted. Null: there is none, or the token was not signed by us.
  struct ResumeClaim {
    std::string instance;
    std::string tenant;
    std::string token;
  };
  static void restore(Core& core, ResumeClaim claim, std::function<void(std::shared_ptr<WorkerSession>)> then);

  WorkerSession(Core& core, Identity identity, Registration registration, std::string session_id, SessionId session);
  ~WorkerSession();

  const Identity& identity() const { return identity_; }
  const Registration& registration() const { return registration_; }
  const std::string& session_id() const { return session_id_; }
  SessionId session() const { return session_; }
  const command::Caller& caller() const { return identity_.credential.caller; }
  Channel& channel() { return channel_; }
  NextRequests& nexts() { return nexts_; }
  SessionPackages& packages() { return packages_; }
  // What it registered, for the catalogue, which keeps it.
  std::vector<command::PackageManifest> take_manifests() { return std::exchange(registration_.manifests, {}); }
  Core& core() { return core_; }
  LogBrake& complaints() { return complaints_; }  // lines about its frames
  const WorkerSpec& spec() const { return spec_; }
  bool accepting() const;  // more work may be given to it
  session::WindowAck acknowledged_window() const { return channel_.acknowledged_window(); }

  // --- its sockets ---
  void resuming_from(std::optional<std::uint64_t> last_seen);  // before attach()
  void attach(Socket& socket);
  void detach(const Socket& socket);  // nothing happens unless it is the one that is attached
  void supersede();                   // its socket, if any, is closed: it has another one
  void revoke();                      // its token is no longer accepted
  void stop_work() { tasks_.stop_wanting(); }
  void registered_again(Registration registration);
  // The registry knows nothing of its session any more. One that was given up for its silence has to say something first: its
  // connection may be open and nobody there.
  void session_gone() {
    if (misses_ == 0) register_anew();
  }
  void register_anew();
  // It shall say what packages it has, which a worker that resumed its session does not: it is sent away as by a server that
  // starts anew, and registers on its next connection. What it runs it finishes before.
  void make_it_register();
  void idle();  // its last task is over

  // --- what others did ---
  void lease_over(const LeaseRef& lease) { tasks_.lost({lease}); }
  void job_ended(const JobId& job) { nexts_.ended(job); }
  void drain_changed();  // begun, or taken back
  // Somebody sent frames to it: they are fetched and handed over, in order.
  void collect_mail();

  // A frame of its socket. A payload that is no object did not pass its schema.
  void received(session::FrameKind kind, session::Envelope frame);
  void window_acked(const session::QuickAck& ack);  // the short way of an ack

  // --- ChannelOwner ---
  void deliver(session::Envelope frame, Arrived arrived) override;
  void unacknowledged(const std::string& frame_id) override;
  void stalled() override;
  void holes_skipped() override;

 private:
  // How its next socket finds it.
  enum class Start : std::uint8_t {
    afresh,    // it registered: both streams begin anew
    resumed,   // everything is as it was
    restored,  // it was another process that knew its windows
  };

  void start_over(Identity identity, Registration registration);
  void enroll(std::optional<SessionId> resume, Joined then);
  void enrolled(const store::Registered& registered);
  void expire_later();
  void expect_beat();
  void tell_registered(const std::vector<Package>& before);
  void beat_missed();
  void beat(const session::Envelope& frame);
  void beaten(const store::BeatReply& reply);
  // As the registry has it.
  struct Drain {
    WorkerState state = WorkerState::online;
    const std::string& reason;
    std::optional<Instant> deadline;
  };
  void drains(const Drain& drain);
  void expire();
  void hand_over(const std::vector<command::WorkerMailFrame>& mail);

  const std::shared_ptr<Core> kept_;  // an answer on its way keeps the session, and so what that refers to
  Core& core_;
  Identity identity_;
  Registration registration_;
  std::string session_id_;
  SessionId session_;
  WorkerSpec spec_;  // as it is registered
  Channel channel_;
  NextRequests nexts_;
  SessionPackages packages_;
  Tasks tasks_;
  HeartbeatPolicy beats_ = default_policy(Dialect::ws);
  int misses_ = 0;
  std::vector<Package> packages_told_;  // that listeners know it has
  Deadlines::Entry gone_;               // detached for too long
  Deadlines::Entry miss_;               // a beat did not come
  LogBrake complaints_;
  std::optional<std::uint64_t> last_seen_;
  Start start_ = Start::afresh;
  bool draining_ = false;
  bool resumed_ = false;     // on its socket
  bool sent_away_ = false;   // as soon as nothing runs
  bool collecting_ = false;  // its mail is being fetched
  bool more_mail_ = false;   // and is to be looked for again after that, or with the next beat
};

}  // namespace muster::ws
