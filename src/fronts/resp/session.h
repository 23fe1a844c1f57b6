// One RESP connection: reads commands, runs them in the order and in the groups that commands.h describes, and keeps their
// replies in order.
//
//   bytes ─► wire::Parser ─► slots ─► local: answered where it stands
//                                  └► the rest: one run at a time, of neighbours with the same flow
//   answered slots ─► from the front, many in one send
//
// Made by the front for each connection; lives on the loop's thread. While a pop waits the socket is still read, so that a client
// that went away, or that sends its heartbeat instead of waiting, is noticed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fronts/resp/call.h"
#include "fronts/resp/clients.h"
#include "fronts/resp/commands.h"
#include "fronts/resp/core.h"
#include "fronts/resp/wire/parser.h"
#include "net/connection.h"

namespace muster::resp {

inline constexpr std::size_t kGroupMax = 1'000;  // commands of one run

// A listener's own view of who may come through it.
struct Entrance {
  bool auth_needed = true;
};

class RespSession final : public net::Session, public Outlet, public std::enable_shared_from_this<RespSession> {
 public:
  RespSession(std::shared_ptr<Core> core, net::Connection& connection);
  ~RespSession() override;

  void begin(Entrance entrance);  // called once, right after construction

  void received(std::string_view bytes) override;
  void peer_finished() override;
  void read_expired() override;
  void output_drained() override;
  void drain() override;
  void closed() override;

  void push(std::string bytes) override;
  void close() override;
  void client_changed() override;
  bool waiting() const override;

 private:
  struct Slot {
    CallRef call;       // null: `bytes` is the whole answer
    std::string bytes;  // of a slot without a call
    std::size_t request_bytes = 0;
    Flow flow = Flow::local;
    bool begun = false;
    bool close_after = false;
    bool heartbeat = false;  // its arrival ends those who wait before it
    bool gate = false;       // changes who the client is: AUTH, HELLO, RESET
    bool done() const { return !call || call->answered(); }
  };

  bool stalled();
  bool output_full();
  void report_held();
  void read(std::string_view bytes);
  void take(wire::Words words);
  void refuse(std::string text, bool close);
  std::shared_ptr<Transaction> transaction_for(const Entry& entry);
  std::string objection_to_next_part(const Entry& entry, const Args& args) const;  // REQUIRES: transaction_
  void keep(const Entry& entry, Args args);                                        // the same
  // The error a command gets before it is begun; empty: none.
  std::string objection(const Entry* entry, const wire::Words& words) const;
  std::string objection_now(const Entry& entry) const;  // what may have changed since it arrived
  Flow flow_of(const Entry& entry, const Args& args) const;
  void begin_local(Slot& slot);
  void pump();
  void begin_run();
  static void hand_over(Flow flow, const CallGroupRef& calls);
  void one_answered(const Call& call);
  void take_back_postponed();
  void schedule_turn();
  void turn();
  void send_ready();
  void emit(std::string bytes, std::vector<UniqueFunction<void(bool)>> sent);
  std::optional<Call::Interrupt> impatience() const;
  void interrupt_waiting();
  void finish_if_done();
  bool abandoned() const;
  void arm();
  void follow_frame(bool was_open);
  void set_bounds();

  std::shared_ptr<Core> core_;  // shared by all sessions
  net::Connection& connection_;
  std::shared_ptr<Client> client_;
  wire::Parser parser_;
  std::string input_;  // bytes that wait while the session is stalled
  std::deque<Slot> slots_;
  std::size_t slots_peak_ = 0;                // since they were last given back
  std::size_t begun_ = 0;                     // slots from the front that the pump has passed
  std::size_t running_ = 0;                   // calls of the run that are unanswered
  std::size_t heartbeats_ahead_ = 0;          // heartbeats received and not begun
  std::size_t gates_ = 0;                     // unanswered slots that change who the client is
  std::size_t request_bytes_ = 0;             // of all slots
  std::shared_ptr<Transaction> transaction_;  // that the next command stands in; goes to its EXEC
  Ticks authenticate_by_ = Ticks::max();
  std::optional<Ticks> frame_due_;  // when the command that is being read must have come; none between two, and while stalled
  bool auth_needed_ = true;
  bool reading_ = false;
  bool pumping_ = false;
  bool turn_scheduled_ = false;
  bool some_postponed_ = false;
  bool input_ended_ = false;  // nothing that arrives is read any more
  bool close_asked_ = false;
  bool peer_finished_ = false;
  bool draining_ = false;
  bool closed_ = false;
};

// Told instead of a session's greeting to a connection above a limit; says so and ends.
class RefusedSession final : public net::Session {
 public:
  RefusedSession(net::Connection& connection, std::string text);
  void received(std::string_view) override {}
  void peer_finished() override;
  void read_expired() override;
  void drain() override;
  void closed() override {}

 private:
  net::Connection& connection_;
};

inline constexpr std::string_view kTooManyClients = "max number of clients reached";

}  // namespace muster::resp
