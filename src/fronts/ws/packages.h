// The packages of one worker: what it registered is told to the catalogue, and what operators want of it is sent to it.
//
// Nothing is decided here: package.reconcile says what to send and when to ask again, and only a registration says that an order
// was carried out. One question is under way at a time; what comes meanwhile asks once more afterwards. One per worker session.
// On the loop's thread.
#pragma once

#include <memory>
#include <string>

#include "command/packages.h"
#include "fronts/ws/channel.h"
#include "fronts/ws/deadlines.h"
#include "session/envelope.h"

namespace muster::ws {

class WorkerSession;

// A worker of protocol 1 that says so among its features survives being asked to install; the stock one ends at it.
inline constexpr const char* kPackageFeature = "pkg";

class SessionPackages {
 public:
  explicit SessionPackages(WorkerSession& session);
  ~SessionPackages();

  // It registered: as a process that is new, or again.
  enum class Registered : std::uint8_t { anew, again };
  void registered(Registered how);
  // It is connected, or something else is wanted than before.
  void look();
  // It said what became of a package.
  void event(const session::Envelope& frame, Arrived arrived);
  bool drift() const { return drift_; }

 private:
  void time_over();
  void due();
  void ask();
  void answered(const command::PackageInstructions& instructions);
  void refused(const Status& why);
  void send(const command::PackageOrder& order);
  void learn(const std::string& name, const std::string& version, PackageOp op);

  WorkerSession& session_;
  bool tells_ = false;   // what it has is still to be told
  bool afresh_ = false;  // by a process that is new
  bool asking_ = false;
  bool again_ = false;
  bool drift_ = false;
  bool ordered_ = false;   // something was sent, and neither an event nor a registration came since
  bool too_late_ = false;  // and its time is over
  Deadlines::Entry due_;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);  // shared with answers that are on their way
};

}  // namespace muster::ws
