// One HTTP connection: reads requests, keeps their answers in order, and minds the clock.
//
// Several requests of one connection may be under way at once (pipelining); each has a slot, and answers leave in the order of
// the slots. While a claim waits the socket is still read, so that a client that went away is noticed and its claim cancelled.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "fronts/http/request_reader.h"
#include "fronts/http/return_path.h"
#include "net/connection.h"

namespace muster::http {

class Core;

inline constexpr std::size_t kUnparsedBytesMax = 64 * 1024;  // beyond, reading pauses until answers have gone

class HttpSession final : public net::Session, public ReturnPath, public std::enable_shared_from_this<HttpSession> {
 public:
  HttpSession(std::shared_ptr<Core> core, net::Connection& connection);

  void begin();  // arms the first time-out; called once, right after construction

  void received(std::string_view bytes) override;
  void peer_finished() override;
  void read_expired() override;
  void output_drained() override;
  void drain() override;
  void closed() override;

  void answer(std::uint64_t number, Outcome outcome) override;
  void stream(std::uint64_t number, StreamStart start) override;
  // The connection, when no other request of it is under way.
  net::Connection* to_itself(std::uint64_t number) override;
  void become(UpgradeTaken taken) override;
  net::Connection* to_stream_on(std::uint64_t number) override { return to_itself(number); }
  void become_stream(const Response& head, std::shared_ptr<net::Session> session) override;
  void begin_long(std::uint64_t number, UniqueFunction<void()> begin) override;
  void wait_with(std::uint64_t number, std::function<void()> give_up, bool parked) override;
  bool peer_gone() const override { return closed_ || peer_finished_; }
  const std::string& peer_address() const override { return connection_.peer_address(); }

 private:
  struct Slot {
    bool keep_alive = true;
    bool long_answer = false;
    std::size_t bytes = 0;          // of the request, then of its answer
    UniqueFunction<void()> begin;   // set while it waits to be begun
    std::function<void()> give_up;  // set while the answer waits for something to happen
    std::optional<Outcome> outcome;
    std::optional<StreamStart> stream;
  };

  bool may_read_on();
  void report_held();
  void begin_next_long();
  void forget_later(UniqueFunction<void()> begin);
  void read_requests();
  void begin_request();
  void check_early();
  void refuse_stream(unsigned status, const Status& why);
  Slot* slot(std::uint64_t number);
  void send_ready();
  void send(Slot& slot);
  void start_streaming(StreamStart start);
  void finish_if_done();
  void cancel_waiting();
  void arm();

  std::shared_ptr<Core> core_;  // shared by all sessions
  net::Connection& connection_;
  RequestReader reader_;
  std::string input_;  // bytes that are not parsed yet
  std::deque<Slot> slots_;
  std::uint64_t first_number_ = 0;  // of slots_.front()
  std::size_t slots_bytes_ = 0;
  RequestReader::Phase armed_ = RequestReader::Phase::failed;
  bool reading_requests_ = false;   // guards against answering synchronously inside read_requests()
  bool last_request_seen_ = false;  // no request is read any more
  bool streaming_ = false;
  std::shared_ptr<net::Session> successor_;  // set: everything is its
  bool peer_finished_ = false;
  bool draining_ = false;
  bool closed_ = false;
};

}  // namespace muster::http
