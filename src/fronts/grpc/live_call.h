// The part of a call that transports share: it ends exactly once, by an answer, an error, or because its client went away; then
// it is counted, and logged where methods ask for it.
//
// A transport makes it, fills in what came with the request and calls run(). It has two owners: the transport until it is done
// with the peer, and the methods while somebody holds the CallRef. A method that lets go of its call without an answer has it
// answered as an error of ours, so that no client waits for ever.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fronts/grpc/call.h"
#include "fronts/grpc/call_gate.h"

namespace muster::rpc {

class LiveCall : public Call {
 public:
  std::string_view metadata(std::string_view name) const final;
  void add_metadata(std::string name, std::string value) final;
  void answer(std::string response) final;
  void refuse(WireError error) final;
  void on_cancel(UniqueFunction<void()> then) final;
  bool cancelled() const final;
  void on_undelivered(UniqueFunction<void()> then) final;

  // The client went away (cancelled), or nobody may wait any more: the call's handler runs and the peer, if it is still there, is
  // told why.
  void give_up(const Status& why);
  void give_up(WireError why);

 protected:
  LiveCall(std::shared_ptr<CallGate> gate, Entry& entry);
  ~LiveCall() override;

  // On a thread of the transport, once `caller`, `deadline`, `correlation`, `received` and, at the latest now, `request` are set.
  void run();
  // Judged before run(), as soon as the head is known: room and rights.
  Status admit(command::Caller known);
  void refuse(const Status& status) { refuse(wire_error(entry_.method.dialect, status)); }
  // Sets `correlation`. REQUIRES: received is set.
  void name_itself();
  // The transport is done with the peer. The object may be gone afterwards.
  void let_go_of_transport();
  // The answer was given, but its connection broke.
  void undelivered();
  bool minds_delivery() const;  // undelivered() would do something
  bool ended() const;

  // How the transport sends; exactly one of them, once. Trailers that a method adds later go nowhere.
  virtual void deliver(std::string response, Metadata trailers) = 0;
  virtual void deliver(WireError error, Metadata trailers) = 0;

  Metadata received;
  CallGate& gate() { return *gate_; }
  Entry& entry() { return entry_; }

 private:
  struct LetGo;
  void release();
  struct Ending {
    UniqueFunction<void()> on_cancel;  // handed out so that it runs, or goes, without the lock
    Metadata trailers;
  };
  std::optional<Ending> end(bool by_cancel);
  void settle(WireCode code);
  // What a method left behind for its end. It may run where no exception is survived.
  void run_guarded(UniqueFunction<void()>& handler) const;

  std::shared_ptr<CallGate> gate_;  // shared by all calls and the front
  Entry& entry_;
  const Ticks begun_;
  bool open_ = false;
  std::atomic<int> owners_{1};
  mutable std::mutex mutex_;  // leaf; guards what follows
  Metadata trailers_;
  std::atomic<bool> ended_{false};  // written under the mutex, as the next one
  std::atomic<bool> cancelled_{false};
  bool waiting_ = false;
  UniqueFunction<void()> on_cancel_;
  UniqueFunction<void()> on_undelivered_;
  std::weak_ptr<Call> handle_;
};

}  // namespace muster::rpc
