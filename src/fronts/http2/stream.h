// One stream of an HTTP/2 connection: a request and its answer, both in pieces. A front implements Handler and is given a Stream.
// Nothing here knows what requests mean.
//
// Everything happens on the loop's thread. A Stream lives until Handler::closed() has returned.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/unique_function.h"

namespace muster::http2 {

struct Field {
  std::string_view name;  // lower case
  std::string_view value;
};

// What a request begins with. Valid during the call that shows it.
struct Head {
  std::string_view method;
  std::string_view authority;
  std::string_view path;
  std::span<const Field> fields;  // the others, in order
  std::size_t bytes = 0;          // of all of it, as RFC 9113 counts them
  bool too_large = false;         // it was longer than accepted, and fields are missing
  bool ended = false;             // no body follows

  std::string_view find(std::string_view name) const;  // the first one's value; empty: none
};

// Error codes of RFC 9113 that we say ourselves.
enum class Reset : std::uint32_t {
  no_error = 0,
  protocol_error = 1,
  internal_error = 2,
  refused = 7,
  cancel = 8,
  calm_down = 11
};

// Who serves a stream.
class Handler {
 public:
  virtual ~Handler() = default;
  virtual void received(std::string_view bytes) = 0;  // of the body; valid during the call only
  virtual void input_ended() = 0;                     // the request is complete; not called when Head::ended
  virtual void drained() {}                           // everything that was given to send() has left for the connection
  // Does the peer owe bytes that something waits for? If it sends none for a while, expired() is called.
  virtual bool is_owed() const { return true; }
  virtual void expired() = 0;
  virtual void draining() {}  // the server stops: do not wait for anything any more
  virtual void closed() = 0;  // the last call: answered, reset by either side, or the connection ended
};

class Session;

class Stream {
 public:
  using Done = UniqueFunction<void(bool)>;

  Stream(Session& session, std::int32_t id, bool input_ended) : session_(session), id_(id), input_ended_(input_ended) {}
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  // The answer: a head, then bytes and an end, or a head that is all of it. `done(true)`: the operating system has taken the
  // last byte; `done(false)`: it never will. Called exactly once, if at all set, never from inside these calls.
  void respond(unsigned status, std::span<const Field> fields);
  void respond_and_end(unsigned status, std::span<const Field> fields, Done done = {});
  void send(std::string bytes);
  void finish(std::span<const Field> trailers, Done done = {});
  // Ends the stream in both directions as soon as the caller's call is over; Handler::closed() follows.
  void reset(Reset why);
  bool responded() const { return responded_; }
  std::size_t unsent() const { return outgoing_.size() - outgoing_at_; }
  std::size_t kept() const { return outgoing_.size(); }  // unsent() and what has left and is still in memory

  // For answers of megabytes, maybe: runs `begin` when the connection makes no other such answer and has room, which may be now;
  // not at all when the stream ends before. Once.
  void when_room(UniqueFunction<void()> begin);
  // What was begun so waits for something to happen, and others need not wait for it.
  void make_way();

  // Bytes that the handler keeps of this stream, which count against its connection's share.
  void hold(std::size_t bytes);
  // While paused the peer's window does not grow: it sends at most stream_window_bytes more.
  void pause_input();
  void resume_input();

  const std::string& peer_address() const;
  std::uint64_t connection() const;  // its number, unique while the process runs

 private:
  friend class Session;
  friend struct Callbacks;  // in session.cc

  // Something of the answer has been given and has not left: bytes, or its end.
  bool is_sending() const { return unsent() > 0 || (finished_ && !ended_); }
  void begin_sending();
  void submit_head(unsigned status, std::span<const Field> fields, bool with_body);

  Session& session_;
  const std::int32_t id_;
  std::shared_ptr<Handler> handler_;  // shared with answers that are on their way to it
  std::string outgoing_;
  std::size_t outgoing_at_ = 0;
  std::string trailers_;  // names and values, each ended by a zero byte, until they are sent
  Done done_;
  UniqueFunction<void()> begin_;  // set while it waits to be begun
  Ticks touched_{};               // when bytes last moved in the direction that something waits for
  std::size_t held_ = 0;          // by the handler
  std::size_t window_owed_ = 0;   // received, and not given back to the peer's window yet
  bool input_ended_ = false;      // by the peer
  bool input_paused_ = false;     // by the handler
  bool withheld_ = false;         // its window, for want of room
  bool responded_ = false;        // the head was given
  bool finished_ = false;         // the end was given
  bool ended_ = false;            // and has left
  bool deferred_ = false;         // the library waits for bytes
  bool reset_ = false;            // by us
};

// Takes a request up: whoever serves it, or null, which refuses it. It may answer before it returns.
using Serve = std::function<std::shared_ptr<Handler>(Stream&, const Head&)>;

}  // namespace muster::http2
