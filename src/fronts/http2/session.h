// HTTP/2 (RFC 9113) on one connection of net/: bytes become streams and streams become bytes, by nghttp2, which stays behind this
// header. A front makes one for each connection that speaks it.
//
// Flow control follows the connection's budget: what arrives is given back to the peer's windows while there is room for it, and
// when much is kept of requests that are not complete, the oldest of them alone goes on. A peer that sends what nobody needs
// (pings, settings, resets), reads nothing, or owes bytes and sends none, is told so and let go of; limits.h has the bounds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/incident.h"
#include "fronts/http2/limits.h"
#include "fronts/http2/stream.h"
#include "net/connection.h"
#include "net/io_loop.h"

struct nghttp2_rcbuf;
struct nghttp2_session;

namespace muster::http2 {

// What sessions use one after the other, so that an idle one keeps none of it: in session.cc.
struct Tools;
std::shared_ptr<Tools> make_tools();

// What the connections of one listener share. They live on one loop.
struct Service {
  net::IoLoop& loop;
  Limits limits;
  Incidents incidents;
  Serve serve;
  std::shared_ptr<Tools> tools = make_tools();  // shared only because it is not known here
};

class Session final : public net::Session, public std::enable_shared_from_this<Session> {
 public:
  Session(std::shared_ptr<const Service> service, net::Connection& connection);
  ~Session() override;

  void begin();  // says our settings; called once, right after construction

  void received(std::string_view bytes) override;
  void peer_finished() override;
  void read_expired() override;
  void output_drained() override;
  void drain() override;
  void closed() override;

 private:
  friend class Stream;
  friend struct Callbacks;  // nghttp2's, in session.cc

  // A bucket of things a peer may do: full at first, and refilled as time passes.
  struct Allowance {
    std::uint64_t left;
    Ticks refilled_at{};
    bool take(Ticks now, std::uint64_t burst, std::uint64_t per_second);
  };
  friend struct Tools;

  // A field of a head that is arriving, as the library keeps it for us.
  struct HeadPart {
    nghttp2_rcbuf* name;
    nghttp2_rcbuf* value;
  };

  Ticks now() const { return service_->loop.clock().elapsed(); }
  Stream* find(std::int32_t id);
  void begin_head();
  bool add_field(nghttp2_rcbuf* name, nghttp2_rcbuf* value);  // false: the list is hopelessly long
  Head read_head();
  void let_go_of_head();
  void open(std::int32_t id, bool ended);
  void take_data(std::int32_t id, std::string_view bytes);
  void end_input(std::int32_t id);
  void ping_received();
  void control_received();
  void ping_answered(std::string_view text);
  void end_sent(Stream& stream);
  void stream_closed(std::int32_t id);
  void call(Stream& stream, std::string_view doing, void (Handler::*what)());
  template <class Work>
  void guarded(Stream* stream, std::string_view doing, Work work);

  void give_windows_back(Stream& stream);
  void give_windows_back_to_all();
  Stream* oldest_unfinished();
  void finish_input(std::int32_t id);  // it is unfinished no more, if it was
  void report_held();

  void say_goodbye(Reset why, std::string_view text);
  void finish_drain();
  void touch();  // something is to be sent: flush when the round of the loop is over
  void flush();
  void tell_drained();
  void read_on();
  void begin_next_long();
  void finish_if_done();
  void arm();
  bool is_silent(const Stream& stream, Ticks at) const;
  void look_at_streams(Ticks at);
  void look_at_peer(Ticks at);

  const std::shared_ptr<const Service> service_;  // shared by all connections of a listener
  net::Connection& connection_;
  nghttp2_session* library_ = nullptr;
  const std::uint64_t number_;
  std::map<std::int32_t, Stream> streams_;  // in the order of their arrival
  std::vector<HeadPart> head_;              // of the request whose head is arriving
  std::size_t head_bytes_ = 0;
  std::string output_;                         // made by the library in this flush
  std::size_t output_bytes_ = 0;               // of the last one: what the next is likely to need
  std::vector<Stream::Done> done_;             // of streams whose last byte is in output_
  std::size_t held_ = 0;                       // by the handlers of all streams, and answers that have not left
  std::vector<std::int32_t> unfinished_;       // streams whose peer has not ended its side, and may still; oldest first
  std::size_t sending_ = 0;                    // streams with bytes, or an end, that have not left
  std::vector<std::int32_t> drained_streams_;  // whose bytes have all left in this flush
  std::vector<std::int32_t> held_up_;          // whose bytes wait until the system has taken others
  std::set<std::int32_t> long_waiting_;        // streams whose long answer is not begun yet
  std::int32_t long_ = 0;                      // the stream whose long answer is being made; 0: none
  Allowance controls_{kControlsBurst};
  Ticks received_at_{};
  Ticks idle_since_{};
  Ticks ping_sent_at_ = Ticks::min();      // of ours that is not answered; min: none
  Ticks ping_received_at_ = Ticks::min();  // of the peer's, since we last sent anything of an answer
  Ticks drain_begun_at_{};
  Ticks next_look_ = Ticks::max();
  std::uint32_t ping_strikes_ = 0;
  bool settings_seen_ = false;
  bool reading_head_ = false;
  bool paused_ = false;            // the peer reads nothing, and nothing of it is read
  bool busy_ = false;              // inside the library: it is neither fed nor flushed
  bool flush_posted_ = false;      // or about to happen
  bool draining_ = false;          // the peer is told that the server stops
  bool drained_ = false;           // the peer knows that no more is taken
  bool goodbye_ = false;           // the peer is told why the connection ends
  bool windows_withheld_ = false;  // from a stream, for want of room
  bool closed_ = false;
};

}  // namespace muster::http2
