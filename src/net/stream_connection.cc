#include "net/stream_connection.h"

#include <algorithm>
#include <array>
#include <boost/asio/buffer.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <deque>
#include <exception>
#include <optional>
#include <type_traits>
#include <vector>

#include "net/io_loop_state.h"
#include "net/peer_certificate.h"

namespace muster::net {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using TlsStream = asio::ssl::stream<tcp::socket>;
using boost::system::error_code;

constexpr std::size_t kReadBytesMin = 4 * 1024;   // held by an idle connection
constexpr std::size_t kReadBytesMax = 64 * 1024;  // while a peer sends much
constexpr std::size_t kGatherMax = 64;            // pieces per write, as many as the system call takes
constexpr Duration kLinger{2'000};                // for the peer to read our last words before the socket goes
constexpr Ticks kNever = Ticks::max();

struct Outgoing {
  std::string bytes;
  UniqueFunction<void(bool)> done;
};

template <class Stream>
class StreamConnectionOf final : public StreamConnection, public std::enable_shared_from_this<StreamConnectionOf<Stream>> {
  static constexpr bool kTls = std::is_same_v<Stream, TlsStream>;
  using Self = std::shared_ptr<StreamConnectionOf>;

 public:
  StreamConnectionOf(IoLoop& loop, Stream stream, StreamOptions options)
      : loop_(loop),
        options_(std::move(options)),
        stream_(std::move(stream)),
        share_(options_.budget, [this] { tell_room(); }),
        resumed_(loop.state().io, asio::steady_timer::time_point::max()) {}

  void start(std::shared_ptr<Session> session, UniqueFunction<void()> gone) override {
    session_ = std::move(session);
    gone_ = std::move(gone);
    spawn(read_all(this->shared_from_this()));
  }

  void send(std::string bytes, UniqueFunction<void(bool)> done) override {
    loop_.assert_inside();
    if (closed_ || finishing_) {
      if (done) loop_.post([call = std::move(done)]() mutable { call(false); });
      return;
    }
    unsent_ += bytes.size();
    share_.set(held_ + unsent_);
    outgoing_.push_back({std::move(bytes), std::move(done)});
    schedule_flush();
  }

  std::size_t unsent() const override { return unsent_; }

  void hold(std::size_t bytes) override {
    if (closed_) return;
    held_ = bytes;
    share_.set(held_ + unsent_);
  }
  bool has_room() override { return share_.within_own() && share_.within_node(); }
  bool node_has_room() override { return share_.within_node(); }

  void pause_reading() override { paused_ = true; }
  void resume_reading() override {
    if (!paused_) return;
    paused_ = false;
    resumed_.cancel();
  }

  void expire_reading_in(Duration within) override { read_deadline_ = loop_.clock().elapsed() + within; }
  void never_expire_reading() override { read_deadline_ = kNever; }

  void close_when_sent() override {
    if (closed_ || finishing_) return;
    finishing_ = true;
    read_deadline_ = kNever;
    resume_reading();  // what still arrives is dropped
    schedule_flush();
  }

  void close_now() override {
    if (closed_) return;
    closed_ = true;
    error_code ignored;
    socket().close(ignored);
    resumed_.cancel();
    // Posted, because a session may close from inside one of its own calls.
    loop_.post([self = this->shared_from_this()] { self->bury(); });
  }

  bool closing() const override { return closed_ || finishing_; }
  const std::string& peer_address() const override { return options_.peer_address; }
  const PeerCertificate* peer_certificate() const override { return certificate_ ? &*certificate_ : nullptr; }

  void drain() override {
    if (closed_) return;
    if (session_ready_)
      guarded("drain", [&] { session_->drain(); });
    else
      close_now();
  }

  void enforce_deadlines(Ticks now) override {
    if (closed_) return;
    if (now >= write_deadline_ || now >= end_deadline_) return close_now();
    if (now < read_deadline_) return;
    read_deadline_ = kNever;
    guarded("read time-out", [&] { session_->read_expired(); });
  }

 private:
  std::conditional_t<kTls, tcp::socket, PlainSocket>& socket() {
    if constexpr (kTls)
      return stream_.next_layer();
    else
      return stream_;
  }

  void tell_room() {
    if (!closed_ && !finishing_) guarded("output drained", [&] { session_->output_drained(); });
  }

  Ticks in(Duration after) const { return loop_.clock().elapsed() + after; }

  // A session that throws is in an unknown state: its connection ends, and nobody else's.
  template <class Call>
  void guarded(std::string_view what, Call call) {
    try {
      call();
    } catch (...) {
      const Incident incident(loop_.state().incidents, what);
      close_now();
    }
  }

  void spawn(asio::awaitable<void> work) {
    asio::co_spawn(loop_.state().io, std::move(work), [self = this->shared_from_this()](const std::exception_ptr& error) {
      if (!error) return;
      try {
        std::rethrow_exception(error);
      } catch (...) {
        const Incident incident(self->loop_.state().incidents, "connection");
        self->close_now();
      }
    });
  }

  static asio::awaitable<void> read_all(Self self) {
    error_code error;
    if constexpr (kTls) {
      self->end_deadline_ = self->in(self->options_.handshake_timeout);
      co_await self->stream_.async_handshake(asio::ssl::stream_base::server, asio::redirect_error(asio::use_awaitable, error));
      if (error) {
        self->close_now();
        co_return;
      }
      self->end_deadline_ = kNever;
      self->certificate_ = net::peer_certificate(self->stream_.native_handle());
    }
    self->session_ready_ = true;
    while (!self->closed_) {
      if (self->paused_) {
        co_await self->resumed_.async_wait(asio::redirect_error(asio::use_awaitable, error));
        continue;
      }
      const std::size_t got =
          co_await self->stream_.async_read_some(asio::buffer(self->incoming_), asio::redirect_error(asio::use_awaitable, error));
      if (self->closed_) co_return;
      if (error) break;
      if (!self->finishing_) self->guarded("received", [&] { self->session_->received({self->incoming_.data(), got}); });
      self->fit_buffer(got);
    }
    if (self->closed_) co_return;
    // A peer that only finished sending is still owed its answers; a broken stream is owed nothing.
    if (error == asio::error::eof && !self->said_goodbye_) {
      self->peer_finished_ = true;
      if (!self->finishing_) self->guarded("end of peer", [&] { self->session_->peer_finished(); });
    } else {
      self->close_now();
    }
  }

  void fit_buffer(std::size_t got) {
    if (got == incoming_.size() && incoming_.size() < kReadBytesMax) {
      incoming_.resize(kReadBytesMax);
    } else if (got < kReadBytesMin && incoming_.size() > kReadBytesMin) {
      incoming_.resize(kReadBytesMin);
      incoming_.shrink_to_fit();
    }
  }

  // Replies of one round of the loop leave in one system call: flushing waits until the round is over.
  void schedule_flush() {
    if (flush_scheduled_ || writing_) return;
    flush_scheduled_ = true;
    loop_.post([self = this->shared_from_this()] {
      self->flush_scheduled_ = false;
      self->guarded("flush", [&] { self->flush(); });
    });
  }

  void flush() {
    if (closed_ || writing_) return;
    if constexpr (!kTls) {
      // Most replies fit the socket's buffer: no coroutine is needed for them.
      if (!outgoing_.empty()) {
        error_code error;
        gather();
        const std::size_t taken = stream_.write_some(pieces_, error);
        if (!error)
          taken_by_system(taken);
        else if (error != asio::error::would_block && error != asio::error::try_again)
          return close_now();
      }
    }
    if (!outgoing_.empty() || finishing_) {
      writing_ = true;
      spawn(write_all(this->shared_from_this()));
    } else {
      guarded("output drained", [&] { session_->output_drained(); });
    }
  }

  void gather() {
    pieces_.clear();
    std::size_t skip = sent_of_first_;
    for (const Outgoing& entry : outgoing_) {
      if (pieces_.size() == kGatherMax) break;
      pieces_.push_back(asio::buffer(entry.bytes) + skip);
      skip = 0;
    }
  }

  void taken_by_system(std::size_t bytes) {
    unsent_ -= bytes;
    share_.set(held_ + unsent_);
    bytes += sent_of_first_;
    while (!outgoing_.empty() && bytes >= outgoing_.front().bytes.size()) {
      bytes -= outgoing_.front().bytes.size();
      if (outgoing_.front().done) loop_.post([call = std::move(outgoing_.front().done)]() mutable { call(true); });
      outgoing_.pop_front();
    }
    sent_of_first_ = bytes;
  }

  static asio::awaitable<void> write_all(Self self) {
    error_code error;
    while (!self->outgoing_.empty() && !self->closed_) {
      self->write_deadline_ = self->in(self->options_.write_timeout);  // renewed by any progress
      self->gather();
      const std::size_t taken =
          co_await self->stream_.async_write_some(self->pieces_, asio::redirect_error(asio::use_awaitable, error));
      if (self->closed_) co_return;
      if (error) {
        self->close_now();
        co_return;
      }
      self->taken_by_system(taken);
    }
    self->write_deadline_ = kNever;
    self->writing_ = false;
    if (self->closed_) co_return;
    if (!self->finishing_) {
      self->guarded("output drained", [&] { self->session_->output_drained(); });
      co_return;
    }
    // Closing a socket with unread input resets it, and the peer may lose our last answer: end our side first, then wait for
    // the peer's end, which the reading coroutine sees.
    self->end_deadline_ = self->in(kLinger);
    if constexpr (kTls) co_await self->stream_.async_shutdown(asio::redirect_error(asio::use_awaitable, error));
    if (self->closed_) co_return;
    self->said_goodbye_ = true;
    self->socket().shutdown(asio::socket_base::shutdown_send, error);
    // Once the peer's end was seen no read is under way that would notice anything more.
    if (error || self->peer_finished_) self->close_now();
  }

  void bury() {
    for (Outgoing& entry : outgoing_)
      if (entry.done) guarded("undelivered bytes", [&] { entry.done(false); });
    outgoing_.clear();
    unsent_ = held_ = 0;
    share_.end();
    guarded("closed", [&] { session_->closed(); });
    session_.reset();
    UniqueFunction<void()> gone = std::move(gone_);
    gone();
  }

  IoLoop& loop_;
  const StreamOptions options_;
  Stream stream_;
  std::optional<PeerCertificate> certificate_;
  std::shared_ptr<Session> session_;  // shared with replies that are on their way to it
  UniqueFunction<void()> gone_;
  ByteBudget::Share share_;
  asio::steady_timer resumed_;  // never expires; cancelled to wake the paused reader
  std::vector<char> incoming_ = std::vector<char>(kReadBytesMin);
  std::deque<Outgoing> outgoing_;
  std::vector<asio::const_buffer> pieces_;
  std::size_t sent_of_first_ = 0;
  std::size_t unsent_ = 0;
  std::size_t held_ = 0;  // by the session
  Ticks read_deadline_ = kNever;
  Ticks write_deadline_ = kNever;
  Ticks end_deadline_ = kNever;  // handshake, goodbye
  bool session_ready_ = false;
  bool paused_ = false;
  bool peer_finished_ = false;
  bool writing_ = false;
  bool flush_scheduled_ = false;
  bool finishing_ = false;
  bool said_goodbye_ = false;
  bool closed_ = false;
};

}  // namespace

std::shared_ptr<StreamConnection> make_plain_connection(IoLoop& loop, PlainSocket socket, StreamOptions options) {
  return std::make_shared<StreamConnectionOf<PlainSocket>>(loop, std::move(socket), std::move(options));
}

std::shared_ptr<StreamConnection> make_tls_connection(IoLoop& loop, tcp::socket socket, StreamOptions options) {
  TlsStream stream(std::move(socket), *options.tls);
  return std::make_shared<StreamConnectionOf<TlsStream>>(loop, std::move(stream), std::move(options));
}

}  // namespace muster::net
