// One request that came as a stream of HTTP/2, from its head to its answer; the same exchanges as on HTTP/1.1. A stream of events
// is sent through it as through a connection.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "fronts/http/request.h"
#include "fronts/http/return_path.h"
#include "fronts/http2/stream.h"
#include "net/connection.h"

namespace muster::http {

class Core;

// Shared by the stream and exchanges that are on their way to it.
class StreamSession final : public http2::Handler,
                            public ReturnPath,
                            public net::Connection,
                            public std::enable_shared_from_this<StreamSession> {
 public:
  static std::shared_ptr<http2::Handler> begin(std::shared_ptr<Core> core, http2::Stream& stream, const http2::Head& head);
  StreamSession(std::shared_ptr<Core> core, http2::Stream& stream);

  // http2::Handler
  void received(std::string_view bytes) override;
  void input_ended() override;
  void drained() override;
  void draining() override;
  void expired() override;
  void closed() override;

  // ReturnPath
  void answer(std::uint64_t number, Outcome outcome) override;
  void stream(std::uint64_t number, StreamStart start) override;
  net::Connection* to_itself(std::uint64_t) override { return nullptr; }  // a stream cannot leave HTTP
  void become(UpgradeTaken) override {}
  net::Connection* to_stream_on(std::uint64_t) override { return over() ? nullptr : this; }
  void become_stream(const Response& head, std::shared_ptr<net::Session> session) override;
  void begin_long(std::uint64_t number, UniqueFunction<void()> begin) override;
  void wait_with(std::uint64_t number, std::function<void()> give_up, bool parked) override;
  bool peer_gone() const override { return stream_ == nullptr; }

  // net::Connection, for a stream of events
  void send(std::string bytes, UniqueFunction<void(bool)> done) override;
  std::size_t unsent() const override { return stream_ == nullptr ? 0 : stream_->unsent(); }
  void hold(std::size_t) override {}
  bool has_room() override;
  bool node_has_room() override { return true; }
  void pause_reading() override {}
  void resume_reading() override {}
  void expire_reading_in(Duration) override {}
  void never_expire_reading() override {}
  void close_when_sent() override;
  void close_now() override;
  bool closing() const override { return over(); }
  const std::string& peer_address() const override { return peer_address_; }

 private:
  void take_head(const http2::Head& head);
  void check_early();
  void refuse(unsigned status, const Status& why);
  struct HeadKind {
    bool gzip = false;
    bool ends = false;     // no body follows
    bool endless = false;  // how long the body is nobody knows
  };
  void respond(const Response& response, HeadKind kind, UniqueFunction<void(bool)> done = {});
  bool over() const { return stream_ == nullptr || finished_; }

  std::shared_ptr<Core> core_;  // shared by all sessions
  http2::Stream* stream_;       // null: it has ended
  const std::string peer_address_;
  Request request_;
  std::function<void()> give_up_;                  // set while the answer waits for something to happen
  std::shared_ptr<net::Session> successor_;        // set: what is sent is its
  std::vector<UniqueFunction<void(bool)>> taken_;  // to be told when what was sent has left
  bool events_ = false;                            // the hub sends
  bool finished_ = false;                          // the end was given
  bool draining_ = false;                          // the server stops
};

}  // namespace muster::http
